//! Exports of runs that are made up.

use sheaf_ingest::{Input, NoModules, Symbols};
use sheaf_model::table::{ContextRow, DefinitionRow, GrainKind, GrainRow};
use sheaf_model::{Progress, RunMeta, RunSummary, RunTables};

use super::{ExportFormat, write};
use crate::GraphForm;

const GRAPHS: [(ExportFormat, GraphForm); 3] = [
    (ExportFormat::GraphMl, GraphForm::Reduced),
    (ExportFormat::GraphMl, GraphForm::Unreduced),
    (ExportFormat::NestedGraphMl, GraphForm::Reduced),
];

/// The run of a file.
fn read(content: &[u8]) -> RunTables {
    let content = content.to_vec();
    let symbols = Symbols::new(NoModules);
    let inputs = [Input::new("graph.graphml", &content)];
    let mut reading = sheaf_ingest::read(&inputs, &symbols, &Progress::silent()).unwrap();
    assert!(reading.refused.is_empty(), "{:?}", reading.refused);
    reading.runs.remove(0).tables
}

/// The run of an export.
fn read_back(tables: &RunTables, format: ExportFormat, form: GraphForm) -> RunTables {
    let mut content = Vec::new();
    write(tables, format, form, &Progress::silent(), &mut content).unwrap();
    read(&content)
}

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
fn graphs_state_completeness_and_workers() {
    for (format, form) in GRAPHS {
        for (is_complete, workers) in [(false, Some(7)), (true, Some(2)), (false, None)] {
            let mut tables = chain(3);
            tables.summary.meta_mut().is_complete = is_complete;
            tables.summary.meta_mut().workers = workers;
            let meta = read_back(&tables, format, form).summary.meta;
            assert_eq!(
                (meta.is_complete, meta.workers),
                (is_complete, workers),
                "{format} {form}"
            );
        }
    }
}

/// Only exports of Grainsheaf are believed: attributes of others may mean something else.
#[test]
fn graphs_of_other_tools_have_no_completeness() {
    let mut tables = chain(3);
    tables.summary.meta_mut().is_complete = false;
    tables.summary.meta_mut().workers = Some(7);
    let text = String::from_utf8(exported(&tables, ExportFormat::GraphMl)).unwrap();
    let text = text.replace(">grainsheaf<", ">other<");
    let meta = read(text.as_bytes()).summary.meta;
    assert_eq!((meta.is_complete, meta.workers), (true, None));
}

/// A graph states numbers that exports compute; its own stand.
#[test]
fn numbers_that_the_source_states_survive_an_export() {
    const NAMES: [&str; 3] = ["root_dist", "depth", "on_crit_path"];
    let keys = NAMES.iter().chain(&["work_cycles"]);
    let keys = keys
        .map(|name| format!("<key id='{name}' for='node' attr.name='{name}' attr.type='double'/>"));
    let mut source =
        "<graphml><key id='t' for='node' attr.name='type' attr.type='string'/>".to_owned();
    source.extend(keys);
    source += "<graph><node id='s'><data key='t'>start</data></node><node id='a'><data key='t'>task</data>\
               <data key='root_dist'>71</data><data key='depth'>72</data><data key='on_crit_path'>0</data>\
               <data key='work_cycles'>9</data></node><node id='e'><data key='t'>end</data></node>\
               <edge source='s' target='a'/><edge source='a' target='e'/></graph></graphml>";
    let tables = read(source.as_bytes());
    let stated = |tables: &RunTables| {
        NAMES.map(|name| {
            let mut metrics = (0..).zip(tables.summary.metrics.rows());
            let (metric, _) = metrics
                .find(|(_, row)| row.source.as_deref() == Some(name))
                .unwrap();
            let values = tables.counters.rows().filter(|row| row.metric == metric);
            values.map(|row| row.value).collect::<Vec<_>>()
        })
    };
    let expected = [vec![Some(71)], vec![Some(72)], vec![Some(0)]];
    assert_eq!(stated(&tables), expected);
    for (format, form) in GRAPHS {
        let once = read_back(&tables, format, form);
        assert_eq!(stated(&once), expected, "{format} {form}");
        assert_eq!(
            stated(&read_back(&once, format, form)),
            expected,
            "{format} {form}"
        );
    }
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
