//! Imports as jobs: begun, filled with files, run one at a time per store, remembered for a while.

mod incoming;
mod job;
mod limits;
mod path;
mod refusal;
mod report;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, VecDeque};
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sheaf_answers as api;
use sheaf_ensemble::{AddOptions, ErrorKind, Origin, SymbolFiles};

use crate::Answers;
use crate::http::ApiError;
pub(crate) use incoming::Incoming;
use job::Outcome;
pub(crate) use job::{Job, is_over};
pub use limits::Limits;
pub(crate) use path::UploadPath;
pub(crate) use refusal::Refusal;

/// Parameters that an import may give, and bytes of a name or text of one.
const MAX_PARAMS: usize = 256;
const MAX_PARAM_BYTES: usize = 4096;

/// All imports of the service.
pub(crate) struct Imports {
    stores: BTreeMap<String, Arc<Answers>>,
    policy: api::ImportPolicy,
    /// Where modules of uploaded traces may be.
    symbols: SymbolFiles,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    jobs: BTreeMap<String, Arc<Job>>,
    /// By store; a store that is not there has nothing to do.
    queues: BTreeMap<String, VecDeque<Arc<Job>>>,
    is_stopping: bool,
}

impl Imports {
    /// Imports into `stores`; removes what a service that was killed left in them.
    pub(crate) fn new(
        stores: BTreeMap<String, Arc<Answers>>,
        limits: Limits,
        is_read_only: bool,
        symbols_from: Vec<PathBuf>,
    ) -> Self {
        let reason = "the service is read-only; it was started with `--read-only`";
        if !is_read_only {
            for (store, answers) in &stores {
                match answers.ensemble().remove_dead_workspaces() {
                    Ok(0) => {}
                    Ok(count) => tracing::info!(store, count, "removed leftovers of uploads"),
                    // A store that cannot be written can still be looked at.
                    Err(error) => {
                        tracing::warn!(store, error = %error.chain(), "leftovers stay");
                    }
                }
            }
        }
        Self {
            stores,
            policy: api::ImportPolicy {
                is_allowed: !is_read_only,
                reason: is_read_only.then(|| reason.to_owned()),
                limits: limits.to_wire(),
            },
            symbols: SymbolFiles::Below(symbols_from),
            inner: Mutex::default(),
        }
    }

    pub(crate) fn policy(&self) -> &api::ImportPolicy {
        &self.policy
    }

    /// Begins an import into a store that exists.
    pub(crate) fn begin(
        &self,
        store: &str,
        request: api::ImportRequest,
    ) -> Result<Arc<Job>, Refusal> {
        if let Some(reason) = &self.policy.reason {
            return Err(Refusal::ReadOnly(reason.clone()));
        }
        let options = AddOptions {
            symbols: self.symbols.clone(),
            ..options(request)?
        };
        self.check_room()?;
        let answers = self.answers(store)?;
        let workspace = answers.ensemble().workspace().map_err(|error| {
            if error.is_denied() {
                Refusal::ReadOnly(format!("the store cannot be changed: {}", error.chain()))
            } else {
                Refusal::Ensemble(error)
            }
        })?;
        let id = crate::new_token().map_err(Refusal::io("name the import"))?;
        let limits = self.policy.limits.clone();
        let job = Job::new(id.clone(), store.to_owned(), options, workspace, limits)?;
        let job = Arc::new(job);
        let mut inner = self.lock();
        inner.check_room()?;
        inner.jobs.insert(id, Arc::clone(&job));
        Ok(job)
    }

    fn check_room(&self) -> Result<(), Refusal> {
        self.lock().check_room()
    }

    fn answers(&self, store: &str) -> Result<&Arc<Answers>, Refusal> {
        self.stores
            .get(store)
            .ok_or(Refusal::Internal("the store of the import is not served"))
    }

    /// The import of an id.
    pub(crate) fn get(&self, id: &str) -> Result<Arc<Job>, Refusal> {
        self.lock()
            .jobs
            .get(id)
            .map(Arc::clone)
            .ok_or_else(|| Refusal::Unknown(id.chars().take(64).collect()))
    }

    /// Lets an import run as soon as those before it in its store have ended. Returns whether its
    /// caller has to call [`Imports::work`] for the store, on a thread that may block.
    pub(crate) fn enqueue(&self, job: &Arc<Job>) -> Result<bool, Refusal> {
        let mut inner = self.lock();
        if inner.is_stopping {
            return Err(Refusal::Stopping);
        }
        job.close()?;
        let is_first = !inner.queues.contains_key(&job.store);
        let queue = inner.queues.entry(job.store.clone()).or_default();
        queue.push_back(Arc::clone(job));
        Ok(is_first)
    }

