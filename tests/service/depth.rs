//! One run in depth over HTTP: the command line's answers, page by page.

use std::path::Path;

use serde::de::DeserializeOwned;
use sheaf_answers::{
    FragmentEnd, Fragments, GrainKind, Grains, Groups, Parallelism, PathRow, Paths, RunInfo, Runs,
    Scheduling, SimilarGroups, Timeline, Tree,
};
use sheaf_tests::{Service, ask, run, workspace_root};

use crate::sample;

pub(super) const RUN: &str = "sort-t4-r1";

/// What the service and the command say of the run must be the same.
fn check_equal(service: &Service, store: &Path, path: &str, words: &[&str]) {
    let http = service.get(&format!("/api/v1/runs/{RUN}/{path}"));
    assert_eq!(http.status, 200, "{path}: {}", http.text());
    let command = run(store, words).expect_code(0).json();
    assert_eq!(http.json(), command, "{path}");
}

#[test]
fn http_and_command_line_say_the_same_of_time() {
    let store = sample("threads");
    let service = Service::start(&store, &[]);
    let check = |path: &str, words: &[&str]| check_equal(&service, &store, path, words);
    check("paths", &["paths", RUN, "--json"]);
    check("paths?group=3", &["paths", RUN, "--json", "--group", "3"]);
    check("loops", &["loops", RUN, "--json"]);
    check("scheduling", &["scheduling", RUN, "--json"]);
    check(
        "parallelism?pixels=12&start=1000&end=900000",
        &[
            "parallelism",
            RUN,
            "--json",
            "--parts",
            "12",
            "--start",
            "1000",
            "--end",
            "900000",
        ],
    );
}

#[test]
fn http_and_command_line_say_the_same() {
    let store = sample("threads");
    let service = Service::start(&store, &[]);
    let check = |path: &str, words: &[&str]| check_equal(&service, &store, path, words);
    let filter = "work_ns > 100000 and kind = 'task'";
    check(
        &format!(
            "grains?limit=10&sort=work_ns&where={}",
            Service::encode(filter)
        ),
        &[
            "grains", RUN, "--json", "--where", filter, "--sort", "work_ns", "--limit", "10",
        ],
    );
    check("grains", &["grains", RUN, "--json"]);
    check("problems", &["problems", RUN, "--json"]);
    check(
        "problems?preset=prototype",
        &["problems", RUN, "--json", "--preset", "prototype"],
    );
    check(
        "problems?reference=threads%20%3D%201&thresholds=work_deviation%20%3E%201.2",
        &[
            "problems",
            RUN,
            "--json",
            "--reference",
            "threads = 1",
            "--threshold",
            "work_deviation > 1.2",
        ],
    );
    check("tree?metrics=all", &["tree", RUN, "--json"]);
    let condition = "work_ns > 1000000";
    check(
        &format!(
            "tree?metrics=all&separate=true&depth=4&problem={}",
            Service::encode(condition)
        ),
        &[
            "tree",
            RUN,
            "--json",
            "--separate",
            "--depth",
            "4",
            "--problem",
            condition,
        ],
    );
}

#[test]
fn a_tree_without_all_groups_says_so_in_rows_too() {
    let of_levels = |levels: &str| {
        let words = ["tree", RUN, "--csv", "--depth", levels];
        run(&sample("threads"), words).expect_code(0)
    };
    let cut = of_levels("1");
    let rows = cut.stdout.lines().count() - 1;
    let note = format!("{rows} of ");
    assert!(cut.stderr.starts_with(&note), "{}", cut.stderr);
    assert!(cut.stderr.contains("`--depth N` opens N levels in full"));
    let whole = of_levels("100");
    assert_eq!(whole.stderr, "");
    assert!(whole.stdout.lines().count() - 1 > rows);
}

