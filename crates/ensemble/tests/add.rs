//! What happens to inputs on their way into a store.

#![allow(clippy::unwrap_used, reason = "a test may stop")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use sheaf_answers::{FileReport, FileStatus};
use sheaf_ensemble::{AddOptions, Ensemble, ErrorKind, GrainsQuestion, Input};
use sheaf_model::{ParamValue, Progress};

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../data/samples")
        .join(name)
}

fn add(ensemble: &Ensemble, path: &Path, options: &AddOptions) -> FileReport {
    let inputs = [Input::Path(path.to_owned())];
    let mut reports = ensemble
        .add(&inputs, options, &Progress::silent())
        .unwrap()
        .files;
    assert_eq!(reports.len(), 1);
    reports.remove(0)
}

fn with_param(name: &str, value: ParamValue) -> AddOptions {
    AddOptions {
        params: [(name.to_owned(), value)].into(),
        ..AddOptions::default()
    }
}

fn store() -> (tempfile::TempDir, Ensemble) {
    let folder = tempfile::tempdir().unwrap();
    let ensemble = Ensemble::create_or_open(&folder.path().join("store")).unwrap();
    (folder, ensemble)
}

#[test]
fn a_pipe_is_read_to_its_end() {
    let (folder, ensemble) = store();
    let pipe = folder.path().join("pipe");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let from = sample("caliper/channels.cali");
    let content = std::fs::read(from).unwrap();
    let to = pipe.clone();
    let writer = std::thread::spawn(move || std::fs::write(to, content).unwrap());
    let report = add(&ensemble, &pipe, &AddOptions::default());
    writer.join().unwrap();
    assert_eq!(report.status, FileStatus::Added, "{report:?}");
    assert_eq!(report.format.as_deref(), Some("caliper"));
}

#[test]
fn parameters_of_what_is_there_already_are_not_taken_silently() {
    let (_folder, ensemble) = store();
    let path = sample("caliper/channels.cali");
    add(&ensemble, &path, &AddOptions::default());
    let again = add(&ensemble, &path, &with_param("q", ParamValue::Number(1.0)));
    assert_eq!(again.status, FileStatus::Present);
    assert_eq!(again.count("skipped_parameters_of_present_runs"), 1);
}

/// Equal measurements under other parameters are one run, and the parameters of one of them are lost.
#[test]
fn parameters_that_files_of_one_content_state_differently_are_reported() {
    let (folder, ensemble) = store();
    let trace = |version: u32| {
        format!(
            r#"{{"traceEvents":[{{"ph":"X","name":"a","ts":0,"dur":9,"pid":1,"tid":1}}],
                "otherData":{{"version":"{version}","machine":"m"}}}}"#
        )
    };
    let added = [1, 2].map(|version| {
        let path = folder.path().join(format!("{version}.json"));
        std::fs::write(&path, trace(version)).unwrap();
        add(&ensemble, &path, &AddOptions::default())
    });
    assert_eq!(added[0].status, FileStatus::Added, "{added:?}");
    assert_eq!(added[1].status, FileStatus::Present, "{added:?}");
    let counts = added.map(|report| report.count("skipped_parameters_of_present_runs"));
    assert_eq!(counts, [0, 1]);
}

#[test]
fn parameters_that_replace_those_of_the_file_are_reported() {
    let (_folder, ensemble) = store();
    let path = sample("hatchet/thicket.json");
    let report = add(
        &ensemble,
        &path,
        &with_param("problem_size", ParamValue::Number(30.0)),
    );
    // One of the two runs has that size already.
    let found = report.report.iter();
    let replaced: Vec<_> = found
        .filter(|found| found.kind == "replaced_parameters")
        .map(|found| (found.count, found.first.as_deref().unwrap_or_default()))
        .collect();
    let expected = "problem_size: the file has `60`, replaced by `30`";
    assert_eq!(replaced, [(1, expected)]);
}

