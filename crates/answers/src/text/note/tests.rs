//! Every note: its code, its values and its text.

mod more;

use std::fmt::Write as _;

use sheaf_model::LocationAggregate;

use crate::*;

fn first(names: &[&str], more: u64) -> FirstNames {
    FirstNames {
        names: names.iter().map(ToString::to_string).collect(),
        more,
    }
}

fn point(value: f64) -> SeriesPoint {
    SeriesPoint {
        series: "sort".into(),
        value,
    }
}

fn stated(same: bool) -> StatedPair {
    StatedPair {
        a: "f".into(),
        b: "g".into(),
        same,
    }
}

fn incomplete() -> Reason {
    Reason::from(Why::IncompleteRuns {
        incomplete: 2,
        runs: 5,
        side: Some(WhichSide::Baseline),
    })
}

/// Compares the texts of notes with a list, and reads each note back from its JSON.
fn check(facts: Vec<Fact>, expected: &str) {
    let mut lines = String::new();
    for fact in facts {
        let note = Note::from(fact);
        let json = serde_json::to_value(&note).unwrap();
        let code = json["code"].as_str().unwrap().to_owned();
        assert_eq!(serde_json::from_value::<Note>(json).unwrap(), note);
        writeln!(lines, "{code}: {}", note.text).unwrap();
        assert!(!note.text.is_empty(), "{code}");
    }
    assert_eq!(lines, expected.trim_start());
}

#[test]
fn a_note_has_code_values_and_text() {
    let note = Note::from(MetricFact::MetricNotMeasured {
        metric: "work_ns".into(),
        runs: 1,
    });
    assert_eq!(
        serde_json::to_string(&note).unwrap(),
        r#"{"code":"metric_not_measured","values":{"metric":"work_ns","runs":1},"text":"`work_ns` was not measured in 1 run"}"#
    );
}

#[test]
fn a_reason_can_be_a_note() {
    let note = Note::from(Why::SameRuns);
    assert_eq!(
        serde_json::to_string(&note).unwrap(),
        r#"{"code":"same_runs","text":"both sides are the same runs"}"#
    );
    check(vec![note.fact], "same_runs: both sides are the same runs\n");
}

#[test]
fn notes_occur_once() {
    let note = |runs| Note::from(RunFact::EndedEarly { runs });
    let mut notes = vec![note(1), note(2), note(1)];
    Note::dedup(&mut notes);
    assert_eq!(notes, [note(1), note(2)]);
}

#[test]
fn one_run_and_one_worker_are_singular() {
    let incomplete = |incomplete, runs| {
        let reason = Reason::from(Why::IncompleteRuns {
            incomplete,
            runs,
            side: Some(WhichSide::Candidate),
        });
        reason.text().to_owned()
    };
    assert_eq!(incomplete(1, 1), "1 of 1 candidate run is incomplete");
    assert_eq!(incomplete(1, 8), "1 of 8 candidate runs is incomplete");
    let waited = |workers, processors| {
        let run = "a".into();
        let fact = WhatIfFact::WorkersWaited {
            run,
            workers,
            processors,
        };
        fact.to_string()
    };
    let begins = |text: String, expected: &str| assert!(text.starts_with(expected), "{text}");
    begins(waited(1, 0.5), "run `a` had 1 worker on 0.5 processors:");
    begins(waited(2, 1.0), "run `a` had 2 workers on 1 processor:");
    let disturbed = RunFact::DisturbedRuns {
        disturbed: 1,
        of: 1,
        side: None,
        max_share: 0.25,
        runs: first(&["a"], 0),
    };
    begins(disturbed.to_string(), "1 of 1 run was disturbed:");
}

#[test]
fn texts_about_runs_and_sources() {
    let disturbed = |disturbed, side| RunFact::DisturbedRuns {
        disturbed,
        of: 4,
        side,
        max_share: 0.25,
        runs: first(&["a"], 0),
    };
    let facts = [
        RunFact::IncompleteRunsLeftOut {
            reason: incomplete(),
            runs: first(&["a", "b"], 0),
        },
        RunFact::OnlyIncompleteRuns {
            reason: incomplete(),
            runs: first(&["a", "b"], 3),
        },
        disturbed(1, None),
        disturbed(2, Some(WhichSide::Candidate)),
        RunFact::EndedEarly { runs: 1 },
        RunFact::ArgumentsDiffer { runs: 2 },
        RunFact::RunsWithoutContexts { runs: 2 },
        RunFact::FewCommonContexts { share: 0.123 },
        RunFact::OneRun,
        RunFact::FirstRunsShown { shown: 50, of: 60 },
    ];
    let mut facts: Vec<Fact> = facts.into_iter().map(Fact::from).collect();
    let path = || "src/a.c".to_owned();
    facts.extend(
        [
            SourceFact::LineBeyondFile {
                path: path(),
                lines: 3,
                line: 4,
            },
            SourceFact::FunctionNotInFile {
                path: path(),
                function: "f".into(),
            },
            SourceFact::ChangedAfterImport {
                path: path(),
                changed: "2030".into(),
                imported: "2029".into(),
            },
        ]
        .map(Fact::from),
    );
    check(facts, include_str!("tests/runs.txt"));
}

