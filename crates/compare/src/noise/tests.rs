//! Noise of simulated repeats: floors, thresholds, and that A/A gates keep quiet.

use std::fmt::Write as _;

use sheaf_answers::{NoiseGroup, Note};
use sheaf_statistics::Random;

use super::*;
use sheaf_synthetic::testing::runs;

/// Repeats whose groups vary together by 2 % and alone by 5 %; one group ten times as much.
fn repeats(seed: u64, count: usize, more: &str) -> Vec<Arc<RunSummary>> {
    let mut random = Random::new(seed);
    let mut text = String::new();
    // Ids follow from names.
    let of = more.replace(['=', ' '], "");
    for run in 0..count {
        let _ = writeln!(text, "run {of}r{run:02} repeat={run} {more}");
        let together = 1.0 + 0.02 * random.normal();
        for group in 0..8 {
            let spread = if group == 7 { 0.2 } else { 0.05 };
            let alone = (spread * random.normal()).exp();
            let work = 1e8 * together * alone;
            let _ = writeln!(text, "  main/g{group} work_ns {work:.0}");
        }
    }
    runs(&text)
}

fn measure(runs: &[Arc<RunSummary>], options: &NoiseOptions) -> Noise {
    noise(&Lens::default(), runs, options, &Progress::silent()).unwrap()
}

#[test]
fn repeats_with_other_arguments_are_noted() {
    let notes = |more: [&str; 2]| {
        let both = more
            .iter()
            .zip([1, 2])
            .flat_map(|(more, seed)| repeats(seed, 4, more));
        let answer = measure(&both.collect::<Vec<_>>(), &NoiseOptions::default());
        Note::texts(&answer.notes).join("\n")
    };
    let expected = "8 runs that count as repeats have different `arguments`";
    let found = notes(["arguments=100", "arguments=200"]);
    assert!(found.contains(expected), "{found}");
    let found = notes(["size=100 arguments=100", "size=200 arguments=200"]);
    assert!(!found.contains("arguments"), "{found}");
}

#[test]
fn spread_and_floor_are_those_of_the_noise() {
    let answer = measure(&repeats(1, 40, ""), &NoiseOptions::default());
    assert_eq!(answer.by, Vec::<String>::new());
    let [cohort] = answer.cohorts.as_slice() else {
        panic!("{answer:?}");
    };
    let row = |name: &str| {
        let is_it = |row: &&NoiseGroup| row.path == [name];
        cohort.groups.iter().find(is_it).unwrap()
    };
    for name in ["g0", "g3"] {
        let spread = row(name).spread.unwrap();
        assert!((0.035..0.075).contains(&spread), "{name}: {spread}");
    }
    let wild = row("g7");
    assert!((0.14..0.28).contains(&wild.spread.unwrap()), "{wild:?}");
    // More runs show less; the noisier group needs more; a threshold covers what was seen.
    let [five, ten, twenty, forty] =
        ["5", "10", "20", "40"].map(|runs| row("g0").visible_with.get(runs).copied());
    // Five against five cannot show one change among eight.
    assert_eq!(five, None);
    assert!(
        ten > twenty && twenty > forty && forty == row("g0").visible,
        "{:?}",
        row("g0")
    );
    assert!(wild.threshold > row("g0").threshold);
    assert!(wild.threshold >= wild.seen && wild.threshold >= wild.visible);
}

#[test]
fn launch_parameters_are_not_configuration_unless_named() {
    let mut all = Vec::new();
    for (number, params) in [
        "launchdate=1600990802 cmdline=a jobid=7 output_path=/tmp/a",
        "launchdate=1600990803 cmdline=b jobid=8 output_path=/tmp/b",
    ]
    .iter()
    .enumerate()
    {
        let mut text = String::new();
        for run in 0..5 {
            let _ = writeln!(text, "run s{number}r{run} repeat={run} {params}");
            let _ = writeln!(text, "  main work_ns {}", 1000 + run + number);
        }
        all.extend(runs(&text));
    }
    let options = NoiseOptions::default();
    assert_eq!(measure(&all, &options).by, Vec::<String>::new());
    let lens = Lens {
        by: vec!["jobid".to_owned()],
        ..Lens::default()
    };
    let named = noise(&lens, &all, &options, &Progress::silent()).unwrap();
    assert_eq!(
        (named.by, named.cohorts.len()),
        (vec!["jobid".to_owned()], 2)
    );
}

#[test]
fn simulated_aa_gates_fail_at_most_as_often_as_alpha() {
    let (mut gates, mut failed) = (0, 0);
    for seed in 0..60 {
        // One division of fresh runs each time, so that gates are independent but for its sides.
        let options = NoiseOptions {
            most_splits: 1,
            seed,
            ..NoiseOptions::default()
        };
        let check = measure(&repeats(1000 + seed * 7919, 12, ""), &options).check;
        assert_eq!((check.splits, check.gates, check.can_fail), (1, 2, true));
        gates += check.gates;
        failed += check.failed;
    }
    let share = failed as f64 / gates as f64;
    assert!(share <= 0.05, "{failed} of {gates}");
    // The same on all divisions of one set of repeats.
    let options = NoiseOptions {
        most_splits: 40,
        ..NoiseOptions::default()
    };
    let check = measure(&repeats(3, 12, ""), &options).check;
    assert_eq!((check.splits, check.is_all, check.gates), (40, false, 80));
    assert!(check.share.unwrap() <= 0.05, "{check:?}");
}

