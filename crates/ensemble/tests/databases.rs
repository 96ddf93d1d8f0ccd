//! Folders of files that are one run, as they are added from disk.

use std::fs;

use sheaf_answers::FileStatus;
use sheaf_ensemble::{AddOptions, Ensemble, Input};
use sheaf_model::{Lens, Progress};

/// What TAU writes of one function for one metric.
fn profile(metric: &str, value: u32) -> String {
    format!(
        "1 templated_functions_MULTI_{metric}\n# Name Calls Subrs Excl Incl ProfileCalls #\n\
         \"f\" 1 0 {value} {value} 0 GROUP=\"A\" \n0 aggregates\n0 userevents\n"
    )
}

#[test]
fn tau_folders_of_metrics_are_one_run_and_one_input() {
    let folder = tempfile::tempdir().unwrap();
    for (metric, value) in [("TIME", 7), ("PAPI_TOT_CYC", 900)] {
        let inner = folder.path().join(format!("run/MULTI__{metric}"));
        fs::create_dir_all(&inner).unwrap();
        for rank in 0..2 {
            let file = inner.join(format!("profile.{rank}.0.0"));
            fs::write(file, profile(metric, value + rank)).unwrap();
        }
    }
    let ensemble = Ensemble::create_or_open(&folder.path().join("store")).unwrap();
    let inputs = [Input::Path(folder.path().join("run"))];
    let reports = ensemble
        .add(&inputs, &AddOptions::default(), &Progress::silent())
        .unwrap()
        .files;
    assert_eq!(reports.len(), 1, "{reports:#?}");
    assert_eq!(reports[0].status, FileStatus::Added, "{reports:#?}");
    assert!(reports[0].path.ends_with("run"), "{}", reports[0].path);
    let runs = ensemble
        .view(&Progress::silent())
        .unwrap()
        .runs(&Lens::default())
        .unwrap()
        .runs;
    assert_eq!(runs.len(), 1);
    assert_eq!(runs[0].ranks, 2);
}
