//! One import: a state, the files that arrived, the outcome.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use sheaf_answers as api;
use sheaf_answers::ImportState;
use sheaf_ensemble::{AddOptions, Workspace};
use sheaf_model::Progress;

use super::limits::IDLE;
use super::{Incoming, Refusal, UploadPath};

/// Folder of the workspace in which files lie as their user named them.
const FILES: &str = "files";

/// Folder of the workspace in which files lie that are still being received.
const PARTS: &str = "parts";

/// An import.
pub(crate) struct Job {
    pub(super) id: String,
    pub(super) store: String,
    pub(super) options: AddOptions,
    pub(super) progress: Progress,
    pub(super) limits: api::ImportLimits,
    step: Arc<Mutex<Option<api::ImportStep>>>,
    inner: Mutex<Inner>,
}

pub(super) struct Inner {
    pub(super) state: ImportState,
    /// There until the import ends.
    workspace: Option<Workspace>,
    /// Files that arrived whole.
    pub(super) files: BTreeMap<UploadPath, u64>,
    /// Files that are being received, with the number of their latest part.
    pub(super) incoming: BTreeMap<UploadPath, u64>,
    /// Bytes of both.
    pub(super) bytes: u64,
    /// Number of the next part.
    next_part: u64,
    pub(super) touched: Instant,
    report: Option<api::Add>,
    error: Option<api::ErrorBody>,
}

/// What to read, and where it lies.
pub(super) struct Work {
    workspace: Workspace,
    pub(super) files: Vec<UploadPath>,
}

/// How an import ends.
pub(super) enum Outcome {
    Done(api::Add),
    Cancelled,
    Failed(api::ErrorBody),
}

