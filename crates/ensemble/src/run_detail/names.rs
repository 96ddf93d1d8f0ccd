//! What grains are called: definitions, kinds, and readable paths.

use std::collections::{BTreeMap, BTreeSet};

use arrow::array::{Array, Int32Array, StringArray};
use sheaf_model::table::{Definitions, GrainKind, flags};
use sheaf_model::{RunTables, is_invisible};

use super::OpenRun;

/// Steps that the paths of all grains may have together for each to be written in full; a run may have
/// [`INNER_STEPS`] per grain where that is more. Paths of a chain of tasks that each create the next take the square
/// of its length.
const WHOLE_STEPS: u64 = 1 << 22;

/// Steps of a path that are written in runs with more, the innermost; the number of the others stands before them.
const INNER_STEPS: usize = 64;

impl OpenRun {
    /// Row of the definition of a grain.
    pub(crate) fn definition(&self, grain: usize) -> Option<usize> {
        let run = self.tables();
        let context = run.grains.context.get(grain)?;
        let definitions = run.summary.contexts.definition.values();
        let definition = definitions.get(usize::try_from(context).ok()?)?;
        usize::try_from(*definition).ok()
    }

    /// Name of the definition of a grain.
    pub(crate) fn definition_name(&self, grain: usize) -> &str {
        let names = &self.tables().summary.definitions.name;
        self.definition(grain)
            .and_then(|row| text_at(names, row))
            .unwrap_or_default()
    }

