//! Loops that some runs did not record: their iterations are part of the members of the region there.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arrow::array::Array;
use sheaf_answers::{DiffFact, Note, SimilarFact, WhichSide};
use sheaf_model::{DefinitionId, RunId, RunSummary};

use crate::diff::{LOOPS, may_lack_loops};
use crate::renaming::Renaming;

/// Loops and regions of which some runs recorded no loops that others have.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct UnrecordedLoops {
    /// By loop and by region, the region with whose other grains they are compared.
    region: BTreeMap<DefinitionId, DefinitionId>,
}

/// Loops of each region that some runs have.
type LoopsOf = BTreeMap<DefinitionId, BTreeSet<DefinitionId>>;

impl UnrecordedLoops {
    /// Finds them by the contexts of the runs of both sides, which are named by their ids, with a note per region.
    /// Linear in the contexts.
    pub fn of(
        runs: &[Arc<RunSummary>],
        sides: &[Vec<RunId>; 2],
        renaming: &Renaming,
        notes: &mut Vec<Note>,
    ) -> Self {
        let mut names = BTreeMap::new();
        let sides = sides.each_ref().map(|ids| {
            let is_one = |run: &&Arc<RunSummary>| ids.contains(&run.meta.id);
            runs.iter().filter(is_one).collect::<Vec<_>>()
        });
        let regions = sides.each_ref().map(|runs| {
            let mut found = LoopsOf::new();
            for run in runs {
                add_loops(&mut found, &mut names, run, renaming);
            }
            found
        });
        let mut unrecorded = Self::default();
        for (region, loops_a) in &regions[0] {
            let Some(loops_b) = regions[1].get(region) else {
                continue;
            };
            let (recorded, loops) = match (loops_a.is_empty(), loops_b.is_empty()) {
                (false, true) => (0, loops_a),
                (true, false) => (1, loops_b),
                _ => continue,
            };
            if !sides[1 - recorded]
                .iter()
                .any(|run| may_lack_loops(&run.meta))
            {
                continue;
            }
            let both = loops.iter().chain([region]);
            unrecorded.region.extend(both.map(|of| (*of, *region)));
            let fact = DiffFact::RegionNotCompared {
                region: names.get(region).cloned().unwrap_or_default(),
                side: WhichSide::of(recorded),
            };
            notes.push(fact.into());
        }
        unrecorded
    }

    /// Finds them by the contexts of all runs, which have the same names for the same definitions, with a note per
    /// region. Linear in the contexts.
    pub fn among(runs: &[Arc<RunSummary>], notes: &mut Vec<Note>) -> Self {
        let (mut names, mut all) = (BTreeMap::new(), LoopsOf::new());
        // By region, the runs that recorded none of its loops.
        let mut lacking: BTreeMap<DefinitionId, u64> = BTreeMap::new();
        for run in runs {
            let mut found = LoopsOf::new();
            add_loops(&mut found, &mut names, run, &Renaming::default());
            let may_lack_loops = may_lack_loops(&run.meta);
            for (region, loops) in found {
                if loops.is_empty() && may_lack_loops {
                    *lacking.entry(region).or_default() += 1;
                }
                all.entry(region).or_default().extend(loops);
            }
        }
        let mut unrecorded = Self::default();
        for (region, runs) in lacking {
            let loops = all.get(&region).filter(|loops| !loops.is_empty());
            let Some(loops) = loops else { continue };
            let both = loops.iter().chain([&region]);
            unrecorded.region.extend(both.map(|of| (*of, region)));
            let region = names.get(&region).cloned().unwrap_or_default();
            notes.push(SimilarFact::LoopsNotCompared { region, runs }.into());
        }
        unrecorded
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.region.is_empty()
    }

    /// The region that a loop or region counts for.
    pub(crate) fn region(&self, of: DefinitionId) -> Option<DefinitionId> {
        self.region.get(&of).copied()
    }
}