#[test]
fn a_metric_that_the_file_states_keeps_its_value() {
    let (folder, ensemble) = store();
    let text = std::fs::read_to_string(sample("mir/walk.processed.csv")).unwrap();
    let changed = folder.path().join("changed.csv");
    std::fs::write(&changed, text.replace("1.49785407725322", "7.5")).unwrap();
    let names = ["sibling_work_balance", "computed_sibling_work_balance"];
    let values = |path: &Path| {
        let run = add(&ensemble, path, &AddOptions::default()).runs[0].clone();
        let question = GrainsQuestion {
            metrics: Some(names.map(str::to_owned).to_vec()),
            ..GrainsQuestion::default()
        };
        let view = ensemble.view(&Progress::silent()).unwrap();
        let rows = view.grains(&run, &question).map(|answer| answer.rows);
        rows.map(|rows| {
            let shown = |row: sheaf_answers::GrainRow| -> Vec<Option<String>> {
                let values = names.map(|name| row.metrics.get(name).copied());
                let texts = values.map(|value| Some(format!("{:.4}", value?.as_f64())));
                texts.to_vec()
            };
            rows.iter().map(shown).collect::<Vec<_>>()
        })
    };
    let stated = [Some("7.5000".to_owned()), Some("1.4979".to_owned())];
    let rows = values(&changed).unwrap();
    assert!(rows.contains(&stated.to_vec()), "{rows:?}");
    // A table without the column has the computed values only, under the name itself.
    let error = values(&sample("mir/walk.csv")).unwrap_err();
    assert!(
        error.to_string().contains("computed_sibling_work_balance"),
        "{error}"
    );
}

/// The name means a metric of ours only in runs whose source does not state it.
#[test]
fn a_metric_that_the_file_states_under_a_name_of_another_tool_keeps_its_value() {
    let (folder, ensemble) = store();
    let text = std::fs::read_to_string(sample("graphml/walk.unreduced.graphml")).unwrap();
    let key = "<key id=\"min\" for=\"node\" attr.name=\"inst_par_min\" attr.type=\"double\"/>";
    let text = text.replacen("<graph ", &format!("{key}<graph "), 1);
    let text = text.replace("</node>", "<data key=\"min\">77</data></node>");
    let changed = folder.path().join("changed.graphml");
    std::fs::write(&changed, text).unwrap();
    let values = |path: &Path| {
        let run = add(&ensemble, path, &AddOptions::default()).runs[0].clone();
        let question = GrainsQuestion {
            metrics: Some(vec!["inst_par_min".to_owned()]),
            ..GrainsQuestion::default()
        };
        let view = ensemble.view(&Progress::silent()).unwrap();
        let answer = view.grains(&run, &question).unwrap();
        let values = answer
            .rows
            .iter()
            .map(|row| row.metrics["inst_par_min"].as_f64());
        let values: Vec<f64> = values.collect();
        (answer.metrics[0].name.clone(), values)
    };
    let (name, stated) = values(&changed);
    assert_eq!(name, "inst_par_min");
    assert!(
        !stated.is_empty() && stated.iter().all(|value| (value - 77.0).abs() < 1e-9),
        "{stated:?}"
    );
}

#[test]
fn a_setting_that_is_not_applied_is_refused() {
    let (_folder, ensemble) = store();
    let nesting = with_param("parentage", ParamValue::Text("nesting".into()));
    let trace = sample("chrome/stack.json");
    let applied = add(&ensemble, &trace, &nesting);
    assert_eq!(applied.status, FileStatus::Added, "{applied:?}");
    assert!(applied.count("read_parents_by_nesting") > 0, "{applied:?}");
    let profile = add(&ensemble, &sample("caliper/regions.cali"), &nesting);
    assert_eq!(
        profile.error.as_deref(),
        Some(
            "setting `parentage=nesting` is not applied: it is for Chrome traces, and the file is \
             `caliper`; leave it out"
        )
    );
    // A description of a folder with both says it of both.
    let folder = tempfile::tempdir().unwrap();
    for (name, to) in [
        ("chrome/stack.json", "a.json"),
        ("caliper/regions.cali", "b.cali"),
    ] {
        std::fs::copy(sample(name), folder.path().join(to)).unwrap();
    }
    let description = folder.path().join("grainsheaf.toml");
    std::fs::write(&description, "parentage = \"nesting\"\n").unwrap();
    let (_other, ensemble_of_folder) = store();
    let inputs = [Input::Path(folder.path().to_owned())];
    let options = AddOptions::default();
    let answer = ensemble_of_folder.add(&inputs, &options, &Progress::silent());
    let files = answer.unwrap().files;
    let of = |end: &str| files.iter().find(|file| file.path.ends_with(end)).unwrap();
    assert_eq!(of("a.json").status, FileStatus::Added, "{files:?}");
    assert_eq!(of("b.cali").error, profile.error, "{files:?}");
    let unknown = with_param("parentage", ParamValue::Text("arrows".into()));
    let error = add(&ensemble, &trace, &unknown).error.unwrap();
    assert!(error.ends_with("it is `recorded` or `nesting`"), "{error}");
}

#[test]
fn a_clock_rate_may_be_written_with_an_exponent() {
    let (_folder, ensemble) = store();
    let options = with_param("clock_hz", ParamValue::infer("2.1e9"));
    let report = add(&ensemble, &sample("dag-recorder/nested.dag"), &options);
    assert_eq!(report.count("skipped_hints"), 0, "{report:?}");
    assert_eq!(report.count("unused_hints"), 0, "{report:?}");
}

