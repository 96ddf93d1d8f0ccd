//! What answers say: ratios, laws, parts of the time, runs out of order.

use std::fmt::Write as _;

use super::*;

/// T = 100 (0.05 + 0.95 / p), work 100 whatever p; half of what is not work was idle.
fn threads() -> Vec<Arc<RunSummary>> {
    runs(
        "
        run a threads=1 _elapsed=1000 _workers=1
          main work_ns 200
          main/sort work_ns 790
        run b threads=2 _elapsed=525 _workers=2
          main work_ns 200
          main/sort work_ns 800
        run c threads=4 _elapsed=290 _workers=4
          main work_ns 190
          main/sort work_ns 850
    ",
    )
}

fn accounts(runs: &[Arc<RunSummary>]) -> BTreeMap<RunId, TimeBreakdown> {
    let account = |(run, work, overhead, idle): (&Arc<RunSummary>, i64, i64, i64)| {
        let account = TimeBreakdown {
            workers: run.meta.workers.unwrap(),
            elapsed: run.meta.elapsed.unwrap(),
            ideal_elapsed: run.meta.elapsed.map(|elapsed| elapsed - 10),
            work,
            overhead: Some(overhead),
            idle: Some(idle),
            tasks: 0,
            iterations: BTreeMap::new(),
            span: Some(100),
            ready_by_context: Some(vec![3, 40]),
            faults: Vec::new(),
        };
        (run.meta.id, account)
    };
    let spent = [(990, 10, 0), (1000, 30, 20), (1040, 100, 20)];
    let rows = runs
        .iter()
        .zip(spent)
        .map(|(run, (work, overhead, idle))| (run, work, overhead, idle));
    rows.map(account).collect()
}

#[test]
fn parts_of_the_time_add_up_by_group_and_in_total() {
    let runs = threads();
    let found = ask("", &ScaleQuestion::new("threads"), &runs, &accounts(&runs)).unwrap();
    assert_eq!(
        loss_text(&found),
        "1 all: 990 0 10 0 - of 1000\n\
         1 sort: 790 0 - - - of 790\n\
         1 main: 200 0 - - - of 200\n\
         2 all: 990 10 30 20 - of 1050\n\
         2 sort: 790 10 - - - of 800\n\
         2 main: 200 0 - - - of 200\n\
         4 all: 990 50 100 20 - of 1160\n\
         4 sort: 790 60 - - - of 850\n\
         4 main: 200 -10 - - - of 190"
    );
    let ready: Vec<_> = found.loss[3..6].iter().map(|row| row.ready).collect();
    assert_eq!(ready.iter().flatten().sum::<f64>(), 43.0);
    assert_eq!(series_text(&found), "all runs strong: 1x1 2x1 4x1");
    let point = &found.points[2];
    assert_eq!(point.speedup, Some(1000.0 / 290.0));
    assert_eq!(point.inflation, Some(1040.0 / 990.0));
    assert_eq!(
        (point.lower_bound, point.upper_bound),
        (Some(247.5), Some(322.5))
    );
    assert_eq!(point.bound, Some(WithinBounds::Greedy));
    assert_eq!(point.utilisation, Some(1000.0 / (4.0 * 290.0)));
    assert_eq!(point.needs_runs, Some(6));
    assert_eq!(point.computation_scaling, Some(990.0 / 1040.0));
    assert_eq!(point.transfer_efficiency, Some(280.0 / 290.0));
    let product = point.serialisation_efficiency.unwrap() * point.transfer_efficiency.unwrap();
    assert!((product - point.communication_efficiency.unwrap()).abs() < 1e-15);
    assert!((point.parallel_efficiency.unwrap() - 1040.0 / 1160.0).abs() < 1e-15);
}

#[test]
fn without_accounts_what_is_not_work_is_not_explained() {
    let found = answer("", "threads", &threads());
    let whole = found.loss.iter().filter(|row| row.group.is_none());
    let whole: Vec<_> = whole.map(|row| (row.idle, row.unexplained)).collect();
    assert_eq!(
        whole,
        [(None, Some(10.0)), (None, Some(50.0)), (None, Some(120.0))]
    );
    assert!(found.points.iter().all(|point| point.bound.is_none()));
}

