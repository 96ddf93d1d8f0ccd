//! One run in depth over HTTP: the command line's answers, page by page.

use serde_json::Value;
use sheaf_tests::{Service, run};

use crate::sample;

const RUN: &str = "sort-t4-r1";

#[test]
fn http_and_command_line_say_the_same() {
    let store = sample("threads");
    let service = Service::start(&store, &[]);
    let check = |path: &str, words: &[&str]| {
        let http = service.get(&format!("/api/v1/runs/{RUN}/{path}"));
        assert_eq!(http.status, 200, "{path}: {}", http.text());
        let command = run(&store, words).expect_code(0).json();
        assert_eq!(http.json(), command, "{path}");
    };
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
fn tables_come_as_arrow_and_csv() {
    let service = Service::start(&sample("threads"), &[]);
    for route in ["grains", "groups", "timeline", "parallelism"] {
        let path = format!("/api/v1/runs/{RUN}/{route}");
        let arrow = service.get(&format!("{path}?format=arrow"));
        let kind = Some("application/vnd.apache.arrow.stream");
        assert_eq!(arrow.header("content-type"), kind);
        assert_eq!(&arrow.body[..4], [0xff; 4]);
        let rows = service.get(&path).json()["rows"].as_array().unwrap().len();
        let csv = service.get(&format!("{path}?format=csv")).text();
        assert_eq!(csv.lines().count(), rows + 1, "{route}");
    }
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