/// It may be meant as a plain parameter, so it is no reason to refuse the file.
#[test]
fn a_parameter_that_the_reader_does_not_use_is_named() {
    let (_folder, ensemble) = store();
    let mut options = with_param("clock_hz", ParamValue::infer("2.1e9"));
    let workers = ("workers".to_owned(), ParamValue::infer("4"));
    options.params.extend([workers]);
    let report = add(&ensemble, &sample("caliper/regions.cali"), &options);
    assert_eq!(report.status, FileStatus::Added, "{report:?}");
    assert_eq!(report.count("unused_hints"), 2, "{report:?}");
    let both = add(&ensemble, &sample("dag-recorder/nested.dag"), &options);
    assert_eq!(both.count("unused_hints"), 0, "{both:?}");
}

#[test]
fn a_format_that_nobody_reads_is_a_mistake_of_usage() {
    let (_folder, ensemble) = store();
    let options = AddOptions {
        format: Some("nonsense".to_owned()),
        ..AddOptions::default()
    };
    let inputs = [Input::Path(sample("caliper"))];
    let error = ensemble
        .add(&inputs, &options, &Progress::silent())
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Usage);
    assert!(
        error
            .to_string()
            .starts_with("no format `nonsense`; known are trace, ")
    );
}

#[test]
fn a_named_format_forces_its_reader() {
    let (folder, ensemble) = store();
    let literal = folder.path().join("literal.json");
    let text = "[{'frame': {'name': 'main'}, 'metrics': {'time': 1}}]";
    // Not recognised: its beginning is blank.
    std::fs::write(&literal, format!("{}{text}", " ".repeat(70_000))).unwrap();
    let options = |format: &str| AddOptions {
        format: Some(format.to_owned()),
        ..AddOptions::default()
    };
    let without = add(&ensemble, &literal, &AddOptions::default());
    assert_eq!(without.status, FileStatus::Refused);
    let forced = add(&ensemble, &literal, &options("hatchet"));
    assert_eq!(forced.status, FileStatus::Added, "{forced:?}");
    let other = add(
        &ensemble,
        &sample("caliper/regions.cali"),
        &options("gprof"),
    );
    assert_eq!(other.status, FileStatus::Refused);
    assert_eq!(other.format.as_deref(), Some("gprof"));
    let error = other.error.unwrap();
    assert!(
        error.ends_with("; the file looks like `caliper`"),
        "{error}"
    );
    let folder = add(&ensemble, &sample("caliper"), &options("gprof"));
    assert_eq!(folder.status, FileStatus::Refused);
    assert_eq!(folder.count("skipped_other_files"), 4);
}

/// They may hold runs, which is worth a word; other files of a folder are only counted.
#[test]
fn compressed_files_of_a_folder_are_named() {
    let (folder, ensemble) = store();
    let inputs = folder.path().join("inputs");
    std::fs::create_dir(&inputs).unwrap();
    std::fs::copy(sample("caliper/regions.cali"), inputs.join("a.cali")).unwrap();
    for name in ["b.cali.xz", "c.JSON.BZ2", "notes.txt"] {
        std::fs::write(inputs.join(name), "no profile").unwrap();
    }
    let report = add(&ensemble, &inputs, &AddOptions::default());
    assert_eq!(report.status, FileStatus::Added, "{report:?}");
    assert_eq!(report.count("skipped_compressed_files"), 2);
    assert_eq!(report.count("skipped_other_files"), 1);
}

/// The report has the command for the first file of each format; the first place is a file with a command.
#[test]
fn files_of_other_tools_in_a_folder_get_a_guess() {
    let (folder, ensemble) = store();
    let inputs = folder.path().join("inputs");
    std::fs::create_dir(&inputs).unwrap();
    std::fs::write(inputs.join("a.txt"), "no profile").unwrap();
    std::fs::write(inputs.join("b.xz"), b"\xfd7zXZ\0\0").unwrap();
    for name in ["c.data", "d.data"] {
        std::fs::write(inputs.join(name), b"PERFILE2\0\0").unwrap();
    }
    let at = |name: &str| inputs.join(name).display().to_string();
    let perf = "it looks like data of Linux perf: `perf script -i c.data | ";
    let refused = add(&ensemble, &inputs, &AddOptions::default());
    let error = refused.error.unwrap_or_default();
    let guess = format!("; {}: it looks like data compressed with xz: ", at("b.xz"));
    let expected = format!("none of the `4` files in the folder has a known format{guess}");
    assert!(error.starts_with(&expected), "{error}");

    std::fs::copy(sample("caliper/regions.cali"), inputs.join("e.cali")).unwrap();
    let report = add(&ensemble, &inputs, &AddOptions::default());
    assert_eq!(report.status, FileStatus::Added, "{report:?}");
    let found = |kind: &str| {
        let found = report.report.iter().find(|found| found.kind == kind);
        let first = found.and_then(|found| found.first.clone());
        (report.count(kind), first.unwrap_or_default())
    };
    let (count, first) = found("skipped_other_files");
    assert_eq!(count, 3);
    assert!(
        first.starts_with(&format!("{}: {perf}", at("c.data"))),
        "{first}"
    );
    let (count, first) = found("looks_like_data_of_Linux_perf");
    assert_eq!(count, 2);
    assert!(
        first.starts_with(&format!("{}: `perf script -i c.data", at("c.data"))),
        "{first}"
    );
    let (count, first) = found("skipped_compressed_files");
    assert_eq!(count, 1);
    assert!(
        first.ends_with("`xz -dc b.xz | grainsheaf add -`"),
        "{first}"
    );
}

