//! One run in full.

use std::fmt::Write as _;

use sheaf_answers::{Edges, Run, RunInfo, RunMessages, RunSource};

use super::table::{Layout, Table, Tone};
use super::text::plain;
use super::{or_absent, value, wrapped};
use sheaf_answers::text::{ABSENT, count, number, percent, quantity};

/// What is known of a run: what ran, its sizes, its times, its parameters, its tables.
pub(crate) fn info(answer: &RunInfo, layout: Layout) -> String {
    let run = &answer.run;
    let mut text = format!("{}  {}\n\n", plain(&run.name), run.run);
    text.push_str(&facts(answer).render(layout, ""));
    if !run.params.is_empty() {
        let mut table = Table::default().word("").name("");
        for (name, parameter) in &run.params {
            table.row([name.clone(), value(parameter)]);
        }
        let _ = write!(text, "\nParameters\n{}", table.render(layout, "  "));
    }
    if !run.metrics.is_empty() {
        let _ = writeln!(text, "\nMetrics\n  {}", plain(&run.metrics.join(", ")));
    }
    if !answer.tables.is_empty() {
        let mut table = Table::default().word("table").number("rows").number("size");
        for stored in &answer.tables {
            let size = quantity("bytes", stored.bytes as f64);
            table.row([stored.name.clone(), count(stored.rows), size]);
        }
        let _ = write!(text, "\nTables\n{}", table.render(layout, "  "));
    }
    if !answer.lacks.is_empty() {
        let mut table = Table::default().word("").name("");
        for (what, why) in &answer.lacks {
            table.row([plain(what), plain(why)]);
        }
        let _ = write!(text, "\nNot in the source\n{}", table.render(layout, "  "));
    }
    if !answer.absent.is_empty() {
        let mut table = Table::default().word("").name("");
        for (what, why) in &answer.absent {
            table.row([plain(&what.replace('_', " ")), plain(why)]);
        }
        let _ = write!(text, "\nNot known\n{}", table.render(layout, "  "));
    }
    if !run.warnings.is_empty() {
        text.push('\n');
    }
    for warning in &run.warnings {
        let word = "warning:";
        let line = wrapped(&format!("{word} {warning}"), ["", "  "], layout.width);
        let painted = Tone::Notable.paint(word, layout.has_colour);
        text.push_str(&line.replacen(word, &painted, 1));
    }
    text
}

fn facts(answer: &RunInfo) -> Table {
    let run = &answer.run;
    let mut table = Table::default().word("").name("");
    let mut fact = |name: &str, shown: String| table.row([name.to_owned(), shown]);
    let time =
        |value: Option<i64>| or_absent(value, |value| quantity(answer.unit.as_str(), value as f64));
    let nanos = |value: i64| quantity("ns", value as f64);
    fact("program", run.program.clone());
    fact("format", run.format.clone());
    if let Some(source) = &run.source {
        fact("source", files(source));
        fact("read by", format!("grainsheaf {}", source.reader));
        let imported = source.imported.clone();
        fact("imported", imported.unwrap_or_else(|| ABSENT.to_owned()));
    }
    fact("recording", state(run).to_owned());
    if let Some(remark) = &answer.remark {
        fact("remark", plain(remark));
    }
    let elapsed = run.elapsed_ns.map(nanos);
    fact("elapsed", elapsed.unwrap_or_else(|| ABSENT.to_owned()));
    if let Some(reference) = run.reference_elapsed_ns {
        fact("without recorder", nanos(reference));
    }
    fact("ranks", run.ranks.to_string());
    fact(
        "workers",
        or_absent(run.workers, |workers| workers.to_string()),
    );
    fact("grains", or_absent(run.grains, count));
    fact("definitions", count(answer.definitions));
    fact("contexts", count(run.contexts));
    fact("fragments", count(answer.fragments));
    if let Some(numbers) = &answer.edges {
        fact("edges", edges(numbers));
    }
    fact("work", time(answer.work));
    let form = answer.graph.as_ref().filter(|_| answer.span.is_some());
    let form = form.map_or_else(String::new, |form| format!(", {form} graph"));
    fact("span", time(answer.span) + &form);
    fact("parallelism", or_absent(answer.parallelism, number));
    if let Some(work) = answer.graph_work {
        let of = quantity(answer.unit.as_str(), work as f64);
        fact(
            "",
            format!("of {of}, the runtime system's time within grains included"),
        );
    }
    fact("delay", time(answer.delay));
    fact("no work", time(answer.no_work));
    if let Some(messages) = &answer.messages {
        fact("messages", messages_between_ranks(messages));
        if let Some(share) = messages.transfer_efficiency.map(percent) {
            let ideal = time(messages.ideal_elapsed);
            fact("transfer", format!("{share}: {ideal} on an ideal network"));
        }
    }
    table
}

