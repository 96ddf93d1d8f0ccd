#![doc = include_str!("../README.md")]

mod add;
mod batches;
mod lens;
mod reply;
mod store;

/// The module that the Python sources of the package use.
#[pyo3::pymodule]
mod _grainsheaf {
    use pyo3::types::{PyModule, PyModuleMethods as _};
    use pyo3::{Bound, PyResult};

    #[pymodule_export]
    use super::add::add;
    #[pymodule_export]
    use super::batches::Batches;
    #[pymodule_export]
    use super::lens::{canonical_lens, lens_clauses};
    #[pymodule_export]
    use super::reply::Reply;
    #[pymodule_export]
    use super::store::Store;

    /// Adds the version of the package.
    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("VERSION", env!("CARGO_PKG_VERSION"))
    }
}
