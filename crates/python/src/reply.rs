//! One answer of a service, in this process or another.

use arrow::buffer::Buffer;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::batches::Batches;

/// Status, type, revision and bytes of an answer.
#[pyclass(frozen, module = "grainsheaf._grainsheaf")]
pub(crate) struct Reply {
    /// Status code of HTTP.
    #[pyo3(get)]
    status: u16,
    /// Type of the content.
    #[pyo3(get)]
    content_type: String,
    /// Revision of the store, if the answer follows from it alone.
    #[pyo3(get)]
    revision: Option<String>,
    content: Buffer,
}

#[pymethods]
impl Reply {
    /// The answer that another process sent.
    #[new]
    #[pyo3(signature = (status, content_type, revision, body))]
    fn new(status: u16, content_type: String, revision: Option<String>, body: &[u8]) -> Self {
        Self {
            status,
            content_type,
            revision,
            content: Buffer::from(body),
        }
    }

    /// The content, as a copy.
    #[getter]
    fn body<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.content)
    }

    /// The table that the content is, without a copy.
    fn batches(&self, py: Python<'_>) -> PyResult<Batches> {
        py.detach(|| Batches::decode(self.content.clone()))
    }
}

impl From<sheaf_server::Reply> for Reply {
    fn from(reply: sheaf_server::Reply) -> Self {
        Self {
            status: reply.status,
            content_type: reply.content_type,
            revision: reply.revision,
            content: Buffer::from_vec(reply.body),
        }
    }
}
