//! Issue 12, line 17: parameters of runs that are in the store are corrected without changing them.

#![allow(clippy::unwrap_used, reason = "a test may stop")]

use std::collections::BTreeMap;
use std::path::Path;

use sheaf_ensemble::{AddOptions, CorrectedRun, Ensemble, Error, GrainsQuestion, Input};
use sheaf_model::{Lens, ParamValue, Progress, RunId};

fn store() -> (tempfile::TempDir, Ensemble) {
    let folder = tempfile::tempdir().unwrap();
    let ensemble = Ensemble::create_or_open(&folder.path().join("store")).unwrap();
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/samples/caliper");
    let inputs = ["channels.cali", "regions.cali"].map(|name| Input::Path(samples.join(name)));
    let inputs = inputs.into_iter().filter(|input| match input {
        Input::Path(path) => path.exists(),
        _ => false,
    });
    let inputs: Vec<Input> = inputs.collect();
    let answer = ensemble.add(&inputs, &AddOptions::default(), &Progress::silent());
    assert!(answer.unwrap().files.len() == inputs.len() && !inputs.is_empty());
    (folder, ensemble)
}

fn set(
    ensemble: &Ensemble,
    run: &str,
    edits: &[(&str, Option<&str>)],
) -> Result<Vec<CorrectedRun>, Error> {
    let edits: BTreeMap<String, Option<ParamValue>> = edits
        .iter()
        .map(|(key, value)| ((*key).to_owned(), value.map(ParamValue::infer)))
        .collect();
    ensemble.set_params(run, &edits)
}

/// Ids of the runs for which an expression holds, and their values of a parameter.
fn selected(ensemble: &Ensemble, expression: &str, key: &str) -> Vec<(RunId, Option<ParamValue>)> {
    let lens: Lens = format!("where {expression}").parse().unwrap();
    let answer = ensemble.ask(&Progress::silent(), |view| view.runs(&lens));
    let runs = answer.unwrap().runs.into_iter();
    runs.map(|run| (run.run.parse().unwrap(), run.params.get(key).cloned()))
        .collect()
}

/// Else an incomplete run could count as complete.
#[test]
fn what_the_source_determines_cannot_be_corrected() {
    let (_folder, ensemble) = store();
    for name in ["is_complete", "incomplete", "format", "name", "grains"] {
        let error = set(&ensemble, "ranks >= 0", &[(name, Some("true"))]).unwrap_err();
        let expected = format!(
            "`{name}` is not a parameter: it is determined by the source; choose another name"
        );
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn corrected_parameters_select_runs_and_can_be_taken_back() {
    let (_folder, ensemble) = store();
    let all = selected(&ensemble, "ranks >= 0", "machine");
    let id = all[0].0;
    let text = ParamValue::Text("n1".to_owned());
    let found = set(
        &ensemble,
        &id.to_string(),
        &[("machine", Some("n1")), ("ranks", Some("64"))],
    );
    let found = found.unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].changes["machine"][1], Some(text.clone()));
    assert_eq!(
        selected(&ensemble, "machine = 'n1'", "machine"),
        [(id, Some(text))]
    );
    assert_eq!(
        selected(&ensemble, "ranks = 64", "ranks"),
        [(id, Some(ParamValue::Number(64.0)))]
    );
    assert!(ensemble.verify(&Progress::silent()).unwrap().ok);
    // The runs themselves stay as they are.
    assert_eq!(
        selected(&ensemble, "exists run", "machine").len(),
        all.len()
    );
    let forgotten = set(&ensemble, "machine = 'n1'", &[("machine", None)]).unwrap();
    assert_eq!(
        forgotten[0].changes["machine"],
        [Some(ParamValue::Text("n1".to_owned())), all[0].1.clone()]
    );
    assert_eq!(
        selected(&ensemble, "ranks = 64", "machine"),
        [(id, all[0].1.clone())]
    );
    assert!(set(&ensemble, "no-such-run", &[("a", Some("1"))]).is_err());
}

#[test]
fn corrections_at_the_same_time_are_all_kept() {
    let (_folder, ensemble) = store();
    let id = selected(&ensemble, "exists run", "x")[0].0.to_string();
    std::thread::scope(|scope| {
        for number in 0..8 {
            let (ensemble, id) = (&ensemble, &id);
            scope.spawn(move || {
                let key = format!("k{number}");
                set(ensemble, id, &[(&key, Some("1"))]).unwrap();
            });
        }
    });
    for number in 0..8 {
        let key = format!("k{number}");
        assert_eq!(
            selected(&ensemble, &format!("{key} = 1"), &key).len(),
            1,
            "{key}"
        );
    }
}

#[test]
fn a_damaged_note_is_an_error_that_names_it() {
    let (folder, ensemble) = store();
    let note = folder.path().join("store/notes/params.toml");
    std::fs::write(&note, "[nobody]\n").unwrap();
    let error = ensemble.ask(&Progress::silent(), |view| view.runs(&Lens::default()));
    let error = error.unwrap_err().to_string();
    assert!(
        error.contains("`nobody` is not the id of a run at line 1"),
        "{error}"
    );
    let damaged = ensemble.verify(&Progress::silent()).unwrap().damaged;
    assert!(
        damaged
            .iter()
            .any(|damaged| damaged.path == "notes/params.toml"),
        "{damaged:?}"
    );
}

/// What is computed of the grains of a run follows its corrected parameters, also in a process that has the run open.
#[test]
fn metrics_of_grains_follow_corrected_parameters() {
    let folder = tempfile::tempdir().unwrap();
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/ensembles/threads");
    copy(&sample, folder.path());
    let ensemble = Ensemble::open(folder.path()).unwrap();
    let question = GrainsQuestion {
        metrics: Some(vec!["sibling_scatter_socket".to_owned()]),
        ..GrainsQuestion::default()
    };
    let apart = || {
        let answer = ensemble.ask(&Progress::silent(), |view| {
            view.grains("sort-t8-r1", &question)
        });
        let rows = answer.map(|answer| answer.rows).unwrap_or_default();
        let values = rows
            .iter()
            .filter_map(|row| row.metrics.into_values().next());
        values.filter(|value| value.as_f64() > 0.0).count()
    };
    assert_eq!(apart(), 0, "no parameter says which cores share a socket");
    set(&ensemble, "sort-t8-r1", &[("cores_per_socket", Some("1"))]).unwrap();
    assert_ne!(apart(), 0, "each core is a socket of its own");
    set(&ensemble, "sort-t8-r1", &[("cores_per_socket", Some("64"))]).unwrap();
    assert_eq!(apart(), 0, "all cores share one socket");
}

fn copy(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            std::fs::create_dir_all(&target).unwrap();
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), &target).unwrap();
        }
    }
}
