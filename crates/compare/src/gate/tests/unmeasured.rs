//! A total that lacks a group which was not measured is no total: the whole run is not judged by it.

use super::*;

/// Not measured.
const MISSING: [f64; 6] = [f64::INFINITY; 6];
const GROUP: [f64; 6] = [700.0, 701.0, 702.0, 703.0, 704.0, 705.0];
const WHY: &str = "the whole run is not judged: `work_ns` was not measured in all runs of nm";

fn judged(groups: Groups<'_>) -> Gate {
    answer(groups, Direction::HigherIsWorse, &GateOptions::default())
}

fn texts(answer: &Gate) -> Vec<&str> {
    let reasons = answer.reasons.iter();
    reasons.map(Reason::text).collect()
}

#[test]
fn nothing_fails_for_what_the_baseline_did_not_measure() {
    // Without the rule the whole run is a third slower.
    let answer = judged(&[("rest", &REST, &REST), ("nm", &MISSING, &GROUP)]);
    assert_eq!(answer.outcome, GateOutcome::Inconclusive);
    assert_eq!(texts(&answer), ["1 group undecided", WHY]);
    assert_eq!(answer.total, None);
    assert_eq!(states(&answer), "nm Undecided, rest Passed");
}

#[test]
fn nothing_passes_for_what_the_candidate_did_not_measure() {
    let half = [700.0, 701.0, 702.0, 703.0, f64::INFINITY, f64::INFINITY];
    let answer = judged(&[("rest", &REST, &REST), ("nm", &GROUP, &half)]);
    // The group itself is tested in the runs in which it was measured.
    assert_eq!(states(&answer), "nm Passed, rest Passed");
    assert_eq!(answer.outcome, GateOutcome::Inconclusive);
    assert_eq!((texts(&answer), &answer.total), (vec![WHY], &None));
}

#[test]
fn a_group_that_is_slower_fails_all_the_same() {
    let slower = REST.map(|value| value * 1.5);
    let answer = judged(&[("rest", &REST, &slower), ("nm", &MISSING, &GROUP)]);
    assert_eq!(answer.outcome, GateOutcome::Failed);
    assert_eq!(texts(&answer), ["1 group slower", "1 group undecided", WHY]);
}

#[test]
fn what_is_small_or_was_never_measured_changes_nothing() {
    let small = [1.0; 6];
    let plain = judged(&[("rest", &REST, &REST)]);
    for values in [&small, &MISSING] {
        let answer = judged(&[("rest", &REST, &REST), ("nm", &MISSING, values)]);
        let total = answer.total.unwrap();
        assert_eq!(total.state, GateState::Passed, "{values:?}");
        assert_eq!(answer.reasons.iter().find(|why| why.text() == WHY), None);
    }
    assert_eq!(plain.outcome, GateOutcome::Passed);
}

/// The totals of both sides are sums over groups that both measured.
#[test]
fn a_group_that_one_side_measured_has_no_share_above_all() {
    let large = GROUP.map(|value| 100.0 * value);
    let answer = judged(&[("rest", &REST, &REST), ("nm", &large, &MISSING)]);
    let share = |name: &str| {
        let mut groups = answer.groups.iter();
        groups.find(|group| group.path == [name]).unwrap().share
    };
    assert_eq!(share("nm"), None);
    assert_eq!(share("rest"), Some(1.0));
    assert_eq!(answer.outcome, GateOutcome::Inconclusive);
}
