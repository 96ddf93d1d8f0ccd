//! The text form of lenses, read by its one parser.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use sheaf_model::Lens;

/// The canonical text of a lens.
///
/// # Errors
/// `ValueError` with a message and the position of the fault if the text is malformed.
#[pyfunction]
pub(crate) fn canonical_lens(text: &str) -> PyResult<String> {
    Ok(read(text)?.to_string())
}

/// The clauses of a lens in canonical order: the keyword and the text of each.
///
/// # Errors
/// Those of [`canonical_lens`].
#[pyfunction]
pub(crate) fn lens_clauses(text: &str) -> PyResult<Vec<(&'static str, String)>> {
    let clauses = read(text)?.clauses().into_iter();
    Ok(clauses
        .map(|clause| (clause.keyword, clause.text))
        .collect())
}

fn read(text: &str) -> PyResult<Lens> {
    text.parse().map_err(|error: sheaf_model::ParseError| {
        PyValueError::new_err((error.to_string(), error.position))
    })
}
