//! Stores that are changed over HTTP: the mapping of definitions, units of metrics, names of runs, removed runs.

use serde_json::{Value, json};
use sheaf_answers::{
    Diff, GrainDiff, Grains, Mapping, Remark, Remarks, Remove, Restore, RunInfo, RunName, Runs,
    Stats,
};
use sheaf_tests::{Answer, Service, ask, copy, run};

use crate::sample;

const PAIR: [&str; 2] = ["sort_range (task)", "sort_block:139 (task)"];

/// A copy of the sample of versions, and where it is.
fn versions() -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("versions");
    copy(&sample("versions"), &store);
    (folder, store)
}

fn post(service: &Service, body: &Value) -> Answer {
    let body = serde_json::to_vec(body).unwrap();
    service.send("POST", "/api/v1/mapping", "application/json", &body)
}

fn change(same: Option<bool>) -> Value {
    let [a, b] = PAIR;
    match same {
        Some(same) => json!({ "changes": [{ "a": a, "b": b, "same": same }] }),
        None => json!({ "changes": [{ "a": a, "b": b }] }),
    }
}

#[test]
fn a_match_is_confirmed_rejected_and_taken_back() {
    let (_folder, store) = versions();
    let service = Service::start(&store, &[]);
    let revision = || {
        let answer = service.get("/api/v1/mapping");
        answer.header("grainsheaf-revision").unwrap().to_owned()
    };
    let before = revision();
    let lens = "diff \"version = 1\" to \"version = 2\"";
    let confirmed_work = || {
        let path = format!("/api/v1/diff?lens={}", Service::encode(lens));
        let diff: Diff = service.get(&path).read();
        diff.structure.matched_work.confirmed
    };
    let matched_grains = || {
        let path = format!("/api/v1/diff/grains?lens={}", Service::encode(lens));
        let diff: GrainDiff = service.get(&path).read();
        diff.totals.matched
    };
    assert!(confirmed_work() == 0.0);
    let inferred = matched_grains();

    let confirmed = post(&service, &change(Some(true)));
    assert_eq!(confirmed.status, 200, "{}", confirmed.text());
    let confirmed: Mapping = confirmed.read();
    assert!(confirmed.pairs[0].same);
    assert_ne!(revision(), before, "the revision changes with the note");
    assert!(confirmed_work() > 0.5);
    // The command line has the same mapping.
    let listed: Mapping = ask(&store, &["match"]);
    assert_eq!(listed.pairs, confirmed.pairs);

    let rejected: Mapping = post(&service, &change(Some(false))).read();
    assert!(!rejected.pairs[0].same);
    // The comparison that the service keeps is that of the mapping.
    assert!(matched_grains() < inferred);
    let back: Mapping = post(&service, &json!({ "changes": rejected.undo })).read();
    assert_eq!(back.pairs, confirmed.pairs);
    let empty: Mapping = post(&service, &json!({ "changes": confirmed.undo })).read();
    assert!(empty.pairs.is_empty());
}

#[test]
fn taking_back_keeps_the_remark_of_a_pair() {
    let (_folder, store) = versions();
    let [a, b] = PAIR;
    let note = format!("[[same]]\na = \"{a}\"\nb = \"{b}\"\nnote = \"seen in review\"\n");
    std::fs::create_dir_all(store.join("notes")).unwrap();
    std::fs::write(store.join("notes/mapping.toml"), note).unwrap();
    let service = Service::start(&store, &[]);
    let forgotten: Mapping = post(&service, &change(None)).read();
    assert!(forgotten.pairs.is_empty());
    let back: Mapping = post(&service, &json!({ "changes": forgotten.undo })).read();
    assert_eq!(back.pairs[0].note.as_deref(), Some("seen in review"));
}

#[test]
fn wrong_changes_change_nothing_and_state_why() {
    let (_folder, store) = versions();
    let service = Service::start(&store, &[]);
    let [a, b] = PAIR;
    for (body, status, reason) in [
        (change(None), 404, "sort_range (task)"),
        (
            json!({ "changes": [{ "a": a, "b": b, "same": true }, { "a": a, "b": "sort_blok", "same": true }] }),
            404,
            "sort_blok",
        ),
        (json!({ "changes": [] }), 400, "1 to 1000 changes, not `0`"),
        (json!({ "pairs": [] }), 400, "unknown field `pairs`"),
        (
            json!({ "changes": [{ "a": a, "b": b, "same": true, "note": "x".repeat(65_537) }] }),
            400,
            "at most 65536 bytes, not `65537`",
        ),
        (
            json!({ "store": "other", "changes": [{ "a": a, "b": b, "same": true }] }),
            404,
            "no store `other`",
        ),
    ] {
        let answer = post(&service, &body);
        assert_eq!(answer.status, status, "{body}: {}", answer.text());
        assert!(answer.text().contains(reason), "{}", answer.text());
    }
    let listed: Mapping = ask(&store, &["match"]);
    assert!(listed.pairs.is_empty());
}

