//! The verdict on structure: the same, changed, or another with every run or number of threads.

use super::verdict::percent;
use super::{ChangeKind, MatchedWork, StructuralChange, StructureVerdict};

/// Share of unmatched work from which the sides are different programs.
const DIFFERENT: f64 = 0.9;

/// What can be said of the structure, and why. `runs` are the numbers of runs of the sides,
/// `widths` says how their numbers of threads differ, if they do.
pub(super) fn judge(
    changes: &[StructuralChange],
    matched: &MatchedWork,
    runs: [usize; 2],
    widths: Option<&str>,
) -> (StructureVerdict, String) {
    if matched.unmatched > DIFFERENT {
        let share = percent(matched.unmatched);
        let reason = format!("{share} of the work occurs on one side only");
        return (StructureVerdict::Different, reason);
    }
    let count = |kind| changes.iter().filter(|change| change.kind == kind).count();
    let kinds = [
        (ChangeKind::Renamed, "renamed"),
        (ChangeKind::Appeared, "appeared"),
        (ChangeKind::Vanished, "vanished"),
        (ChangeKind::Wrapped, "wrapped others"),
        (ChangeKind::Unwrapped, "no longer wrapped others"),
        (ChangeKind::Moved, "moved"),
        (ChangeKind::Multiplied, "multiplied"),
        (ChangeKind::Reordered, "reordered"),
    ];
    let found: Vec<String> = kinds
        .iter()
        .map(|(kind, word)| (count(*kind), word))
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    let found = found.join(", ");
    let by_threads = count(ChangeKind::ThreadCountDependent);
    let varying = count(ChangeKind::Varies);
    if !found.is_empty() {
        let is_known =
            |change: &StructuralChange| change.kind == ChangeKind::Multiplied && runs.contains(&1);
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
    let reason = "every run has the same contexts with the same numbers of grains";
    (StructureVerdict::Same, reason.to_owned())
}
