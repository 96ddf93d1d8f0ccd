//! The whole run where no group matters by itself, and where it cannot be judged.

use super::*;

/// So many groups of equal size, each with the same values on either side.
fn equal(count: usize, a: &[f64], b: &[f64], options: &GateOptions) -> Gate {
    let (found, totals) = equal_groups(count, a, b, options);
    gate(found, &totals, options)
}

fn equal_groups(
    count: usize,
    a: &[f64],
    b: &[f64],
    options: &GateOptions,
) -> (Comparison, [Vec<f64>; 2]) {
    let names: Vec<String> = (0..count).map(|at| format!("f{at}")).collect();
    let groups: Vec<(&str, &[f64], &[f64])> =
        names.iter().map(|name| (name.as_str(), a, b)).collect();
    compared(&groups, Direction::HigherIsWorse, options)
}

/// Outcome, reasons, runs needed, and how many groups are small.
fn told(answer: &Gate) -> (GateOutcome, String, Option<u64>, usize) {
    let is_small = |group: &&GateGroup| group.state == GateState::Small;
    let small = answer.groups.iter().filter(is_small).count();
    let reasons = Reason::joined(&answer.reasons);
    (answer.outcome, reasons, answer.runs_needed, small)
}

#[test]
fn small_groups_do_not_pass_a_run_that_is_not_judged() {
    let options = GateOptions::default();
    let found = equal(150, &[100.0], &[140.0], &options);
    let why = "the whole run is not judged: 1 against 1 runs cannot reach 5 %; 4 runs per side can";
    let expected = (GateOutcome::Inconclusive, why.to_owned(), Some(4), 150);
    assert_eq!(told(&found), expected);
    assert_eq!(
        (&found.total, found.untested_total.is_some()),
        (&None, true)
    );
    // Nor where nothing seems to have changed, or got better.
    for candidate in [100.0, 50.0] {
        let found = equal(150, &[100.0], &[candidate], &options);
        assert_eq!(told(&found), expected);
    }
    // With three runs per side it has no interval.
    let (a, b) = ([100.0, 101.0, 102.0], [140.0, 141.0, 142.0]);
    let expected = (
        GateOutcome::Inconclusive,
        "the whole run is undecided".to_owned(),
        Some(4),
        150,
    );
    assert_eq!(told(&equal(150, &a, &b, &options)), expected);
}

#[test]
fn a_run_of_groups_too_small_to_test_is_judged() {
    let options = GateOptions::default();
    // Each of 2,000 groups is half of the least share that is tested.
    let slow = times(1.4);
    let slower = equal(2000, &BASE, &slow, &options);
    assert_eq!(slower.diff.tested, 0);
    let (outcome, reasons, ..) = told(&slower);
    assert_eq!(
        (outcome, reasons.as_str()),
        (GateOutcome::Failed, "the whole run is slower")
    );
    assert_eq!(
        told(&equal(2000, &BASE, &BASE, &options)).0,
        GateOutcome::Passed
    );
}

/// The same work can take longer: tasks that ran side by side run in turn.
#[test]
fn longer_runs_with_the_same_work_fail() {
    let options = GateOptions::default();
    let longer = |factor: f64| {
        let (mut found, totals) = equal_groups(1, &BASE, &BASE, &options);
        found.elapsed = [BASE.to_vec(), times(factor).to_vec()];
        gate(found, &totals, &options)
    };
    let failed = longer(1.87);
    let (outcome, reasons, ..) = told(&failed);
    assert_eq!(
        (outcome, reasons.as_str()),
        (GateOutcome::Failed, "the elapsed time is longer")
    );
    assert_eq!(told(&longer(1.0)).0, GateOutcome::Passed);
    assert_eq!(told(&longer(0.5)).0, GateOutcome::Passed);
    // This gate does not judge slower runs.
    let structure = GateOptions {
        fails_on_slower: false,
        ..GateOptions::default()
    };
    let (mut found, totals) = equal_groups(1, &BASE, &BASE, &structure);
    found.elapsed = [BASE.to_vec(), times(1.87).to_vec()];
    assert_eq!(
        gate(found, &totals, &structure).outcome,
        GateOutcome::Passed
    );
}