    /// Runs the imports of a store until none is left.
    pub(crate) fn work(&self, store: &str) {
        loop {
            let job = self
                .lock()
                .queues
                .get(store)
                .and_then(|queue| queue.front().cloned());
            if let Some(job) = job {
                self.run(&job);
            }
            let mut inner = self.lock();
            let Some(queue) = inner.queues.get_mut(store) else {
                return;
            };
            queue.pop_front();
            if queue.is_empty() {
                inner.queues.remove(store);
                return;
            }
        }
    }

    fn run(&self, job: &Job) {
        let Some(work) = job.begin() else { return };
        let folder = work.folder();
        let inputs = report::inputs(&folder, &work.files);
        let answers = self.answers(&job.store);
        let options = AddOptions {
            origin: Origin::Received(folder.clone()),
            ..job.options.clone()
        };
        // An import that panicked must not keep the store's later ones from running.
        let added = std::panic::catch_unwind(AssertUnwindSafe(|| {
            answers.map(|answers| answers.add(&inputs, &options, &job.progress))
        }));
        // The outcome is reported after the files were removed.
        drop(work);
        job.end(match added {
            Ok(Ok(Ok(report))) => Outcome::Done(report::in_the_users_words(report, &folder)),
            Ok(Ok(Err(error))) if error.kind() == ErrorKind::Cancelled => Outcome::Cancelled,
            Ok(Ok(Err(error))) => {
                let mut body = ApiError::from_ensemble(&error).into_body();
                body.message = report::text_in_the_users_words(&body.message, &folder);
                Outcome::Failed(body)
            }
            Ok(Err(_)) | Err(_) => {
                tracing::error!(import = job.id(), "import gave up");
                Outcome::Failed(api::ErrorBody {
                    code: api::ErrorCode::Internal,
                    message: "the import gave up; nothing was added".to_owned(),
                    hint: Some("please report this with the files".to_owned()),
                    position: None,
                })
            }
        });
    }

    /// How far an import is.
    pub(crate) fn progress(&self, job: &Job) -> api::ImportProgress {
        let mut progress = job.to_progress();
        if progress.state == api::ImportState::Waiting {
            let inner = self.lock();
            let queue = inner.queues.get(&job.store);
            let place = queue.and_then(|queue| queue.iter().position(|other| other.id == job.id));
            progress.ahead = place.map(|place| place as u64);
        }
        progress
    }

    /// An import in full.
    pub(crate) fn to_wire(&self, job: &Job) -> api::Import {
        job.to_wire(self.progress(job))
    }

    /// Gives up forgotten imports, forgets old outcomes.
    pub(crate) fn tidy(&self) {
        let jobs: Vec<_> = self.lock().jobs.values().cloned().collect();
        for job in &jobs {
            job.give_up_if_idle();
        }
        let mut ended: Vec<_> = jobs
            .iter()
            .filter_map(|job| Some((job.ended()?, job.id.clone())))
            .collect();
        ended.sort();
        let surplus = ended.len().saturating_sub(limits::MAX_KEPT);
        let mut inner = self.lock();
        for (number, (since, id)) in ended.iter().enumerate() {
            if number < surplus || since.elapsed() > limits::KEPT_FOR {
                inner.jobs.remove(id);
            }
        }
    }

    /// Cancels everything; what imports received is removed, by the time their work ends.
    pub(crate) fn stop(&self) {
        let jobs: Vec<_> = {
            let mut inner = self.lock();
            inner.is_stopping = true;
            inner.jobs.values().cloned().collect()
        };
        for job in jobs {
            job.cancel();
        }
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.lock().is_stopping
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn check_room(&self) -> Result<(), Refusal> {
        if self.is_stopping {
            return Err(Refusal::Stopping);
        }
        let open = self.jobs.values().filter(|job| job.ended().is_none());
        if open.count() >= limits::MAX_OPEN {
            return Err(Refusal::TooManyImports);
        }
        Ok(())
    }
}

fn options(request: api::ImportRequest) -> Result<AddOptions, Refusal> {
    let bad = |reason: String| Err(Refusal::BadRequest(reason));
    if request.params.len() > MAX_PARAMS {
        return bad(format!(
            "more than `{MAX_PARAMS}` parameters; leave some out"
        ));
    }
    for (name, value) in &request.params {
        let length = match value {
            api::ParamValue::Text(text) => text.len(),
            _ => 0,
        };
        if name.trim().is_empty() || name.chars().any(char::is_control) {
            let name = name.escape_debug();
            return bad(format!("`{name}` is no name of a parameter; use letters"));
        }
        if name.len().max(length) > MAX_PARAM_BYTES {
            return bad(format!(
                "a parameter has more than `{MAX_PARAM_BYTES}` bytes; shorten it"
            ));
        }
    }
    Ok(AddOptions {
        params: request.params,
        name: request.name.filter(|name| !name.trim().is_empty()),
        format: request.format.filter(|format| !format.is_empty()),
        ..AddOptions::default()
    })
}