#[test]
fn too_few_repeats_are_said_to_be_too_few() {
    let answer = measure(&repeats(5, 5, ""), &NoiseOptions::default());
    let check = answer.cohorts[0].check.as_ref().unwrap();
    assert_eq!((check.splits, check.can_fail, check.failed), (10, false, 0));
    assert_eq!((answer.check.gates, answer.repeats_needed), (0, Some(8)));
    assert_eq!(
        Note::texts(&answer.notes),
        [
            "too few repeats in 1 of 1 configurations (at most 5): two halves can fail a gate from 8 repeats on"
        ]
    );
    let mut all = repeats(5, 1, "version=1");
    all.extend(repeats(6, 1, "version=2"));
    let answer = measure(&all, &NoiseOptions::default());
    assert_eq!(
        (answer.by.as_slice(), answer.cohorts.len()),
        (&["version".to_owned()][..], 2)
    );
    assert!(answer.cohorts.iter().all(|cohort| cohort.check.is_none()));
    assert!(
        answer.notes[1]
            .text
            .starts_with("every run is a configuration of its own by version")
    );
}

#[test]
fn configurations_are_kept_apart_and_the_order_of_runs_does_not_matter() {
    let mut all = repeats(1, 9, "threads=2");
    all.extend(repeats(2, 9, "threads=4"));
    let options = NoiseOptions {
        most_splits: 20,
        ..NoiseOptions::default()
    };
    let forth = measure(&all, &options);
    let names: Vec<&str> = forth
        .cohorts
        .iter()
        .map(|cohort| cohort.name.as_str())
        .collect();
    assert_eq!(names, ["threads=2", "threads=4"]);
    all.reverse();
    assert_eq!(measure(&all, &options), forth);
    let lens = Lens {
        by: vec!["program".to_owned()],
        ..Lens::default()
    };
    let together = noise(&lens, &all, &options, &Progress::silent()).unwrap();
    assert_eq!(together.cohorts.len(), 1);
    assert_eq!(together.cohorts[0].runs.len(), 18);
}

#[test]
fn every_configuration_has_its_own_lines() {
    let at = |version: u32, line: u32| {
        let mut text = format!("def f kind=task line={line}\n");
        for run in 0..3 {
            let _ = writeln!(
                text,
                "run v{version}r{run} repeat={run} version={version}\n  main/f work_ns 9"
            );
        }
        let with_line = |run: Arc<RunSummary>| {
            let mut run = (*run).clone();
            let mut rows: Vec<_> = run.definitions.rows().collect();
            for row in rows.iter_mut().filter(|row| row.name == "f") {
                row.name = format!("f:{line} (task)");
            }
            run.definitions = rows.into_iter().collect();
            Arc::new(run)
        };
        runs(&text).into_iter().map(with_line).collect::<Vec<_>>()
    };
    let all = [at(1, 7), at(2, 12)].concat();
    let lens = Lens {
        by: vec!["version".to_owned()],
        ..Lens::default()
    };
    let answer = noise(&lens, &all, &NoiseOptions::default(), &Progress::silent()).unwrap();
    let names: Vec<&str> = answer
        .cohorts
        .iter()
        .map(|it| it.groups[0].path[0].as_str())
        .collect();
    assert_eq!(names, ["f:7 (task)", "f:12 (task)"]);
}

#[test]
fn medians_are_over_the_runs_that_are_counted() {
    let mut text = String::new();
    for run in 0..10 {
        let _ = writeln!(
            text,
            "run r{run} repeat={run}\n main/g work_ns {}",
            900 + run
        );
        // In six runs, measured in four.
        if run < 6 {
            let value = if run < 4 {
                format!("work_ns {}", 100 + run)
            } else {
                String::new()
            };
            let _ = writeln!(text, " main/part {value}");
        }
    }
    let all = runs(&text);
    let answer = measure(&all, &NoiseOptions::default());
    let rows = &answer.cohorts[0].groups;
    let part = rows.iter().find(|row| row.path == ["part"]).unwrap();
    let lens: Lens = "scope exclusive".parse().unwrap();
    let stats = sheaf_analysis::stats(&lens, &all, &Progress::silent()).unwrap();
    let known = stats
        .rows
        .iter()
        .find(|row| row.path.names() == ["part"])
        .unwrap();
    assert_eq!(part.runs, known.runs);
    assert_eq!((part.runs, Some(part.median)), (4, known.median));
    assert!((part.median - 101.5).abs() < 1e-12);
    // Of logarithms of 100 to 103.
    assert!((0.005..0.03).contains(&part.spread.unwrap()), "{part:?}");
    // Halves without it are compared as zeros, which no spread tells of.
    assert_eq!(part.visible, None);
}
