//! How alike the runs of the sample ensembles are, through the command line alone.

use serde::de::DeserializeOwned;
use sheaf_answers::{Diff, ParamValue, Projection, Similar, StructureForm, StructureVerdict};
use sheaf_tests::{as_json, ask, reference, run, sample, text, word};

fn similar<T: DeserializeOwned>(ensemble: &str, words: &[&str]) -> T {
    ask(&sample(ensemble), &[&["similar"], words].concat())
}

/// Parameter values of the runs of each cluster.
fn clusters(answer: &Similar, parameter: &str) -> Vec<Vec<String>> {
    let mut clusters = vec![Vec::new(); answer.clusters.len()];
    for run in &answer.runs {
        let cluster = usize::try_from(run.cluster).unwrap();
        clusters[cluster].push(text(&run.params[parameter]));
    }
    for values in &mut clusters {
        values.sort_unstable();
        values.dedup();
    }
    clusters
}

#[test]
fn versions_are_two_structures_and_runs_of_one_are_the_same() {
    let answer: Similar = similar("versions", &[]);
    assert_eq!(answer.schema, "similar/1");
    assert_eq!(answer.structures, 2);
    assert_eq!(clusters(&answer, "version"), [["1"], ["2"]]);
    let differing = answer.runs.iter();
    assert_eq!(differing.filter(|run| run.differs == Some(true)).count(), 7);
    // 542 grains against 563; the renamed task counts as the same, the new one does not.
    let value = |i: usize, j: usize| answer.matrix[i][j].unwrap();
    assert_eq!((value(0, 6), value(13, 7)), (1.0, 1.0));
    assert!((0.90..0.91).contains(&value(0, 7)), "{}", value(0, 7));
    let notes = as_json(&answer.notes);
    assert!(
        notes.contains("sort_range (task) → sort_block:139 (task) (inferred, score 1.00)"),
        "{notes}"
    );
    assert_eq!(value(0, 7).to_bits(), value(7, 0).to_bits());
    let first = &answer.clusters[0].traits[0];
    assert_eq!(
        (word(&first.kind).as_str(), first.name.as_str()),
        ("parameter", "version")
    );
    let first = &answer.parameters[0];
    assert_eq!(first.parameter, "version");
    assert!((first.r_squared - 1.0).abs() < 1e-12);
    assert_eq!(first.p, Some(0.001));
}

#[test]
fn thread_counts_are_structures_only_when_repetition_counts() {
    let counted: Similar = similar("threads", &["--form", "counted"]);
    assert_eq!(counted.structures, 4);
    assert_eq!(clusters(&counted, "threads"), [["1"], ["2"], ["4"], ["8"]]);
    let shape: Similar = similar("threads", &["--form", "shape"]);
    assert_eq!((shape.form, shape.structures), (StructureForm::Shape, 2));
    assert_eq!(clusters(&shape, "threads"), [&["1"][..], &["2", "4", "8"]]);
    // What threads decide is collapsed, as in `diff`, which says that the structure is the same.
    for measure in ["structure", "wl"] {
        let collapsed: Similar = similar("threads", &["--measure", measure]);
        assert_eq!(word(&collapsed.basis), "grain_tree");
        assert_eq!(collapsed.structures, 1);
        let mut values = collapsed.matrix.iter().flatten();
        assert!(values.all(|value| *value == Some(1.0)));
    }
    let diff: Diff = ask(&sample("threads"), &["diff", "threads = 1", "threads = 8"]);
    assert_eq!(diff.structure.verdict, StructureVerdict::Same);
}

#[test]
fn behaviour_follows_the_compiler() {
    let words = ["--measure", "metrics", "--projection", "--clusters", "2"];
    let answer: Projection = similar("runtimes", &words);
    assert_eq!(answer.schema, "projection/1");
    for run in &answer.runs {
        let is_gcc = text(&run.params["build"]) == "gcc-llvm";
        assert_eq!(run.behaviour.cluster, u64::from(is_gcc), "{run:?}");
    }
    assert_eq!(answer.used, ["build", "compiler"]);
    assert_eq!(answer, similar("runtimes", &words));
}

#[test]
fn a_call_profile_has_structure_work_and_metrics() {
    let Some(folder) = reference("call-profiles/caliper-cali") else {
        return;
    };
    let temporary = tempfile::tempdir().unwrap();
    let store = temporary.path().join("store");
    let input = folder.display().to_string();
    let _ = run(&store, ["add", "--quiet", &input]);
    for measure in ["structure", "wl", "work", "metrics"] {
        let answer: Similar = ask(&store, &["similar", "--measure", measure]);
        let runs = answer.runs.len();
        assert!(runs > 10, "{runs} runs");
        assert_eq!(word(&answer.basis), "context_tree");
        for (i, row) in answer.matrix.iter().enumerate() {
            let own = row[i];
            assert!(
                own.is_none_or(|own| (own - 1.0).abs() < f64::EPSILON),
                "{measure}: {own:?}"
            );
            assert_eq!(row.len(), runs);
        }
    }
}

#[test]
fn runs_in_one_place_are_in_one_cluster() {
    let asked = ["--measure", "wl", "--projection", "--clusters", "3"];
    let two = "2 of 3 clusters by behaviour: the runs are in no more places than that";
    for words in [&asked[..3], &asked] {
        let answer: Projection = similar("versions", words);
        assert_eq!(answer.behaviour.clusters, 2);
        assert_eq!(answer.runs.len(), 14);
        for run in &answer.runs {
            let is_second = run.params["version"] == ParamValue::Number(2.0);
            assert_eq!(run.behaviour.cluster, u64::from(is_second), "{run:?}");
        }
        let notes = as_json(&answer.notes);
        assert_eq!(notes.contains(two), words.len() > 3, "{notes}");
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
