//! What a history does not call slower: too little of the total, and times on other numbers of workers.

use super::*;

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
fn judged(answer: &HistoryAnswer) -> Vec<String> {
    let mut said = Vec::new();
    for row in answer.series.iter().flat_map(|series| &series.rows) {
        let path = row.path.join("/");
        for one in &row.changes {
            let reason = one.reason.as_deref().unwrap_or("-");
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
        ["small Inconclusive: significant, but below 1 % of the greater total"]
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
    let reason = "significant, but below 1 % of the greater total";
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
        .rows
        .iter()
        .find(|row| row.path == ["small"]);
    let last = small.unwrap().last.as_ref().unwrap();
    assert_eq!((last.verdict, &last.reason), (Verdict::Slower, &None));
    assert!((last.share.unwrap() - 0.015).abs() < 0.001, "{last:?}");
}

#[test]
fn times_on_other_numbers_of_threads_are_not_tested() {
    let step = |version: usize| [1e9, if version >= 5 { 2e9 } else { 1e9 }];
    let all = made(|version| format!("threads={version}"), step);
    let lens = |metric: &str| Lens {
        by: vec!["threads".to_owned()],
        metric: metric.to_owned(),
        ..Lens::default()
    };
    let ask = |lens: &Lens, options: &HistoryOptions, runs: &[Arc<RunSummary>]| {
        let (mapping, silent) = (Mapping::default(), Progress::silent());
        history(
            lens,
            runs,
            &HistoryOrder::Versions,
            options,
            &mapping,
            &silent,
        )
        .unwrap()
    };
    let options = HistoryOptions::default();
    let times = ask(&lens("work_ns"), &options, &all);
    let said = judged(&times);
    let reason =
        "times with different numbers of threads are not tested (1, 2, 3, 4 against 5, 6, 7, 8)";
    for path in ["(whole run)", "small"] {
        assert!(
            said.contains(&format!("{path} Untestable: {reason}")),
            "{said:?}"
        );
    }
    let rows = || times.series.iter().flat_map(|series| &series.rows);
    assert!(rows().all(|row| row.last.as_ref().unwrap().verdict == Verdict::Untestable));
    assert!(
        rows()
            .flat_map(|row| &row.changes)
            .all(|one| !one.verdict.is_change())
    );
    let note = "`grainsheaf scale --by threads` compares efficiency and work inflation";
    assert!(
        times.notes.iter().any(|one| one.ends_with(note)),
        "{:?}",
        times.notes
    );
    // Counts are compared whatever the numbers of threads.
    let counts = ask(&lens("calls_count"), &options, &all);
    let said = judged(&counts);
    assert!(
        !said.is_empty() && said.iter().all(|one| !one.contains("threads")),
        "{said:?}"
    );
    assert!(
        !counts.notes.iter().any(|one| one.contains("scale")),
        "{:?}",
        counts.notes
    );
    // Versions that all ran on the same numbers are, though these differ within a version.
    let both =
        |threads: usize| move |version: usize| format!("version={version} threads={threads}");
    let mut mixed = made(both(2), step);
    for run in made(both(4), step) {
        let mut run = run.as_ref().clone();
        run.meta.id.0[0] ^= 1;
        mixed.push(Arc::new(run));
    }
    let together = HistoryOptions {
        environment: Some(Vec::new()),
        ..HistoryOptions::default()
    };
    let mixed = ask(&super::lens(), &together, &mixed);
    assert_eq!(judged(&mixed), ["(whole run) Slower: -", "small Slower: -"]);
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
