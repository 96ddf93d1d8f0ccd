//! One run in depth: grains, problems and groups of the sample ensembles.

#![expect(
    clippy::unwrap_used,
    clippy::float_cmp,
    reason = "a failed step is a failed test, and sums of whole numbers are exact"
)]

use std::collections::BTreeMap;
use std::path::Path;

use sheaf_answers::{GrainKind, GrainRow, GraphForm, Group, GroupKind};
use sheaf_ensemble::{
    Ensemble, GrainsQuestion, GroupsQuestion, PathScope, ThresholdSet, TreeChoice, TreeExtent,
    View, Window,
};
use sheaf_model::Progress;

const RUN: &str = "sort-t4-r1";

fn view(ensemble: &Ensemble) -> View<'_> {
    ensemble.view(&Progress::silent()).unwrap()
}

fn sample() -> Ensemble {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/ensembles/threads");
    Ensemble::open(&folder).unwrap()
}

fn only(metrics: &[&str]) -> Vec<String> {
    metrics.iter().map(ToString::to_string).collect()
}

fn grains(ensemble: &Ensemble, question: &GrainsQuestion) -> Vec<GrainRow> {
    let answer = view(ensemble).grains(RUN, question).unwrap();
    answer.rows.iter().collect()
}

fn first(row: &GrainRow) -> Option<f64> {
    Some(row.metrics.values().next()?.as_f64())
}

