//! One run in depth over HTTP: the command line's answers, page by page.

use std::path::Path;

use serde_json::Value;
use sheaf_tests::{Service, run, workspace_root};

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
fn groups_open_page_by_page() {
    let service = Service::start(&sample("threads"), &[]);
    let get = |query: &str| {
        let answer = service.get(&format!("/api/v1/runs/{RUN}/groups?{query}"));
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.json()
    };
    let tree = service.get(&format!("/api/v1/runs/{RUN}/tree")).json();
    assert_eq!(tree["groups"][0], get("")["group"]);
    let widest = tree["groups"].as_array().unwrap();
    let widest = widest.iter().max_by_key(|row| row["children"].as_u64());
    let group = widest.unwrap()["group"].as_u64().unwrap();
    let whole = get(&format!("group={group}"));
    let total = whole["total"].as_u64().unwrap();
    assert!(total > 3, "{whole}");
    let mut paged: Vec<Value> = Vec::new();
    for offset in (0..total).step_by(3) {
        let page = get(&format!("group={group}&offset={offset}&limit=3"));
        assert_eq!(page["offset"], offset);
        paged.extend(page["rows"].as_array().unwrap().iter().cloned());
    }
    assert_eq!(whole["rows"].as_array().unwrap(), &paged);
}

#[test]
fn each_fault_has_a_code() {
    let service = Service::start(&sample("threads"), &[]);
    let check = |path: &str, status: u16, code: &str| {
        let answer = service.get(&format!("/api/v1/runs/{path}"));
        assert_eq!(answer.status, status, "{path}: {}", answer.text());
        assert_eq!(answer.json()["code"], code, "{path}");
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
    let whole = run(&store, ["paths", RUN, "--json"]).expect_code(0).json();
    let integer = |value: &Value, key: &str| value[key].as_i64().unwrap();
    let sum = |answer: &Value, key: &str| -> i64 {
        let rows = answer["rows"].as_array().unwrap().iter();
        rows.map(|row| integer(row, key)).sum()
    };
    assert_eq!(sum(&whole, "work"), integer(&whole, "work"));
    assert_eq!(sum(&whole, "critical_work"), integer(&whole, "span"));
    let steps = whole["steps"].as_array().unwrap().iter();
    let steps: i64 = steps.map(|step| integer(step, "work")).sum();
    assert_eq!(steps, integer(&whole, "span"));
    let last = &whole["last_finishers"];
    assert_eq!(sum(&whole, "last_finisher_work"), integer(last, "work"));
    let parts = ["before", "work", "busy", "delay", "outside", "after"];
    let parts: i64 = parts.map(|part| integer(last, part)).iter().sum();
    assert_eq!(parts, integer(last, "elapsed"));
    let delays = last["delays"].as_object().unwrap().values();
    let delays: i64 = delays.map(|delay| delay.as_i64().unwrap()).sum();
    assert_eq!(delays, integer(last, "delay"));
    let info = run(&store, ["info", RUN, "--json"]).expect_code(0).json();
    assert_eq!(info["span"], whole["span"]);
    assert_eq!(info["work"], whole["work"]);

    // Local to what one definition ran: its own span, which the whole run's table tells too.
    let rows = whole["rows"].as_array().unwrap();
    for row in rows {
        let name = row["definition"].as_str().unwrap();
        let local = run(&store, ["paths", RUN, "--json", "--definition", name]);
        let local = local.expect_code(0).json();
        assert_eq!(local["span"], row["span"], "{name}");
        assert_eq!(local["work"], row["work"], "{name}");
        assert_eq!(local["grains"], row["grains"], "{name}");
    }
    // The root group of the tree holds every grain.
    let root = run(&store, ["paths", RUN, "--json", "--group", "0"]);
    assert_eq!(root.expect_code(0).json()["span"], whole["span"]);
}

#[test]
fn loops_need_workers() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let table = workspace_root().join("data/samples/mir/sweep.csv");
    run(&store, ["add".as_ref(), table.as_os_str()]).expect_code(0);
    let runs = run(&store, ["runs", "--json"]).json();
    let id = runs["runs"][0]["run"].as_str().unwrap();
    let text = run(&store, ["loops", id]).expect_code(0).stdout;
    let expected = "\
loop                            chunks  work (ticks)  makespan (ticks)  workers  needs  known by
GOMP_for_dynamic_task 0x400500       4        37\u{202f}500            24\u{202f}000        2      2  bounds
GOMP_for_dynamic_task 0x400500       4        28\u{202f}200            23\u{202f}100        2      2  bounds
";
    assert_eq!(text, expected);
}

#[test]
fn time_adds_up_over_http() {
    let service = Service::start(&sample("threads"), &[]);
    let get = |path: &str| {
        let answer = service.get(&format!("/api/v1/runs/{RUN}{path}"));
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        answer.json()
    };
    let (info, scheduling) = (get(""), get("/scheduling"));
    for figure in ["work", "delay", "no_work"] {
        assert!(info[figure].as_i64().unwrap() > 0, "{figure}");
        assert_eq!(info[figure], scheduling[figure], "{figure}");
    }
    let line = get("/timeline?pixels=10");
    assert_eq!(line["workers"].as_array().unwrap().len(), 4);
    assert!(line["rows"].as_array().unwrap().len() <= 40);
    let profile = get("/parallelism?pixels=10&start=0&end=1000000");
    assert_eq!(profile["rows"].as_array().unwrap().len(), 10);
    assert!(profile["rows"][9]["running_max"].as_f64().unwrap() >= 1.0);
}