#[test]
fn groups_open_page_by_page() {
    let service = Service::start(&sample("threads"), &[]);
    let get =
        |query: &str| -> Groups { service.read(&format!("/api/v1/runs/{RUN}/groups?{query}")) };
    let tree: Tree = service.read(&format!("/api/v1/runs/{RUN}/tree"));
    assert_eq!(tree.groups[0], get("").group);
    let widest = tree.groups.iter().max_by_key(|row| row.children);
    let group = widest.unwrap().group;
    let whole = get(&format!("group={group}"));
    assert!(whole.total > 3, "{whole:?}");
    let mut paged = Vec::new();
    for offset in (0..whole.total).step_by(3) {
        let page = get(&format!("group={group}&offset={offset}&limit=3"));
        assert_eq!(page.offset, offset);
        paged.extend(page.rows);
    }
    assert_eq!(whole.rows, paged);
    let path = format!("/api/v1/runs/{RUN}/groups/similar?group={group}&other=sort-t1-r1");
    let similar: SimilarGroups = service.read(&path);
    assert_eq!(similar.of.group, group);
    assert_ne!(similar.run, tree.run);
    let first = &similar.rows[0];
    assert_eq!(Some(&first.structure), first.group.structure.as_ref());
}

#[test]
fn each_fault_has_a_code() {
    let service = Service::start(&sample("threads"), &[]);
    let check = |path: &str, status: u16, code: &str| {
        let answer = service.get(&format!("/api/v1/runs/{path}"));
        assert_eq!(answer.status, status, "{path}: {}", answer.text());
        assert_eq!(answer.code(), code, "{path}");
    };
    check("nobody/grains", 404, "unknown");
    for (query, status, code) in [
        ("grains?where=work_ns%20%3E", 400, "bad_lens"),
        ("grains?where=wrok_ns%20%3E%201", 404, "unknown"),
        ("grains?sort=work_deviation", 404, "unknown"),
        ("grains?metrics=nothing", 404, "unknown"),
        ("grains?limit=0", 400, "bad_request"),
        ("grains?limit=many", 400, "bad_request"),
        ("problems?thresholds=work_ns", 400, "bad_lens"),
        ("problems?preset=mine", 400, "bad_request"),
        ("problems?thresholds=wrok_ns%20%3E%201", 404, "unknown"),
        ("problems?reference=nobody", 404, "unknown"),
        ("tree?problem=nothing", 404, "unknown"),
        ("groups?group=99999", 404, "unknown"),
        ("groups?group=-1", 400, "bad_request"),
        ("groups?limit=1000000", 400, "bad_request"),
        ("groups/similar", 400, "bad_request"),
        ("groups/similar?group=99999", 404, "unknown"),
        ("groups/similar?group=1&other=nobody", 404, "unknown"),
        ("timeline?pixels=0", 400, "bad_request"),
        ("timeline?start=5&end=5", 400, "bad_request"),
        ("parallelism?end=soon", 400, "bad_request"),
        ("paths?definition=sort_rnage", 404, "unknown"),
        ("paths?grain=99999", 404, "unknown"),
        ("paths?group=99999", 404, "unknown"),
        ("paths?grain=1&group=1", 400, "bad_request"),
    ] {
        check(&format!("{RUN}/{query}"), status, code);
    }
}

#[test]
fn data_is_written_in_full_and_text_in_part() {
    let store = sample("threads");
    let text = run(&store, ["grains", RUN]).expect_code(0).stdout;
    assert!(
        text.ends_with("… 50 of 542 grains; `--limit 0` shows all\n"),
        "{text}"
    );
    let csv = run(&store, ["grains", RUN, "--csv"]).expect_code(0).stdout;
    assert_eq!(csv.lines().count(), 543);
    let error = run(&store, ["grains", RUN, "--arrow", "--json"]).expect_code(2);
    assert!(error.stderr.contains("--arrow"), "{}", error.stderr);
}

#[test]
fn paths_add_up() {
    let store = sample("threads");
    let whole: Paths = ask(&store, &["paths", RUN]);
    let sum = |value: fn(&PathRow) -> i64| whole.rows.iter().map(value).sum::<i64>();
    assert_eq!(sum(|row| row.work), whole.work);
    assert_eq!(sum(|row| row.critical_work), whole.span);
    let steps = whole.steps.iter().map(|step| step.work);
    assert_eq!(steps.sum::<i64>(), whole.span);
    let last = whole.last_finishers.as_ref().unwrap();
    assert_eq!(sum(|row| row.last_finisher_work.unwrap()), last.work);
    let waiting = last.busy + last.delay + last.outside;
    assert_eq!(last.before + last.work + waiting + last.after, last.elapsed);
    assert_eq!(last.delays.values().sum::<i64>(), last.delay);
    let info: RunInfo = ask(&store, &["info", RUN]);
    assert_eq!((info.span, info.work), (Some(whole.span), Some(whole.work)));

    // Local to what one definition ran: its own span, which the whole run's table has too.
    for row in &whole.rows {
        let local: Paths = ask(&store, &["paths", RUN, "--definition", &row.definition]);
        let own = (Some(local.span), local.work, local.grains);
        assert_eq!(own, (row.span, row.work, row.grains), "{row:?}");
    }
    // The root group of the tree holds every grain.
    let root: Paths = ask(&store, &["paths", RUN, "--group", "0"]);
    assert_eq!(root.span, whole.span);
}

