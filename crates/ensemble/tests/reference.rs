//! Grains of one run compared with those of other runs.

#![expect(clippy::unwrap_used, reason = "a failed step is a failed test")]

use std::collections::BTreeMap;
use std::path::Path;

use sheaf_answers::Grains;
use sheaf_ensemble::{Ensemble, GrainsQuestion, ThresholdSet, TreeChoice};
use sheaf_model::Progress;

fn sample(name: &str) -> Ensemble {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/ensembles");
    Ensemble::open(&folder.join(name)).unwrap()
}

fn grains(ensemble: &Ensemble, run: &str, metric: &str, reference: Option<&str>) -> Grains {
    let question = GrainsQuestion {
        metrics: Some(vec![metric.to_owned()]),
        reference: reference.map(str::to_owned),
        ..GrainsQuestion::default()
    };
    ensemble
        .view(&Progress::silent())
        .unwrap()
        .grains(run, &question)
        .unwrap()
}

fn by_path(answer: &Grains) -> BTreeMap<String, f64> {
    let rows = answer.rows.iter();
    rows.filter_map(|row| Some((row.path_key, row.metrics.values().next()?.as_f64())))
        .collect()
}

fn check_ratios(reference: &str, runs: &[&str]) {
    let ensemble = sample("threads");
    let run = "sort-t4-r1";
    let own = by_path(&grains(&ensemble, run, "work_ns", None));
    let others: Vec<_> = runs
        .iter()
        .map(|run| by_path(&grains(&ensemble, run, "work_ns", None)))
        .collect();
    let answer = grains(&ensemble, run, "work_deviation", Some(reference));
    let found = by_path(&answer);
    assert_eq!(found.len(), 542, "{reference}");
    for (key, deviation) in found {
        let mut works: Vec<f64> = others.iter().map(|other| other[&key]).collect();
        works.sort_by(f64::total_cmp);
        let expected = own[&key] / works[works.len() / 2];
        assert!(
            (deviation / expected - 1.0).abs() < 1e-12,
            "{key}: {deviation}, {expected}"
        );
    }
    let comparison = answer.reference.unwrap();
    assert_eq!(comparison.runs.len(), runs.len());
    assert_eq!(comparison.unmatched_grains, 0);
}

#[test]
fn deviations_are_ratios_of_work() {
    check_ratios("sort-t1-r1", &["sort-t1-r1"]);
    let all = [
        "sort-t1-r1",
        "sort-t1-r2",
        "sort-t1-r3",
        "sort-t1-r4",
        "sort-t1-r5",
    ];
    check_ratios("threads = 1", &all);
}

#[test]
fn a_run_is_not_compared_with_itself() {
    let ensemble = sample("threads");
    let answer = grains(
        &ensemble,
        "sort-t1-r1",
        "work_deviation",
        Some("threads = 1"),
    );
    assert_eq!(answer.reference.unwrap().runs.len(), 4);
    // What is known of the run alone is another thing.
    let alone = grains(&ensemble, "sort-t1-r1", "work_deviation", None);
    assert_eq!(alone.reference, None);
    assert_eq!(
        alone.absent.get("work_deviation").map(String::as_str),
        Some("there is no run to compare with")
    );
}

#[test]
fn what_has_no_counterpart_is_counted() {
    let ensemble = sample("versions");
    let (old, new) = ("sort-version=1-t4-r1", "sort-version=2-t4-r1");
    let answer = grains(&ensemble, new, "work_deviation", Some(old));
    let comparison = answer.reference.clone().unwrap();
    let matched = answer.total - comparison.unmatched_grains;
    let of_old = grains(&ensemble, old, "work_ns", None).total;
    assert!(
        comparison.unmatched_grains > 0 && matched > 0,
        "{comparison:?}"
    );
    assert_eq!(comparison.runs[0].missing_grains, of_old - matched);
    assert!(by_path(&answer).len() as u64 <= matched);
}

#[test]
fn problems_and_groups_know_the_reference() {
    let ensemble = sample("threads");
    let (run, condition) = ("sort-t8-r1", "work_deviation > 1.2");
    let problems = ensemble
        .view(&Progress::silent())
        .unwrap()
        .problems(
            run,
            &[condition.to_owned()],
            ThresholdSet::Paper,
            Some("threads = 1"),
        )
        .unwrap();
    let found = by_path(&grains(
        &ensemble,
        run,
        "work_deviation",
        Some("threads = 1"),
    ));
    let beyond = found.values().filter(|&&deviation| deviation > 1.2).count();
    assert_eq!(problems.problems[0].grains, beyond as u64);
    let choice = TreeChoice {
        problem: Some(condition.to_owned()),
        reference: Some("threads = 1".to_owned()),
        ..TreeChoice::default()
    };
    let tree = ensemble
        .view(&Progress::silent())
        .unwrap()
        .tree(run, &choice, None, sheaf_ensemble::TreeExtent::Levels(0, 1))
        .unwrap();
    assert_eq!(
        tree.problem_grains
            .map(|grains| usize::try_from(grains).unwrap()),
        Some(beyond)
    );
    let root = tree.groups[0].metrics.iter().count();
    assert!(
        root > 0
            && tree
                .metrics
                .iter()
                .any(|metric| metric.name == "work_deviation")
    );
    let largest = found.values().copied().fold(0.0, f64::max);
    let value = tree.groups[0]
        .metrics
        .get("work_deviation")
        .unwrap()
        .as_f64();
    assert_eq!(
        value.to_bits(),
        largest.to_bits(),
        "the worst counts for a group"
    );
}

#[test]
fn mistakes_are_named() {
    let ensemble = sample("threads");
    let error = |conditions: &[&str], reference: Option<&str>| {
        let conditions: Vec<String> = conditions.iter().map(ToString::to_string).collect();
        let answer = ensemble.view(&Progress::silent()).unwrap().problems(
            "sort-t1-r1",
            &conditions,
            ThresholdSet::Paper,
            reference,
        );
        answer.unwrap_err().to_string()
    };
    assert_eq!(
        error(&["work_deviatoin > 2"], None),
        "no metric `work_deviatoin`; did you mean `work_deviation`?"
    );
    assert_eq!(
        error(&[], Some("sort-t1-r1")),
        "`sort-t1-r1` cannot be the reference: it names no other run"
    );
    assert_eq!(
        error(&[], Some("threads = 99")),
        "`threads == 99` selects none of 20 runs"
    );
}

#[test]
fn brief_answers_leave_out_instantaneous_parallelism_unless_it_is_named() {
    let ensemble = sample("threads");
    let names = |metrics: Option<&[&str]>| -> Vec<String> {
        let question = GrainsQuestion {
            is_brief: true,
            metrics: metrics.map(|names| names.iter().map(|&name| name.to_owned()).collect()),
            limit: Some(1),
            ..GrainsQuestion::default()
        };
        let view = ensemble.view(&Progress::silent()).unwrap();
        let answer = view.grains("sort-t2-r1", &question).unwrap();
        let absent = answer.absent.into_keys();
        let metrics = answer.metrics.into_iter().map(|metric| metric.name);
        metrics.chain(absent).collect()
    };
    let is_parallelism = |name: &String| name.starts_with("inst_par_");
    let brief = names(None);
    assert!(brief.contains(&"work_ns".to_owned()), "{brief:?}");
    assert!(!brief.iter().any(is_parallelism), "{brief:?}");
    let one = "inst_par_real_instant_min";
    assert_eq!(names(Some(&[one])), [one]);
}