#[test]
fn laws_are_those_that_suit_or_those_asked_for() {
    let laws = |found: &Scale| {
        let whole = found.models.iter().filter(|model| model.group.is_none());
        let texts = whole.map(|model| match &model.reason {
            None => {
                let flags: Vec<&str> = model.flags.iter().map(|flag| flag.as_str()).collect();
                format!("{} {}", model.law, flags.join(" "))
            }
            Some(reason) => format!("{}: {reason}", model.law),
        });
        texts.collect::<Vec<_>>().join("; ")
    };
    assert_eq!(
        laws(&answer("", "threads", &threads())),
        "amdahl ; usl: needs 4 different values of the parameter; pmnf underdetermined"
    );
    let question = ScaleQuestion {
        fit: vec![Law::Gustafson, Law::Power],
        ..ScaleQuestion::new("threads")
    };
    let found = ask("", &question, &threads(), &BTreeMap::new()).unwrap();
    assert_eq!(laws(&found), "gustafson not_weak_scaling; power ");
}

/// Eight ranks more each time; communication, and one point that took too little.
fn ranks() -> Vec<Arc<RunSummary>> {
    let run = |(name, ranks, work, mpi): (&str, i64, i64, i64)| {
        let each = |value: i64| {
            let values = (0..ranks).map(|rank| format!("{value}@{rank}"));
            values.collect::<Vec<_>>().join(" ")
        };
        let wait = (ranks > 1).then(|| format!("main/MPI_Wait time_us {}\n", each(mpi)));
        format!(
            "run {name} _ranks={ranks} _workers={ranks}\n\
             main time_us {}\nmain/solve time_us {}\n{}",
            each(100),
            each(work),
            wait.unwrap_or_default()
        )
    };
    let all = [
        ("a", 1, 500, 0),
        ("b", 2, 510, 50),
        ("c", 3, 520, 60),
        ("d", 4, 480, 70),
        ("e", 5, 530, 80),
    ];
    runs(&format!(
        "metric time_us us additive\n{}",
        all.map(run).join("\n")
    ))
}

#[test]
fn weak_scaling_is_told_from_the_work_and_communication_is_no_work() {
    let found = answer("metric time_us", "ranks", &ranks());
    assert_eq!(series_text(&found), "all runs weak: 1x1 2x1 3x1 4x1 5x1");
    assert_eq!(found.series[0].constant_work, Some(true));
    let last: Vec<&ScaleLoss> = found.loss.iter().filter(|row| row.p == 5.0).collect();
    assert_eq!(
        (
            last[0].ideal,
            last[0].inflation,
            last[0].overhead,
            last[0].area
        ),
        (3000.0, 150.0, Some(400.0), 3550.0)
    );
    assert_eq!(last[1].path, ["MPI_Wait"]);
    assert_eq!(last[1].inflation_ratio, None);
    assert_eq!(last[2].inflation_ratio, Some(1.06));
    let efficiency = found.points[4].weak_efficiency.unwrap();
    assert_eq!(efficiency, 600.0 / 710.0);
}

#[test]
fn runs_out_of_order_are_named_with_those_that_made_it() {
    let found = answer("metric time_us", "ranks", &ranks());
    let texts = found.out_of_order.iter().map(|it| {
        let culprits = it.culprits.iter();
        let culprits = culprits.map(|it| format!("{} {}", it.path.join("/"), it.delta));
        let culprits = culprits.collect::<Vec<_>>().join(", ");
        format!(
            "{:?} {:?} {:?}: {culprits}",
            it.p,
            it.suspect.as_ref() == Some(&it.runs[1]),
            it.certain
        )
    });
    assert_eq!(
        texts.collect::<Vec<_>>(),
        ["[3.0, 4.0] true None: solve -40, MPI_Wait 10"]
    );
    // Shares of the inversion add up to it.
    let share: f64 = found.out_of_order[0]
        .culprits
        .iter()
        .map(|it| it.share)
        .sum();
    assert!((share - 1.0).abs() < 1e-12);
    let models = found.models.iter().filter(|model| model.group.is_some());
    let points: Vec<_> = models
        .map(|model| (model.path.join("/"), model.points))
        .collect();
    // A group is modelled over the points at which it occurs.
    assert_eq!(
        points,
        [
            ("solve".into(), 5),
            ("main".into(), 5),
            ("MPI_Wait".into(), 4)
        ]
    );
}

