//! Grains by names that people know them by.

use sheaf_model::RunTables;

/// Steps of a path that are shown at either end.
const SHOWN: usize = 8;

/// A grain by its definition and its path from the root, each step the place among the children of the
/// parent's construct, from 1: `` `fib (task)` R-1-2 ``. Of long paths the middle is left out. Linear in the depth.
pub fn grain_name(run: &RunTables, grain: u32) -> String {
    let grains = &run.grains;
    let summary = &run.summary;
    let at = grain as usize;
    let mut steps = Vec::new();
    let mut next = Some(at).filter(|&at| at < grains.len());
    // Parents stand before their children, so this ends.
    while let Some(row) = next {
        steps.push(grains.index.value(row).saturating_add(1));
        let parent = grains
            .parent
            .is_valid(row)
            .then(|| grains.parent.value(row));
        let parent = parent.and_then(|parent| usize::try_from(parent).ok());
        next = parent.filter(|&parent| parent < row);
    }
    steps.reverse();
    let text = |steps: &[i64]| {
        let steps = steps.iter().map(|step| format!("-{step}"));
        steps.collect::<String>()
    };
    let path = if steps.len() > 2 * SHOWN {
        let (first, rest) = steps.split_at(SHOWN);
        let last = rest.get(rest.len().saturating_sub(SHOWN)..);
        format!("{}-…{}", text(first), text(last.unwrap_or_default()))
    } else {
        text(&steps)
    };
    let row = |rows: &[i32], at: usize| rows.get(at).and_then(|&row| usize::try_from(row).ok());
    let context = grains.context.get(at);
    let definition = context
        .and_then(|row| usize::try_from(row).ok())
        .and_then(|context| row(summary.contexts.definition.values(), context))
        .filter(|&definition| definition < summary.definitions.len())
        .map(|definition| summary.definitions.name.value(definition));
    match definition {
        Some(name) => format!("`{name}` R{path}"),
        None => format!("grain R{path}"),
    }
}