impl Job {
    pub(super) fn new(
        id: String,
        store: String,
        options: AddOptions,
        workspace: Workspace,
        limits: api::ImportLimits,
    ) -> Result<Self, Refusal> {
        for folder in [FILES, PARTS] {
            std::fs::create_dir(workspace.folder().join(folder))
                .map_err(Refusal::io("make room for the files"))?;
        }
        let step = Arc::new(Mutex::new(None));
        let shown = Arc::clone(&step);
        let progress = Progress::watched(move |step| {
            let step = api::ImportStep {
                name: step.name.clone(),
                done: step.done,
                total: step.total,
            };
            *lock(&shown) = Some(step);
        });
        Ok(Self {
            id,
            store,
            options,
            progress,
            limits,
            step,
            inner: Mutex::new(Inner {
                state: ImportState::Receiving,
                workspace: Some(workspace),
                files: BTreeMap::new(),
                incoming: BTreeMap::new(),
                bytes: 0,
                next_part: 0,
                touched: Instant::now(),
                report: None,
                error: None,
            }),
        })
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Inner> {
        lock(&self.inner)
    }

    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    pub(crate) fn store(&self) -> &str {
        &self.store
    }

    /// Makes room for a file.
    pub(crate) fn receive(self: &Arc<Self>, path: UploadPath) -> Result<Incoming, Refusal> {
        let mut inner = self.lock();
        let folder = inner.receiving_folder()?.to_owned();
        let is_new = |path: &UploadPath| !inner.files.contains_key(path);
        let others = inner.incoming.keys().filter(|other| **other != path);
        let coming = others.chain([&path]).filter(|path| is_new(path)).count();
        let count = inner.files.len() + coming;
        if count as u64 > self.limits.files {
            return Err(Refusal::TooLarge(format!(
                "the import has more than `{}` files; send them in several imports, or use \
                 `grainsheaf add`",
                self.limits.files
            )));
        }
        let number = inner.next_part;
        inner.next_part += 1;
        let part = folder.join(PARTS).join(number.to_string());
        let file =
            std::fs::File::create_new(&part).map_err(Refusal::io("make room for the file"))?;
        // A sender that begins again need not wait until its broken connection is noticed.
        inner.incoming.insert(path.clone(), number);
        inner.touched = Instant::now();
        drop(inner);
        Ok(Incoming::new(Arc::clone(self), path, number, file, part))
    }

    /// Puts a file that arrived whole into its place.
    pub(super) fn keep(
        &self,
        path: &UploadPath,
        number: u64,
        part: &Path,
        bytes: u64,
    ) -> Result<(), Refusal> {
        let mut inner = self.lock();
        inner.check_latest(path, number)?;
        let target = inner.receiving_folder()?.join(FILES).join(path.to_path());
        let is_file_in_the_way = |_| {
            Refusal::Conflict(format!(
                "`{}` is both a file and a folder of this import",
                path.as_str()
            ))
        };
        if let Some(folder) = target.parent() {
            std::fs::create_dir_all(folder).map_err(is_file_in_the_way)?;
        }
        std::fs::rename(part, &target).map_err(is_file_in_the_way)?;
        if let Some(before) = inner.files.insert(path.clone(), bytes) {
            inner.bytes = inner.bytes.saturating_sub(before);
        }
        inner.touched = Instant::now();
        Ok(())
    }

    /// No more files: what was received is to be read.
    pub(super) fn close(&self) -> Result<(), Refusal> {
        let mut inner = self.lock();
        inner.receiving_folder()?;
        if !inner.incoming.is_empty() {
            return Err(Refusal::Conflict(format!(
                "`{}` files are still being received; start when they are there",
                inner.incoming.len()
            )));
        }
        if inner.files.is_empty() {
            return Err(Refusal::Conflict(
                "the import has no files; send some first".to_owned(),
            ));
        }
        inner.state = ImportState::Waiting;
        Ok(())
    }

    /// Hands out the work, unless the import was cancelled while it waited.
    pub(super) fn begin(&self) -> Option<Work> {
        let mut inner = self.lock();
        if inner.state != ImportState::Waiting {
            return None;
        }
        let workspace = inner.workspace.take()?;
        inner.state = ImportState::Running;
        Some(Work {
            workspace,
            files: inner.files.keys().cloned().collect(),
        })
    }

    pub(super) fn end(&self, outcome: Outcome) {
        let mut inner = self.lock();
        match outcome {
            Outcome::Done(report) => {
                inner.state = ImportState::Done;
                inner.report = Some(report);
            }
            Outcome::Cancelled => inner.state = ImportState::Cancelled,
            Outcome::Failed(error) => {
                inner.state = ImportState::Failed;
                inner.error = Some(error);
            }
        }
        inner.touched = Instant::now();
    }

    /// Stops the import; removes what it received, at once or when its work has stopped.
    pub(crate) fn cancel(&self) {
        let mut inner = self.lock();
        match inner.state {
            ImportState::Receiving | ImportState::Waiting => {
                inner.state = ImportState::Cancelled;
                inner.touched = Instant::now();
            }
            ImportState::Running => inner.state = ImportState::Cancelling,
            _ => return,
        }
        self.progress.cancel();
        let workspace = inner.workspace.take();
        drop(inner);
        // Removing files takes a while, so the lock is released before.
        drop(workspace);
    }

    /// Gives up an import that its user forgot.
    pub(super) fn give_up_if_idle(&self) {
        let mut inner = self.lock();
        let is_idle = inner.state == ImportState::Receiving
            && inner.incoming.is_empty()
            && inner.touched.elapsed() > IDLE;
        if !is_idle {
            return;
        }
        let minutes = IDLE.as_secs() / 60;
        inner.error = Some(api::ErrorBody {
            code: api::ErrorCode::Conflict,
            message: format!("given up: nothing arrived for `{minutes}` minutes"),
            hint: Some("send the files again".to_owned()),
            position: None,
        });
        drop(inner);
        self.cancel();
    }

    /// Whether nothing about it changes any more, and since when.
    pub(super) fn ended(&self) -> Option<Instant> {
        let inner = self.lock();
        is_over(inner.state).then_some(inner.touched)
    }

    pub(super) fn to_progress(&self) -> api::ImportProgress {
        let inner = self.lock();
        let is_running = matches!(inner.state, ImportState::Running | ImportState::Cancelling);
        let step = is_running.then(|| lock(&self.step).clone()).flatten();
        api::ImportProgress {
            state: inner.state,
            files: inner.files.len() as u64,
            bytes: inner.bytes,
            ahead: None,
            step,
        }
    }

    pub(super) fn to_wire(&self, progress: api::ImportProgress) -> api::Import {
        let inner = self.lock();
        let files = inner.files.iter().map(|(path, bytes)| api::ReceivedFile {
            path: path.as_str().to_owned(),
            bytes: *bytes,
        });
        api::Import {
            schema: "import/1".to_owned(),
            import: self.id.clone(),
            store: self.store.clone(),
            limits: self.limits.clone(),
            progress,
            files: files.collect(),
            report: inner.report.clone(),
            error: inner.error.clone(),
        }
    }
}

impl Inner {
    /// Fails when the file is being sent anew.
    pub(super) fn check_latest(&self, path: &UploadPath, number: u64) -> Result<(), Refusal> {
        if self.incoming.get(path) == Some(&number) {
            return Ok(());
        }
        let path = path.as_str();
        Err(Refusal::Conflict(format!(
            "file `{path}` was sent again meanwhile; the later one counts"
        )))
    }

    /// Bytes of all files but the one that `path` replaces.
    pub(super) fn bytes_beside(&self, path: &UploadPath) -> u64 {
        let replaced = self.files.get(path).copied().unwrap_or_default();
        self.bytes.saturating_sub(replaced)
    }

    /// The workspace, as long as files are received.
    pub(super) fn receiving_folder(&self) -> Result<&Path, Refusal> {
        match (&self.workspace, self.state) {
            (Some(workspace), ImportState::Receiving) => Ok(workspace.folder()),
            (_, ImportState::Cancelled | ImportState::Cancelling) => {
                Err(Refusal::Conflict("the import was cancelled".to_owned()))
            }
            _ => Err(Refusal::Conflict(
                "the import was started already; begin another one for further files".to_owned(),
            )),
        }
    }
}

impl Work {
    /// Folder below which the files have the paths that they were sent with.
    pub(super) fn folder(&self) -> PathBuf {
        self.workspace.folder().join(FILES)
    }
}

/// Whether an import in this state stays as it is.
pub(crate) fn is_over(state: ImportState) -> bool {
    matches!(
        state,
        ImportState::Done | ImportState::Failed | ImportState::Cancelled
    )
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