    /// Where a grain is in the structure of the run, whatever the schedule: definitions from the
    /// outermost, each with the steps that lead to the grain: `fib (task)[0.1]` is the second child of the
    /// first child. A step is the place among the parent's children, and behind the number of the
    /// work-sharing construct, where there is one: `2:5`. Chunks have the range of their iterations, `2:64+16`. Paths
    /// are written in full unless all of a run together have too many steps ([`WHOLE_STEPS`]).
    ///
    /// Ranks but the first are written with the outermost grain: `stencil[rank 1]`. Grains with equal path keys have
    /// equal paths: which member of a team came to run a `single` or a chunk is not
    /// written.
    pub(crate) fn path(&self, grain: usize) -> Vec<String> {
        let mut chain = Vec::new();
        let mut next = Some(grain);
        while let Some(row) = next
            && chain.len() < self.path_steps()
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
        for (at, &row) in chain.iter().enumerate().rev() {
            let definition = self.definition(row);
            let inner = at.checked_sub(1).and_then(|at| chain.get(at));
            let step = match self.root_steps().get(&row) {
                Some(step) => step.clone(),
                None => step_to(self.tables(), row, inner.copied()),
            };
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

    /// Steps of outermost grains that would be written as that of another process: they have the rank, and of several
    /// processes of a rank the number.
    fn root_steps(&self) -> &BTreeMap<usize, String> {
        self.root_steps.get_or_init(|| {
            let run = self.tables();
            let ranks = run.summary.locations.rank.values();
            let rank = |row: usize| {
                let location = run.grains.location.is_valid(row);
                let location = location.then(|| run.grains.location.value(row));
                let rank = usize::try_from(location?).ok().and_then(|at| ranks.get(at));
                rank.copied().filter(|&rank| rank > 0)
            };
            let (mut steps, mut written) = (BTreeMap::new(), BTreeSet::new());
            let all = 0..run.grains.len();
            let mut roots: Vec<usize> = all.filter(|&row| run.grains.parent.is_null(row)).collect();
            roots.sort_by_key(|&row| (rank(row), row));
            for row in roots {
                let own = (self.definition(row), step_to(run, row, None));
                if written.insert(own.clone()) {
                    continue;
                }
                let (definition, own) = own;
                let named = rank(row).map_or(own, |rank| format!("rank {rank}"));
                let numbered = (1..).map(|number| format!("{named}:{number}"));
                let mut all = std::iter::once(named.clone()).chain(numbered);
                let is_new = |step: &String| written.insert((definition, step.clone()));
                steps.extend(all.find(is_new).map(|step| (row, step)));
            }
            steps
        })
    }

    /// Steps of a path that are written.
    fn path_steps(&self) -> usize {
        *self.path_steps.get_or_init(|| {
            let depths = self.depths();
            let steps: u64 = depths.iter().map(|&depth| u64::from(depth) + 1).sum();
            let of_grains = depths.len().saturating_mul(INNER_STEPS);
            if steps <= WHOLE_STEPS.max(of_grains as u64) {
                usize::MAX
            } else {
                INNER_STEPS
            }
        })
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
        let function = definition.and_then(|row| text_at(&definitions.function, row));
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
    let index = grains.index.get(row).unwrap_or(0);
    if row < grains.sequence.len() && grains.sequence.is_valid(row) {
        format!("{}:{index}", grains.sequence.value(row))
    } else {
        index.to_string()
    }
}

/// The place of a grain among its siblings, on the way to a grain inside of it: of a member of a team only the region
/// if the inner grain is found by its work-sharing construct.
fn step_to(run: &RunTables, row: usize, inner: Option<usize>) -> String {
    let grains = &run.grains;
    let kind = |row: usize| grains.kind.get(row);
    let is_member = kind(row) == Some(GrainKind::Implicit as i32);
    let is_shared = |inner: usize| {
        let is_chunk = kind(inner) == Some(GrainKind::Chunk as i32);
        let is_created = kind(inner) == Some(GrainKind::Task as i32);
        let is_in_construct = is_chunk
            || (is_created && grains.sequence.is_valid(inner))
            || is_inside_construct(run, row, inner);
        let flags = grains.flags.get(inner).unwrap_or(0);
        is_in_construct && flags & flags::SCHEDULE_DEPENDENT == 0
    };
    if is_member && inner.is_some_and(is_shared) {
        let sequence = grains.sequence.get(row);
        return sequence.map_or_else(String::new, |sequence| sequence.to_string());
    }
    let is_of_loop = [GrainKind::Chunk, GrainKind::TaskloopChunk]
        .iter()
        .any(|&of| kind(row) == Some(of as i32));
    let range = grains
        .first_iteration
        .get(row)
        .zip(grains.iterations.get(row));
    match range.filter(|_| is_of_loop) {
        Some((first, count)) => {
            let sequence = grains.sequence.get(row);
            let sequence = sequence.map_or_else(String::new, |number| format!("{number}:"));
            format!("{sequence}{first}+{count}")
        }
        None => step(run, row),
    }
}

/// Whether a work-sharing construct is between the context of a member and that of a grain inside of it.
fn is_inside_construct(run: &RunTables, member: usize, inner: usize) -> bool {
    let (contexts, definitions) = (&run.summary.contexts, &run.summary.definitions);
    let context = |grain: usize| usize::try_from(run.grains.context.get(grain)?).ok();
    let outer = |context: usize| usize::try_from(small_at(&contexts.parent, context)?).ok();
    let end = context(member);
    let mut next = context(inner).and_then(outer);
    while let Some(at) = next.filter(|_| next != end) {
        let definition = contexts.definition.values().get(at);
        let definition = definition.and_then(|&row| usize::try_from(row).ok());
        let kind = definition.and_then(|row| text_at(&definitions.kind, row));
        if matches!(kind, Some("single" | "loop" | "sections")) {
            return true;
        }
        next = outer(at);
    }
    false
}

pub(super) fn text_at(array: &StringArray, row: usize) -> Option<&str> {
    (row < array.len() && array.is_valid(row)).then(|| array.value(row))
}

pub(super) fn small_at(array: &Int32Array, row: usize) -> Option<i32> {
    (row < array.len() && array.is_valid(row)).then(|| array.value(row))
}

/// Source file and line of a definition.
pub(super) fn site(definitions: &Definitions, row: usize) -> Option<String> {
    let file = text_at(&definitions.file, row)?;
    Some(match small_at(&definitions.line, row) {
        Some(line) => format!("{file}:{line}"),
        None => file.to_owned(),
    })
}

impl OpenRun {
    /// Kind of a grain. A chunk of sections is a section.
    pub(crate) fn kind(&self, grain: usize) -> sheaf_answers::GrainKind {
        let run = self.tables();
        let kind = run.grains.kind.get(grain);
        let kind = kind.and_then(GrainKind::from_code);
        let definition = self.definition(grain);
        let construct = definition.and_then(|row| text_at(&run.summary.definitions.kind, row));
        match kind {
            Some(GrainKind::Initial) => sheaf_answers::GrainKind::Initial,
            Some(GrainKind::Implicit) => sheaf_answers::GrainKind::Implicit,
            Some(GrainKind::Task) => sheaf_answers::GrainKind::Task,
            Some(GrainKind::Chunk) if construct == Some("sections") => {
                sheaf_answers::GrainKind::Section
            }
            Some(GrainKind::Chunk) => sheaf_answers::GrainKind::Chunk,
            Some(GrainKind::TaskloopChunk) => sheaf_answers::GrainKind::TaskloopChunk,
            None => sheaf_answers::GrainKind::Unknown,
        }
    }
}
