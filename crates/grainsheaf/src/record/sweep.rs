//! A sweep: every launch prepared, executed, imported.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use sheaf_answers::{FileStatus, RecordedRun};
use sheaf_ensemble::{AddOptions, Origin, SIDECAR, Sidecar, SymbolFiles};
use sheaf_model::{Lens, ParamValue, Progress};
use sheaf_server::Answers;

use super::cost::Pairs;
use super::diagnosis::{self, Evidence};
use super::elf::{self, Binary};
use super::input::SharedInput;
use super::launch::{Ending, Outcome, Setting, launch};
use super::plan::{Launch, launches, thread_choices};
use super::program::Program;
use super::resume::{self, Wanted, is_held};
use super::runtime::Runtime;
use super::traces::{TraceFolder, disk_full};
use crate::cli::record::RecordArguments;
use crate::console::Console;
use crate::failure::{Exit, Failure};
use crate::interrupt::Interrupt;

mod reference;
mod setback;
#[cfg(test)]
mod tests;

use setback::{Setback, by_ending, interrupted, not_whole, trouble, without_content};

/// Variables that each recorded launch has of its own, so that users cannot set them.
pub(super) const OWN_VARIABLES: [&str; 4] = [
    "OMP_TOOL",
    "OMP_TOOL_LIBRARIES",
    "GRAINSHEAF_TRACE_DIR",
    "GRAINSHEAF_LAUNCH",
];
/// Names the libraries that are loaded first.
const PRELOAD: &str = "LD_PRELOAD";

/// All that the launches of a sweep share.
pub(crate) struct Sweep<'a> {
    /// What the user asked for.
    pub(crate) arguments: &'a RecordArguments,
    /// Where runs go.
    pub(crate) answers: &'a Answers,
    /// What is launched.
    pub(crate) program: Program,
    /// The runtime under it.
    pub(crate) runtime: Runtime,
    /// The recorder.
    pub(crate) recorder: PathBuf,
    /// Parameters of every run.
    pub(crate) params: BTreeMap<String, ParamValue>,
    /// Where messages are printed.
    pub(crate) console: Console,
    /// Whether to stop.
    pub(crate) interrupt: Interrupt,
    /// Launches with and without the recorder.
    pub(crate) pairs: Mutex<Pairs>,
    /// Standard input, where several launches share it.
    pub(crate) input: Option<SharedInput>,
    /// The import of the runs that were put into the store; each launch goes on with it.
    pub(crate) batch: Mutex<Option<String>>,
}

/// What a sweep came to.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// Runs in the store, in the order of their launches.
    pub(crate) runs: Vec<RecordedRun>,
    /// Launches that the store held already.
    pub(crate) held: usize,
    /// Whether any launch failed or gave no complete run.
    pub(crate) has_failures: bool,
    /// Why the sweep ended early.
    pub(crate) stopped_by: Option<Failure>,
}

/// One launch's settings.
struct Task {
    launch: Launch,
    name: String,
    params: BTreeMap<String, ParamValue>,
}

