//! A sweep: every launch prepared, executed, imported.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use sheaf_api::{FileStatus, RecordedRun};
use sheaf_ensemble::{AddOptions, SymbolFiles};
use sheaf_model::{Lens, ParamValue, Progress};
use sheaf_server::Answers;

use super::diagnosis::{self, Evidence};
use super::launch::{Ending, Outcome, Setting, launch};
use super::libraries::Linkage;
use super::plan::{Launch, launches, thread_choices};
use super::program::Program;
use super::resume::is_held;
use super::runtime::Runtime;
use super::traces::{TraceFolder, disk_full};
use crate::cli::record::RecordArguments;
use crate::console::Console;
use crate::failure::{Exit, Failure};
use crate::interrupt::Interrupt;

#[cfg(test)]
mod tests;

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
    /// Where to say what happens.
    pub(crate) console: Console,
    /// Whether to stop.
    pub(crate) interrupt: Interrupt,
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
    /// Whether any launch gave no complete run.
    pub(crate) has_failures: bool,
    /// Why the sweep ended early.
    pub(crate) stopped_by: Option<Failure>,
}

/// A launch that gave no run, by what it means for the others.
#[derive(Debug)]
enum Setback {
    /// Nothing.
    Launch(Failure),
    /// When it is the first, that none of them will give a run.
    First(Failure),
    /// That they cannot be done.
    Sweep(Failure),
}

impl From<Failure> for Setback {
    fn from(failure: Failure) -> Self {
        Self::Sweep(failure)
    }
}

