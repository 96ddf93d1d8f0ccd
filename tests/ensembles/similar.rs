//! How alike the runs of the sample ensembles are, through the command line alone.

use std::path::PathBuf;

use serde_json::Value;
use sheaf_tests::{run, workspace_root};

fn sample(name: &str) -> PathBuf {
    workspace_root().join("data/ensembles").join(name)
}

fn similar(ensemble: &str, words: &[&str]) -> Value {
    let words = [&["similar", "--json"], words].concat();
    run(&sample(ensemble), words).expect_code(0).json()
}

/// Parameter values of the runs of each cluster.
fn clusters(answer: &Value, parameter: &str) -> Vec<Vec<String>> {
    let runs = answer["runs"].as_array().unwrap();
    let of = |cluster: usize| {
        let members = runs.iter().filter(|run| run["cluster"] == cluster);
        let mut values: Vec<String> = members
            .map(|run| run["params"][parameter].to_string())
            .collect();
        values.sort_unstable();
        values.dedup();
        values
    };
    (0..answer["clusters"].as_array().unwrap().len())
        .map(of)
        .collect()
}

#[test]
fn versions_are_two_structures_and_runs_of_one_are_the_same() {
    let answer = similar("versions", &[]);
    assert_eq!(answer["schema"], "similar/1");
    assert_eq!(answer["structures"], 2);
    assert_eq!(clusters(&answer, "version"), [["1"], ["2"]]);
    let differing = answer["runs"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|run| run["differs"] == true);
    assert_eq!(differing.count(), 7);
    // 542 grains against 563; the renamed task counts as the same, the new one does not.
    let value = |i: usize, j: usize| answer["matrix"][i][j].as_f64().unwrap();
    assert_eq!((value(0, 6), value(13, 7)), (1.0, 1.0));
    assert!((0.90..0.91).contains(&value(0, 7)), "{}", value(0, 7));
    let notes = answer["notes"].to_string();
    assert!(
        notes.contains("sort_range (task) → sort_block:139 (task) (inferred, score 1.00)"),
        "{notes}"
    );
    assert_eq!(value(0, 7).to_bits(), value(7, 0).to_bits());
    let first = &answer["clusters"][0]["traits"][0];
    assert_eq!(
        (&first["kind"], &first["name"]),
        (&"parameter".into(), &"version".into())
    );
    let first = &answer["parameters"][0];
    assert_eq!(first["parameter"], "version");
    assert!((first["r_squared"].as_f64().unwrap() - 1.0).abs() < 1e-12);
    assert_eq!(first["p"], 0.001);
}

#[test]
fn thread_counts_are_structures_only_when_repetition_counts() {
    let counted = similar("threads", &["--form", "counted"]);
    assert_eq!(counted["structures"], 4);
    assert_eq!(clusters(&counted, "threads"), [["1"], ["2"], ["4"], ["8"]]);
    let shape = similar("threads", &["--form", "shape"]);
    assert_eq!(
        (&shape["form"], &shape["structures"]),
        (&"shape".into(), &2.into())
    );
    assert_eq!(clusters(&shape, "threads"), [&["1"][..], &["2", "4", "8"]]);
    // What threads decide is collapsed, as in `diff`, which says that the structure is the same.
    for measure in ["structure", "wl"] {
        let collapsed = similar("threads", &["--measure", measure]);
        assert_eq!(collapsed["basis"], "grain_tree");
        assert_eq!(collapsed["structures"], 1);
        let rows = collapsed["matrix"].as_array().unwrap();
        assert!(
            rows.iter()
                .flat_map(|row| row.as_array().unwrap())
                .all(|one| *one == 1.0)
        );
    }
    let words = ["diff", "--json", "threads = 1", "threads = 8"];
    let diff = run(&sample("threads"), words).expect_code(0).json();
    assert_eq!(diff["structure"]["verdict"], "same");
}

#[test]
fn behaviour_follows_the_compiler() {
    let words = ["--measure", "metrics", "--projection", "--clusters", "2"];
    let answer = similar("runtimes", &words);
    assert_eq!(answer["schema"], "projection/1");
    for run in answer["runs"].as_array().unwrap() {
        let is_gcc = run["params"]["build"] == "gcc-llvm";
        assert_eq!(run["behaviour"]["cluster"], u64::from(is_gcc), "{run}");
    }
    assert_eq!(answer["used"], serde_json::json!(["build", "compiler"]));
    assert_eq!(answer, similar("runtimes", &words));
}