#[test]
fn pages_together_are_the_whole() {
    let ensemble = sample();
    let all = GrainsQuestion {
        sort: Some("waiting_ns".to_owned()),
        metrics: Some(only(&["waiting_ns"])),
        ..GrainsQuestion::default()
    };
    let whole = grains(&ensemble, &all);
    assert_eq!(whole.len(), 542);
    let mut paged = Vec::new();
    for offset in (0..600).step_by(100) {
        let page = GrainsQuestion {
            offset,
            limit: Some(100),
            ..all.clone()
        };
        let answer = view(&ensemble).grains(RUN, &page).unwrap();
        assert_eq!((answer.total, answer.offset), (542, offset as u64));
        paged.extend(answer.rows.iter());
    }
    let keys = |rows: &[GrainRow]| {
        rows.iter()
            .map(|row| row.path_key.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(keys(&paged), keys(&whole));
}

#[test]
fn the_worst_come_first_and_the_absent_last() {
    let ensemble = sample();
    let by = |sort: &str, metric: &str| {
        let question = GrainsQuestion {
            sort: Some(sort.to_owned()),
            metrics: Some(only(&[metric])),
            ..GrainsQuestion::default()
        };
        let rows = grains(&ensemble, &question);
        rows.iter().map(first).collect::<Vec<_>>()
    };
    let check = |values: &[Option<f64>], is_descending: bool| {
        let present: Vec<f64> = values.iter().copied().map_while(|value| value).collect();
        assert!(values[present.len()..].iter().all(Option::is_none));
        let pairs = present.windows(2);
        let is_sorted = |pair: &[f64]| pair[0].total_cmp(&pair[1]).is_ge() == is_descending;
        assert!(pairs.filter(|pair| pair[0] != pair[1]).all(is_sorted));
        present.len()
    };
    let waiting = by("waiting_ns", "waiting_ns");
    let num_present = check(&waiting, true);
    assert!(0 < num_present && num_present < waiting.len());
    assert_eq!(check(&by("-waiting_ns", "waiting_ns"), false), num_present);
    // Of parallelism lower is worse.
    let metric = "inst_par_real_instant_min";
    assert!(check(&by(metric, metric), false) > 0);
}

#[test]
fn expressions_choose_by_metrics_names_and_paths() {
    let ensemble = sample();
    let all = grains(
        &ensemble,
        &GrainsQuestion {
            metrics: Some(only(&["work_ns"])),
            ..GrainsQuestion::default()
        },
    );
    let check = |text: &str, holds: &dyn Fn(&GrainRow) -> bool| {
        let question = GrainsQuestion {
            filter: Some(text.parse().unwrap()),
            metrics: Some(only(&["work_ns"])),
            ..GrainsQuestion::default()
        };
        let found = grains(&ensemble, &question);
        let expected = all.iter().filter(|row| holds(row)).map(|row| row.grain);
        let found: Vec<u32> = found.iter().map(|row| row.grain).collect();
        assert_eq!(found, expected.collect::<Vec<_>>(), "{text}");
        assert!(!found.is_empty() && found.len() < all.len(), "{text}");
    };
    check("work_ns > 100000", &|row| first(row) > Some(100_000.0));
    check("work_ticks > 100000", &|row| first(row) > Some(100_000.0));
    check("definition like 'merge_ranges*'", &|row| {
        row.definition.starts_with("merge_ranges")
    });
    check("thread = 2", &|row| {
        (row.rank, row.thread) == (Some(0), Some(2))
    });
    check("path like '*.1.1]'", &|row| {
        row.path.last().is_some_and(|last| last.ends_with(".1.1]"))
    });
}

#[test]
fn what_grains_have_not_is_refused() {
    let ensemble = sample();
    let check = |filter: Option<&str>, sort: Option<&str>, expected: &str| {
        let question = GrainsQuestion {
            filter: filter.map(|text| text.parse().unwrap()),
            sort: sort.map(str::to_owned),
            metrics: Some(only(&[])),
            ..GrainsQuestion::default()
        };
        let error = view(&ensemble).grains(RUN, &question).unwrap_err();
        assert_eq!(error.to_string(), expected);
    };
    check(
        Some("work_ns > 1 and knid = 'task'"),
        None,
        "no grain has `knid` at character 17 of `work_ns > 1 and knid == 'task'`; did you mean `kind`?",
    );
    check(
        None,
        Some("wrok_ns"),
        "no metric `wrok_ns`; did you mean `work_ns`?",
    );
    let reason = "metric `work_deviation` is absent: there is no run to compare with";
    check(Some("work_deviation > 2"), None, reason);
    check(None, Some("-work_deviation"), reason);
}

#[test]
fn implicit_tasks_are_counted_if_asked() {
    let ensemble = sample();
    let question = GrainsQuestion {
        is_with_implicit: true,
        metrics: Some(only(&["work_ns"])),
        ..GrainsQuestion::default()
    };
    let rows = grains(&ensemble, &question);
    let mut kinds = BTreeMap::new();
    for row in &rows {
        *kinds.entry(row.kind).or_insert(0) += 1;
    }
    let expected = [
        (GrainKind::Implicit, 4),
        (GrainKind::Initial, 1),
        (GrainKind::Task, 542),
    ];
    assert_eq!(kinds, BTreeMap::from(expected));
    let work: f64 = rows.iter().filter_map(first).sum();
    let info = view(&ensemble).info(RUN).unwrap();
    assert_eq!(Some(work), info.work.map(|work| work as f64));
}

#[test]
fn paths_are_the_same_in_every_run() {
    let ensemble = sample();
    let paths = |run: &str| {
        let question = GrainsQuestion {
            metrics: Some(only(&[])),
            ..GrainsQuestion::default()
        };
        let rows = view(&ensemble).grains(run, &question).unwrap().rows;
        let both = rows.iter().map(|row| (row.path_key, row.path));
        both.collect::<BTreeMap<_, _>>()
    };
    let one = paths("sort-t1-r1");
    assert_eq!(one.len(), 542);
    let readable: std::collections::BTreeSet<_> = one.values().collect();
    assert_eq!(readable.len(), 542, "a path names one grain");
    assert_eq!(one, paths("sort-t2-r3"));
}

#[test]
fn problems_count_what_expressions_find() {
    let ensemble = sample();
    let conditions = ["work_ns > 1000000".to_owned()];
    let answer = view(&ensemble)
        .problems(RUN, &conditions, ThresholdSet::Paper, None)
        .unwrap();
    let question = GrainsQuestion {
        filter: Some("work_ns > 1000000".parse().unwrap()),
        sort: Some("work_ns".to_owned()),
        metrics: Some(only(&["work_ns"])),
        ..GrainsQuestion::default()
    };
    let found = grains(&ensemble, &question);
    let problem = &answer.problems[0];
    assert_eq!((problem.unit.as_str(), problem.limit), ("ns", 1e6));
    assert_eq!(problem.grains, found.len() as u64);
    assert_eq!(problem.worst.as_ref().unwrap().grain, found[0].grain);
    let of_definitions: u64 = problem.definitions.iter().map(|it| it.grains).sum();
    assert_eq!(of_definitions, problem.grains);
    let error = view(&ensemble).problems(RUN, &["work_ns".to_owned()], ThresholdSet::Paper, None);
    assert_eq!(
        error.unwrap_err().chain(),
        "the threshold cannot be read: expected `<`, `<=`, `>` or `>=` at character 8 of `work_ns`"
    );
}

/// Every node below a group, by opening one group after the other, two children at a time.
fn open_all(ensemble: &Ensemble, choice: &TreeChoice) -> Vec<Group> {
    let mut opened = Vec::new();
    let mut waiting = vec![0];
    while let Some(group) = waiting.pop() {
        let mut offset = 0;
        loop {
            let question = GroupsQuestion {
                choice: choice.clone(),
                group,
                offset,
                limit: 2,
                metrics: Some(only(&["work_ns"])),
                ..GroupsQuestion::default()
            };
            let answer = view(ensemble).groups(RUN, &question).unwrap();
            if offset == 0 {
                opened.push(answer.group.clone());
            }
            waiting.extend(answer.rows.iter().map(|row| row.group));
            offset += answer.rows.len();
            if offset as u64 == answer.total {
                break;
            }
        }
    }
    opened.sort_by_key(|row| row.group);
    opened
}

#[test]
fn opening_every_group_finds_every_grain_once() {
    let ensemble = sample();
    let choice = |problem: Option<&str>, is_separated| TreeChoice {
        problem: problem.map(str::to_owned),
        is_separated,
        ..TreeChoice::default()
    };
    let condition = "work_ns > 1000000";
    let choices = [
        choice(None, false),
        choice(Some(condition), false),
        choice(Some(condition), true),
        choice(None, true),
    ];
    for choice in choices {
        let tree = view(&ensemble)
            .tree(
                RUN,
                &choice,
                Some(&only(&["work_ns"])),
                TreeExtent::default(),
            )
            .unwrap();
        let all = open_all(&ensemble, &choice);
        assert_eq!(all.len() as u64, tree.nodes, "{choice:?}");
        let mut rows: Vec<u32> = all
            .iter()
            .filter(|row| row.kind == GroupKind::Grain)
            .filter_map(|row| row.grain)
            .collect();
        rows.sort_unstable();
        assert_eq!(rows, (0..547).collect::<Vec<_>>(), "{choice:?}");
        let root = &all[0];
        assert_eq!((root.grains, u64::from(root.nodes)), (547, tree.nodes));
        assert_eq!(root.depth, 0);
        let depth = all.iter().map(|row| row.depth).max();
        assert_eq!(depth.map(u64::from), Some(tree.depth));
        let work = |row: &Group| row.metrics.get("work_ns").unwrap().as_f64();
        let of_grains = all
            .iter()
            .filter(|row| row.kind == GroupKind::Grain)
            .map(work);
        assert_eq!(of_grains.sum::<f64>(), work(root), "{choice:?}");
        let marked = all.iter().filter(|row| row.kind == GroupKind::Grain);
        let marked = marked.filter(|row| row.has_problem == Some(true)).count();
        let expected = tree
            .problem_grains
            .map_or(0, |grains| usize::try_from(grains).unwrap());
        assert_eq!(marked, expected, "{choice:?}");
        for shown in &tree.groups {
            let same = &all[shown.group as usize];
            assert_eq!(format!("{shown:?}"), format!("{same:?}"));
        }
    }
}

#[test]
fn paths_of_a_group_state_their_groups() {
    let ensemble = sample();
    let all = open_all(&ensemble, &TreeChoice::default());
    let paths = |group: u32, form| {
        let scope = PathScope::Group(group);
        view(&ensemble).paths(RUN, &scope, form).unwrap()
    };
    // The path of the root is that of the run, which marks groups.
    let mut of_root = paths(0, Some(GraphForm::Reduced)).groups;
    of_root.sort_unstable();
    let critical = all.iter().filter(|row| row.is_critical);
    let critical: Vec<u32> = critical.map(|row| row.group).collect();
    assert_eq!(of_root, critical);
    let inner = all.iter().filter(|row| row.depth > 2 && row.children > 1);
    let mut has_own = false;
    for row in inner {
        let answer = paths(row.group, None);
        assert_eq!(answer.groups.first(), Some(&row.group));
        let on_path: Vec<&Group> = answer.groups.iter().map(|&it| &all[it as usize]).collect();
        assert!(
            on_path.is_sorted_by_key(|it| it.depth),
            "upper levels first"
        );
        let grains = on_path.iter().filter(|it| it.kind == GroupKind::Grain);
        let stated: u64 = answer.rows.iter().map(|it| it.critical_grains).sum();
        assert_eq!(grains.count() as u64, stated, "group {}", row.group);
        for it in &on_path[1..] {
            assert!(answer.groups.contains(&it.parent.unwrap()));
        }
        has_own |= !row.is_critical;
    }
    assert!(has_own, "a group off the run's path has a path of its own");
}

#[test]
fn the_text_of_a_tree_names_its_grains() {
    let ensemble = sample();
    let mut text = Vec::new();
    let choice = TreeChoice::default();
    view(&ensemble)
        .tree_text(RUN, &choice, Some(4), &mut text)
        .unwrap();
    assert_eq!(
        String::from_utf8(text).unwrap(),
        "FJ[L[sort[0] FJ[L[main[0:0] FJ(350) FJ(94) FJ(98)] main[0:3] main[0:1] main[0:2]]]]"
    );
    let mut whole = Vec::new();
    view(&ensemble)
        .tree_text(RUN, &choice, None, &mut whole)
        .unwrap();
    let whole = String::from_utf8(whole).unwrap();
    let grains = whole.split(' ').count();
    assert_eq!(grains, 547);
}

#[test]
fn groups_that_are_not_there_are_refused() {
    let ensemble = sample();
    let question = GroupsQuestion {
        group: 100_000,
        limit: 1,
        ..GroupsQuestion::default()
    };
    let error = view(&ensemble).groups(RUN, &question).unwrap_err();
    assert_eq!(
        error.to_string(),
        "no group `100000` in a tree of 1008 nodes; numbers are those of one tree, problem and separation"
    );
    let choice = TreeChoice {
        problem: Some("paralel_benefit".to_owned()),
        ..TreeChoice::default()
    };
    let error = view(&ensemble)
        .tree(RUN, &choice, None, TreeExtent::default())
        .unwrap_err();
    let expected = "no problem `paralel_benefit`; did you mean `parallel_benefit`?";
    assert!(error.to_string().starts_with(expected), "{error}");
}

#[test]
fn structures_are_equal_in_every_run() {
    let ensemble = sample();
    let root = |run: &str| {
        let question = GroupsQuestion {
            limit: 1,
            metrics: Some(only(&[])),
            is_with_structures: true,
            ..GroupsQuestion::default()
        };
        view(&ensemble)
            .groups(run, &question)
            .unwrap()
            .group
            .structure
    };
    let one = root("sort-t2-r1");
    assert!(one.is_some());
    assert_eq!(one, root("sort-t2-r2"));
    assert_ne!(one, root("sort-t4-r1"), "teams have other sizes");
}

#[test]
fn the_time_of_workers_adds_up() {
    let ensemble = sample();
    let info = view(&ensemble).info(RUN).unwrap();
    let scheduling = view(&ensemble).scheduling(RUN).unwrap();
    let sum = info.work.unwrap() + info.delay.unwrap() + info.no_work.unwrap();
    assert!(scheduling.faults.is_empty(), "{:?}", scheduling.faults);
    assert_eq!(sum, scheduling.workers * scheduling.elapsed);
    assert_eq!(scheduling.work, info.work.unwrap());
    assert!(scheduling.edges.iter().all(|row| row.moved <= row.edges));
    assert!(scheduling.policy.is_some());
}

#[test]
fn a_time_line_is_exact_or_binned_and_says_the_same() {
    let ensemble = sample();
    let ask = |start, end, parts| {
        let window = Window { start, end, parts };
        view(&ensemble).timeline(RUN, &window).unwrap()
    };
    let exact = ask(None, None, 10_000);
    let places: Vec<_> = exact.workers.iter().map(|it| (it.core, it.node)).collect();
    assert_eq!(places, [(Some(0), Some(0)); 4], "as the trace states them");
    assert!(
        exact
            .rows
            .iter()
            .all(|row| row.intervals == 1 && row.start < row.end)
    );
    for (number, worker) in (0..).zip(&exact.workers) {
        let rows = exact.rows.iter().filter(|row| row.worker == number);
        let busy: f64 = rows.map(|row| row.end - row.start).sum();
        assert_eq!(busy, worker.busy as f64);
    }
    let binned = ask(None, None, 16);
    assert!(binned.rows.len() <= 4 * 16);
    let length = (binned.end - binned.start) as f64 / 16.0;
    for (number, worker) in (0..).zip(&binned.workers) {
        let rows = binned.rows.iter().filter(|row| row.worker == number);
        let busy: f64 = rows.map(|row| row.busy * (row.end - row.start)).sum();
        assert!(
            (busy - worker.busy as f64).abs() < 1e-6 * length,
            "{number}: {busy}"
        );
    }
    let part = ask(Some(1_000_000), Some(2_000_000), 10_000);
    assert_eq!((part.start, part.end), (1_000_000, 2_000_000));
    assert!(
        part.rows
            .iter()
            .all(|row| row.end > 1_000_000.0 && row.start < 2_000_000.0)
    );
}

#[test]
fn parallelism_over_time_has_the_area_of_the_work() {
    let ensemble = sample();
    let window = Window {
        start: None,
        end: None,
        parts: 100,
    };
    let answer = view(&ensemble).parallelism(RUN, &window).unwrap();
    assert_eq!((answer.rows.len(), answer.layers.len()), (100, 7));
    let length = (answer.end - answer.start) as f64 / 100.0;
    let of = |row: &sheaf_answers::ParallelismRow, name: &str| row.fragments[name];
    let rows = answer.rows.iter();
    let area: f64 = rows.map(|row| of(row, "running_mean") * length).sum();
    let work = view(&ensemble).info(RUN).unwrap().work.unwrap() as f64;
    assert!((area - work).abs() < 1e-6 * work, "{area} {work}");
    for row in &answer.rows {
        for layer in &answer.layers {
            let [min, mean, max] =
                ["min", "mean", "max"].map(|it| of(row, &format!("{layer}_{it}")));
            assert!(min <= mean + 1e-9 && mean <= max + 1e-9);
        }
    }
}