#[test]
fn repeats_have_intervals_when_there_are_enough() {
    let all = |repeats: usize| {
        let run = |(threads, repeat): (usize, usize)| {
            let elapsed = 1000 / threads + repeat;
            format!(
                "run r{threads}.{repeat} threads={threads} repeat={repeat} _workers={threads} \
                 _elapsed={elapsed}\nmain work_ns {elapsed}"
            )
        };
        let pairs = [1, 2, 4]
            .into_iter()
            .flat_map(|it| (0..repeats).map(move |at| (it, at)));
        let texts = pairs.map(run).collect::<Vec<_>>().join("\n");
        answer("", "threads", &runs(&texts))
    };
    let point = |found: &Scale| {
        let point = &found.points[2];
        let by = point.speedup_interval_by;
        (point.interval.is_some(), by, point.needs_runs)
    };
    assert_eq!(point(&all(3)), (false, None, Some(6)));
    assert_eq!(point(&all(5)), (false, Some(IntervalBy::Rank), Some(6)));
    assert_eq!(point(&all(6)), (true, Some(IntervalBy::Rank), None));
    let many = all(9);
    assert_eq!(point(&many), (true, Some(IntervalBy::Bootstrap), None));
    let [low, high] = many.points[2].speedup_interval.unwrap();
    let speedup = many.points[2].speedup.unwrap();
    assert!(low <= speedup && speedup <= high);
    let serial = many.models[0]
        .parameters
        .iter()
        .find(|it| it.name == "serial_fraction");
    assert!(serial.unwrap().interval.is_some());
}

/// The interval of a ratio of times is that of the weak efficiency; of the scaled speedup it is p times that.
#[test]
fn intervals_of_scaled_speedups_are_of_scaled_speedups() {
    let run = |(threads, repeat): (usize, usize)| {
        let elapsed = 1000 + 20 * threads + repeat;
        let work = 1000 * threads;
        format!(
            "run r{threads}.{repeat} threads={threads} repeat={repeat} _workers={threads} \
             _elapsed={elapsed}\nmain work_ns {work}"
        )
    };
    let pairs = [2, 4, 8]
        .into_iter()
        .flat_map(|it| (0..5).map(move |at| (it, at)));
    let texts = pairs.map(run).collect::<Vec<_>>().join("\n");
    let found = answer("", "threads", &runs(&texts));
    assert_eq!(found.series[0].kind, ScalingKind::Weak);
    assert_eq!(found.points[0].scaled_speedup_interval, None);
    for point in &found.points[1..] {
        let ratio = point.speedup_interval.unwrap();
        let [low, high] = point.scaled_speedup_interval.unwrap();
        let growth = point.p / 2.0;
        assert_eq!([low, high], ratio.map(|end| growth * end));
        let value = point.scaled_speedup.unwrap();
        assert!(low <= value && value <= high, "{point:?}");
    }
    let strong = answer("", "threads", &repeats("threads", &[1, 2, 4], |it| it));
    assert!(
        strong
            .points
            .iter()
            .all(|point| point.scaled_speedup_interval.is_none())
    );
}

/// Three runs at each of the given values; work is not in the order of times.
fn repeats(by: &str, values: &[usize], workers: impl Fn(usize) -> usize) -> Vec<Arc<RunSummary>> {
    let mut text = String::new();
    for &value in values {
        for (repeat, work) in [(0, 900), (1, 700), (2, 800)] {
            let (elapsed, work) = (1000 / value + repeat, work + 10 * value);
            let workers = workers(value);
            let _ = write!(
                text,
                "run r{value}.{repeat} {by}={value} repeat={repeat} _workers={workers} _elapsed={elapsed}\n\
                 main work_ns {work}\n"
            );
        }
    }
    runs(&text)
}

#[test]
fn values_are_of_the_median_and_parts_of_one_run() {
    let found = answer("", "threads", &repeats("threads", &[1, 2, 4], |it| it));
    for point in &found.points {
        // Repeat 1 is the median; its work is the least of the three.
        assert_eq!(point.value, 1000.0 / point.p + 1.0);
        assert_eq!(point.work, Some(700.0 + 10.0 * point.p));
        assert_eq!(point.inflation, Some((700.0 + 10.0 * point.p) / 710.0));
        let mut rows = found.loss.iter().filter(|row| row.p == point.p);
        let (whole, group) = (rows.next().unwrap(), rows.next().unwrap());
        assert_eq!(whole.inflation_ratio, point.inflation);
        assert_eq!(whole.run, point.run);
        // Of a group it is a ratio of medians.
        let medians = (800.0 + 10.0 * point.p) / 810.0;
        assert_eq!(group.inflation_ratio, Some(medians));
    }
    let said = "a point's value, what follows from it, and laws are of the median over its runs; its \
                work, efficiencies, bounds and losses are of the one run nearest to that, so that parts add up";
    assert!(
        found.notes.iter().any(|note| note.text == said),
        "{:?}",
        found.notes
    );
    let single = answer("", "threads", &threads());
    assert!(
        !single
            .notes
            .iter()
            .any(|note| note.text.contains("the median over"))
    );
}

