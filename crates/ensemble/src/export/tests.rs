//! Exports of runs that are made up.

use sheaf_model::table::{ContextRow, DefinitionRow, GrainKind, GrainRow};
use sheaf_model::{Progress, RunMeta, RunSummary, RunTables};

use super::{ExportFormat, write};
use crate::GraphForm;

/// Tasks that each create the next.
fn chain(len: i32) -> RunTables {
    let mut summary = RunSummary::empty(RunMeta::new("chain", "test"));
    summary.definitions = std::iter::once(DefinitionRow {
        id: [1; 16],
        kind: "task".to_owned(),
        name: "next (task)".to_owned(),
        ..DefinitionRow::default()
    })
    .collect();
    summary.contexts = std::iter::once(ContextRow {
        id: [2; 16],
        parent: None,
        definition: 0,
        depth: 0,
    })
    .collect();
    let grain = |row: i32| GrainRow {
        path_key: row.into(),
        parent: (row > 0).then_some(row - 1),
        kind: GrainKind::Task as i32,
        joined_by: Some(0),
        work: Some(3_596_203_564),
        ..GrainRow::default()
    };
    RunTables {
        grains: (0..len).map(grain).collect(),
        ..RunTables::without_grains(summary)
    }
}

fn exported(tables: &RunTables, format: ExportFormat) -> Vec<u8> {
    let mut out = Vec::new();
    let form = GraphForm::Reduced;
    write(tables, format, form, &Progress::silent(), &mut out).unwrap();
    out
}

/// Output grows with the number of grains, not with their depth; nothing recurses.
#[test]
fn deep_programs_are_written_in_linear_size() {
    const LEN: u16 = 20_000;
    let tables = chain(LEN.into());
    for &format in ExportFormat::ALL {
        let bytes = exported(&tables, format).len();
        let per_grain = bytes / usize::from(LEN);
        assert!(per_grain < 9000, "{format}: {per_grain} bytes a grain");
    }
}

#[test]
fn sums_of_groups_are_exact() {
    let text = String::from_utf8(exported(&chain(3), ExportFormat::NestedGraphMl)).unwrap();
    let total = "<data key=\"v_work_ns\">10788610692</data>";
    // The outermost fork and join, and the row of the first task and all behind it.
    assert_eq!(text.matches(total).count(), 2, "{text}");
    assert_eq!(
        text.matches("<data key=\"v_work_ns\">3596203564</data>")
            .count(),
        4
    );
    assert!(!text.contains(">0.0</data>"));
}

#[test]
fn a_cancelled_export_stops() {
    let progress = Progress::silent();
    progress.cancel();
    for &format in ExportFormat::ALL {
        let mut out = Vec::new();
        let tables = chain(3);
        let error = write(&tables, format, GraphForm::Reduced, &progress, &mut out).unwrap_err();
        assert!(
            error.get_ref().unwrap().is::<sheaf_model::Cancelled>(),
            "{format}"
        );
        // It stops before the first row, while metrics and the graph are computed; Chrome traces need neither.
        assert!(out.is_empty() || format == ExportFormat::Chrome, "{format}");
    }
}
