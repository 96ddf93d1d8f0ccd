//! What a history does not call slower: too little of the total, and times on other numbers of workers.

use super::*;
use sheaf_answers::HistoryChange;

/// Eight versions by `version` with four runs each; `group` says what is in a run of a version.
fn made(
    params: impl Fn(usize) -> String,
    group: impl Fn(usize) -> [f64; 2],
) -> Vec<Arc<RunSummary>> {
    let mut text = "metric calls_count count\n".to_owned();
    for version in 1..=8 {
        for repeat in 0..4 {
            let _ = writeln!(text, "run v{version}r{repeat} {}", params(version));
            for (number, (name, work)) in ["big", "small"].iter().zip(group(version)).enumerate() {
                let work = work * noise(version, repeat, number);
                let _ = writeln!(
                    text,
                    "  main/{name} work_ns {work:.0} ; calls_count {work:.0}"
                );
            }
        }
    }
    runs(&text)
}

/// `path verdict because reason` of every change, and of the last version where it has a reason.
fn judged(answer: &History) -> Vec<String> {
    let mut said = Vec::new();
    for row in answer.series.iter().flat_map(|series| &series.groups) {
        let path = row.path.join("/");
        for one in &row.changes {
            let reason = one.reason.as_ref().map_or("-", |reason| reason.text());
            said.push(format!("{path} {:?}: {reason}", one.verdict));
        }
        if let Some(last) = &row.last
            && let Some(reason) = &last.reason
        {
            said.push(format!("{path} now {:?}: {reason}", last.verdict));
        }
    }
    said
}

#[test]
fn less_than_a_hundredth_of_the_total_is_not_slower() {
    let version = |version: usize| format!("version={version}");
    // Twice as long, which is 0.5 % of the total and then 1.5 %.
    let step =
        |small: f64| move |version: usize| [1e9, if version >= 5 { 2.0 * small } else { small }];
    let little = follow(&made(version, step(5e6)), &HistoryOrder::Versions);
    assert_eq!(
        judged(&little),
        ["small Inconclusive: significant, but below 1 % of the larger total"]
    );
    let enough = follow(&made(version, step(1.5e7)), &HistoryOrder::Versions);
    assert_eq!(
        judged(&enough),
        [
            "(whole run) Inconclusive: significant, not above 5 %",
            "small Slower: -"
        ]
    );
    // The newest version is judged by the same rule.
    let newest =
        |small: f64| move |version: usize| [1e9, if version == 8 { 2.0 * small } else { small }];
    let reason = "significant, but below 1 % of the larger total";
    let little = judged(&follow(
        &made(version, newest(5e6)),
        &HistoryOrder::Versions,
    ));
    assert!(
        little.contains(&format!("small now Inconclusive: {reason}")),
        "{little:?}"
    );
    let enough = follow(&made(version, newest(1.5e7)), &HistoryOrder::Versions);
    let small = enough.series[0]
        .groups
        .iter()
        .find(|row| row.path == ["small"]);
    let last = small.unwrap().last.as_ref().unwrap();
    assert_eq!((last.verdict, &last.reason), (Verdict::Slower, &None));
}

/// A history by threads or versions, with the metric and the environment.
fn ask(
    (by, metric): (&str, &str),
    environment: Option<Vec<String>>,
    runs: &[Arc<RunSummary>],
) -> History {
    let lens = Lens {
        by: vec![by.to_owned()],
        metric: metric.to_owned(),
        ..Lens::default()
    };
    let options = HistoryOptions {
        environment,
        ..HistoryOptions::default()
    };
    let (mapping, silent) = (Mapping::default(), Progress::silent());
    let order = HistoryOrder::Versions;
    history(&lens, runs, &order, &options, &mapping, &silent).unwrap()
}

/// Twice the work from version 5 on.
fn step(version: usize) -> [f64; 2] {
    [1e9, if version >= 5 { 2e9 } else { 1e9 }]
}

/// Points that are not tested against those before them, with the numbers that differ.
fn untested(series: &HistorySeries) -> Vec<String> {
    let points = series.points.iter();
    points
        .filter_map(|point| {
            let reason = point.untested.as_ref()?.text();
            let numbers =
                reason.strip_prefix("times with different numbers of threads are not tested");
            Some(format!("{}:{}", point.version, numbers.unwrap()))
        })
        .collect()
}

