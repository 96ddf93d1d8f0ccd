//! Which runs are one series, and what is refused.

use super::*;

/// One run per line: parameters.
fn of_parameters(lines: &[&str]) -> Vec<Arc<RunSummary>> {
    let run = |(number, line): (usize, &&str)| {
        format!("run r{number:02} {line} _elapsed=10\nmain work_ns 10\n")
    };
    runs(&lines.iter().enumerate().map(run).collect::<String>())
}

fn check(by: &str, lines: &[&str], expected: &str) {
    assert_eq!(
        series_text(&answer("", by, &of_parameters(lines))),
        expected
    );
}

#[test]
fn what_differs_otherwise_is_another_series() {
    // Compilers divide; numbers of repeats, dates and what follows from p do not.
    check(
        "threads",
        &[
            "threads=1 compiler=gcc repeat=1 day=5 nodes=1 _workers=1",
            "threads=2 compiler=gcc repeat=1 day=6 nodes=2 _workers=2",
            "threads=1 compiler=clang repeat=1 day=7 nodes=1 _workers=1",
            "threads=2 compiler=clang repeat=1 day=8 nodes=2 _workers=2",
            "threads=2 compiler=clang repeat=2 day=9 nodes=2 _workers=2",
        ],
        "compiler=clang strong: 1x1 2x2; compiler=gcc strong: 1x1 2x1",
    );
    // What another parameter determines says nothing new.
    check(
        "threads",
        &[
            "threads=1 runtime=a build=x _workers=1",
            "threads=2 runtime=a build=x _workers=2",
            "threads=1 runtime=b build=y _workers=1",
            "threads=2 runtime=b build=y _workers=2",
        ],
        "runtime=a strong: 1x1 2x1; runtime=b strong: 1x1 2x1",
    );
    // One value of p: parameters that come back divide.
    check(
        "threads",
        &[
            "threads=2 runtime=a day=1 _workers=2",
            "threads=2 runtime=a day=2 _workers=2",
            "threads=2 runtime=b day=3 _workers=2",
        ],
        "runtime=a unclear: 2x2; runtime=b unclear: 2x1",
    );
}

#[test]
fn series_can_be_given() {
    let runs = of_parameters(&["threads=1 a=1 _workers=1", "threads=2 a=2 _workers=2"]);
    let question = ScaleQuestion {
        series: Some(vec!["a".to_owned()]),
        ..ScaleQuestion::new("threads")
    };
    let found = ask("", &question, &runs, &BTreeMap::new()).unwrap();
    assert_eq!(series_text(&found), "a=1 unclear: 1x1; a=2 unclear: 2x1");
    let missing = [(0, 2.0), (1, 1.0)].map(|(series, p)| MissingPoint { series, p });
    assert_eq!(found.missing, missing);
}

#[test]
fn a_store_says_what_divides() {
    let runs = of_parameters(&[
        "threads=1 queue=a commit=x _workers=1",
        "threads=1 queue=b commit=x _workers=1",
        "threads=1 queue=a commit=y _workers=1",
        "threads=1 queue=b commit=y _workers=1",
    ]);
    let divided_by = |rules: sheaf_model::ParameterRules| {
        let question = ScaleQuestion {
            rules,
            ..ScaleQuestion::new("threads")
        };
        let found = ask("", &question, &runs, &BTreeMap::new()).unwrap();
        found.divided_by
    };
    assert_eq!(
        divided_by(sheaf_model::ParameterRules::default()),
        ["queue"]
    );
    let said = sheaf_model::ParameterRules {
        incidental: ["queue".to_owned()].into(),
        configuration: ["commit".to_owned()].into(),
    };
    assert_eq!(divided_by(said), ["commit"]);
}

#[test]
fn a_parameter_that_counts_no_workers_has_no_speedup() {
    let found = answer(
        "",
        "size",
        &of_parameters(&[
            "size=10 _workers=4",
            "size=20 _workers=4",
            "size=40 _workers=4",
        ]),
    );
    assert!(found.points.iter().all(|point| point.speedup.is_none()));
    assert!(found.loss.is_empty());
    let laws: Vec<Law> = found.models.iter().map(|model| model.law).collect();
    assert_eq!(laws[..3], [Law::Log2, Law::Power, Law::Pmnf]);
}

#[test]
fn what_has_no_place_is_left_out_and_said() {
    let lines = ["threads=1 _workers=1", "threads=2 _workers=2", "_workers=2"];
    let found = answer("", "threads", &of_parameters(&lines));
    assert_eq!(series_text(&found), "all runs strong: 1x1 2x1");
    assert!(
        found
            .notes
            .iter()
            .any(|note| note.text == "1 run without `threads` left out")
    );
    let found = answer(
        "",
        "threads",
        &of_parameters(&["threads=2 _workers=2", "threads=4 _workers=4"]),
    );
    let note = "all runs: no run with threads = 1; ratios are to threads = 2";
    assert!(
        found.notes.iter().any(|it| it.text == note),
        "{:?}",
        found.notes
    );
    let crowded = of_parameters(&[
        "threads=1 cores=2 _workers=1",
        "threads=4 cores=2 _workers=4",
    ]);
    let found = answer("", "threads", &crowded);
    assert!(found.points[1].oversubscribed && !found.points[0].oversubscribed);
}

#[test]
fn wrong_questions_are_refused() {
    let run = "run a threads=x _elapsed=1\nmain work_ns 1";
    assert_eq!(
        refusal("", "threads", run),
        "parameter `threads` of run `a` is `x`, not a positive number; scale by one that is"
    );
    assert!(
        refusal("", "thread", run)
            .starts_with("parameter `thread` is in none of the runs; did you mean")
    );
    let ratio = "metric load ratio intensive float\nrun a threads=1\nmain load 0.5";
    assert!(refusal("metric load", "threads", ratio).starts_with("metric `load` does not add up"));
    let empty = answer("", "threads", &runs("run a threads=1\nmain work_ns 0"));
    assert!(empty.points.is_empty() && empty.series.is_empty());
}
