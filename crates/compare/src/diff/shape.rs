//! The verdict on structure: the same, changed, or another with every run or number of threads.

use super::changes::{Change, Changes};
use super::{DiffContext, DiffDefinition};
use sheaf_answers::{
    ChangeCount, ChangeKind, CountedGrains, MatchedWork, StructureVerdict, Why, WidthChange,
};

/// Kinds of definitions whose grains are as many as there are threads, or depend on how threads
/// share iterations: their number is collapsed to the definition.
pub(super) const COLLAPSED: [&str; 5] = ["loop", "taskloop", "parallel", "sections", "reduction"];

/// Which grains are counted, and so compared.
pub(super) fn counted(contexts: &[DiffContext], definitions: &[DiffDefinition]) -> CountedGrains {
    let is_counted = |context: &DiffContext| context.grains.iter().any(Option::is_some);
    let is_collapsed =
        |context: &DiffContext| COLLAPSED.contains(&definitions[context.definition].kind.as_ref());
    if !contexts.iter().any(is_counted) {
        CountedGrains::None
    } else if contexts.iter().any(is_collapsed) {
        CountedGrains::NotOfTeams
    } else {
        CountedGrains::All
    }
}

/// Share of unmatched work from which the sides are different programs.
const DIFFERENT: f64 = 0.9;

/// The verdict on the structure, and its reason. `runs` are the numbers of runs of the sides,
/// `width` states how their numbers of threads differ, if they do.
pub(super) fn judge(
    found: &Changes,
    matched: &MatchedWork,
    runs: [usize; 2],
    width: Option<WidthChange>,
    counted: CountedGrains,
) -> (StructureVerdict, Why) {
    if matched.unmatched > DIFFERENT {
        let share = matched.unmatched;
        return (StructureVerdict::Different, Why::WorkOnOneSide { share });
    }
    let count = |kind| {
        let of_kind = found.all.iter().filter(|(change, _)| change.kind == kind);
        of_kind.count() as u64
    };
    let has_one_run = runs.contains(&1);
    let changes = changed(found);
    if !changes.is_empty() {
        let mut all = found.all.iter();
        let are_multiplied = all.all(|(change, _)| change.kind == ChangeKind::Multiplied);
        let one_run = has_one_run && are_multiplied;
        let why = Why::DefinitionsChanged { changes, one_run };
        return (StructureVerdict::Changed, why);
    }
    let definitions = count(ChangeKind::ThreadCountDependent);
    if definitions > 0 {
        // Search that prunes by time has another shape in every run, whatever the threads.
        let why = Why::DependsOnThreads {
            definitions,
            width,
            one_run: has_one_run,
        };
        return (StructureVerdict::ThreadCountDependent, why);
    }
    let definitions = count(ChangeKind::Varies);
    if definitions > 0 {
        let why = Why::VariesFromRunToRun { definitions };
        return (StructureVerdict::Varies, why);
    }
    let why = Why::SameStructure { counted, width };
    (StructureVerdict::Same, why)
}

/// Counts the definitions that show a change of the program, by kind of change.
fn changed(found: &Changes) -> Vec<ChangeCount> {
    let [gone, new] = found.gone_and_new;
    let kinds = [
        (ChangeKind::Renamed, true),
        (ChangeKind::Appeared, false),
        (ChangeKind::Vanished, false),
        // Of these both sides have the definition.
        (ChangeKind::Appeared, true),
        (ChangeKind::Vanished, true),
        (ChangeKind::Wrapped, false),
        (ChangeKind::Unwrapped, false),
        (ChangeKind::Moved, true),
        (ChangeKind::Multiplied, true),
        (ChangeKind::Reordered, true),
    ];
    let count = |kind, is_both: bool| {
        let is_it = |(change, _): &&Change| {
            let has_both = change.definition_a.is_some() && change.definition_b.is_some();
            change.kind == kind && has_both == is_both
        };
        found.all.iter().filter(is_it).count()
    };
    let counts = kinds.map(|(kind, is_both)| (kind, is_both, count(kind, is_both)));
    let counts = counts.into_iter().filter(|(_, _, count)| *count > 0);
    let counts = counts.map(|(kind, on_both_sides, count)| {
        // A change is of a definition with all that is below; groups are of every definition.
        let all = match (kind, on_both_sides) {
            (ChangeKind::Appeared, false) => new,
            (ChangeKind::Vanished, false) => gone,
            _ => count,
        };
        ChangeCount {
            kind,
            on_both_sides,
            definitions: all.max(count) as u64,
            below: all.saturating_sub(count) as u64,
        }
    });
    counts.collect()
}