#[test]
fn times_on_other_numbers_of_threads_are_not_tested() {
    let all = made(|version| format!("threads={version}"), step);
    let times = ask(("threads", "work_ns"), None, &all);
    let [series] = times.series.as_slice() else {
        panic!("{times:?}");
    };
    let expected = (2..=8).map(|at| format!("{at}: ({} against {at})", at - 1));
    assert_eq!(untested(series), expected.collect::<Vec<_>>());
    // What is not tested has no p, and is none of the tests that are corrected for.
    assert_eq!((times.tested, series.smallest_p), (0, 1.0));
    for row in &series.groups {
        let last = row.last.as_ref().unwrap();
        assert_eq!((row.p, row.q, row.changes.len()), (None, None, 0));
        assert_eq!((last.p, last.q, last.ratio), (None, None, None));
        assert_eq!(last.verdict, Verdict::Untestable);
        let reason = "times with different numbers of threads are not tested (7 against 8)";
        assert_eq!(last.reason.as_ref().unwrap().text(), reason);
    }
    let note = "a scaling study by `threads` compares efficiency and work inflation";
    assert!(
        times.notes.iter().any(|one| one.text.ends_with(note)),
        "{:?}",
        times.notes
    );
    // Counts are compared whatever the numbers of threads.
    let counts = ask(("threads", "calls_count"), None, &all);
    let said = judged(&counts);
    assert!(
        !said.is_empty() && said.iter().all(|one| !one.contains("threads")),
        "{said:?}"
    );
    assert!(untested(&counts.series[0]).is_empty());
    assert!(
        !counts.notes.iter().any(|one| one.text.contains("scale")),
        "{:?}",
        counts.notes
    );
}

#[test]
fn versions_that_all_ran_on_the_same_numbers_of_threads_are_tested() {
    let both =
        |threads: usize| move |version: usize| format!("version={version} threads={threads}");
    let mut mixed = made(both(2), step);
    for run in made(both(4), step) {
        let mut run = run.as_ref().clone();
        run.meta_mut().id.0[0] ^= 1;
        mixed.push(Arc::new(run));
    }
    let mixed = ask(("version", "work_ns"), Some(Vec::new()), &mixed);
    assert_eq!(judged(&mixed), ["(whole run) Slower: -", "small Slower: -"]);
}

#[test]
fn other_numbers_of_threads_part_the_tests_of_a_series() {
    // Four versions of four runs on 2 threads, then 4 on 4, in which the second half takes twice as long: by other
    // numbers of threads at version 5, and by a change of the program at version 7.
    let threads = |version: usize| if version >= 5 { 4 } else { 2 };
    let params = |version: usize| format!("version={version} threads={}", threads(version));
    let group = |version: usize| match version {
        7.. => [1e9, 4e9],
        5.. => [1e9, 2e9],
        _ => [1e9, 1e9],
    };
    let all = made(params, group);
    let parted = ask(("version", "work_ns"), Some(Vec::new()), &all);
    let [series] = parted.series.as_slice() else {
        panic!("{parted:?}");
    };
    assert_eq!(untested(series), ["5: (2 against 4)"]);
    let small = series
        .groups
        .iter()
        .find(|row| row.path == ["small"])
        .unwrap();
    let [change] = small.changes.as_slice() else {
        panic!("{small:?}");
    };
    assert_eq!((change.point, change.verdict), (6, Verdict::Slower));
    assert!((change.after / change.before - 2.0).abs() < 0.05);
    // Two tests of the group are one of all.
    assert!(
        (small.p.unwrap() - 2.0 * change.p).abs() < 1e-12,
        "{small:?}"
    );
    assert_eq!(parted.tested, series.groups.len() as u64);
    // As series of their own they say the same.
    let apart = ask(("version", "work_ns"), None, &all);
    assert_eq!(apart.series.len(), 2);
    let rows = &apart.series[1].groups;
    let same = rows.iter().find(|row| row.path == ["small"]).unwrap();
    let bits = |change: &HistoryChange| [change.before, change.after].map(f64::to_bits);
    assert_eq!(bits(&same.changes[0]), bits(change));
    let last = small.last.as_ref().unwrap();
    assert_eq!(
        (last.since, [last.runs_before, last.runs], last.verdict),
        (6, [4, 4], Verdict::Unchanged)
    );
}

#[test]
fn what_follows_from_the_axis_does_not_part_series() {
    let params = |version: usize| {
        format!(
            "threads={version} OMP_PLACES=p{version} cpu=c{} version={version}",
            version % 2
        )
    };
    let all = made(params, step);
    let by_threads = ask(("threads", "work_ns"), None, &all);
    assert_eq!(by_threads.series.len(), 1);
    let note = "what follows from `threads` does not part series: `OMP_PLACES`, `cpu`";
    assert!(
        by_threads.notes.iter().any(|one| one.text == note),
        "{:?}",
        by_threads.notes
    );
    // What came with a version is another environment still, and so is what was asked for.
    let by_version = ask(("version", "work_ns"), None, &all);
    assert_eq!(by_version.series.len(), 8);
    let asked = ask(("threads", "work_ns"), Some(vec!["cpu".to_owned()]), &all);
    assert_eq!(asked.series.len(), 2);
}

#[test]
fn a_version_has_one_place_in_the_order() {
    let list = ["1.1", "1.3", " 1.1"].map(str::to_owned).to_vec();
    let message = refused(&HistoryOrder::List(list), &HistoryOptions::default());
    assert_eq!(
        message,
        "the order lists `1.1` of `version` twice; list every version once"
    );
}
