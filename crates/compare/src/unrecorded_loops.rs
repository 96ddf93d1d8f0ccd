//! Loops that some runs did not record: their iterations are part of the members of the region there.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arrow::array::Array;
use sheaf_analysis::{LOOPS, may_lack_loops};
use sheaf_answers::{DiffFact, Note, SimilarFact, WhichSide};
use sheaf_model::{DefinitionId, RunId, RunSummary};

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
        let may_lack = sides.each_ref();
        let may_lack = may_lack.map(|runs| runs.iter().any(|run| may_lack_loops(&run.meta)));
        let mut unrecorded = Self::default();
        for (region, loops_a) in &regions[0] {
            let Some(loops_b) = regions[1].get(region) else {
                continue;
            };
            let both = [loops_a, loops_b];
            let Some((recorded, loops)) = lacking(both, may_lack) else {
                continue;
            };
            let both = loops.into_iter().chain([*region]);
            unrecorded.region.extend(both.map(|of| (of, *region)));
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
        let mut names = BTreeMap::new();
        let loops_of = runs.iter().map(|run| {
            let mut found = LoopsOf::new();
            add_loops(&mut found, &mut names, run, &Renaming::default());
            found
        });
        let loops_of: Vec<LoopsOf> = loops_of.collect();
        let (mut all, mut reported) = (LoopsOf::new(), LoopsOf::new());
        for (run, found) in runs.iter().zip(&loops_of) {
            let of_others = (!may_lack_loops(&run.meta)).then_some(&mut reported);
            for known in [Some(&mut all), of_others].into_iter().flatten() {
                for (region, loops) in found {
                    known.entry(*region).or_default().extend(loops);
                }
            }
        }
        // By region, the loops that runs did not record, and how many runs.
        let mut lacking: BTreeMap<DefinitionId, (BTreeSet<DefinitionId>, u64)> = BTreeMap::new();
        let may_lack = |(run, _): &(&Arc<RunSummary>, LoopsOf)| may_lack_loops(&run.meta);
        for (_, found) in runs.iter().zip(loops_of).filter(may_lack) {
            for (region, loops) in found {
                let known = if loops.is_empty() { &all } else { &reported };
                let known = known.get(&region).into_iter().flatten();
                let missing: Vec<_> = known.filter(|of| !loops.contains(of)).collect();
                if !missing.is_empty() {
                    let (loops, runs) = lacking.entry(region).or_default();
                    loops.extend(missing);
                    *runs += 1;
                }
            }
        }
        let mut unrecorded = Self::default();
        let mut facts = Vec::new();
        for (region, (loops, runs)) in lacking {
            let both = loops.iter().chain([&region]);
            unrecorded.region.extend(both.map(|of| (*of, region)));
            let region = names.get(&region).cloned().unwrap_or_default();
            facts.push((region, runs));
        }
        facts.sort();
        notes.extend(
            (facts.into_iter())
                .map(|(region, runs)| SimilarFact::LoopsNotCompared { region, runs }.into()),
        );
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

/// The side that recorded loops which the other side lacks, and these. A side that recorded some of the loops lacks
/// others only if the other side's runtime reports all loops.
fn lacking(
    loops: [&BTreeSet<DefinitionId>; 2],
    may_lack: [bool; 2],
) -> Option<(usize, BTreeSet<DefinitionId>)> {
    (0..2).find_map(|recorded| {
        let other = 1 - recorded;
        let may_lack = may_lack[other] && (loops[other].is_empty() || !may_lack[recorded]);
        let missing: BTreeSet<DefinitionId> = loops[recorded] - loops[other];
        (may_lack && !missing.is_empty()).then_some((recorded, missing))
    })
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
    fn a_side_lacks_some_loops_only_if_the_other_reports_all() {
        let id = |at| DefinitionId([at; 16]);
        let [all, some, none] = [&[1, 2][..], &[2], &[]].map(|ids| {
            let ids = ids.iter().map(|&at| id(at));
            ids.collect::<BTreeSet<_>>()
        });
        let first = BTreeSet::from([id(1)]);
        assert_eq!(lacking([&all, &some], [false, true]), Some((0, first)));
        assert_eq!(lacking([&all, &some], [true, true]), None);
        assert_eq!(lacking([&all, &some], [true, false]), None);
        let of_none = lacking([&none, &all], [true, true]);
        assert_eq!(of_none, Some((1, all.clone())));
        assert_eq!(lacking([&all, &all], [false, true]), None);
    }

    #[test]
    fn loops_that_some_runs_lack_next_to_others_count_for_their_region() {
        let id = |at| DefinitionId([at; 16]);
        // One region with two loops, of which GCC's runtime reports one.
        let nested = |id: u8, compiler: &str, loops: &[i32]| {
            let mut changed = (*run(id, compiler, [true, true])).clone();
            let contexts = [(0, None), (1, Some(0))].into_iter();
            let contexts = contexts.chain(loops.iter().map(|&of| (of, Some(1))));
            let context = |(definition, parent)| ContextRow {
                definition,
                parent,
                ..ContextRow::default()
            };
            changed.contexts = contexts.map(context).collect();
            Arc::new(changed)
        };
        let runs = [nested(2, "clang 19", &[2, 4]), nested(3, "GCC 12", &[4])];
        let mut notes = Vec::new();
        let found = UnrecordedLoops::among(&runs, &mut notes);
        let regions = [1, 2, 3, 4].map(|at| found.region(id(at)));
        assert_eq!(regions, [Some(id(1)), Some(id(1)), None, None]);
        assert_eq!(notes.len(), 1);
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
