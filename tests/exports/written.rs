//! How exports are written, and what is refused.

use std::io::Read as _;
use std::process::Stdio;

use sheaf_tests::{grainsheaf, run, workspace_root};

use crate::{export, first_run, opened, store_of};

/// A call profile has no graph; its values are a table.
#[test]
fn call_profiles_are_tables_and_no_graphs() {
    let folder = tempfile::tempdir().unwrap();
    let sample = workspace_root().join("data/samples/caliper/channels.cali");
    let store = store_of(folder.path(), &sample);
    let id = first_run(&store).run;
    for format in ["graphml", "graphml-nested", "dot", "chrome"] {
        let refused = run(&store, ["export", &id, "--as", format]).expect_code(2);
        assert!(
            refused.stderr.contains("call profile"),
            "{}",
            refused.stderr
        );
        assert_eq!(refused.stdout, "");
    }
    let mut tables = Vec::new();
    for format in ["csv", "parquet"] {
        let file = folder.path().join(format!("run.{format}"));
        export(&store, &file, &["--as", format]);
        tables.push(opened(format, &file, None));
    }
    assert!(tables[0]["rows"].as_u64().unwrap() > 0);
    assert_eq!(tables[0]["rows"], tables[1]["rows"]);
    assert_eq!(tables[0]["absent"], tables[1]["absent"]);
    assert_eq!(tables[0]["sums"]["value"], tables[1]["sums"]["value"]);
}

#[test]
fn unknown_formats_are_named() {
    let store = workspace_root().join("data/ensembles/threads");
    let tape = run(&store, ["export", "x", "--as", "tape"]).expect_code(2);
    assert!(tape.stderr.contains("graphml-nested"), "{}", tape.stderr);
}

/// Files appear whole, leave others alone, and leave nothing behind when they cannot be made.
#[test]
fn files_are_whole_or_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let store = workspace_root().join("data/ensembles/threads");
    let id = first_run(&store).run;
    let file = folder.path().join("run.csv");
    std::fs::write(&file, "mine").unwrap();
    let to = file.display().to_string();
    run(&store, ["export", &id, "--as", "csv", "-o", &to]).expect_code(2);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine");
    let missing = folder.path().join("none/run.csv").display().to_string();
    run(&store, ["export", &id, "--as", "csv", "-o", &missing]).expect_code(2);
    assert_eq!(folder.path().read_dir().unwrap().count(), 1);
}

/// A reader that goes away ends the export without a complaint.
#[test]
fn broken_pipes_end_quietly() {
    let store = workspace_root().join("data/ensembles/threads");
    let id = first_run(&store).run;
    for format in [
        "graphml",
        "graphml-nested",
        "dot",
        "csv",
        "parquet",
        "chrome",
    ] {
        let mut child = grainsheaf(&store)
            .args(["export", &id, "--as", format])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut start = [0; 4];
        child.stdout.take().unwrap().read_exact(&mut start).unwrap();
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{format}: {stderr}");
        assert_eq!(stderr, "", "{format}");
    }
}
