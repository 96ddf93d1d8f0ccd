//! Happy answers of every route, and that they are the command line's.

use sheaf_answers::{
    Distribution, Gate, GateOutcome, Hierarchy, LensAnswer, RunInfo, Runs, Sankey, Scale,
    StoreInfo, Verify,
};
use sheaf_model::Level;
use sheaf_tests::{Service, as_json, run};

use crate::sample;

#[test]
fn http_and_command_line_say_the_same() {
    let store = sample("threads");
    let service = Service::start(&store, &[]);
    let lens = Service::encode("where threads >= 2 | by threads | scope exclusive");
    let check = |path: String, words: &[&str]| {
        let http = service.get(&path);
        assert_eq!(http.status, 200, "{path}: {}", http.text());
        assert_eq!(
            http.json(),
            run(&store, words).expect_code(0).json(),
            "{path}"
        );
    };
    let text = "where threads >= 2 | by threads | scope exclusive";
    check(
        format!("/api/v1/runs?lens={lens}"),
        &["runs", "--json", "--lens", text],
    );
    check(
        format!("/api/v1/stats?lens={lens}"),
        &["stats", "--json", "--lens", text],
    );
    check(
        format!("/api/v1/locations?by=workers&limit=3&lens={lens}"),
        &[
            "stats",
            "--json",
            "--by-location",
            "workers",
            "--limit",
            "3",
            "--lens",
            text,
        ],
    );
    let diff = "scope exclusive | diff \"threads = 2\" to \"threads = 4\"";
    check(
        format!("/api/v1/diff?lens={}", Service::encode(diff)),
        &["diff", "--json", "--lens", diff],
    );
    check(
        format!(
            "/api/v1/scale?by=threads&fit=amdahl,power&lens={}",
            Service::encode("scope exclusive | by threads")
        ),
        &[
            "scale",
            "--json",
            "--by",
            "threads",
            "--fit",
            "amdahl,power",
        ],
    );
    check(
        "/api/v1/history?by=threads&environment=host&lens=scope%20exclusive".to_owned(),
        &[
            "history",
            "--json",
            "--by",
            "threads",
            "--environment",
            "host",
        ],
    );
}

#[test]
fn likeness_is_that_of_the_command_line() {
    let store = sample("threads");
    let service = Service::start(&store, &[]);
    let check = |path: String, words: &[&str]| {
        let http = service.get(&path);
        assert_eq!(http.status, 200, "{path}: {}", http.text());
        let expected = run(&store, words).expect_code(0).json();
        assert_eq!(http.json(), expected, "{path}");
    };
    let chosen = Service::encode("where threads >= 4");
    check(
        format!("/api/v1/similar?measure=work&threshold=0.8&lens={chosen}"),
        &[
            "similar",
            "--json",
            "--measure",
            "work",
            "--threshold",
            "0.8",
            "--where",
            "threads >= 4",
        ],
    );
    check(
        "/api/v1/projection?measure=metrics&clusters=3&seed=5".to_owned(),
        &[
            "similar",
            "--json",
            "--measure",
            "metrics",
            "--projection",
            "--clusters",
            "3",
            "--seed",
            "5",
        ],
    );
    check(
        "/api/v1/similar?form=counted".to_owned(),
        &["similar", "--json", "--form", "counted"],
    );
    let arrow = service.get("/api/v1/projection?format=arrow");
    assert_eq!(&arrow.body[..4], [0xff; 4]);
    let refused = service.get("/api/v1/similar?threshold=2");
    assert_eq!(refused.status, 400, "{}", refused.text());
}

#[test]
fn gates_of_one_run_per_side_are_inconclusive() {
    let store = sample("versions");
    let service = Service::start(&store, &[]);
    let single = Service::encode(
        "scope exclusive | diff \"version = 1 and repeat = 1\" to \"version = 2 and repeat = 1\"",
    );
    let words = [
        "gate",
        "--json",
        "--strict",
        "--baseline",
        "version = 1 and repeat = 1",
        "--candidate",
        "version = 2 and repeat = 1",
    ];
    let path = format!("/api/v1/gate?lens={single}&strict=true");
    let answer: Gate = service.read(&path);
    assert_eq!(answer, run(&store, words).expect_code(4).read());
    assert_eq!(answer.outcome, GateOutcome::Inconclusive);
    let why = "1 against 1 runs cannot reach 5 %; 4 runs per side can";
    let untested = as_json(&answer.untested_total);
    assert!(untested.contains(why), "{untested}");
}