#[test]
fn texts_about_metrics_and_groups() {
    let metric = || "work_ns".to_owned();
    let label = |label, name: Option<&str>, instead| GroupFact::SameLabel {
        label,
        name: name.map(str::to_owned),
        instead,
    };
    let metrics = [
        MetricFact::ShownInTicks {
            asked: "work_ns".into(),
            metric: "work_ticks".into(),
        },
        MetricFact::MeasuredInTicks {
            metric: metric(),
            runs: 1,
        },
        MetricFact::MeasuredInOtherUnits {
            metric: metric(),
            unit: "ns".into(),
            runs: 2,
        },
        MetricFact::MetricNotMeasured {
            metric: metric(),
            runs: 2,
        },
        MetricFact::Estimated {
            metric: metric(),
            runs: 1,
            reason: "a counter wrapped".into(),
        },
        MetricFact::UnusableValues {
            metric: metric(),
            values: 3,
        },
        MetricFact::NoValuesByLocation {
            by: LocationKind::Ranks,
            runs: 1,
        },
        MetricFact::GrainsDrawn {
            grains: 10,
            runs: 2,
        },
    ];
    let groups = [
        label(GroupedBy::Module, Some("a.out"), Some(GroupedBy::File)),
        label(GroupedBy::Module, None, Some(GroupedBy::File)),
        label(GroupedBy::Module, Some("a.out"), None),
        label(GroupedBy::File, None, Some(GroupedBy::NamePrefix)),
        GroupFact::NotAModule { group: "f".into() },
        GroupFact::NoCaller { group: "f".into() },
        GroupFact::NothingOutside,
        GroupFact::LoopsInSomeRuns {
            region: "f (parallel)".into(),
            runs: 1,
            of: 2,
        },
        GroupFact::ContextsLeftOut { contexts: 7 },
        GroupFact::CallsToCallers,
    ];
    let facts = metrics.into_iter().map(Fact::from);
    let facts = facts.chain(groups.into_iter().map(Fact::from));
    check(facts.collect(), include_str!("tests/metrics.txt"));
}

#[test]
#[expect(clippy::too_many_lines, reason = "one case per fact")]
fn texts_of_comparisons() {
    let pair = || {
        vec![ConstructPair {
            a: "f (loop)".into(),
            b: "f (loop 2)".into(),
        }]
    };
    let part = |baseline, candidate| PartlyMeasured {
        group: "main / f".into(),
        baseline,
        candidate,
    };
    let (metric, side) = (|| "work_ns".to_owned(), WhichSide::Baseline);
    let separation = |needed| DiffFact::SeparationNeeded {
        runs_a: 5,
        runs_b: 4,
        tested: 100,
        needed,
    };
    let missing = |beyond_range| DiffFact::TotalsMissing {
        metric: metric(),
        beyond_range,
    };
    let facts = [
        DiffFact::RunsWithoutMetric {
            side,
            runs: 1,
            of: 2,
            metric: metric(),
        },
        DiffFact::SharedRuns { runs: 2 },
        DiffFact::OtherNumbers {
            numbers: WidthChange {
                of: "workers".into(),
                numbers: "4 and 8".into(),
            },
        },
        DiffFact::UnmatchedWork { share: 0.1 },
        DiffFact::UnmatchedWork { share: 0.95 },
        separation(Some(3)),
        separation(None),
        DiffFact::RegionNotCompared {
            region: "f (parallel)".into(),
            side,
        },
        DiffFact::ElapsedDiffers {
            metric: metric(),
            ratio: 1.87,
            p: 0.0022,
        },
        missing(false),
        missing(true),
        DiffFact::MeasuredInPart {
            metric: metric(),
            groups: vec![part(1, 2), part(0, 1)],
            more: 4,
            left_out: 0,
        },
        DiffFact::MeasuredInPart {
            metric: metric(),
            groups: vec![part(1, 0)],
            more: 0,
            left_out: 1,
        },
        DiffFact::NotConserving {
            over: LocationAggregate::RanksMax,
        },
        DiffFact::PlacesUnclear {
            function: "f".into(),
            constructs: pair(),
        },
        DiffFact::OtherOrdinals {
            function: "f".into(),
            constructs: [pair(), pair()].concat(),
        },
        DiffFact::CandidateLeftOut { runs: 2, of: 7 },
        DiffFact::TooFewRepeats {
            silent: 1,
            configurations: 2,
            max: 3,
            needed: 8,
        },
        DiffFact::NoRepeats {
            by: vec!["host".into(), "job".into()],
        },
        DiffFact::GrainsNotTested,
        DiffFact::RenamedGrains,
        DiffFact::UnmatchableGrains { a: 3, b: 0 },
    ];
    check(
        facts.into_iter().map(Fact::from).collect(),
        include_str!("tests/diffs.txt"),
    );
}
