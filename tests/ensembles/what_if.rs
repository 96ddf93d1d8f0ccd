//! `what-if` on the sample ensembles, through the command line and the service.

#![expect(
    clippy::float_cmp,
    reason = "the same seeds give the same bits, and bounds are whole numbers"
)]

use sheaf_answers::{PolicySource, Runs, SchedulePolicy, WhatFirst, WhatIf, WhatIfCheck};
use sheaf_tests::{Service, ask, find, run, sample, workspace_root};

#[test]
fn predictions_are_within_their_bounds_and_repeat() {
    let store = sample("threads");
    let words = [
        "what-if",
        "sort-t2-r4",
        "--workers",
        "1,2,4,8",
        "--infinite",
        "--no-delay",
    ];
    let answer: WhatIf = ask(&store, &words);
    assert_eq!(answer.schema, "what-if/1");
    assert_eq!(answer.rows.len(), 5);
    for row in &answer.rows {
        assert!(row.predicted >= row.lower as f64, "{row:?}");
        assert!(row.max as f64 >= row.predicted && row.predicted >= row.min as f64);
        assert!(row.predicted <= row.unchanged, "{row:?}");
    }
    let alone = &answer.rows[0];
    assert_eq!(
        (alone.predicted, alone.upper),
        (alone.work as f64, Some(alone.work + alone.span))
    );
    let unlimited = find(&answer.rows, |row| row.workers.is_none());
    assert_eq!(unlimited.predicted, unlimited.span as f64);
    let again: WhatIf = ask(&store, &words);
    assert!(answer == again);
    let [run] = answer.runs.as_slice() else {
        panic!("{:?}", answer.runs)
    };
    assert_eq!(
        (run.policy, run.policy_from),
        (SchedulePolicy::HelpFirst, PolicySource::Steals)
    );
    assert!(run.costs.iter().all(|cost| !cost.is_used));
}

#[test]
fn work_of_a_definition_that_falls_shortens_the_run() {
    let store = sample("threads");
    let ask_faster = |faster: &str| -> WhatIf {
        ask(
            &store,
            &[
                "what-if",
                "sort-t1-r1",
                "--workers",
                "1,2",
                "--faster",
                faster,
            ],
        )
    };
    let nothing = ask_faster("merge_quarters:110 (task)=0%");
    assert!(nothing.rows.iter().all(|row| row.gain == 0.0));
    let half = ask_faster("merge_quarters:110 (task)=50%");
    assert!(half.rows.iter().all(|row| row.gain > 0.0));
    let by_kind = ask_faster("kind = 'task'=50%");
    assert!(by_kind.rows[0].gain > half.rows[0].gain);
    assert_eq!(
        half.changes,
        ["the work of `merge_quarters:110 (task)` falls by 50 %"]
    );
}

#[test]
fn cut_off_conserves_work() {
    let store = sample("threads");
    let whole: WhatIf = ask(&store, &["what-if", "sort-t2-r4", "--infinite"]);
    let cut: WhatIf = ask(
        &store,
        &[
            "what-if",
            "sort-t2-r4",
            "--infinite",
            "--cut-off",
            "depth=0",
        ],
    );
    let [whole, cut] = [&whole, &cut].map(|answer| answer.rows.last().unwrap());
    assert_eq!(whole.work, cut.work);
    // All tasks run inside the member that creates them; only what the other member does is next to it.
    assert!(cut.span as f64 > 0.999 * cut.work as f64, "{cut:?}");
    assert!(cut.gain < 0.0);
}

#[test]
fn the_definition_with_most_work_gains_most_on_one_worker() {
    let store = sample("threads");
    let answer: WhatFirst = ask(
        &store,
        &["what-if", "sort-t1-r1", "--first", "--workers", "1,2"],
    );
    let alone: Vec<_> = answer.rows.iter().filter(|row| row.workers == 1).collect();
    let most = alone.iter().map(|row| row.work).max();
    assert_eq!(Some(alone[0].work), most);
    // On one worker all work that falls away is gained.
    assert!((alone[0].gain_50 - alone[0].work as f64 / 2.0).abs() < alone[0].work as f64 * 0.001);
    assert!(alone[0].gain_parallel.abs() < alone[0].work as f64 * 0.001);
    // One worker leaves nothing to chance.
    assert!(alone.iter().all(|row| !row.is_uncertain));
    let words = ["what-if", "sort-t2-r1", "--first", "--workers", "8"];
    let many: WhatFirst = ask(&store, &words);
    let serial = find(&many.rows, |row| row.definition == "sort");
    assert!(
        !serial.is_uncertain && many.rows.iter().any(|row| row.is_uncertain),
        "{many:?}"
    );
    // Less work can lengthen schedules; then it is not too little.
    let words = [
        "what-if",
        "sort-version=2-t4-r1",
        "--first",
        "--workers",
        "8",
    ];
    let longer: WhatFirst = ask(&sample("versions"), &words);
    let quarters = find(&longer.rows, |row| {
        row.definition == "merge_quarters:117 (task)"
    });
    assert!(quarters.gain_50 < 0.0, "{quarters:?}");
    assert!(
        quarters.is_uncertain && quarters.reason.is_none(),
        "{quarters:?}"
    );
    for row in &answer.rows {
        assert!(row.critical <= row.work, "{row:?}");
        assert_eq!(
            row.reason.is_some(),
            row.gain_50 < row.unchanged * 0.001,
            "{row:?}"
        );
    }
}