impl Sweep<'_> {
    /// Does every launch; what was recorded until something stops the sweep stays recorded.
    pub(crate) fn run(&self) -> Tally {
        let mut tally = Tally::default();
        if let Err(failure) = self.launch_all(&mut tally) {
            tally.stopped_by = Some(failure);
        }
        tally
    }

    fn launch_all(&self, tally: &mut Tally) -> Result<(), Failure> {
        let tasks = self.missing(tally)?;
        if tasks.is_empty() {
            return Ok(());
        }
        self.warm_up()?;
        for task in &tasks {
            if self.interrupt.is_set() {
                break;
            }
            self.console.step(&task.launch.label());
            match self.record(task) {
                Ok((runs, trouble)) => {
                    tally.runs.extend(runs);
                    if let Some(trouble) = &trouble {
                        tally.has_failures = true;
                        self.console.failure(trouble);
                    }
                }
                Err(Setback::Sweep(failure)) => return Err(failure),
                Err(Setback::First(failure)) if tally.runs.is_empty() => return Err(failure),
                Err(Setback::First(failure) | Setback::Launch(failure)) => {
                    tally.has_failures = true;
                    self.console.failure(&failure);
                }
            }
            self.console.advance(1);
        }
        Ok(())
    }

    /// Launches of a sweep with these arguments, warm-ups included.
    pub(crate) fn size(arguments: &RecordArguments) -> u64 {
        let choices = thread_choices(&arguments.threads).len() as u64;
        choices * (u64::from(arguments.repeat) + u64::from(arguments.warmup))
    }

    fn missing(&self, tally: &mut Tally) -> Result<Vec<Task>, Failure> {
        let held = if self.arguments.resume {
            self.answers.runs(&Lens::default())?.runs
        } else {
            Vec::new()
        };
        let all = launches(&self.arguments.threads, self.arguments.repeat);
        let is_single = all.len() == 1;
        let tasks = all.into_iter().map(|launch| self.task(launch, is_single));
        let built = self.program.built();
        let scripts = resume::texts_of(&self.arguments.command, &self.program.started);
        let (found, missing): (Vec<_>, Vec<_>) = tasks.partition(|task| {
            let given = self.setting(task.launch.threads, Vec::new(), false);
            let wanted = Wanted {
                name: &task.name,
                params: &task.params,
                variables: resume::variables(std::env::vars_os().chain(given.environment)),
                scripts: &scripts,
                built,
            };
            is_held(&held, &wanted)
        });
        tally.held = found.len();
        self.console.advance(found.len() as u64);
        Ok(missing)
    }

    fn task(&self, launch: Launch, is_single: bool) -> Task {
        let mut params = self.params.clone();
        if let Some(threads) = launch.threads {
            params.insert("threads".to_owned(), ParamValue::Number(f64::from(threads)));
        }
        params.insert(
            "repeat".to_owned(),
            ParamValue::Number(f64::from(launch.repeat)),
        );
        let name = match &self.arguments.name {
            Some(name) if is_single => name.clone(),
            Some(name) => format!("{name}-{}", launch.suffix()),
            None => {
                let given = self.arguments.params.iter();
                let mut parts = vec![self.program.name()];
                parts.extend(given.map(|(name, value)| format!("{name}={value}")));
                parts.push(launch.suffix());
                parts.join("-")
            }
        };
        Task {
            launch,
            name,
            params,
        }
    }

    fn warm_up(&self) -> Result<(), Failure> {
        for threads in thread_choices(&self.arguments.threads) {
            for _ in 0..self.arguments.warmup {
                if self.interrupt.is_set() {
                    return Ok(());
                }
                self.console.step("warming up");
                self.execute(&self.untooled(threads))?;
                self.console.advance(1);
            }
        }
        Ok(())
    }

    /// One recorded launch: its runs, several when it starts several programs, and what went wrong
    /// although there are runs.
    fn record(&self, task: &Task) -> Result<(Vec<RecordedRun>, Option<Failure>), Setback> {
        let traces = TraceFolder::make(self.arguments.keep_traces.as_deref(), &task.name)?;
        let (outcome, reference) = self.execute_both(task.launch, &traces)?;
        let is_interrupted = outcome.ending == Ending::Interrupted;
        let Some(input) = traces.input(&task.name) else {
            if is_interrupted {
                return Err(Setback::Sweep(interrupted(task.launch)));
            }
            return Err(self.explain(&outcome, &traces));
        };
        let options = self.options(task, &outcome, reference, &traces);
        let added = match self.answers.add(&[input], &options, &Progress::silent()) {
            Ok(added) => added,
            Err(error) => return Err(self.not_stored(task, &error.into(), traces)),
        };
        if added.batch.is_some() {
            *self.batch.lock().unwrap_or_else(PoisonError::into_inner) = added.batch;
        }
        for warning in &added.warnings {
            self.console.warning(warning);
        }
        let file = added.files.first();
        let ids = file
            .filter(|file| file.status != FileStatus::Refused)
            .map_or(&[][..], |file| &file.runs);
        if ids.is_empty() {
            if is_interrupted {
                return Err(Setback::Sweep(interrupted(task.launch)));
            }
            let reason = file.and_then(|file| file.error.as_deref());
            return Err(self.refused(task, reason.unwrap_or("it holds no run"), &outcome, traces));
        }
        let runs = ids
            .iter()
            .map(|id| self.recorded(id, task, &outcome, reference));
        let runs: Vec<RecordedRun> = runs.collect::<Result<_, _>>()?;
        let has_status = options.params_file.is_some();
        let trouble = trouble(&self.program, task.launch, &outcome, has_status);
        let trouble = trouble.or_else(|| not_whole(task.launch, &runs, &traces));
        Ok((runs, trouble))
    }

    /// Description of the runs of a launch, which is also written next to their traces.
    fn options(
        &self,
        task: &Task,
        outcome: &Outcome,
        reference: Option<i64>,
        traces: &TraceFolder,
    ) -> AddOptions {
        let mut params = task.params.clone();
        params.extend(outcome.ending.ended_by());
        let options = AddOptions {
            params,
            name: Some(task.name.clone()),
            reference_elapsed_ns: reference,
            ended_early: outcome.ending.is_early(),
            origin: Origin::Recorded,
            // `@new` means all runs of the sweep.
            continued: self.batch(),
            symbols: SymbolFiles::Anywhere,
            ..AddOptions::default()
        };
        // A shell that started the program may end with another status than the program.
        let status = (outcome.ending.status())
            .and_then(|status| traces.exit_status(outcome.process, status));
        // Only traces that stay need the description; a full folder does not keep the run out of the store.
        if let Err(failure) = traces.describe(&options, status.as_deref().unwrap_or_default())
            && self.arguments.keep_traces.is_some()
        {
            self.console.warning(&failure.message);
        }
        let section = status.and_then(|text| Sidecar::parse(&text, Path::new(SIDECAR)).ok());
        AddOptions {
            params_file: section,
            ..options
        }
    }

    /// The import of what was recorded so far.
    pub(crate) fn batch(&self) -> Option<String> {
        let batch = self.batch.lock().unwrap_or_else(PoisonError::into_inner);
        batch.clone()
    }

    fn recorded(
        &self,
        id: &str,
        task: &Task,
        outcome: &Outcome,
        reference: Option<i64>,
    ) -> Result<RecordedRun, Failure> {
        let stored = self.answers.run(id)?;
        let mut warnings = stored.warnings;
        let grains = stored.grains.unwrap_or_default();
        if grains == 0 {
            let name = self.program.name();
            warnings.push(format!(
                "`{name}` created no tasks and ran no loop chunks that the runtime reports"
            ));
        }
        Ok(RecordedRun {
            run: id.to_owned(),
            threads: task.launch.threads,
            repeat: task.launch.repeat,
            grains,
            // The same clock as the reference: the trace begins later and ends earlier.
            elapsed_ns: Some(nanos(outcome.elapsed)),
            reference_elapsed_ns: reference,
            is_complete: stored.is_complete,
            warnings,
        })
    }

    fn execute(&self, setting: &Setting) -> Result<Outcome, Failure> {
        launch(setting, &self.console, &self.interrupt)
    }

    fn untooled(&self, threads: Option<u32>) -> Setting {
        self.setting(threads, vec![("OMP_TOOL".into(), "disabled".into())], false)
    }

    fn tooled(&self, launch: Launch, traces: &TraceFolder) -> Setting {
        let values: [OsString; 4] = [
            "enabled".into(),
            self.recorder.clone().into(),
            traces.path().into(),
            launch_id().into(),
        ];
        let names = OWN_VARIABLES.into_iter().map(OsString::from);
        self.setting(launch.threads, names.zip(values).collect(), true)
    }

    fn setting(
        &self,
        threads: Option<u32>,
        tool: Vec<(OsString, OsString)>,
        is_recorded: bool,
    ) -> Setting {
        let mut environment: Vec<(OsString, OsString)> = Vec::new();
        if let Some(threads) = threads {
            environment.push(("OMP_NUM_THREADS".into(), threads.to_string().into()));
        }
        // The recorder sees calls of MPI, waits for iterations, and calls that create tasks in programs of GCC, if it is
        // loaded before the libraries of these functions.
        let runtime = self.runtime.preload.as_ref();
        let is_first = is_recorded && (self.program.has_wrapped_calls || runtime.is_some());
        let recorder = is_first.then_some(&self.recorder);
        let preloaded: Vec<&Path> = recorder
            .into_iter()
            .chain(runtime)
            .map(PathBuf::as_path)
            .collect();
        let given = self.arguments.environment.iter();
        environment.extend(given.map(|(name, value)| (name.into(), value.into())));
        if !preloaded.is_empty() {
            let last = environment.iter().rfind(|(name, _)| name == PRELOAD);
            let others = last.map(|(_, value)| value.clone());
            let others = others.or_else(|| std::env::var_os(PRELOAD));
            environment.push((PRELOAD.into(), preload(&preloaded, others)));
        }
        environment.extend(tool);
        Setting {
            command: self.arguments.command.clone(),
            environment,
            limit: self.arguments.timeout.map(Duration::from_secs_f64),
            input: self.input.clone(),
        }
    }

    fn explain(&self, outcome: &Outcome, traces: &TraceFolder) -> Setback {
        if traces.is_full() {
            return Setback::Sweep(disk_full(traces.path()));
        }
        if traces.has_empty() {
            return by_ending(outcome, without_content(traces.path()));
        }
        let failure = diagnosis::nothing_recorded(&Evidence {
            program: &self.program,
            runtime: &self.runtime,
            recorder: &self.recorder,
            ending: outcome.ending,
            can_load: matches!(elf::inspect(&self.recorder), Binary::Dynamic(_)),
        });
        by_ending(outcome, failure)
    }

    /// A trace that the store does not take: it is kept for when the store does. The other launches go on if that
    /// was asked for.
    fn not_stored(&self, task: &Task, failure: &Failure, traces: TraceFolder) -> Setback {
        let label = task.launch.label();
        let message = format!(
            "{label} is recorded but not in the store: {}",
            failure.message
        );
        let kept = traces.keep();
        let hint = format!(
            "the trace is kept: {}; `grainsheaf add` puts it into the store",
            kept.display()
        );
        let failure = Failure::new(failure.exit, message).with_hint(hint);
        if self.arguments.keep_going {
            Setback::Launch(failure)
        } else {
            Setback::Sweep(failure)
        }
    }

    /// A trace that cannot be imported; it stays for a closer look.
    fn refused(
        &self,
        task: &Task,
        reason: &str,
        outcome: &Outcome,
        traces: TraceFolder,
    ) -> Setback {
        if traces.is_full() {
            return Setback::Sweep(disk_full(traces.path()));
        }
        let label = task.launch.label();
        let ended = if outcome.ending.is_success() {
            String::new()
        } else {
            let ended = self.program.name_of_ended(outcome.ending);
            format!("; `{ended}` {}", outcome.ending.tell())
        };
        let message = format!("cannot import the trace of {label}: {reason}{ended}");
        let kept = format!("the trace is kept: {}", traces.keep().display());
        by_ending(
            outcome,
            Failure::new(Exit::Refused, message).with_hint(kept),
        )
    }
}

/// The runtime and the recorder, before other libraries that the user preloads.
fn preload(own: &[&Path], others: Option<OsString>) -> OsString {
    let mut list = OsString::new();
    for path in own {
        if !list.is_empty() {
            list.push(":");
        }
        list.push(path);
    }
    if let Some(others) = others.filter(|others| !others.is_empty()) {
        list.push(":");
        list.push(others);
    }
    list
}

/// A name for a launch that no other launch has.
fn launch_id() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let nanos = since.map_or(0, |since| since.as_nanos());
    format!("{nanos:x}-{:x}", std::process::id())
}

fn nanos(elapsed: Duration) -> i64 {
    i64::try_from(elapsed.as_nanos()).unwrap_or(i64::MAX)
}
