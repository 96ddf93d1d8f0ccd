//! A browser that clicks: records a program, serves the store, looks at it from the page.

use std::path::{Path, PathBuf};
use std::process::Command;

use sheaf_tests::{Service, built, program, run, sample, workspace_root};

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

#[test]
fn every_state_of_the_page() {
    click_through("smoke.ts", &[]);
}

#[test]
fn views_on_recorded_answers() {
    click_through("views.ts", &[]);
}

#[test]
fn pages_of_real_ensembles() {
    click_through("pages.ts", &[]);
}

#[test]
fn numbers_of_the_page_are_those_of_the_terminal() {
    let binary = built("grainsheaf");
    let stores = ["threads", "versions", "runtimes"].map(sample);
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