/// Whether the recording holds the whole run.
fn state(run: &Run) -> &'static str {
    match (run.is_complete, run.warnings.is_empty()) {
        (true, _) => "complete",
        (false, true) if run.format == "trace" => "incomplete: the program did not end by itself",
        (false, true) => "incomplete: the file ends early or lacks records",
        (false, false) => "incomplete: the warnings say why",
    }
}

/// Messages, their bytes, and what was not matched.
fn messages_between_ranks(messages: &RunMessages) -> String {
    let mut bytes = 0_u64;
    for pair in &messages.pairs {
        bytes = bytes.saturating_add(pair.bytes);
    }
    let mut text = format!(
        "{} in {} calls of MPI",
        count(messages.messages),
        count(messages.calls)
    );
    if bytes > 0 {
        let pairs = messages.pairs.len() as u64;
        let word = if pairs == 1 { "pair" } else { "pairs" };
        let bytes = quantity("bytes", bytes as f64);
        let _ = write!(text, ", {bytes} between {} {word} of ranks", count(pairs));
    }
    for (left, what) in [
        (messages.unmatched, "messages not matched"),
        (messages.kept_calls, "calls not replayed"),
    ] {
        if left > 0 {
            let _ = write!(text, ", {} {what}", count(left));
        }
    }
    text
}

/// Numbers of edges by kind.
fn edges(edges: &Edges) -> String {
    let kinds = [
        (edges.creation, "creation"),
        (edges.synchronisation, "synchronisation"),
        (edges.continuation, "continuation"),
        (edges.dependence, "dependence"),
    ];
    let shown = kinds.into_iter().filter(|(count, _)| *count > 0);
    let shown: Vec<_> = shown
        .map(|(number, kind)| format!("{} {kind}", count(number)))
        .collect();
    shown.join(", ")
}

/// The files of a source and their size.
fn files(source: &RunSource) -> String {
    let size = quantity("bytes", source.bytes as f64);
    match source.files {
        1 => format!("{}, {size}", source.file),
        number => format!("{}, {} files, {size}", source.file, count(number)),
    }
}

#[cfg(test)]
mod tests {
    use sheaf_answers::{MessagePair, TableSize};

    use super::super::runs::tests::run;
    use super::*;

    fn answer() -> RunInfo {
        let mut run = run('a', 4.0);
        run.warnings = vec!["3 tasks had no end".into()];
        run.source = Some(RunSource {
            file: "traces/a\u{1b}[31m".into(),
            files: 2,
            bytes: 1_500_000,
            format: "trace".into(),
            reader: "0.1.0".into(),
            imported: None,
        });
        RunInfo {
            schema: "info/1".into(),
            run,
            definitions: 3,
            fragments: 40_000,
            edges: Some(Edges {
                creation: 1,
                synchronisation: 2,
                continuation: 3,
                dependence: 0,
            }),
            graph: Some(sheaf_answers::GraphForm::Unreduced),
            tables: vec![TableSize {
                name: "grains".into(),
                rows: 12_345,
                bytes: 200_000,
            }],
            work: Some(4_000_000_000),
            span: Some(1_000_000_000),
            graph_work: None,
            parallelism: Some(4.0),
            delay: None,
            no_work: Some(2_000),
            unit: sheaf_model::TimeUnit::Nanoseconds,
            units: [].into(),
            messages: Some(RunMessages {
                ideal_elapsed: Some(1_100_000_000),
                transfer_efficiency: Some(0.8943),
                calls: 50,
                kept_calls: 2,
                messages: 12,
                unmatched: 1,
                pairs: vec![MessagePair {
                    from: 0,
                    to: 1,
                    messages: 12,
                    bytes: 4_000,
                }],
            }),
            absent: [(
                "delay".into(),
                "it is not known what grains wait for".into(),
            )]
            .into(),
            remark: None,
            lacks: [("created".into(), "no times of creation are recorded".into())].into(),
        }
    }

    #[test]
    fn info_shows_a_run_in_full() {
        let expected = "\
sort-t4-r1  aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa

program           sort
format            trace
source            traces/a\\u{1b}[31m, 2 files, 1.50 MB
read by           grainsheaf 0.1.0
imported          –
recording         complete
elapsed           1.23 s
without recorder  1.20 s
ranks             1
workers           4
grains            12\u{202f}345
definitions       3
contexts          7
fragments         40\u{202f}000
edges             1 creation, 2 synchronisation, 3 continuation
work              4.00 s
span              1.00 s, unreduced graph
parallelism       4.00
delay             –
no work           2.00 µs
messages          12 in 50 calls of MPI, 4.00 kB between 1 pair of ranks, 1 messages not matched, 2 calls not replayed
transfer          89.4 %: 1.10 s on an ideal network

Parameters
  host     node1
  threads  4

Metrics
  work_ns

Tables
  table     rows    size
  grains  12\u{202f}345  200 kB

Not in the source
  created  no times of creation are recorded

Not known
  delay  it is not known what grains wait for

warning: 3 tasks had no end
";
        assert_eq!(info(&answer(), Layout::default()), expected);
    }
}
