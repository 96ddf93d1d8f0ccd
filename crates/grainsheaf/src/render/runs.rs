//! The table of runs.

use std::fmt::Write as _;

use sheaf_api::{Run, Runs};

use super::quantity::{ABSENT, Scale, count};
use super::table::{Layout, Table, Tone};
use super::text::counted;
use super::{short_id, value};

/// Columns of parameters, so that a table of runs stays a table.
const MAX_PARAMETERS: usize = 6;

/// Parameters that say the same as others in more words, or differ in every run.
const BOOKKEEPING: &[&str] = &[
    "OMP_NUM_THREADS",
    "OMP_TOOL",
    "OMP_TOOL_LIBRARIES",
    "clock",
    "command",
    "compiler_flags",
    "compiler_runtime",
    "executable",
    "runtime_hash",
    "runtime_library",
    "started",
    "working_directory",
];

/// The runs with the parameters that tell them apart.
pub(crate) fn runs(answer: &Runs, layout: Layout) -> String {
    if answer.runs.is_empty() {
        return "no runs\n".to_owned();
    }
    let varying = answer
        .parameters
        .iter()
        .filter(|parameter| parameter.varies);
    let num_varying = varying.clone().count();
    let telling = varying.filter(|parameter| !BOOKKEEPING.contains(&parameter.name.as_str()));
    let varying: Vec<&str> = telling
        .map(|parameter| parameter.name.as_str())
        .take(MAX_PARAMETERS)
        .collect();
    let hidden = num_varying - varying.len();

    let elapsed = |run: &Run| run.elapsed_ns.map(|ns| ns as f64);
    let scale = Scale::of("ns", answer.runs.iter().filter_map(elapsed));
    let mut table = Table::default().word("run").name("name").name("program");
    for name in &varying {
        table = table.name(*name);
    }
    table = table
        .number("grains")
        .number("contexts")
        .number(scale.header("elapsed"))
        .word("");
    for run in &answer.runs {
        table.toned_row(row(run, &varying, &scale, elapsed(run)));
    }
    let mut text = table.render(layout, "");
    let _ = writeln!(text, "{}", counted(answer.runs.len() as u64, "run", "runs"));
    if hidden > 0 {
        let more = counted(
            hidden as u64,
            "more parameter varies",
            "more parameters vary",
        );
        let _ = writeln!(text, "{more}; `grainsheaf info RUN` and `--json` show all");
    }
    text
}

fn row(run: &Run, varying: &[&str], scale: &Scale, elapsed: Option<f64>) -> Vec<(String, Tone)> {
    let mut cells = vec![short_id(&run.run), run.name.clone(), run.program.clone()];
    cells.extend(varying.iter().map(|name| {
        run.params
            .get(*name)
            .map_or_else(|| ABSENT.to_owned(), value)
    }));
    cells.push(if run.grains == 0 {
        ABSENT.to_owned()
    } else {
        count(run.grains)
    });
    cells.push(count(run.contexts));
    cells.push(scale.show_option(elapsed));
    let mut row: Vec<_> = cells.into_iter().map(|cell| (cell, Tone::Plain)).collect();
    row.push(state(run));
    row
}

fn state(run: &Run) -> (String, Tone) {
    if !run.is_complete {
        ("! incomplete".to_owned(), Tone::Notable)
    } else if run.warnings.is_empty() {
        (String::new(), Tone::Plain)
    } else {
        (
            format!(
                "! {}",
                counted(run.warnings.len() as u64, "warning", "warnings")
            ),
            Tone::Notable,
        )
    }
}

#[cfg(test)]
pub(super) mod tests {
    use sheaf_api::{ParamValue, Parameter};

    use super::*;

    pub(in super::super) fn run(digit: char, threads: f64) -> Run {
        Run {
            run: digit.to_string().repeat(32),
            name: format!("sort-t{threads}-r1"),
            program: "sort".into(),
            format: "trace".into(),
            params: [
                ("threads".to_owned(), ParamValue::Number(threads)),
                ("host".to_owned(), ParamValue::Text("node1".into())),
            ]
            .into(),
            grains: 12_345,
            contexts: 7,
            elapsed_ns: Some(1_234_567_890),
            reference_elapsed_ns: Some(1_200_000_000),
            workers: Some(4),
            ranks: 1,
            is_complete: true,
            metrics: vec!["work_ns".into()],
            total: None,
            warnings: Vec::new(),
        }
    }

    fn parameter(name: &str, varies: bool) -> Parameter {
        Parameter {
            name: name.into(),
            kind: "number".into(),
            values: Vec::new(),
            distinct: 2,
            runs: 2,
            varies,
        }
    }

    #[test]
    fn runs_show_what_tells_them_apart() {
        let mut incomplete = run('b', 8.0);
        incomplete.is_complete = false;
        incomplete.elapsed_ns = None;
        let answer = Runs {
            schema: "runs/1".into(),
            runs: vec![run('a', 4.0), incomplete],
            parameters: vec![
                parameter("started", true),
                parameter("threads", true),
                parameter("host", false),
            ],
            metrics: Vec::new(),
            cohorts: Vec::new(),
        };
        let expected = "\
run       name        program  threads  grains  contexts  elapsed (s)
aaaaaaaa  sort-t4-r1  sort     4        12\u{2009}345         7         1.23
bbbbbbbb  sort-t8-r1  sort     8        12\u{2009}345         7            –  ! incomplete
2 runs
1 more parameter varies; `grainsheaf info RUN` and `--json` show all
";
        assert_eq!(runs(&answer, Layout::default()), expected);
    }
}
