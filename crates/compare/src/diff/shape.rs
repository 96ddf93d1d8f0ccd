//! The verdict on structure: the same, changed, or another with every run or number of threads.

use super::changes::{Change, Changes};
use super::{DiffContext, DiffDefinition};
use sheaf_answers::text::percent;
use sheaf_answers::{ChangeKind, MatchedWork, StructuralChange, StructureVerdict};

/// Kinds of definitions whose grains are as many as there are threads, or depend on how threads
/// share iterations: their number is collapsed to the definition.
pub(super) const COLLAPSED: [&str; 5] = ["loop", "taskloop", "parallel", "sections", "reduction"];

/// Which grains are counted, and so compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Counted {
    /// None: these are call profiles.
    None,
    /// All.
    All,
    /// All but those whose number is that of threads.
    NotOfTeams,
}

impl Counted {
    pub(super) fn new(contexts: &[DiffContext], definitions: &[DiffDefinition]) -> Self {
        let is_counted = |context: &DiffContext| context.grains.iter().any(Option::is_some);
        let is_collapsed = |context: &DiffContext| {
            COLLAPSED.contains(&definitions[context.definition].kind.as_ref())
        };
        if !contexts.iter().any(is_counted) {
            Self::None
        } else if contexts.iter().any(is_collapsed) {
            Self::NotOfTeams
        } else {
            Self::All
        }
    }

    /// What every run has, where nothing differs.
    const fn same(self) -> &'static str {
        match self {
            Self::None => {
                "every run has the same call paths; how often they were called is not compared"
            }
            Self::All => "every run has the same contexts with the same numbers of grains",
            Self::NotOfTeams => {
                "every run has the same contexts with the same numbers of grains; members of teams and chunks of \
                 loops are not counted"
            }
        }
    }
}

/// Share of unmatched work from which the sides are different programs.
const DIFFERENT: f64 = 0.9;

/// What can be said of the structure, and why. `runs` are the numbers of runs of the sides,
/// `widths` says how their numbers of threads differ, if they do.
pub(super) fn judge(
    found: &Changes,
    matched: &MatchedWork,
    runs: [usize; 2],
    widths: Option<&str>,
    counted: Counted,
) -> (StructureVerdict, String) {
    if matched.unmatched > DIFFERENT {
        let share = percent(matched.unmatched);
        let reason = format!("{share} of the work occurs on one side only");
        return (StructureVerdict::Different, reason);
    }
    let changes: Vec<&StructuralChange> = found.all.iter().map(|(change, _)| change).collect();
    let count = |kind| changes.iter().filter(|change| change.kind == kind).count();
    let found = changed(found);
    let by_threads = count(ChangeKind::ThreadCountDependent);
    let varying = count(ChangeKind::Varies);
    if !found.is_empty() {
        let is_known =
            |change: &&StructuralChange| change.kind == ChangeKind::Multiplied && runs.contains(&1);
        let single = if changes.iter().all(is_known) {
            "; one run cannot show whether they vary from run to run"
        } else {
            ""
        };
        return (
            StructureVerdict::Changed,
            format!("definitions: {found}{single}"),
        );
    }
    let definitions = |count: usize| match count {
        1 => "1 definition has".to_owned(),
        count => format!("{count} definitions have"),
    };
    if by_threads > 0 {
        let widths = widths.unwrap_or("the sides ran with different numbers of threads");
        let who = definitions(by_threads);
        // Search that prunes by time has another shape in every run, whatever the threads.
        let single = if runs.contains(&1) {
            "; one run cannot show whether it varies from run to run as well"
        } else {
            ""
        };
        let reason = format!("{who} other contexts or numbers of grains; {widths}{single}");
        return (StructureVerdict::ThreadCountDependent, reason);
    }
    if varying > 0 {
        let who = definitions(varying);
        let reason = format!("{who} other contexts or numbers of grains from run to run");
        return (StructureVerdict::Varies, reason);
    }
    let widths = widths.map_or_else(String::new, |widths| format!("; {widths}"));
    let reason = format!("{}{widths}", counted.same());
    (StructureVerdict::Same, reason)
}

/// What shows that the program changed, with how many definitions: `1 renamed, 2 appeared (1 below another)`.
fn changed(found: &Changes) -> String {
    let [gone, new] = found.gone_and_new;
    let kinds = [
        (ChangeKind::Renamed, true, "renamed"),
        (ChangeKind::Appeared, false, "appeared"),
        (ChangeKind::Vanished, false, "vanished"),
        // Of these both sides have the definition.
        (ChangeKind::Appeared, true, "in more contexts"),
        (ChangeKind::Vanished, true, "in fewer contexts"),
        (ChangeKind::Wrapped, false, "wrapped others"),
        (ChangeKind::Unwrapped, false, "no longer wrapped others"),
        (ChangeKind::Moved, true, "moved"),
        (ChangeKind::Multiplied, true, "multiplied"),
        (ChangeKind::Reordered, true, "reordered"),
    ];
    let count = |kind, is_both: bool| {
        let is_it = |(change, _): &&Change| {
            let has_both = change.definition_a.is_some() && change.definition_b.is_some();
            change.kind == kind && has_both == is_both
        };
        found.all.iter().filter(is_it).count()
    };
    let found = kinds.map(|(kind, is_both, word)| (count(kind, is_both), word));
    let found = found.iter().filter(|(count, _)| *count > 0);
    let found: Vec<String> = found
        .map(|&(count, word)| {
            // A change tells of a definition with all that is below; groups are of every definition.
            let all = match word {
                "appeared" => new,
                "vanished" => gone,
                _ => count,
            };
            match all.saturating_sub(count) {
                0 => format!("{count} {word}"),
                1 => format!("{all} {word} (1 below another)"),
                below => format!("{all} {word} ({below} below others)"),
            }
        })
        .collect();
    found.join(", ")
}