#[test]
fn predictions_are_checked_against_recorded_runs() {
    let store = sample("threads");
    let answer: WhatIfCheck = ask(&store, &["what-if", "program == sort", "--check"]);
    // 20 runs, each predicted on the three other numbers of workers.
    assert_eq!(answer.rows.len(), 60);
    let counted: Vec<_> = answer.rows.iter().filter(|row| row.counts).collect();
    assert_eq!(counted.len(), 10);
    assert!(counted.iter().all(|row| row.workers <= 2 && row.from <= 2));
    let trust = answer.trust.unwrap();
    assert_eq!(trust.pairs, 10);
    for row in &answer.rows {
        assert!((row.predicted / row.recorded - 1.0 - row.error).abs() < 1e-12);
    }
    let cited: WhatIf = ask(&store, &["what-if", "sort-t1-r1"]);
    assert_eq!(cited.trust, Some(trust));

    // Five repeats on one worker and five on two: more workers than processors do not count.
    let runs: Runs = ask(&store, &["runs"]);
    let differences = [1, 2].iter().flat_map(|workers| {
        let times = runs.runs.iter().filter(|run| run.workers == Some(*workers));
        let mut times: Vec<f64> = times
            .filter_map(|run| run.elapsed_ns)
            .map(|it| it as f64)
            .collect();
        times.sort_by(f64::total_cmp);
        let typical = times[2];
        times
            .into_iter()
            .map(move |time| (time / typical - 1.0).abs())
    });
    let mut differences: Vec<f64> = differences.collect();
    differences.sort_by(f64::total_cmp);
    assert_eq!(differences.len(), 10);
    let median = f64::midpoint(differences[4], differences[5]);
    assert!((trust.repeats.unwrap() - median).abs() < 1e-12);
    let alone: WhatIf = ask(
        &sample("runtimes"),
        &["what-if", "build == gcc-llvm and repeat == 1"],
    );
    assert_eq!(alone.trust, None);
    assert!(
        alone
            .notes
            .iter()
            .any(|note| note.text.contains("could not be checked"))
    );
}

/// Two repeats of every number of workers show how work and costs change; the other three are predicted.
#[test]
fn reference_runs_make_predictions_right() {
    let store = sample("threads");
    let predicted = "program == sort and repeat > 2";
    let reference = "program == sort and repeat <= 2";
    let plain: WhatIfCheck = ask(&store, &["what-if", predicted, "--check"]);
    let words = ["what-if", predicted, "--check", "--reference", reference];
    let carried: WhatIfCheck = ask(&store, &words);
    assert_eq!(carried.reference.as_ref().map(|it| it.runs), Some(8));
    assert_eq!(plain.reference, None);
    let [plain, carried] = [&plain, &carried].map(|answer| answer.trust.unwrap());
    assert_eq!((plain.pairs, carried.pairs), (6, 6));
    assert!(carried.median < plain.median, "{carried:?} {plain:?}");
    assert!(carried.largest < plain.largest, "{carried:?} {plain:?}");
    let guide = std::fs::read_to_string(workspace_root().join("docs/what-if.md")).unwrap();
    let percents = [carried, plain].map(|trust| [trust.median, trust.largest].map(|it| it * 100.0));
    let [[median, largest], [plain_median, plain_largest]] = percents;
    let stated = format!(
        "a median error of {median:.1} % (largest {largest:.1} %), instead of {plain_median:.1} % (largest \
         {plain_largest:.1} %)"
    );
    assert!(guide.replace('\n', " ").contains(&stated), "{stated}");
}

