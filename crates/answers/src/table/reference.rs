//! What the columns of tables mean, for the documentation.

use std::fmt::Write as _;

use super::{
    Column, Value, decisions, ensemble, explain, history, locations, run, scale, store, what_if,
};

/// A table and its columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableReference {
    /// The command, with the option that chooses the table if there are several.
    pub command: &'static str,
    /// Columns whose number depends on the answer; empty if there are none.
    pub further: &'static str,
    /// Columns of every answer, in their order.
    pub columns: Vec<ColumnReference>,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnReference {
    /// Name.
    pub name: &'static str,
    /// `text`, `number`, `integer`, `truth` or `parameter`.
    pub kind: &'static str,
    /// Unit; empty if it has none.
    pub unit: &'static str,
    /// What a value means.
    pub meaning: &'static str,
}

/// Every table that an answer has.
pub fn table_references() -> Vec<TableReference> {
    let mut tables = vec![
        table(
            "runs",
            "`params.NAME` per parameter",
            &[&columns(ensemble::runs())],
        ),
        table(
            "stats",
            "`cohort.NAME` per parameter of `by`, after `group`",
            &[
                &columns(ensemble::stats_group()),
                &columns(ensemble::stats()),
            ],
        ),
        table(
            "stats --by-location",
            "",
            &[&columns(locations::locations())],
        ),
        table("diff", "", &[&columns(ensemble::diff())]),
        table("diff --level grain", "", &[&columns(run::grain_diff())]),
        table("explain", "", &[&columns(explain::explain())]),
        table("gate", "", &[&columns(decisions::gate())]),
        table(
            "noise",
            "`cohort.NAME` per parameter of the configurations, after `group`",
            &[
                &columns(decisions::noise_group()),
                &columns(decisions::noise()),
            ],
        ),
        table(
            "history",
            "`environment.NAME` per parameter of the environments, after `group`",
            &[&columns(history::group()), &columns(history::history())],
        ),
        table("scale --table points", "", &[&columns(scale::points())]),
        table("scale --table models", "", &[&columns(scale::models())]),
        table("scale --table loss", "", &[&columns(scale::loss())]),
        table(
            "scale --table out_of_order",
            "",
            &[&columns(scale::out_of_order())],
        ),
        table(
            "similar",
            "one per run, under its id: the similarity",
            &[&columns(ensemble::similar())],
        ),
        table(
            "similar --projection",
            "`params.NAME` per parameter",
            &[&columns(ensemble::projection())],
        ),
        table("match", "", &[&columns(store::mapping())]),
        table("record", "", &[&columns(store::recorded())]),
    ];
    tables.extend(run_tables());
    tables.extend(what_if_tables());
    tables
}

fn run_tables() -> Vec<TableReference> {
    vec![
        table("grains", "one per metric", &[&columns(run::grains())]),
        table("problems", "", &[&columns(run::problems())]),
        table("tree", "one per metric", &[&columns(run::groups())]),
        table("groups", "one per metric", &[&columns(run::groups())]),
        table("info", "", &[&columns(run::messages())]),
        table("paths", "", &[&columns(run::paths())]),
        table("loops", "", &[&columns(run::loops())]),
        table("scheduling", "", &[&columns(run::scheduling())]),
        table("fragments", "", &[&columns(run::fragments())]),
        table("timeline", "", &[&columns(run::timeline())]),
        table(
            "parallelism",
            "`LAYER_min`, `LAYER_mean` and `LAYER_max` per layer",
            &[&columns(run::parallelism())],
        ),
    ]
}

fn what_if_tables() -> [TableReference; 3] {
    [
        table("what-if", "", &[&columns(what_if::predictions())]),
        table("what-if --first", "", &[&columns(what_if::priorities())]),
        table("what-if --check", "", &[&columns(what_if::checks())]),
    ]
}

fn table(
    command: &'static str,
    further: &'static str,
    parts: &[&[ColumnReference]],
) -> TableReference {
    TableReference {
        command,
        further,
        columns: parts.concat(),
    }
}

fn columns<R>(columns: Vec<Column<R>>) -> Vec<ColumnReference> {
    let describe = |column: Column<R>| ColumnReference {
        name: column.name,
        kind: match column.value {
            Value::Text(_) => "text",
            Value::Number(_) => "number",
            Value::Integer(_) | Value::Count(_) => "integer",
            Value::Truth(_) => "truth",
            Value::Parameter(_) => "parameter",
        },
        unit: column.unit.as_str(),
        meaning: column.meaning,
    };
    columns.into_iter().map(describe).collect()
}

/// The columns of all tables as a page of Markdown.
pub fn columns_document() -> String {
    let mut text = String::from(
        "# Columns of tables\n\n\
         Tables have the same columns as comma-separated values (`--csv`, `format=csv`) and as Arrow IPC streams\n\
         (`--arrow` of `grains` and `diff --level grain`, `format=arrow`). Absent values are empty in the first and null in the\n\
         second. `make types` writes this page.\n",
    );
    for table in table_references() {
        let _ = writeln!(text, "\n## {}\n", table.command);
        if !table.further.is_empty() {
            let _ = writeln!(text, "Further columns: {}.\n", table.further);
        }
        text.push_str("| column | type | unit | meaning |\n|---|---|---|---|\n");
        for column in table.columns {
            let ColumnReference {
                name,
                kind,
                unit,
                meaning,
            } = column;
            let _ = writeln!(text, "| `{name}` | {kind} | {unit} | {meaning} |");
        }
    }
    text
}
