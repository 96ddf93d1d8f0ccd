//! Tables as text, short enough to be checked by eye.

use std::fmt::{Display, Write as _};

use sheaf_model::{Report, RunTables};

fn absent<T: Display>(value: Option<T>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| value.to_string())
}

pub(super) fn dump(run: &RunTables, report: &Report) -> String {
    let mut text = String::new();
    let meta = &run.summary.meta;
    let _ = writeln!(
        text,
        "{} elapsed={} workers={} ranks={} grains={} complete={}",
        meta.program,
        absent(meta.elapsed),
        absent(meta.workers),
        meta.ranks,
        meta.grains,
        meta.is_complete
    );
    for (name, value) in &meta.params {
        let _ = writeln!(text, "param {name}={value} ({})", value.type_name());
    }
    for warning in &meta.warnings {
        let _ = writeln!(text, "warning {warning}");
    }
    for finding in &report.findings {
        let _ = writeln!(text, "report {}={}", finding.kind, finding.count);
    }
    dump_contexts(&mut text, run);
    dump_grains(&mut text, run);
    text
}

fn dump_contexts(text: &mut String, run: &RunTables) {
    let summary = &run.summary;
    for (row, context) in summary.contexts.rows().enumerate() {
        let name = summary
            .definitions
            .row(context.definition.try_into().unwrap())
            .name;
        let indent = usize::try_from(context.depth).unwrap() * 2;
        let _ = write!(text, "context {row}: {:indent$}{name}", "");
        for total in summary
            .totals
            .rows()
            .filter(|total| usize::try_from(total.context) == Ok(row))
        {
            let metric = summary.metrics.row(total.metric.try_into().unwrap()).name;
            let _ = write!(text, " {metric}={}/{}", absent(total.sum), total.count);
            let by_worker: Vec<String> = summary
                .values
                .rows()
                .filter(|row| (row.context, row.metric) == (total.context, total.metric))
                .map(|row| format!("{}@{}", absent(row.sum), row.location))
                .collect();
            let _ = write!(text, "({})", by_worker.join(","));
        }
        text.push('\n');
    }
    for (row, location) in summary.locations.rows().enumerate() {
        let core = absent(location.core);
        let _ = writeln!(
            text,
            "worker {row}: {}.{} core={core}",
            location.rank, location.thread
        );
    }
}

const KINDS: [&str; 5] = ["initial", "member", "task", "chunk", "taskchunk"];
const ENDS: [&str; 8] = [
    "end", "create", "wait", "switch", "enter", "cut", "lock", "message",
];
const WAITS: [&str; 5] = ["taskwait", "taskgroup", "barrier", "implicit", "region"];

fn dump_grains(text: &mut String, run: &RunTables) {
    for (row, grain) in run.grains.rows().enumerate() {
        let range = grain.first_iteration.map_or_else(String::new, |first| {
            format!(" range={first}+{}", absent(grain.iterations))
        });
        let _ = writeln!(
            text,
            "grain {row}: {} context={} parent={} flags={} at={}.{}{range} worker={} created={} \
             start={} end={} work={} waiting={}",
            KINDS[usize::try_from(grain.kind).unwrap()],
            grain.context,
            absent(grain.parent),
            grain.flags,
            absent(grain.sequence),
            grain.index,
            absent(grain.location),
            absent(grain.created),
            absent(grain.start),
            absent(grain.end),
            grain.work.unwrap(),
            absent(grain.waiting),
        );
        let is_own = |grain: i32| usize::try_from(grain) == Ok(row);
        for fragment in run
            .fragments
            .rows()
            .filter(|fragment| is_own(fragment.grain))
        {
            let end = ENDS[usize::try_from(fragment.ended_by).unwrap()];
            let (start, len, worker) = (fragment.start, fragment.duration, fragment.location);
            let _ = writeln!(text, "  fragment {start}+{len} worker={worker} {end}");
        }
        for wait in run.waits.rows().filter(|wait| is_own(wait.grain)) {
            let kind = WAITS[usize::try_from(wait.kind).unwrap()];
            let _ = writeln!(text, "  wait {}+{} {kind}", wait.start, wait.duration);
        }
        for edge in run.dependences.rows().filter(|edge| is_own(edge.successor)) {
            let _ = writeln!(text, "  after {}", edge.predecessor);
        }
        for counter in run.counters.rows().filter(|counter| is_own(counter.grain)) {
            let metric = run
                .summary
                .metrics
                .row(counter.metric.try_into().unwrap())
                .name;
            let _ = writeln!(text, "  {metric} {}", counter.value.unwrap());
        }
    }
}