#[test]
fn what_the_reference_shows_is_stated_and_what_it_lacks_is_noted() {
    let store = sample("threads");
    let words = |workers: &'static str| {
        let words = ["what-if", "sort-t1-r4", "--workers", workers];
        [&words[..], &["--reference", "threads <= 2", "--infinite"]].concat()
    };
    let answer: WhatIf = ask(&store, &words("1,2,3"));
    let [alone, two, three, unlimited] = answer.rows.as_slice() else {
        panic!("{:?}", answer.rows)
    };
    assert_eq!(alone.inflation, Some(1.0));
    let factor = two.inflation.unwrap();
    assert!((1.0..1.5).contains(&factor), "{factor}");
    assert!((two.work as f64 / alone.work as f64 - factor).abs() < 1e-6);
    assert!(two.lower as f64 >= two.work as f64 / 2.0);
    assert_eq!((three.inflation, unlimited.inflation), (None, None));
    assert_eq!((three.work, unlimited.work), (alone.work, alone.work));
    for part in [
        "3 workers are as recorded",
        "unlimited workers is as recorded",
    ] {
        assert!(
            answer.notes.iter().any(|note| note.text.contains(part)),
            "{part}: {:?}",
            answer.notes
        );
    }
    let first: WhatFirst = ask(
        &store,
        &[
            "what-if",
            "sort-t1-r4",
            "--first",
            "--workers",
            "2",
            "--reference",
            "threads <= 2",
        ],
    );
    assert!((first.rows[0].unchanged - two.predicted).abs() < 1e-6);
    let failed = run(
        &store,
        ["what-if", "sort-t1-r4", "--reference", "threads == 4"],
    );
    assert_eq!(failed.code, Some(2), "{}", failed.stderr);
    let reason = "of program `sort` with 1 worker";
    assert!(failed.stderr.contains(reason), "{}", failed.stderr);
}

/// Predictions are compared with what other runs of the same configuration took.
#[test]
fn recorded_times_of_like_runs_are_part_of_the_answer() {
    let store = sample("threads");
    let answer: WhatIf = ask(&store, &["what-if", "sort-t1-r4", "--workers", "2"]);
    let shown = |times: &sheaf_answers::RecordedTimes| {
        assert!(times.min as f64 <= times.median && times.median <= times.max as f64);
        assert_eq!(times.run, answer.runs[0].run);
        (times.workers, times.runs, times.is_oversubscribed)
    };
    let found: Vec<(u64, u64, bool)> = answer.recorded.iter().map(shown).collect();
    assert_eq!(
        found,
        [(1, 5, false), (2, 5, false), (4, 5, true), (8, 5, true)]
    );
    let two: WhatIf = ask(&store, &["what-if", "sort-t1-r4", "sort-t2-r1"]);
    assert_eq!(two.recorded.len(), 8);
}

/// A change is predicted from runs without it, and is as good as the change that was made then.
#[test]
fn a_change_is_predicted_before_it_is_made() {
    let store = sample("planted");
    let recorded = |change: &str| {
        let selected = format!("change == {change}");
        let runs: sheaf_answers::Runs = ask(&store, &["runs", "--where", &selected]);
        let times = runs.runs.iter().filter_map(|run| run.elapsed_ns);
        let times: Vec<f64> = times.map(|time| time as f64).collect();
        assert_eq!(times.len(), 6);
        sheaf_statistics::median(&times).unwrap()
    };
    let guide = std::fs::read_to_string(workspace_root().join("docs/what-if.md")).unwrap();
    for percent in [20, 50] {
        let made = recorded(&format!("faster_{percent}"));
        let faster = format!("filter (task)={percent}%");
        let answer: WhatIf = ask(&store, &["what-if", "change == none", "--faster", &faster]);
        let of_rows = |value: &dyn Fn(f64) -> f64| {
            let values: Vec<f64> = answer.rows.iter().map(|row| value(row.predicted)).collect();
            sheaf_statistics::median(&values).unwrap()
        };
        let predicted = of_rows(&|predicted| predicted);
        let error = of_rows(&|predicted| (predicted / made - 1.0).abs());
        assert!(error < 0.05, "{percent} %: {error}");
        let (predicted, made, error) = (predicted / 1e6, made / 1e6, error * 100.0);
        let row =
            format!("| `filter` does {percent} % less | {predicted:.1} | {made:.1} | {error:.1} |");
        assert!(guide.contains(&row), "{row}");
    }
}

/// With the work that was recorded, the error is that of the schedule alone.
#[test]
fn schedules_on_as_many_workers_are_as_long_as_recorded() {
    let answer: WhatIf = ask(&sample("threads"), &["what-if", "threads <= 2"]);
    assert_eq!(answer.rows.len(), 10);
    for row in &answer.rows {
        let error = row.predicted / row.recorded.unwrap() as f64 - 1.0;
        let most = if row.workers == Some(1) { 0.001 } else { 0.003 };
        assert!(error.abs() < most, "{error} {row:?}");
    }
}