#[test]
fn changes_need_the_token_and_a_service_that_may_write() {
    let (_folder, store) = versions();
    let service = Service::start(&store, &["--read-only"]);
    let refused = post(&service, &change(Some(true)));
    assert_eq!(refused.status, 403, "{}", refused.text());
    assert!(refused.text().contains("read-only"), "{}", refused.text());
    drop(service);
    let service = Service::start(&store, &[]);
    let stranger = service.ask("POST", "/api/v1/mapping", &[("Content-Length", "0")]);
    assert_eq!(stranger.status, 401);
    let json = run(&store, ["match", "--json"]).expect_code(0).json();
    assert_eq!(json["pairs"], json!([]));
}

/// A store with a profile whose times have no unit.
fn without_unit(folder: &std::path::Path) -> std::path::PathBuf {
    let profile = folder.join("run.json");
    let frame = json!({ "name": "main", "type": "function" });
    let metrics = json!({ "time": 5.0, "time (inc)": 5.0 });
    let root = json!([{ "frame": frame, "metrics": metrics, "children": [] }]);
    std::fs::write(&profile, root.to_string()).unwrap();
    let store = folder.join("store");
    run(&store, ["add", profile.to_str().unwrap()]).expect_code(0);
    store
}

#[test]
fn a_unit_that_is_stated_once_holds_everywhere() {
    let folder = tempfile::tempdir().unwrap();
    let store = without_unit(folder.path());
    let service = Service::start(&store, &[]);
    let unit_of = || -> (String, String) {
        let stats: Stats = service.get("/api/v1/stats").read();
        (stats.rows[0].metric.clone(), stats.rows[0].unit.clone())
    };
    let (metric, before) = unit_of();
    assert_eq!(before, "unknown");
    let post = |body: Value| {
        let body = serde_json::to_vec(&body).unwrap();
        service.send("POST", "/api/v1/units", "application/json", &body)
    };
    let stated = post(json!({ "metric": metric, "unit": "ms" }));
    assert_eq!(stated.status, 400, "{}", stated.text());
    let stated = post(json!({ "metric": metric, "unit": "s" }));
    assert_eq!(stated.status, 200, "{}", stated.text());
    assert_eq!(unit_of().1, "s");
    // The command line has the same unit.
    let stats: Stats = ask(&store, &["stats"]);
    assert_eq!(stats.rows[0].unit, "s");
    let printed = run(&store, ["stats"]);
    assert!(printed.stdout.contains("mean (s)"), "{}", printed.stdout);
    post(json!({ "metric": metric }));
    assert_eq!(unit_of().1, "unknown");
    let refused = post(json!({ "metric": metric, "unit": "unknown" }));
    assert_eq!(refused.status, 400, "{}", refused.text());
}

#[test]
fn a_run_is_renamed_and_gets_its_name_back() {
    let (_folder, store) = versions();
    let service = Service::start(&store, &[]);
    let runs = || -> Vec<(String, String)> {
        let listed: Runs = ask(&store, &["runs"]);
        let runs = listed.runs.into_iter();
        runs.map(|run| (run.run, run.name)).collect()
    };
    let before = runs();
    let (id, imported) = before[0].clone();
    let rename = |body: &Value| {
        let body = serde_json::to_vec(body).unwrap();
        service.send("POST", "/api/v1/runs/rename", "application/json", &body)
    };
    let new = "after \"the\" fix \u{202e} ☃";
    let renamed = rename(&json!({ "run": id, "name": new }));
    assert_eq!(renamed.status, 200, "{}", renamed.text());
    let renamed: RunName = renamed.read();
    assert_eq!((&renamed.before, renamed.name.as_str()), (&imported, new));
    // The new name selects the run everywhere, and content and id are the same.
    let info: RunInfo = service
        .get(&format!("/api/v1/runs/{}", Service::encode(new)))
        .read();
    assert_eq!(
        (info.run.run.as_str(), info.run.name.as_str()),
        (id.as_str(), new)
    );
    let shown: RunInfo = ask(&store, &["info", new]);
    assert_eq!(shown.run.name, new);
    run(&store, ["info", &imported]).expect_code(2);

    let text = run(&store, ["set", &id, "--name", ""])
        .expect_code(0)
        .stdout;
    assert!(
        text.starts_with(&format!("{imported}: was after")),
        "{text}"
    );
    assert_eq!(runs(), before);
    let note = std::fs::read_to_string(store.join("notes/runs.toml")).unwrap();
    assert!(!note.contains(&id), "{note}");

    for (body, status, reason) in [
        (json!({ "run": id, "name": " " }), 400, "the name is empty"),
        (
            json!({ "run": id, "name": "x".repeat(1025) }),
            400,
            "at most 1024 bytes, not `1025`",
        ),
        (json!({ "run": "nothing", "name": "a" }), 404, "nothing"),
        (
            json!({ "run": id, "title": "a" }),
            400,
            "unknown field `title`",
        ),
    ] {
        let answer = rename(&body);
        assert_eq!(answer.status, status, "{body}: {}", answer.text());
        assert!(answer.text().contains(reason), "{}", answer.text());
    }
    std::fs::write(store.join("notes/runs.toml"), "sort = 3\n").unwrap();
    let damaged = run(&store, ["verify"]).expect_code(8).stdout;
    assert!(damaged.contains("notes/runs.toml"), "{damaged}");
}

