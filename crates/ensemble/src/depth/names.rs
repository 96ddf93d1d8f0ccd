//! What grains are called: definitions, kinds, and readable paths.

use arrow::array::{Array, Int32Array, Int64Array, StringArray};
use sheaf_model::table::GrainKind;
use sheaf_model::{RunTables, is_invisible};

use super::RunDepth;

/// Steps of a path that are written, the innermost; how many more there are is said.
const MOST_STEPS: usize = 64;

impl RunDepth {
    /// Row of the definition of a grain.
    pub(crate) fn definition(&self, grain: usize) -> Option<usize> {
        let run = self.tables();
        let context = *run.grains.context.values().get(grain)?;
        let definitions = run.summary.contexts.definition.values();
        let definition = definitions.get(usize::try_from(context).ok()?)?;
        usize::try_from(*definition).ok()
    }

    /// Name of the definition of a grain.
    pub(crate) fn definition_name(&self, grain: usize) -> &str {
        let names = &self.tables().summary.definitions.name;
        self.definition(grain)
            .and_then(|row| text(names, row))
            .unwrap_or_default()
    }

    /// Where a grain is in the structure of the run, whatever the schedule: definitions from the
    /// outermost, each with the steps that lead to the grain: `fib (task)[0.1]` is the second child of the
    /// first child. A step is the place among the parent's children, and behind the number of the
    /// work-sharing construct, where there is one: `2:5`. Of deep paths only the innermost steps are written.
    pub(crate) fn path(&self, grain: usize) -> Vec<String> {
        let mut chain = Vec::new();
        let mut next = Some(grain);
        while let Some(row) = next
            && chain.len() < MOST_STEPS
        {
            chain.push(row);
            next = self.parent(row);
        }
        let mut path: Vec<String> = Vec::new();
        if next.is_some() {
            let depth = self.depths().get(grain).copied().unwrap_or(0) as usize;
            path.push(format!(
                "… {} outer grains",
                (depth + 1).saturating_sub(chain.len())
            ));
        }
        let mut before = None;
        for &row in chain.iter().rev() {
            let definition = self.definition(row);
            let step = step(self.tables(), row);
            match path.last_mut() {
                Some(last) if before == Some(definition) => {
                    last.truncate(last.len() - 1);
                    last.push('.');
                    last.push_str(&step);
                    last.push(']');
                }
                _ => path.push(format!("{}[{step}]", self.definition_name(row))),
            }
            before = Some(definition);
        }
        path
    }

    pub(crate) fn parent(&self, grain: usize) -> Option<usize> {
        let parents = &self.tables().grains.parent;
        let is_there = grain < parents.len() && parents.is_valid(grain);
        usize::try_from(is_there.then(|| parents.value(grain))?).ok()
    }

    /// Grains around each grain.
    pub(super) fn depths(&self) -> &[u32] {
        self.depths.get_or_init(|| {
            let mut depths: Vec<u32> = Vec::with_capacity(self.tables().grains.len());
            for grain in 0..self.tables().grains.len() {
                let parent = self.parent(grain);
                let depth = parent.and_then(|parent| depths.get(parent));
                let depth = depth.map_or(0, |depth| depth + 1);
                depths.push(depth);
            }
            depths
        })
    }

    /// A name without blanks, for texts in which blanks separate: function, else definition, and the step.
    pub(crate) fn short_name(&self, grain: usize) -> String {
        let definitions = &self.tables().summary.definitions;
        let definition = self.definition(grain);
        let function = definition.and_then(|row| text(&definitions.function, row));
        let name = function.unwrap_or_else(|| self.definition_name(grain));
        let name: String = name
            .chars()
            .map(|c| if is_plain(c) { c } else { '_' })
            .collect();
        format!("{name}[{}]", step(self.tables(), grain))
    }
}

/// Whether a character neither separates nor steers a terminal or the direction of writing.
fn is_plain(c: char) -> bool {
    !c.is_whitespace() && !is_invisible(c)
}

/// The place of a grain among its siblings.
fn step(run: &RunTables, row: usize) -> String {
    let grains = &run.grains;
    let index = grains.index.values().get(row).copied().unwrap_or(0);
    if row < grains.sequence.len() && grains.sequence.is_valid(row) {
        format!("{}:{index}", grains.sequence.value(row))
    } else {
        index.to_string()
    }
}

pub(super) fn text(array: &StringArray, row: usize) -> Option<&str> {
    (row < array.len() && array.is_valid(row)).then(|| array.value(row))
}

pub(super) fn integer(array: &Int64Array, row: usize) -> Option<i64> {
    (row < array.len() && array.is_valid(row)).then(|| array.value(row))
}

pub(super) fn small(array: &Int32Array, row: usize) -> Option<i32> {
    (row < array.len() && array.is_valid(row)).then(|| array.value(row))
}

/// What a grain is, as users write it.
pub(crate) const fn kind_name(kind: Option<GrainKind>) -> &'static str {
    match kind {
        Some(GrainKind::Initial) => "initial",
        Some(GrainKind::Implicit) => "implicit",
        Some(GrainKind::Task) => "task",
        Some(GrainKind::Chunk) => "chunk",
        Some(GrainKind::TaskloopChunk) => "taskloop_chunk",
        None => "unknown",
    }
}