#[test]
fn an_ensemble_in_one_file_becomes_its_runs() {
    let (_folder, ensemble) = store();
    let report = add(
        &ensemble,
        &sample("hatchet/thicket.json"),
        &AddOptions::default(),
    );
    assert_eq!(report.status, FileStatus::Added, "{report:?}");
    assert_eq!(report.runs.len(), 2);
}

#[test]
fn a_renamed_copy_is_the_same_run() {
    let samples = [
        "chrome/stack.json",
        "cprofile/calls.pstats",
        "gprof/calls.txt",
        "gprof2dot/gprof.dot",
        "graphml/walk.reduced.graphml",
        "hatchet/literal.json",
        "mir/walk.csv",
        "taskflow/two-executors.tfp",
        "timemory/wall.tree.json",
    ];
    for name in samples {
        let (folder, ensemble) = store();
        let path = sample(name);
        let first = add(&ensemble, &path, &AddOptions::default());
        assert_eq!(first.status, FileStatus::Added, "{name}: {first:?}");
        let extension = path.extension().unwrap().to_str().unwrap();
        let copy = folder.path().join(format!("another-name.{extension}"));
        std::fs::copy(&path, &copy).unwrap();
        let again = add(&ensemble, &copy, &AddOptions::default());
        assert_eq!(again.status, FileStatus::Present, "{name}: {again:?}");
        assert_eq!(again.runs, first.runs, "{name}");
    }
}

#[test]
fn waiting_for_a_pipe_without_a_writer_can_be_stopped() {
    let (folder, ensemble) = store();
    let pipe = folder.path().join("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let progress = Progress::silent();
    let stop = progress.clone();
    let (sender, ended) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let inputs = [Input::Path(pipe)];
        let added = ensemble.add(&inputs, &AddOptions::default(), &progress);
        sender.send(added.map_err(|error| error.kind())).unwrap();
    });
    assert!(
        ended.recv_timeout(Duration::from_millis(200)).is_err(),
        "it waits"
    );
    stop.cancel();
    let added = ended.recv_timeout(Duration::from_secs(20)).unwrap();
    assert_eq!(added.unwrap_err(), ErrorKind::Cancelled);
}

#[test]
fn links_and_deep_folders_in_a_named_folder_are_reported() {
    let (folder, ensemble) = store();
    let named = folder.path().join("runs");
    let mut deep = named.clone();
    for _ in 0..40 {
        deep = deep.join("d");
    }
    std::fs::create_dir_all(&deep).unwrap();
    let channels = sample("caliper/channels.cali");
    std::fs::copy(&channels, deep.join("deep.cali")).unwrap();
    std::os::unix::fs::symlink(&channels, named.join("link.cali")).unwrap();
    std::os::unix::fs::symlink(&named, named.join("loop")).unwrap();
    let made = Command::new("mkfifo").arg(named.join("pipe")).status();
    assert!(made.unwrap().success());
    let check = |report: &FileReport| {
        assert_eq!(report.count("skipped_links"), 2, "{report:?}");
        assert_eq!(report.count("skipped_deep_folders"), 1, "{report:?}");
        assert_eq!(report.count("skipped_special_files"), 1, "{report:?}");
    };
    let nothing = add(&ensemble, &named, &AddOptions::default());
    assert_eq!(nothing.status, FileStatus::Refused);
    check(&nothing);
    std::fs::copy(sample("caliper/regions.cali"), named.join("a.cali")).unwrap();
    let found = add(&ensemble, &named, &AddOptions::default());
    assert_eq!(found.status, FileStatus::Added);
    check(&found);
}
