//! Files that are sent over HTTP: added as by the command line, and nothing of them left behind.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::json;
use sheaf_answers::{
    Add, FileStatus, Import, ImportProgress, ImportRequest, ImportState, ParamValue, ReceivedFile,
    Runs, StoreInfo,
};
use sheaf_tests::{Answer, Service, as_json, ask, find, number, text, workspace_root};

/// A store in a folder of its own, without runs.
pub(crate) fn empty_store() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    sheaf_store::Store::create_or_open(folder.path()).unwrap();
    folder
}

/// A recorded trace.
pub(crate) fn trace(name: &str) -> PathBuf {
    workspace_root().join("crates/ingest/fuzz/seeds").join(name)
}

/// What a store keeps for work in progress.
pub(crate) fn temporary(store: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(store.join("tmp")).unwrap();
    entries.map(|entry| entry.unwrap().path()).collect()
}

/// An import of a running service.
pub(crate) struct Upload<'a> {
    pub(crate) service: &'a Service,
    pub(crate) id: String,
}

impl<'a> Upload<'a> {
    #[track_caller]
    pub(crate) fn begin(service: &'a Service, request: &ImportRequest) -> Self {
        let answer = begin(service, request);
        assert_eq!(answer.status, 201, "{}", answer.text());
        let id = answer.read::<Import>().import;
        let location = format!("/api/v1/imports/{id}");
        assert_eq!(answer.header("location"), Some(&*location));
        Self { service, id }
    }

    pub(crate) fn path(&self, rest: &str) -> String {
        format!("/api/v1/imports/{}{rest}", self.id)
    }

    #[track_caller]
    pub(crate) fn send(&self, path: &str, content: &[u8]) -> Answer {
        let path = self.path(&format!("/files?path={}", Service::encode(path)));
        self.service
            .send("PUT", &path, "application/octet-stream", content)
    }

    #[track_caller]
    pub(crate) fn send_trace(&self, path: &str, name: &str) {
        let answer = self.send(path, &std::fs::read(trace(name)).unwrap());
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert_eq!(answer.read::<ReceivedFile>().path, path);
    }

    #[track_caller]
    pub(crate) fn post(&self, rest: &str) -> Answer {
        self.service
            .send("POST", &self.path(rest), "application/json", b"")
    }

    #[track_caller]
    pub(crate) fn state(&self) -> Import {
        self.service.read(&self.path(""))
    }

    /// Starts, and waits for the end.
    #[track_caller]
    pub(crate) fn finish(&self) -> Import {
        let started = self.post("/start");
        assert_eq!(started.status, 202, "{}", started.text());
        self.wait()
    }

    #[track_caller]
    pub(crate) fn wait(&self) -> Import {
        let mut state = self.state();
        wait_for(|| {
            state = self.state();
            let ended = [
                ImportState::Done,
                ImportState::Failed,
                ImportState::Cancelled,
            ];
            ended.contains(&state.progress.state)
        });
        state
    }
}