#[test]
fn two_values_of_what_counts_no_workers_have_no_law() {
    let runs = repeats("version", &[1, 2], |_| 2);
    let found = answer("", "version", &runs);
    assert_eq!(found.models, []);
    let said = "`version` counts no workers: values are modelled over it, speedups mean nothing; \
                two values do not determine a law: a diff compares them";
    assert!(
        found.notes.iter().any(|note| note.text == said),
        "{:?}",
        found.notes
    );
    // Three runs have no interval of their median; there is no speedup that could want one.
    assert!(found.points.iter().all(|point| point.needs_runs == Some(6)));
    let question = ScaleQuestion {
        fit: vec![Law::Log2, Law::Power, Law::Pmnf],
        ..ScaleQuestion::new("version")
    };
    let asked = ask("", &question, &runs, &BTreeMap::new()).unwrap();
    let whole = asked.models.iter().filter(|model| model.group.is_none());
    let whole: Vec<_> = whole.collect();
    assert_eq!(whole.len(), 3);
    for model in whole {
        assert!(model.formula.is_some(), "{model:?}");
        assert_eq!(model.flags, [ModelFlag::Underdetermined], "{}", model.law);
        let told = (model.r_squared, model.smape, model.greatest_error);
        assert_eq!(told, (None, None, None), "{}", model.law);
    }
    let many = repeats("version", &[1, 2, 3], |_| 2);
    assert_eq!(answer("", "version", &many).models[0].law, Law::Log2);
}

#[test]
fn enough_runs_without_speedups_need_no_more() {
    let run = |(size, repeat): (usize, usize)| {
        format!(
            "run r{size}.{repeat} size={size} repeat={repeat} _workers=2 _elapsed={}\nmain work_ns 9",
            size * 100 + repeat
        )
    };
    let pairs = [1, 2]
        .into_iter()
        .flat_map(|size| (0..7).map(move |it| (size, it)));
    let text = pairs.map(run).collect::<Vec<_>>().join("\n");
    let found = answer("", "size", &runs(&text));
    assert!(found.points.iter().all(|point| point.needs_runs.is_none()));
    assert!(found.points.iter().all(|point| point.interval.is_some()));
}

/// Times of whole programs, as many profiles are: how many workers there were only the parameter says.
#[test]
fn profiles_of_one_location_scale_by_what_the_parameter_says() {
    let run = |p: u32| {
        let time = 100_000.0 * (0.05 + 0.95 / f64::from(p));
        format!("run r{p} threads={p}\nmain time {time}\n")
    };
    let text = [1, 2, 4, 8, 16, 32].map(run).concat();
    let found = answer(
        "metric time",
        "threads",
        &runs(&format!("metric time float\n{text}")),
    );
    let speedups = found.points.iter().filter_map(|point| point.speedup);
    let speedups: Vec<String> = speedups.map(|it| format!("{it:.6}")).collect();
    assert_eq!(
        speedups.join(" "),
        "1.000000 1.904762 3.478261 5.925926 9.142857 12.549020"
    );
    let amdahl = found.models.iter().find(|model| model.law == Law::Amdahl);
    let mut parameters = amdahl.iter().flat_map(|model| &model.parameters);
    let serial = parameters.find(|it| it.name == "serial_fraction");
    assert!(serial.is_some_and(|it| (it.value.unwrap_or(0.0) - 0.05).abs() < 1e-9));
    // Of single workers nothing is known.
    assert!(found.points.iter().all(|point| point.workers.is_none()));
    assert_eq!(found.loss, []);
    let note = "counts no workers";
    assert!(
        !found.notes.iter().any(|it| it.text.contains(note)),
        "{:?}",
        found.notes
    );
}

/// The mean over ranks stays where the work of all ranks grows with them.
#[test]
fn means_over_ranks_are_not_total_work() {
    let runs = runs(
        "
        run a ranks=1 _ranks=1
          main avg_time_us 90
        run b ranks=8 _ranks=8
          main avg_time_us 80
    ",
    );
    let lens = "metric avg_time_us";
    let found = answer(lens, "ranks", &runs);
    assert_eq!(found.series[0].kind, ScalingKind::Unclear);
    assert!(found.points.iter().all(|point| point.speedup.is_none()));
    let notes = Note::texts(&found.notes).join("; ");
    assert!(
        notes.contains("the kind of scaling, `weak` or `strong`"),
        "{notes}"
    );
    let unknown = found.unknown_kind.as_ref().unwrap();
    assert_eq!(
        found
            .notes
            .iter()
            .filter(|note| note.text == unknown.text())
            .count(),
        1
    );
    let question = ScaleQuestion {
        kind: Some(ScalingKind::Weak),
        ..ScaleQuestion::new("ranks")
    };
    let found = ask(lens, &question, &runs, &BTreeMap::new()).unwrap();
    assert_eq!(found.unknown_kind, None);
    assert_eq!(found.points[1].speedup, Some(90.0 / 80.0));
    assert!(found.loss.is_empty());
}
