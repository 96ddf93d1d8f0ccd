//! A store in this process.

use std::path::PathBuf;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use sheaf_answers::ErrorBody;
use sheaf_server::InProcess;

use crate::add::hear;
use crate::reply::Reply;

/// A store that answers the paths of the service.
#[pyclass(frozen, module = "grainsheaf._grainsheaf")]
pub(crate) struct Store(InProcess);

#[pymethods]
impl Store {
    /// Opens a store that exists.
    #[new]
    #[expect(
        clippy::needless_pass_by_value,
        reason = "arguments from Python are owned"
    )]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let opened = py.detach(|| InProcess::open(&path));
        opened.map(Self).map_err(|error| failure(py, &error))
    }

    /// Answers `GET TARGET` without the lock of the interpreter. A signal handler that raises, as that of Ctrl-C
    /// does, cancels the question. `report` is called with the name of a step, what is done, and the total or `None`;
    /// it cancels the question as well if it raises.
    #[pyo3(signature = (target, accept, report = None))]
    fn ask(
        &self,
        py: Python<'_>,
        target: &str,
        accept: &str,
        report: Option<Py<PyAny>>,
    ) -> PyResult<Reply> {
        let mut raised = None;
        let heard = &mut raised;
        let reply = py.detach(move || {
            self.0.ask(target, accept, move |step| {
                *heard = hear(step.as_ref(), report.as_ref()).err();
                heard.is_none()
            })
        });
        match (raised, reply) {
            (Some(error), _) => Err(error),
            (None, Ok(Some(reply))) => Ok(reply.into()),
            (None, Ok(None)) => Err(PyRuntimeError::new_err("the question was given up")),
            (None, Err(error)) => Err(PyRuntimeError::new_err(error.to_string())),
        }
    }
}

/// The exception of an error: the package makes all of them in one place.
pub(crate) fn failure(py: Python<'_>, error: &ErrorBody) -> PyErr {
    let text = serde_json::to_string(error).unwrap_or_default();
    let made = py
        .import("grainsheaf._errors")
        .and_then(|module| module.call_method1("from_body", (text,)));
    made.map_or_else(|error| error, PyErr::from_value)
}