#[test]
fn runs_are_removed_all_or_none() {
    let (_folder, store) = versions();
    let listed = || -> Vec<String> {
        let listed: Runs = ask(&store, &["runs"]);
        listed.runs.into_iter().map(|run| run.run).collect()
    };
    let before = listed();
    let remove = |service: &Service, body: &Value| {
        let body = serde_json::to_vec(body).unwrap();
        service.send("POST", "/api/v1/runs/remove", "application/json", &body)
    };
    let service = Service::start(&store, &["--read-only"]);
    let refused = remove(&service, &json!({ "runs": [before[0]] }));
    assert_eq!(refused.status, 403, "{}", refused.text());
    drop(service);
    let service = Service::start(&store, &[]);
    let unknown = remove(&service, &json!({ "runs": [before[0], "nothing"] }));
    assert_eq!(unknown.status, 404, "{}", unknown.text());
    let none = remove(&service, &json!({ "runs": [] }));
    assert_eq!(none.status, 400, "{}", none.text());
    assert_eq!(listed(), before);

    let removed: Remove = remove(&service, &json!({ "runs": [before[0], before[1]] })).read();
    assert_eq!(removed.removed.len(), 2);
    assert_eq!(listed(), before[2..]);

    let restore = |body: &Value| {
        let body = serde_json::to_vec(body).unwrap();
        service.send("POST", "/api/v1/runs/restore", "application/json", &body)
    };
    let present = restore(&json!({ "runs": [before[0], before[2]] }));
    assert_eq!(present.status, 404, "{}", present.text());
    assert!(
        present.text().contains("among the removed runs"),
        "{}",
        present.text()
    );
    let restored: Restore = restore(&json!({ "runs": [before[0]] })).read();
    assert_eq!(restored.restored, before[..1]);
    let text = run(&store, ["remove", "--undo", &before[1]])
        .expect_code(0)
        .stdout;
    assert_eq!(text, format!("restored {}\n", before[1]));
    assert_eq!(listed(), before);
}

#[test]
fn remarks_on_runs_and_grains_are_kept_in_the_store() {
    let (_folder, store) = versions();
    let service = Service::start(&store, &[]);
    let set = |body: &Value| {
        let body = serde_json::to_vec(body).unwrap();
        service.send("POST", "/api/v1/remarks", "application/json", &body)
    };
    let runs: Runs = ask(&store, &["runs"]);
    let run_id = runs.runs[0].run.clone();
    let grains: Grains = ask(&store, &["grains", &run_id, "--limit", "1"]);
    let key = grains.rows.iter().next().unwrap().path_key;
    let none: Remarks = service.get("/api/v1/remarks").read();
    assert!(none.remarks.is_empty());

    let on_run = set(&json!({ "run": run_id, "text": "shared node\n<b>" }));
    assert_eq!(on_run.status, 200, "{}", on_run.text());
    let both: Remarks = set(&json!({ "run": run_id, "path_key": key, "text": "waits" })).read();
    let remark = |path_key: Option<&str>, text: &str| Remark {
        run: run_id.clone(),
        path_key: path_key.map(str::to_owned),
        text: text.to_owned(),
    };
    let expected = [
        remark(None, "shared node\n<b>"),
        remark(Some(&key), "waits"),
    ];
    assert_eq!(both.remarks, expected);
    let info: RunInfo = service.get(&format!("/api/v1/runs/{run_id}")).read();
    assert_eq!(info.remark.as_deref(), Some("shared node\n<b>"));
    let shown = run(&store, ["info", &run_id]).expect_code(0).stdout;
    assert!(shown.contains("remark       shared node"), "{shown}");

    // A new name keeps the remarks, and removing the one on the run keeps that on the grain.
    run(&store, ["set", &run_id, "--name", "renamed"]).expect_code(0);
    run(&store, ["set", "renamed", "--remark", ""]).expect_code(0);
    let left: Remarks = service.get("/api/v1/remarks").read();
    assert_eq!(left.remarks, expected[1..]);

    for (body, status, reason) in [
        (
            json!({ "run": run_id, "text": "" }),
            400,
            "the remark is empty",
        ),
        (
            json!({ "run": run_id, "text": "x".repeat(65_537) }),
            400,
            "at most 65536 bytes, not `65537`",
        ),
        (
            json!({ "run": run_id, "path_key": "0", "text": "a" }),
            400,
            "no grain of the run has this path key",
        ),
        (json!({ "run": "nothing", "text": "a" }), 404, "nothing"),
    ] {
        let answer = set(&body);
        assert_eq!(answer.status, status, "{body}: {}", answer.text());
        assert!(answer.text().contains(reason), "{}", answer.text());
    }
    // Remarks on removed runs stay: the runs may be restored.
    run(&store, ["remove", &run_id]).expect_code(0);
    let other = &runs.runs[1].run;
    let left: Remarks = set(&json!({ "run": other, "text": "a" })).read();
    assert_eq!(left.remarks.len(), 2, "{left:?}");
}