/// Total and elapsed time are a family of two tests: one of them alone needs half of alpha.
#[test]
fn one_of_total_and_elapsed_time_needs_half_of_alpha() {
    let options = GateOptions::default();
    // Four against four runs reach p = 0.029.
    let state = |total: f64, elapsed: f64| {
        let base = [100.0, 101.0, 102.0, 103.0];
        let (mut found, totals) = equal_groups(150, &base, &base.map(|it| it * total), &options);
        found.elapsed = [base.to_vec(), base.map(|it| it * elapsed).to_vec()];
        told(&gate(found, &totals, &options)).1
    };
    let both = "the whole run is slower; the elapsed time is longer";
    assert_eq!(state(1.4, 1.4), both);
    assert_eq!(state(1.4, 1.0), "the whole run is undecided");
    assert_eq!(state(1.0, 1.4), "the elapsed time is undecided");
}

#[test]
fn what_may_not_be_tested_is_inconclusive_whatever_the_number_of_runs() {
    let options = GateOptions::default();
    let slow = times(1.4);
    let (mut diff, _) = equal_groups(150, &BASE, &slow, &options);
    diff.untested = Some(Why::CommonRuns { runs: 1 }.into());
    let totals = [BASE.to_vec(), slow.to_vec()];
    let found = gate(diff.clone(), &totals, &options);
    let why =
        "the whole run is not judged: nothing is tested because both sides have runs in common (1)";
    assert_eq!(
        (
            found.outcome,
            Reason::joined(&found.reasons).as_str(),
            found.runs_needed
        ),
        (GateOutcome::Inconclusive, why, None)
    );
    // A gate that does not ask for times has nothing to say of them.
    let structure = GateOptions {
        fails_on_slower: false,
        fails_on_structure: true,
        ..GateOptions::default()
    };
    let found = gate(diff, &totals, &structure);
    assert_eq!(
        (found.outcome, found.untested_total),
        (GateOutcome::Passed, None)
    );
}

#[test]
fn totals_of_zero_are_nothing_to_judge_and_mixed_ones_cannot_be() {
    let options = GateOptions::default();
    let zeros = [0.0; 6];
    let found = equal(3, &zeros, &zeros, &options);
    assert_eq!(
        (found.outcome, found.untested_total),
        (GateOutcome::Passed, None)
    );
    let mixed = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0];
    let found = equal(150, &mixed, &mixed, &options);
    let why = "the whole run is not judged: not all its values are positive, so that there is no typical ratio";
    assert!(
        found.reasons.iter().any(|reason| reason.text() == why),
        "{:?}",
        found.reasons
    );
    assert_eq!(found.outcome, GateOutcome::Inconclusive);
}

/// Noise of total and elapsed time that have nothing to do with each other is the worst case.
#[test]
fn noise_of_total_and_elapsed_time_fails_fewer_gates_than_alpha() {
    let options = GateOptions::default();
    let mut state = 1_u64;
    let mut noise = || {
        let mut sum = 0.0;
        for _ in 0..12 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            sum += (state >> 11) as f64 / (1_u64 << 53) as f64;
        }
        100.0 * (1.0 + 0.2 * (sum - 6.0))
    };
    let rounds = 1000;
    let mut failed = 0;
    for _ in 0..rounds {
        let mut runs = || [(); 8].map(|()| noise());
        let [a, b] = [runs(), runs()];
        let (mut found, totals) = equal_groups(1, &a, &b, &options);
        found.elapsed = [runs().to_vec(), runs().to_vec()];
        let outcome = gate(found, &totals, &options).outcome;
        failed += usize::from(outcome == GateOutcome::Failed);
    }
    assert!(failed > 0, "noise of a fifth is never seen");
    assert!(failed * 20 <= rounds, "{failed} of {rounds}");
}
