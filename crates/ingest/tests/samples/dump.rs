//! Tables as text.

use std::fmt::Write as _;

use sheaf_ingest::{ReadOutcome, Run};

/// Rows of one table that are written out.
const ROWS: usize = 200;

/// Everything that was read, or why not.
pub(crate) fn dump(reading: &ReadOutcome) -> String {
    let mut text = String::new();
    for run in &reading.runs {
        dump_run(&mut text, run);
    }
    for (at, error) in &reading.refused {
        writeln!(text, "refused {at}: {error}").unwrap();
    }
    text
}

fn dump_run(text: &mut String, run: &Run) {
    let (tables, summary) = (&run.tables, &run.tables.summary);
    // Whoever imports a run adds its source: readers know bytes, not files.
    let meta = format!("{:#?}", summary.meta);
    assert!(meta.contains("    source: None,\n"));
    writeln!(text, "{}", meta.replace("    source: None,\n", "")).unwrap();
    for finding in &run.report.findings {
        writeln!(
            text,
            "{}: {} ({:?})",
            finding.kind, finding.count, finding.first
        )
        .unwrap();
    }
    macro_rules! tables {
        ($($table:expr),+ $(,)?) => {
            $(dump_table(
                text,
                stringify!($table),
                $table.len(),
                $table.rows().map(|row| format!("{row:?}")),
            );)+
        };
    }
    tables!(
        summary.definitions,
        summary.contexts,
        summary.locations,
        summary.metrics,
        summary.values,
        summary.totals,
        tables.grains,
        tables.fragments,
        tables.waits,
        tables.dependences,
        tables.counters,
    );
}

fn dump_table(text: &mut String, name: &str, len: usize, rows: impl Iterator<Item = String>) {
    if len == 0 {
        return;
    }
    let name = name.rsplit('.').next().unwrap_or(name);
    writeln!(text, "\n{name}: {len} rows").unwrap();
    for row in rows.take(ROWS) {
        writeln!(text, "  {row}").unwrap();
    }
}
