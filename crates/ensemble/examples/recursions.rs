//! Makes a store of two runs of a large program from a seed, for measuring questions about one run and about two.
//!
//! ```text
//! cargo run --release -p sheaf-ensemble --example recursions -- FOLDER LEVELS WORKERS
//! ```
//!
//! Every task creates two and waits for them, LEVELS deep: 2^LEVELS − 1 grains. They have 20 definitions, taken in turn. In
//! the run with `version = 2`, one of them takes twice as long.

use std::error::Error;
use std::path::Path;

use sheaf_model::table::{ContextRow, DefinitionRow};
use sheaf_model::{ContextId, DefinitionId, ParamValue, RunTables};
use sheaf_store::Store;
use sheaf_synthetic::Program;

const DEFINITIONS: u32 = 20;
/// Times of fragments, in ns: about a microsecond for the shortest.
const TIME: u32 = 1000;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [folder, levels, workers] = words.as_slice() else {
        return Err("recursions FOLDER LEVELS WORKERS".into());
    };
    let program = Program::recursion(levels.parse()?).slower(TIME, |_| true);
    let store = Store::create_or_open(Path::new(folder))?;
    let mut import = store.import()?;
    for version in [1, 2] {
        let is_slower = |task| version == 2 && task % DEFINITIONS == 3;
        let mut run = program.clone().slower(2, is_slower).run(workers.parse()?);
        define(&mut run);
        let meta = run.summary.meta_mut();
        meta.name = format!("recursion-{levels}-v{version}");
        let version = ParamValue::Number(f64::from(version));
        meta.params.insert("version".to_owned(), version);
        import.add(run)?;
    }
    import.publish()?;
    Ok(())
}

/// Gives the grains of a run definitions in turn, each in one context below that of the first grain.
fn define(run: &mut RunTables) {
    let mut definitions: Vec<DefinitionRow> = (0..DEFINITIONS)
        .map(|number| {
            let function = format!("step{number:02}");
            DefinitionRow {
                id: DefinitionId::new("task", &function, 0).0,
                kind: "task".to_owned(),
                name: format!("{function} (task)"),
                function: Some(function),
                ..DefinitionRow::default()
            }
        })
        .collect();
    definitions.sort_by_key(|row| row.id);
    let root = definitions.first().map_or_else(
        || DefinitionId::new("task", "", 0),
        |row| DefinitionId(row.id),
    );
    let root = ContextId::root(root);
    let mut contexts = vec![ContextRow {
        id: root.0,
        parent: None,
        definition: 0,
        depth: 0,
    }];
    let below = (0..).zip(&definitions).map(|(at, row)| ContextRow {
        id: ContextId::child(root, DefinitionId(row.id)).0,
        parent: Some(0),
        definition: at,
        depth: 1,
    });
    contexts.extend(below);
    run.summary.definitions = definitions.into_iter().collect();
    run.summary.contexts = contexts.into_iter().collect();
    let context = |grain: i32| if grain == 0 { 0 } else { 1 + grain % 20 };
    let grains = i32::try_from(run.grains.len()).unwrap_or(i32::MAX);
    run.grains.context = (0..grains).map(context).collect::<Vec<i32>>().into();
}