#[test]
fn loops_need_workers() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let table = workspace_root().join("data/samples/mir/sweep.csv");
    run(&store, ["add".as_ref(), table.as_os_str()]).expect_code(0);
    let runs: Runs = ask(&store, &["runs"]);
    let id = &runs.runs[0].run;
    let text = run(&store, ["loops", id]).expect_code(0).stdout;
    let expected = "\
loop                            chunks  work (ticks)  makespan (ticks)  workers  needs  known by
GOMP_for_dynamic_task 0x400500       4        37\u{202f}500            24\u{202f}000        2      2  bounds
GOMP_for_dynamic_task 0x400500       4        28\u{202f}200            23\u{202f}100        2      2  bounds
";
    assert_eq!(text, expected);
}

fn read<T: DeserializeOwned>(service: &Service, path: &str) -> T {
    service.read(&format!("/api/v1/runs/{RUN}{path}"))
}

#[test]
fn time_adds_up_over_http() {
    let service = Service::start(&sample("threads"), &[]);
    let info: RunInfo = read(&service, "");
    let scheduling: Scheduling = read(&service, "/scheduling");
    for (name, figure, same) in [
        ("work", info.work, Some(scheduling.work)),
        ("delay", info.delay, scheduling.delay),
        ("no work", info.no_work, scheduling.no_work),
    ] {
        assert!(figure > Some(0), "{name}");
        assert_eq!(figure, same, "{name}");
    }
    let line: Timeline = read(&service, "/timeline?pixels=10");
    assert_eq!(line.workers.len(), 4);
    assert!(line.rows.len() <= 40);
    let profile: Parallelism = read(&service, "/parallelism?pixels=10&start=0&end=1000000");
    assert_eq!(profile.rows.len(), 10);
    assert!(profile.rows[9].fragments["running_max"] >= 1.0);
}

/// Fragments of a grain tile its work, and every fragment of the run is in one grain.
#[test]
fn fragments_of_a_grain_are_its_work() {
    let service = Service::start(&sample("threads"), &[]);
    let info: RunInfo = read(&service, "");
    let grains: Grains = read(&service, "/grains?all=true&limit=100000&metrics=work_ns");
    let mut fragments = 0;
    for row in grains.rows.iter() {
        let grain = row.grain;
        let answer: Fragments = read(&service, &format!("/fragments?grain={grain}&limit=100000"));
        assert_eq!(answer.total, answer.rows.len() as u64);
        fragments += answer.total;
        let sum: i64 = answer.rows.iter().map(|row| row.duration).sum();
        let work = row.metrics.get("work_ns").map(|value| value.as_f64());
        assert_eq!(Some(sum as f64), work, "grain {grain}");
        let ends = answer.rows.iter().map(|row| row.start + row.duration);
        let starts = answer.rows.iter().map(|row| row.start).skip(1);
        assert!(
            ends.zip(starts).all(|(end, start)| end <= start),
            "grain {grain}"
        );
        let last = answer.rows.last().unwrap();
        assert!(last.worker < 4 && last.rank == 0 && Ok(last.worker) == u32::try_from(last.thread));
        if row.kind == GrainKind::Task {
            assert_eq!(last.ended_by, FragmentEnd::GrainEnd, "grain {grain}");
        }
    }
    assert_eq!(fragments, info.fragments);
    let page: Fragments = read(&service, "/fragments?grain=1&offset=1&limit=1");
    let whole: Fragments = read(&service, "/fragments?grain=1");
    assert_eq!(page.rows, whole.rows[1..2]);
    let missing = service.get(&format!("/api/v1/runs/{RUN}/fragments?grain=100000"));
    assert_eq!(missing.status, 404, "{}", missing.text());
    assert!(
        missing.text().contains("no grain `100000`"),
        "{}",
        missing.text()
    );
}
