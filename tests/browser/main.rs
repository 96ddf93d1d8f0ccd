//! A browser that clicks: records a program, serves the store, looks at it from the page.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;
use sheaf_tests::{Service, built, program, reference, run, sample, workspace_root};

/// Runs a script of `frontend/e2e` to its end and fails with everything that it printed.
#[track_caller]
fn click_through(script: &str, args: &[&str]) {
    let chromium = std::env::var("CHROMIUM").unwrap_or_else(|_| "/usr/bin/chromium".to_owned());
    assert!(
        Path::new(&chromium).exists(),
        "{chromium} is not there; run `tests/setup.sh packages`"
    );
    let output = Command::new("node")
        .args(["run.mjs", script])
        .args(args)
        .current_dir(workspace_root().join("frontend/e2e"))
        .output()
        .expect("node starts");
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && stdout.contains("all well"),
        "{stdout}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn record_serve_pick_compare_reload() {
    let folder = tempfile::tempdir().unwrap();
    let sort = program("sort");
    let words = [
        "record",
        "--quiet",
        "--threads",
        "1,2",
        "--repeat",
        "4",
        "--",
        sort.to_str().unwrap(),
        "300000",
    ];
    run(folder.path(), words).expect_code(0);
    let service = Service::start(folder.path(), &[]);
    let shots = workspace_root().join("target/screenshots");
    let trace = workspace_root().join("crates/ingest/fuzz/seeds/fib.gstrace");
    let words = [
        &service.url,
        shots.to_str().unwrap(),
        trace.to_str().unwrap(),
    ];
    click_through("real.ts", &words);
}

/// Call profiles of two versions, whose names try to become markup, scripts or directions.
fn hostile_store(folder: &Path) -> PathBuf {
    let long = "x".repeat(10_000);
    let names = [
        "</script><script>window.ran=1</script>",
        "<!--<script>",
        "<img src=x onerror=\"window.ran=1\">",
        "main\u{202e}cexe.txt",
        long.as_str(),
    ];
    let store = folder.join("store");
    for number in 0..8_u32 {
        let factor = f64::from(1 + number / 4) * (1.0 + f64::from(number) / 100.0);
        let children = names.map(|name| {
            let metrics = json!({"time": factor, "time (inc)": factor});
            json!({"frame": {"name": name, "type": "function"}, "metrics": metrics, "children": []})
        });
        let metrics = json!({"time": 0.1, "time (inc)": 0.1 + 5.0 * factor});
        let frame = json!({"name": "main", "type": "function"});
        let root = json!([{"frame": frame, "metrics": metrics, "children": children}]);
        let file = folder.join(format!("run{number}.json"));
        std::fs::write(&file, root.to_string()).unwrap();
        let version = format!("version={}", 1 + number / 4);
        let site = "site=</script><b>\u{202e}";
        let words = [
            "add",
            "--param",
            &version,
            "--param",
            site,
            file.to_str().unwrap(),
        ];
        run(&store, words).expect_code(0);
    }
    store
}

#[test]
fn reports_are_read_without_a_service() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).display().to_string();
    let [a, b] = ["version = 1", "version = 2"];
    let hostile = hostile_store(folder.path());
    let samples = workspace_root().join("data/ensembles");
    let shots = workspace_root().join("target/screenshots/reports");
    let reports = ["hostile-diff", "hostile-ensemble", "gate", "ensemble"];
    let files = reports.map(|name| file(&format!("{name}.html")));
    let [diff, hostile_ensemble, gate, ensemble] = files.each_ref().map(String::as_str);
    run(&hostile, ["diff", a, b, "--html", diff]).expect_code(0);
    let words = ["export", "--as", "html", "-o", hostile_ensemble];
    run(&hostile, words).expect_code(0);
    let words = [
        "gate",
        "--baseline",
        a,
        "--candidate",
        b,
        "--format",
        "html",
        "-o",
        gate,
    ];
    run(&samples.join("versions"), words).expect_code(1);
    let words = [
        "export",
        "--as",
        "html",
        "--lens",
        "by threads",
        "-o",
        ensemble,
    ];
    run(&samples.join("threads"), words).expect_code(0);
    let words = [
        shots.to_str().unwrap(),
        diff,
        hostile_ensemble,
        gate,
        ensemble,
        "mock",
    ];
    click_through("report.ts", &words);
}

#[test]
fn every_state_of_the_page() {
    click_through("smoke.ts", &[]);
}

#[test]
fn views_on_recorded_answers() {
    click_through("views.ts", &[]);
}

/// The scenes are divided, so that they run at the same time.
#[test]
fn pages_of_real_ensembles_part_1() {
    click_through("pages.ts", &["1/3"]);
}

#[test]
fn pages_of_real_ensembles_part_2() {
    click_through("pages.ts", &["2/3"]);
}

#[test]
fn pages_of_real_ensembles_part_3() {
    click_through("pages.ts", &["3/3"]);
}

#[test]
fn widget_with_a_mock_of_the_notebook() {
    click_through("widget.ts", &[]);
}

/// Stores of call profiles and of recordings of other tools.
fn stores_of_reference_data(folder: &Path) -> Vec<PathBuf> {
    let sources = [
        "call-profiles/caliper-json-split/lulesh-weak-scaling8",
        "call-profiles/caliper-cali/rajaperf-quartz50",
        "call-profiles/hpctoolkit-v3",
        "dag-recorder",
    ];
    let store_of = |source: &str| {
        let files = reference(source)?;
        let store = folder.join(files.file_name()?);
        run(&store, ["--quiet", "add", files.to_str()?]);
        Some(store)
    };
    sources.into_iter().filter_map(store_of).collect()
}

#[test]
fn numbers_of_the_page_are_those_of_the_terminal() {
    let binary = built("grainsheaf");
    let folder = tempfile::tempdir().unwrap();
    let mut stores = ["threads", "versions", "runtimes", "planted"]
        .map(sample)
        .to_vec();
    stores.extend(stores_of_reference_data(folder.path()));
    let words: Vec<&str> = std::iter::once(binary.as_path())
        .chain(stores.iter().map(PathBuf::as_path))
        .filter_map(Path::to_str)
        .collect();
    click_through("terminal.ts", &words);
}

/// Generated profiles of two ensembles, and the page on their store.
#[test]
fn large_ensembles_stay_within_budgets() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    for (name, runs, paths) in [("large", "1000", "600"), ("many", "5000", "60")] {
        let profiles = path(&format!("{name}-profiles"));
        click_through("large.ts", &[profiles.as_str(), runs, paths]);
        run(
            &folder.path().join(name),
            ["--quiet", "add", profiles.as_str()],
        )
        .expect_code(0);
    }
    let service = Service::start(folder.path(), &[&path("large"), &path("many")]);
    click_through("large-page.ts", &[&service.url, "large", "many"]);
}