impl From<sheaf_ensemble::Error> for Setback {
    fn from(error: sheaf_ensemble::Error) -> Self {
        Self::Sweep(error.into())
    }
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
        let (found, missing): (Vec<_>, Vec<_>) =
            tasks.partition(|task| is_held(&held, &task.name, &task.params));
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
        let reference = if self.arguments.reference {
            self.reference(task.launch)?
        } else {
            None
        };
        let traces = TraceFolder::make(self.arguments.keep_traces.as_deref(), &task.name)?;
        let outcome = self.execute(&self.tooled(task.launch, &traces))?;
        if outcome.ending == Ending::Interrupted {
            let label = task.launch.label();
            let failure = Failure::new(Exit::Interrupted, format!("{label} was interrupted"));
            return Err(Setback::Sweep(
                failure.with_hint("`--resume` goes on from here"),
            ));
        }
        let Some(input) = traces.input(&task.name) else {
            return Err(self.explain(task.launch, &outcome, &traces));
        };
        let mut params = task.params.clone();
        params.extend(outcome.ending.params());
        let options = AddOptions {
            params,
            name: Some(task.name.clone()),
            reference_elapsed_ns: reference,
            ended_early: !outcome.ending.is_success(),
            // `@new` means all runs of the sweep.
            continued: self.batch(),
            symbols: SymbolFiles::Anywhere,
            ..AddOptions::default()
        };
        traces.describe(&options)?;
        let added = self.answers.add(&[input], &options, &Progress::silent())?;
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
            let reason = file.and_then(|file| file.error.as_deref());
            return Err(self.refused(task, reason.unwrap_or("it holds no run"), &outcome, traces));
        }
        let runs = ids
            .iter()
            .map(|id| self.recorded(id, task, &outcome, reference));
        let runs = runs.collect::<Result<_, _>>()?;
        Ok((runs, trouble(&self.program, task.launch, &outcome)))
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
        let stored = self.answers.info(id)?.run;
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

    /// Elapsed nanoseconds without the recorder; nothing when the program failed.
    fn reference(&self, launch: Launch) -> Result<Option<i64>, Failure> {
        let outcome = self.execute(&self.untooled(launch.threads))?;
        Ok(outcome.ending.is_success().then(|| nanos(outcome.elapsed)))
    }

    fn execute(&self, setting: &Setting) -> Result<Outcome, Failure> {
        launch(setting, &self.console, &self.interrupt)
    }

    fn untooled(&self, threads: Option<u32>) -> Setting {
        self.setting(threads, vec![("OMP_TOOL".into(), "disabled".into())])
    }

    fn tooled(&self, launch: Launch, traces: &TraceFolder) -> Setting {
        let tool = vec![
            ("OMP_TOOL".into(), "enabled".into()),
            ("OMP_TOOL_LIBRARIES".into(), self.recorder.clone().into()),
            ("GRAINSHEAF_TRACE_DIR".into(), traces.path().into()),
        ];
        self.setting(launch.threads, tool)
    }

    fn setting(&self, threads: Option<u32>, tool: Vec<(OsString, OsString)>) -> Setting {
        let mut environment = Vec::new();
        if let Some(threads) = threads {
            environment.push(("OMP_NUM_THREADS".into(), threads.to_string().into()));
        }
        if let Some(runtime) = &self.runtime.preload {
            environment.push(("LD_PRELOAD".into(), preload(runtime)));
        }
        let given = self.arguments.environment.iter();
        environment.extend(given.map(|(name, value)| (name.into(), value.into())));
        environment.extend(tool);
        Setting {
            command: self.arguments.command.clone(),
            is_silent: false,
            environment,
            limit: self.arguments.timeout.map(Duration::from_secs_f64),
        }
    }

    fn explain(&self, launch: Launch, outcome: &Outcome, traces: &TraceFolder) -> Setback {
        if traces.is_full() {
            return Setback::Sweep(disk_full(traces.path()));
        }
        let log = self.ask_runtime(launch, outcome, traces);
        let failure = diagnosis::nothing_recorded(&Evidence {
            program: &self.program,
            runtime: &self.runtime,
            recorder: &self.recorder,
            ending: outcome.ending,
            tool_log: log.as_deref(),
        });
        by_ending(outcome, failure)
    }

    /// What the OpenMP runtime says about tools, from running the program once more. Not asked for
    /// in every launch: the variable would be recorded with the run, as one that differs.
    fn ask_runtime(
        &self,
        launch: Launch,
        outcome: &Outcome,
        traces: &TraceFolder,
    ) -> Option<String> {
        let has_runtime = matches!(
            self.program.linkage,
            Linkage::OpenMp { .. } | Linkage::Unknown
        );
        if !outcome.ending.is_success() || !has_runtime {
            return None;
        }
        self.console
            .note("nothing was recorded; running the program once more to ask its runtime why");
        let mut setting = self.tooled(launch, traces);
        let log = traces.tool_log();
        setting
            .environment
            .push(("OMP_TOOL_VERBOSE_INIT".into(), log.clone().into()));
        setting.is_silent = true;
        self.execute(&setting).ok()?;
        let text = std::fs::read(log).ok()?;
        Some(String::from_utf8_lossy(&text).into_owned())
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
            format!("; `{}` {}", self.program.name(), outcome.ending.tell())
        };
        let message = format!("cannot import the trace of {label}: {reason}{ended}");
        let kept = format!("the trace is kept: {}", traces.keep().display());
        by_ending(
            outcome,
            Failure::new(Exit::Refused, message).with_hint(kept),
        )
    }
}

/// A program that fails may fail at this thread count only; after one that does not, the next
/// launch will be no better.
fn by_ending(outcome: &Outcome, failure: Failure) -> Setback {
    if outcome.ending.is_success() {
        Setback::First(failure)
    } else {
        Setback::Launch(failure)
    }
}

/// What to say of a launch that was recorded and yet did not end well.
fn trouble(program: &Program, launch: Launch, outcome: &Outcome) -> Option<Failure> {
    let hint = match outcome.ending {
        Ending::Exit(0) => return None,
        Ending::TimedOut => "give it more time with `--timeout SECONDS`",
        Ending::Exit(_) | Ending::Signal(_) | Ending::Interrupted => {
            "what was recorded until then is in the store"
        }
    };
    let message = format!(
        "{}: `{}` {}",
        launch.label(),
        program.name(),
        outcome.ending.tell()
    );
    Some(Failure::new(Exit::Refused, message).with_hint(hint))
}

/// The runtime before whatever else the user preloads.
fn preload(runtime: &Path) -> OsString {
    let mut list = runtime.as_os_str().to_owned();
    if let Some(others) = std::env::var_os("LD_PRELOAD").filter(|others| !others.is_empty()) {
        list.push(":");
        list.push(others);
    }
    list
}

fn nanos(elapsed: Duration) -> i64 {
    i64::try_from(elapsed.as_nanos()).unwrap_or(i64::MAX)
}