/// Waits until something holds that another process brings about.
#[track_caller]
pub(crate) fn wait_for(mut holds: impl FnMut() -> bool) {
    let since = Instant::now();
    while !holds() {
        assert!(since.elapsed() < Duration::from_secs(60), "in vain");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[track_caller]
pub(crate) fn begin(service: &Service, request: &impl Serialize) -> Answer {
    let body = as_json(request);
    service.send(
        "POST",
        "/api/v1/imports",
        "application/json",
        body.as_bytes(),
    )
}

fn report(import: &Import) -> &Add {
    import.report.as_ref().unwrap()
}

/// Path and status of each file of a report.
fn statuses(import: &Import) -> Vec<(&str, FileStatus)> {
    let files = report(import).files.iter();
    files
        .map(|file| (file.path.as_str(), file.status))
        .collect()
}

fn runs_of(service: &Service) -> u64 {
    service.read::<StoreInfo>("/api/v1/store").runs
}

#[test]
fn sent_files_are_added() {
    let store = empty_store();
    let service = Service::start(store.path(), &[]);
    let info: StoreInfo = service.read("/api/v1/store");
    assert!(info.imports.is_allowed);
    assert_eq!(info.imports.limits.files, 20_000);

    let params = json!({"version": "1.10", "threads_asked": 4, "is_nightly": true});
    let request = ImportRequest {
        params: serde_json::from_value(params).unwrap(),
        ..ImportRequest::default()
    };
    let import = Upload::begin(&service, &request);
    import.send_trace("fib.gstrace", "fib.gstrace");
    import.send_trace("sweep/a b/depend.gstrace", "depend.gstrace");
    assert_eq!(import.send("sweep/README.md", b"not a run").status, 200);
    assert_eq!(import.send("notes.txt", b"hello\n").status, 200);
    assert_eq!(import.state().progress.files, 4);
    let done = import.finish();
    assert_eq!(done.schema, "import/1");
    assert_eq!(done.progress.state, ImportState::Done, "{done:?}");
    assert_eq!(report(&done).schema, "add/1");
    let expected = [
        ("fib.gstrace", FileStatus::Added),
        ("notes.txt", FileStatus::Refused),
        ("sweep/a b/depend.gstrace", FileStatus::Added),
    ];
    assert_eq!(statuses(&done), expected, "{done:?}");
    let files = &report(&done).files;
    assert!(
        files[1]
            .error
            .as_ref()
            .is_some_and(|error| !error.is_empty())
    );
    let skipped = find(&files[2].report, |one| one.kind == "skipped_other_files");
    assert_eq!(skipped.first.as_deref(), Some("sweep/README.md"));
    let folder = store.path().to_string_lossy();
    assert!(!as_json(&done).contains(&*folder), "{done:?}");
    assert_eq!(temporary(store.path()), Vec::<PathBuf>::new());

    // Answers know the runs at once, under no trace of where the files lay.
    let runs: Runs = service.read("/api/v1/runs");
    assert_eq!(runs.runs.len(), 2);
    let params = &runs.runs[0].params;
    assert_eq!(text(&params["version"]), "1.10");
    assert!((number(&params["threads_asked"]) - 4.0).abs() < f64::EPSILON);
    assert_eq!(params["is_nightly"], ParamValue::Boolean(true));
    assert!(!as_json(&runs).contains(&*folder), "{runs:?}");

    let listed = runs.runs.iter();
    let mut sources: Vec<&str> = listed
        .map(|run| run.source.as_ref().unwrap().file.as_str())
        .collect();
    sources.sort_unstable();
    assert_eq!(sources, ["fib.gstrace", "sweep/a b/depend.gstrace"]);

    let again = Upload::begin(&service, &ImportRequest::default());
    again.send_trace("other-name.gstrace", "fib.gstrace");
    let done = again.finish();
    assert_eq!(
        statuses(&done),
        [("other-name.gstrace", FileStatus::Present)]
    );
    assert_eq!(report(&done).files[0].runs, files[0].runs);
}

/// Routes about one run take what names it on the command line.
#[test]
fn one_run_is_named_by_its_import() {
    let store = empty_store();
    let service = Service::start(store.path(), &[]);
    let ask = |selector: &str, rest: &str| {
        let selector = Service::encode(selector);
        service.get(&format!("/api/v1/runs/{selector}{rest}"))
    };
    let routes = [
        "",
        "/grains",
        "/tree",
        "/groups",
        "/paths",
        "/problems",
        "/timeline",
        "/loops",
        "/scheduling",
        "/parallelism",
    ];
    for names in [&["fib.gstrace"][..], &["fib.gstrace", "depend.gstrace"]] {
        let import = Upload::begin(&service, &ImportRequest::default());
        for name in names {
            import.send_trace(name, name);
        }
        import.finish();
        for selector in ["@new", "run = @new"] {
            for route in routes {
                let answer = ask(selector, route);
                let text = answer.text();
                if let [_] = names {
                    assert_eq!(answer.status, 200, "{route} {selector}: {text}");
                } else {
                    assert_eq!(answer.status, 404, "{route} {selector}: {text}");
                    let expected = format!("`{selector}` names 2 runs, and one is needed: `");
                    let message = answer.message();
                    assert!(message.contains(&expected), "{route}: {message}");
                }
            }
        }
    }
}

#[test]
fn the_report_is_that_of_the_command_line() {
    let (one, other) = (empty_store(), empty_store());
    let path = trace("taskloop.gstrace");
    let mut expected: Add = ask(one.path(), &["add", path.to_str().unwrap()]);
    expected.files[0].path = "taskloop.gstrace".to_owned();
    let service = Service::start(other.path(), &["--symbols-from", "/"]);
    let import = Upload::begin(&service, &ImportRequest::default());
    import.send_trace("taskloop.gstrace", "taskloop.gstrace");
    assert_eq!(import.finish().report, Some(expected));
    let runs = |store: &Path| {
        let mut runs: Runs = ask(store, &["runs"]);
        let source = runs.runs[0].source.as_mut().unwrap();
        assert!(source.imported.take().is_some());
        runs
    };
    assert_eq!(runs(other.path()), runs(one.path()));
}

#[test]
fn events_tell_until_the_end() {
    let store = empty_store();
    let service = Service::start(store.path(), &[]);
    let import = Upload::begin(&service, &ImportRequest::default());
    import.send_trace("imbalance.gstrace", "imbalance.gstrace");
    let token = format!("Bearer {}", service.token);
    let headers = [("Authorization", &*token), ("Accept-Encoding", "gzip")];
    let events = service.open("GET", &import.path("/events"), &headers);
    let mut lines = BufReader::new(events).lines().map(Result::unwrap);
    let mut next = || {
        let line = lines.find(|line| line.starts_with("data: "));
        line.map(|line| serde_json::from_str::<ImportProgress>(&line[6..]).unwrap())
    };
    let first = next().unwrap();
    assert_eq!(first.state, ImportState::Receiving);
    assert_eq!(
        first.bytes,
        std::fs::metadata(trace("imbalance.gstrace")).unwrap().len()
    );
    assert_eq!(import.post("/start").status, 202);
    let mut last = first;
    while let Some(event) = next() {
        last = event;
    }
    assert_eq!(last.state, ImportState::Done);
    // A late client gets the end.
    let late = service.get(&import.path("/events"));
    assert_eq!(late.header("content-type"), Some("text/event-stream"));
    assert!(late.text().contains(r#""state":"done""#), "{}", late.text());
}

#[test]
fn two_imports_at_once() {
    let store = empty_store();
    let service = Service::start(store.path(), &[]);
    std::thread::scope(|scope| {
        for name in [
            "fib.gstrace",
            "depend.gstrace",
            "imbalance.gstrace",
            "taskloop.gstrace",
        ] {
            let service = &service;
            scope.spawn(move || {
                let import = Upload::begin(service, &ImportRequest::default());
                import.send_trace("run.gstrace", name);
                let done = import.finish();
                assert_eq!(statuses(&done), [("run.gstrace", FileStatus::Added)]);
            });
        }
    });
    assert_eq!(runs_of(&service), 4);
    assert_eq!(temporary(store.path()), Vec::<PathBuf>::new());
}

#[test]
fn a_file_sent_again_replaces_the_first() {
    let store = empty_store();
    let service = Service::start(store.path(), &[]);
    let import = Upload::begin(&service, &ImportRequest::default());
    assert_eq!(import.send("run", b"half").status, 200);
    import.send_trace("run", "fib.gstrace");
    let bytes = std::fs::metadata(trace("fib.gstrace")).unwrap().len();
    let state = import.state();
    assert_eq!(state.progress.bytes, bytes);
    let path = "run".to_owned();
    assert_eq!(state.files, [ReceivedFile { path, bytes }]);
    assert_eq!(statuses(&import.finish()), [("run", FileStatus::Added)]);
}

#[test]
fn cancelled_imports_leave_nothing() {
    let store = empty_store();
    let service = Service::start(store.path(), &[]);
    let import = Upload::begin(&service, &ImportRequest::default());
    import.send_trace("fib.gstrace", "fib.gstrace");
    assert_eq!(temporary(store.path()).len(), 1);
    // One file is still on its way.
    let token = format!("Bearer {}", service.token);
    let headers = [("Authorization", &*token), ("Content-Length", "1000000")];
    let mut sending = service.open("PUT", &import.path("/files?path=slow"), &headers);
    sending.write_all(&vec![0; 400_000]).unwrap();
    let headers = [("Authorization", &*token)];
    let cancelled = service.ask("DELETE", &import.path(""), &headers);
    assert_eq!(cancelled.status, 200);
    let cancelled: Import = cancelled.read();
    assert_eq!(cancelled.progress.state, ImportState::Cancelled);
    assert_eq!(temporary(store.path()), Vec::<PathBuf>::new());
    let _ = sending.write_all(&vec![0; 600_000]);
    assert_eq!(Service::answer_of(sending).status, 409);
    assert_eq!(temporary(store.path()), Vec::<PathBuf>::new());
    assert_eq!(import.post("/start").code(), "conflict");
    // Cancelling what has ended changes nothing.
    assert_eq!(
        service.ask("DELETE", &import.path(""), &headers).status,
        200
    );
    assert_eq!(runs_of(&service), 0);
}

#[test]
fn an_aborted_file_leaves_nothing() {
    let store = empty_store();
    let service = Service::start(store.path(), &[]);
    let import = Upload::begin(&service, &ImportRequest::default());
    let token = format!("Bearer {}", service.token);
    let headers = [("Authorization", &*token), ("Content-Length", "1000000")];
    let mut sending = service.open("PUT", &import.path("/files?path=half"), &headers);
    sending.write_all(&vec![0; 600_000]).unwrap();
    wait_for(|| import.state().progress.bytes != 0);
    drop(sending);
    wait_for(|| files_below(store.path()) == 0 && import.state().progress.bytes == 0);
    assert_eq!(import.state().files, []);
    import.send_trace("half", "fib.gstrace");
    assert_eq!(statuses(&import.finish()), [("half", FileStatus::Added)]);
}

/// Files of uploads, leases aside.
pub(crate) fn files_below(store: &Path) -> usize {
    let mut waiting = temporary(store);
    let mut count = 0;
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            waiting.extend(
                std::fs::read_dir(path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
        } else if path.file_name() != Some("lease.json".as_ref()) {
            count += 1;
        }
    }
    count
}

#[test]
fn a_killed_service_is_cleaned_up_after() {
    let store = empty_store();
    let mut service = Service::start(store.path(), &[]);
    let import = Upload::begin(&service, &ImportRequest::default());
    import.send_trace("fib.gstrace", "fib.gstrace");
    service.kill();
    assert_eq!(temporary(store.path()).len(), 1);
    let again = Service::start(store.path(), &[]);
    assert_eq!(temporary(store.path()), Vec::<PathBuf>::new());
    assert_eq!(runs_of(&again), 0);
}

#[test]
fn a_stopped_service_leaves_nothing() {
    let store = empty_store();
    let mut service = Service::start(store.path(), &[]);
    let import = Upload::begin(&service, &ImportRequest::default());
    import.send_trace("fib.gstrace", "fib.gstrace");
    let token = format!("Bearer {}", service.token);
    let headers = [("Authorization", &*token)];
    // Whoever watches does not keep the service from stopping.
    let events = service.open("GET", &import.path("/events"), &headers);
    let mut lines = BufReader::new(events).lines();
    assert!(lines.any(|line| line.unwrap().starts_with("data: ")));
    let since = Instant::now();
    assert!(service.terminate());
    assert!(
        since.elapsed() < Duration::from_secs(4),
        "{:?}",
        since.elapsed()
    );
    assert_eq!(temporary(store.path()), Vec::<PathBuf>::new());
}
