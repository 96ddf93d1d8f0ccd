//! Adds files to a store.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use pyo3::prelude::*;
use sheaf_answers::Add;
use sheaf_ensemble::{AddOptions, Error, Input, SymbolFiles};
use sheaf_model::{ParamValue, Progress, Step};
use sheaf_server::{Answers, error_body};

use crate::store::failure;

/// How often signals are looked for.
const TICK: Duration = Duration::from_millis(50);

/// A value of a parameter, as Python has it. Truth values come first: they are integers too.
#[derive(FromPyObject)]
pub(crate) enum Parameter {
    /// `True` or `False`.
    Truth(bool),
    /// An integer or a float.
    Number(f64),
    /// A text.
    Text(String),
}

/// Adds files to the store at `store`, which is made if there is none; the answer of `grainsheaf add` as JSON.
///
/// `report` is called with the name of a step, what is done, and the total or `None`, by the thread that called this
/// function. If it or a handler of a signal raises, nothing is added.
#[pyfunction]
#[pyo3(signature = (store, paths, params, name, format, report))]
pub(crate) fn add(
    py: Python<'_>,
    store: PathBuf,
    paths: Vec<PathBuf>,
    params: BTreeMap<String, Parameter>,
    name: Option<String>,
    format: Option<String>,
    report: Option<Py<PyAny>>,
) -> PyResult<String> {
    let inputs: Vec<Input> = paths.into_iter().map(Input::Path).collect();
    let params = params.into_iter();
    let options = AddOptions {
        params: params.map(|(name, value)| (name, value.into())).collect(),
        name,
        format,
        symbols: SymbolFiles::Anywhere,
        ..AddOptions::default()
    };
    let (steps, reported) = channel::<Step>();
    // The thread that waits is there as long as the other works.
    let progress = Progress::watched(move |step| drop(steps.send(step.clone())));
    let canceller = progress.clone();
    let (raised, added) = py.detach(move || {
        let mut raised = None;
        let added = std::thread::scope(|scope| {
            let work = scope.spawn(move || {
                let answers = Answers::create_or_open(&store)?;
                answers.add(&inputs, &options, &progress)
            });
            while !work.is_finished() {
                let heard = match reported.recv_timeout(TICK) {
                    Ok(step) => Some(reported.try_iter().last().unwrap_or(step)),
                    Err(RecvTimeoutError::Timeout) => None,
                    Err(RecvTimeoutError::Disconnected) => {
                        // The work is about to end.
                        std::thread::yield_now();
                        None
                    }
                };
                if raised.is_none() {
                    raised = hear(heard.as_ref(), report.as_ref()).err();
                    if raised.is_some() {
                        canceller.cancel();
                    }
                }
            }
            work.join()
        });
        (raised, added)
    });
    if let Some(error) = raised {
        return Err(error);
    }
    let added: Result<Add, Error> = added.map_err(|_| {
        let message = "the import was given up; please report this";
        pyo3::exceptions::PyRuntimeError::new_err(message)
    })?;
    let added = added.map_err(|error| failure(py, &error_body(&error)))?;
    serde_json::to_string(&added)
        .map_err(|error| pyo3::exceptions::PyRuntimeError::new_err(error.to_string()))
}

/// Runs handlers of signals, and hands a step on.
pub(crate) fn hear(step: Option<&Step>, report: Option<&Py<PyAny>>) -> PyResult<()> {
    Python::attach(|py| {
        py.check_signals()?;
        if let (Some(step), Some(report)) = (step, report) {
            report.call1(py, (&step.name, step.done, step.total))?;
        }
        Ok(())
    })
}

impl From<Parameter> for ParamValue {
    fn from(value: Parameter) -> Self {
        match value {
            Parameter::Truth(truth) => Self::Boolean(truth),
            Parameter::Number(number) => Self::Number(number),
            Parameter::Text(text) => Self::Text(text),
        }
    }
}