#[test]
fn questions_that_cannot_be_answered_are_refused() {
    let store = sample("threads");
    for (words, reason) in [
        (vec!["--workers", "0"], "`workers=0`"),
        (vec!["--repeats", "0"], "`repeats=0`"),
        (
            vec!["--faster", "merge_quarters:110 (task)=120%"],
            "not from 0 to 100",
        ),
        (vec!["--faster", "merge_quarters:110 (task)"], "`NAME=20%`"),
        (
            vec!["--faster", "merge_quarter:110 (task)=20%"],
            "did you mean",
        ),
        (
            vec!["--faster", "wrok_ns > 5=20%"],
            "did you mean `work_ns`",
        ),
        (
            vec!["--faster", "nothing=20%"],
            "no definition `nothing`; the run has main (parallel), ",
        ),
        (vec!["--cut-off", "width=4"], "`depth=4`"),
        (vec!["--cut-off", "depth=9999999999"], "exceeds 4294967295"),
        (
            vec!["--seed", "18446744073709551612"],
            "`seed=18446744073709551612`",
        ),
        (vec!["--policy", "lifo"], "no policy `lifo`"),
    ] {
        let failed = run(&store, [vec!["what-if", "sort-t1-r1"], words].concat());
        assert_eq!(failed.code, Some(2), "{}", failed.stderr);
        assert!(
            failed.stderr.contains(reason),
            "{reason}\n{}",
            failed.stderr
        );
    }
    let failed = run(&sample("runtimes"), ["what-if", "repeat == 1", "--check"]).expect_code(2);
    assert!(
        failed.stderr.contains("differ in the number of workers"),
        "{}",
        failed.stderr
    );
}

#[test]
fn the_examples_of_the_guide_are_what_is_printed() {
    let guide = workspace_root().join("docs/what-if.md");
    let guide = std::fs::read_to_string(guide).unwrap();
    let examples = [
        vec!["what-if", "sort-t1-r4", "--workers", "1,2,4", "--infinite"],
        vec!["what-if", "sort-t1-r4", "--first", "--workers", "2"],
    ];
    let mut blocks = guide
        .split("```\n")
        .filter(|block| block.starts_with("sort-t1-r4"));
    for words in examples {
        let printed = run(&sample("threads"), words).expect_code(0).stdout;
        let example = blocks.next().unwrap();
        assert!(example.lines().count() > 8);
        for (line, printed) in example.lines().zip(printed.lines()) {
            assert!(printed.starts_with(line), "{line}\n{printed}");
        }
    }
    let check: WhatIfCheck = ask(
        &sample("threads"),
        &["what-if", "program == sort", "--check"],
    );
    let trust = check.trust.unwrap();
    let stated = format!(
        "the median error is {:.1} % and the largest {:.1} %",
        trust.median * 100.0,
        trust.largest * 100.0
    );
    assert!(guide.replace('\n', " ").contains(&stated), "{stated}");
}

#[test]
fn the_command_line_and_the_service_say_the_same() {
    let store = sample("threads");
    let answer: WhatIf = ask(
        &store,
        &[
            "what-if",
            "sort-t1-r1",
            "--workers",
            "2,4",
            "--faster",
            "merge_quarters:110 (task)=20%",
        ],
    );
    let service = Service::start(&store, &[]);
    let query = "runs=sort-t1-r1&workers=2,4&faster=merge_quarters:110%20(task)=20%25";
    let served: WhatIf = service.read(&format!("/api/v1/what-if?{query}"));
    assert!(served == answer);
    let first: WhatFirst = service.read("/api/v1/what-if/first?runs=sort-t1-r1");
    assert_eq!(first.schema, "what-if-first/1");
    let check: WhatIfCheck = service.read("/api/v1/what-if/check?runs=program%20==%20sort");
    assert_eq!(check.schema, "what-if-check/1");
    for query in [
        "runs=sort-t1-r1&workers=0",
        "runs=sort-t1-r1&workers=x",
        "workers=2",
    ] {
        let failed = service.get(&format!("/api/v1/what-if?{query}"));
        assert_eq!(failed.status, 400, "{query}: {}", failed.text());
    }
    assert_eq!(service.get("/api/v1/what-if?runs=nothing").status, 404);
}

#[test]
fn runs_of_all_formats_are_cut_off_or_refused_for_the_same_reason() {
    let temporary = tempfile::tempdir().unwrap();
    let store = temporary.path().join("store");
    let samples = workspace_root().join("data/samples").display().to_string();
    // One file is a dump that no reader takes.
    run(&store, ["add", &samples]).expect_code(3);
    let runs: sheaf_answers::Runs = ask(&store, &["runs", "--where", "grains > 0"]);
    let mut scheduled = 0;
    for one in &runs.runs {
        let plain = run(&store, ["what-if", &one.run]);
        for depth in ["depth=0", "depth=1", "depth=2"] {
            let cut = run(&store, ["what-if", &one.run, "--cut-off", depth]);
            assert_eq!(
                (cut.code, &cut.stderr),
                (plain.code, &plain.stderr),
                "{} {depth}",
                one.name
            );
        }
        scheduled += usize::from(plain.code == Some(0));
    }
    assert!(scheduled >= 6, "{scheduled} of {}", runs.runs.len());
}