#[test]
fn a_call_profile_has_structure_work_and_metrics() {
    let folder = workspace_root().join("../shared/data/call-profiles/caliper-cali");
    if !folder.is_dir() {
        println!("not tested: the reference data are not beside the project (../shared/data)");
        return;
    }
    let temporary = tempfile::tempdir().unwrap();
    let store = temporary.path().join("store");
    let input = folder.display().to_string();
    let _ = run(&store, ["add", "--quiet", &input]);
    for measure in ["structure", "wl", "work", "metrics"] {
        let answer = run(&store, ["similar", "--json", "--measure", measure])
            .expect_code(0)
            .json();
        let runs = answer["runs"].as_array().unwrap().len();
        assert!(runs > 10, "{runs} runs");
        assert_eq!(answer["basis"], "context_tree");
        for (i, row) in answer["matrix"].as_array().unwrap().iter().enumerate() {
            let own = row[i].as_f64();
            assert!(
                own.is_none_or(|own| (own - 1.0).abs() < f64::EPSILON),
                "{measure}: {own:?}"
            );
            assert_eq!(row.as_array().unwrap().len(), runs);
        }
    }
}

#[test]
fn runs_in_one_place_are_in_one_cluster() {
    let asked = ["--measure", "wl", "--projection", "--clusters", "3"];
    let two = "2 of 3 clusters by behaviour: the runs are in no more places than that";
    for words in [&asked[..3], &asked] {
        let answer = similar("versions", words);
        assert_eq!(answer["behaviour"]["clusters"], 2);
        let runs = answer["runs"].as_array().unwrap();
        assert_eq!(runs.len(), 14);
        for run in runs {
            let is_second = run["params"]["version"] == 2.0;
            assert_eq!(run["behaviour"]["cluster"], u64::from(is_second), "{run}");
        }
        let notes = answer["notes"].as_array().unwrap();
        let is_told = notes.iter().any(|note| note == two);
        assert_eq!(is_told, words.len() > 3, "{notes:?}");
    }
}

#[test]
fn text_csv_and_refusals() {
    let text = run(&sample("versions"), ["similar"]).expect_code(0).stdout;
    let wanted = [
        "14 runs by structure: sub-trees in common; 2 different structures of grains",
        "   8*  sort-version=2-t4-r1   90",
        "runs with sort_block:144 (task)",
        "version         2",
    ];
    for wanted in wanted {
        assert!(text.contains(wanted), "{wanted}\n{text}");
    }
    let csv = run(&sample("versions"), ["similar", "--csv"])
        .expect_code(0)
        .stdout;
    let mut lines = csv.lines();
    assert!(
        lines
            .next()
            .unwrap()
            .starts_with("run,name,cluster,structure,nodes,differs,")
    );
    assert!(lines.all(|line| line.split(',').count() == 20));
    let projection = run(&sample("versions"), ["similar", "--projection", "--csv"]);
    assert_eq!(projection.expect_code(0).stdout.lines().count(), 15);
    let refused = |words: &[&str], message: &str| {
        let outcome = run(&sample("versions"), words).expect_code(2);
        assert!(outcome.stderr.contains(message), "{}", outcome.stderr);
    };
    refused(
        &["similar", "--threshold", "1.5"],
        "threshold `1.5` is not between 0 and 1",
    );
    refused(
        &["similar", "--projection", "--clusters", "0"],
        "is not between 1 and 14",
    );
    refused(&["similar", "nobody"], "no run `nobody`");
    refused(
        &["similar", "--metric", "work_ns"],
        "`--measure structure` compares no metric",
    );
    refused(
        &[
            "similar",
            "--measure",
            "wl",
            "--projection",
            "--level",
            "context",
        ],
        "`--level` has no effect",
    );
    refused(
        &["similar", "--measure", "work", "--metric", "wrok_ns"],
        "did you mean `work_ns`",
    );
}