fn add_loops(
    found: &mut LoopsOf,
    names: &mut BTreeMap<DefinitionId, String>,
    run: &RunSummary,
    renaming: &Renaming,
) {
    let (contexts, definitions) = (&run.contexts, &run.definitions);
    // By context, the region around it or which it is.
    let mut around: Vec<Option<DefinitionId>> = Vec::with_capacity(contexts.len());
    for row in 0..contexts.len() {
        let parent = contexts
            .parent
            .is_valid(row)
            .then(|| contexts.parent.value(row));
        let parent = parent.and_then(|parent| usize::try_from(parent).ok());
        let outer = parent.and_then(|parent| around.get(parent).copied().flatten());
        let definition = usize::try_from(contexts.definition.value(row)).ok();
        let Some(definition) = definition.filter(|&row| row < definitions.len()) else {
            around.push(outer);
            continue;
        };
        let definition = definitions.row(definition);
        let id = renaming.id(DefinitionId(definition.id));
        if definition.kind == "parallel" {
            found.entry(id).or_default();
            names.insert(id, definition.name);
            around.push(Some(id));
            continue;
        }
        if let Some(region) = outer.filter(|_| LOOPS.contains(&&*definition.kind)) {
            found.entry(region).or_default().insert(id);
        }
        around.push(outer);
    }
}

#[cfg(test)]
mod tests {
    use sheaf_model::table::{ContextRow, DefinitionRow};
    use sheaf_model::{ParamValue, RunMeta};

    use super::*;

    /// A program with two regions, of which some have a loop.
    fn run(id: u8, compiler: &str, with_loop: [bool; 2]) -> Arc<RunSummary> {
        let kinds = ["program", "parallel", "loop", "parallel", "loop"];
        let definition = |(at, kind): (u8, &&str)| DefinitionRow {
            id: [at; 16],
            kind: (*kind).to_owned(),
            name: format!("{kind} {at}"),
            ..DefinitionRow::default()
        };
        let mut run = RunSummary::empty(RunMeta::new("p", "trace"));
        run.definitions = (0..).zip(&kinds).map(definition).collect();
        let mut contexts = vec![(0, None)];
        for (region, has_loop) in [1, 3].into_iter().zip(with_loop) {
            let at = i32::try_from(contexts.len()).unwrap();
            contexts.push((region, Some(0)));
            if has_loop {
                contexts.push((region + 1, Some(at)));
            }
        }
        let context = |(definition, parent)| ContextRow {
            definition,
            parent,
            ..ContextRow::default()
        };
        run.contexts = contexts.into_iter().map(context).collect();
        let compiler = ParamValue::Text(compiler.to_owned());
        run.meta_mut().params.insert("compiler".into(), compiler);
        run.meta_mut().id = RunId([id; 16]);
        Arc::new(run)
    }

    #[test]
    fn loops_that_some_runs_did_not_record_count_for_their_region() {
        let found = |runs: &[Arc<RunSummary>]| {
            let mut notes = Vec::new();
            (
                UnrecordedLoops::among(runs, &mut notes),
                Note::texts(&notes),
            )
        };
        let whole = run(1, "clang 19", [true, true]);
        let (some, notes) = found(&[
            run(2, "GCC 12", [false, true]),
            whole.clone(),
            run(3, "GCC 12", [false, true]),
        ]);
        let id = |at| DefinitionId([at; 16]);
        let regions: Vec<_> = (0..5).map(|at| some.region(id(at))).collect();
        assert_eq!(regions, [None, Some(id(1)), Some(id(1)), None, None]);
        assert_eq!(notes.len(), 1);
        assert!(notes[0].contains("2 runs") && notes[0].contains("parallel 1"));
        let none = found(&[whole, run(2, "clang 19", [false, true])]);
        assert_eq!(none, (UnrecordedLoops::default(), Vec::new()));
    }

    #[test]
    fn loops_that_one_side_did_not_record_count_for_their_region() {
        let found = |b| {
            let (runs, mut notes) = ([run(1, "clang 19", [true, true]), b], Vec::new());
            let sides = [1, 2].map(|id| vec![RunId([id; 16])]);
            let found = UnrecordedLoops::of(&runs, &sides, &Renaming::default(), &mut notes);
            (found, Note::texts(&notes))
        };
        let (some, notes) = found(run(2, "GCC 12", [false, true]));
        let id = |at| DefinitionId([at; 16]);
        let regions: Vec<_> = (0..5).map(|at| some.region(id(at))).collect();
        assert_eq!(regions, [None, Some(id(1)), Some(id(1)), None, None]);
        assert_eq!(notes.len(), 1);
        assert!(notes[0].contains("parallel 1"), "{notes:?}");
        // LLVM's compilers report all loops: this one is gone.
        let none = found(run(2, "clang 19", [false, true]));
        assert_eq!(none, (UnrecordedLoops::default(), Vec::new()));
    }
}