#[test]
fn decisions_are_those_of_the_command_line() {
    let store = sample("versions");
    let service = Service::start(&store, &[]);
    let check = |path: &str, words: &[&str], code: i32| {
        let http = service.get(path);
        assert_eq!(http.status, 200, "{path}: {}", http.text());
        assert_eq!(
            http.json(),
            run(&store, words).expect_code(code).json(),
            "{path}"
        );
        for form in ["csv", "arrow"] {
            let table = service.get(&format!("{path}&format={form}"));
            assert_eq!(table.status, 200, "{path} {form}: {}", table.text());
            assert!(!table.body.is_empty(), "{path} {form}");
        }
    };
    let sides = Service::encode("scope exclusive | diff \"version = 1\" to \"version = 2\"");
    let gate = [
        "gate",
        "--json",
        "--baseline",
        "version = 1",
        "--candidate",
        "version = 2",
    ];
    check(&format!("/api/v1/gate?lens={sides}"), &gate, 1);
    let lens = Service::encode("where version = 1 | scope exclusive");
    let noise = [
        "noise",
        "--json",
        "--where",
        "version = 1",
        "--splits",
        "20",
    ];
    check(&format!("/api/v1/noise?lens={lens}&splits=20"), &noise, 0);
    let lens = Service::encode("by version | scope exclusive");
    check(
        &format!("/api/v1/history?lens={lens}"),
        &["history", "--json", "--by", "version"],
        0,
    );
    for (path, printed) in [
        ("gate?fail_on=luck", "neither `slower` nor `structure`"),
        ("gate?alpha=2", "alpha `2` is out of range"),
        ("noise?splits=0", "is not between 1 and"),
        (
            "history?lens=level%20module",
            "a history is by one parameter",
        ),
        ("history?order=a&versions=b", "exclude each other"),
    ] {
        let refused = service.get(&format!("/api/v1/{path}"));
        assert_eq!(refused.status, 400, "{path}: {}", refused.text());
        assert!(
            refused.text().contains(printed),
            "{path}: {}",
            refused.text()
        );
    }
}

#[test]
fn every_route_answers() {
    let service = Service::start(&sample("threads"), &[]);
    let store: StoreInfo = service.read("/api/v1/store");
    assert_eq!(store.schema, "store/1");
    let runs: Runs = service.read("/api/v1/runs");
    assert_eq!(runs.runs.len(), 20);
    let id = &runs.runs[0].run;
    let info: RunInfo = service.read(&format!("/api/v1/runs/{id}"));
    assert_eq!(info.run.run, *id);
    assert!(info.tables.len() > 5);
    let sankey: Sankey = service.read("/api/v1/sankey?width=800&height=400");
    assert_eq!(sankey.runs.len(), 20);
    let node = &sankey.nodes[1];
    assert!(node.geometry.x <= 800.0);
    let group = Service::encode(&node.id);
    let tree: Hierarchy = service.read(&format!("/api/v1/hierarchy?group={group}"));
    assert!(!tree.sites.is_empty());
    for mode in ["runs", "call_sites", "ranks", "workers"] {
        let path = format!("/api/v1/distribution?group={group}&mode={mode}");
        let distribution: Distribution = service.read(&path);
        let count: u64 = distribution.bins.iter().map(|bin| bin.count).sum();
        assert_eq!(count, distribution.count, "{mode}");
    }
    let lens: LensAnswer = service.read("/api/v1/lens?text=level%20module");
    assert_eq!(lens.level, Level::Module);
    assert!(service.read::<Verify>("/api/v1/verify").ok);
    assert!(service.get("/api/v1/openapi.json").json()["paths"].is_object());
}

#[test]
fn every_table_of_a_scaling_study_comes_in_three_forms() {
    let service = Service::start(&sample("threads"), &[]);
    for table in ["points", "models", "loss", "out_of_order"] {
        let path = format!("/api/v1/scale?by=threads&table={table}");
        assert_eq!(service.read::<Scale>(&path).schema, "scale/1");
        let csv = service.get(&format!("{path}&format=csv"));
        assert!(csv.text().starts_with("series,"), "{table}");
        let arrow = service.get(&format!("{path}&format=arrow"));
        assert_eq!(&arrow.body[..4], [0xff; 4], "{table}");
    }
    for wrong in [
        "",
        "?by=nothing",
        "?by=threads&fit=magic",
        "?by=threads&scaling=odd",
        "?by=runtime",
    ] {
        let answer = service.get(&format!("/api/v1/scale{wrong}"));
        assert!(
            (400..500).contains(&answer.status),
            "{wrong}: {}",
            answer.text()
        );
    }
}

#[test]
fn several_stores_are_served() {
    let other = sample("versions");
    let first = sample("threads");
    let words = [first.to_str().unwrap(), other.to_str().unwrap()];
    let service = Service::start(&first, &words);
    let store: StoreInfo = service.read("/api/v1/store?store=versions");
    assert_eq!(store.stores, ["threads", "versions"]);
    assert_eq!(store.name, "versions");
    let runs: Runs = service.read("/api/v1/runs?store=versions");
    assert_eq!(runs.runs.len(), 14);
}
