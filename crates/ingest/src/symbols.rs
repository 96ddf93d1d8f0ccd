//! From a code address to function, file and line, and to the constructs of a binary.
//!
//! Nothing here opens files: modules arrive as bytes through a [`ModuleSource`].

mod calls;
mod compiler;
mod functions;
mod lines;
mod module;
mod names;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

pub(crate) use calls::ConstructKind;
pub(crate) use module::{CodeSite, Module, ModuleState, Place};
pub(crate) use names::without_parameters;

/// Hands out executables and libraries by the path a trace names.
pub trait ModuleSource: Send + Sync {
    /// The bytes of the module at `path`; `None` when there is none.
    fn module(&self, path: &str) -> Option<Vec<u8>>;
}

/// A source that has no modules: code is named by `module+0xoffset`.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoModules;

impl ModuleSource for NoModules {
    fn module(&self, _path: &str) -> Option<Vec<u8>> {
        None
    }
}

/// Cache of the modules of many runs: each is read and scanned once, whatever the number of
/// traces of it. Shared freely between threads.
///
/// ```
/// use sheaf_ingest::{NoModules, Symbols};
/// let symbols = Symbols::new(NoModules);
/// assert_eq!(symbols.num_modules(), 0);
/// ```
pub struct Symbols {
    source: Box<dyn ModuleSource>,
    modules: Mutex<HashMap<ModuleKey, Arc<Module>>>,
}

/// Path and build id: a binary that was rebuilt between two runs is another module.
type ModuleKey = (String, Option<String>);

impl Symbols {
    /// A cache that takes modules from `source`.
    pub fn new(source: impl ModuleSource + 'static) -> Self {
        Self {
            source: Box::new(source),
            modules: Mutex::default(),
        }
    }

    /// Modules looked up so far, also those that were not found.
    pub fn num_modules(&self) -> usize {
        self.modules
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .len()
    }

    pub(crate) fn module(&self, path: &str, build_id: Option<&str>) -> Arc<Module> {
        let key = (path.to_owned(), build_id.map(str::to_owned));
        let mut modules = self.modules.lock().unwrap_or_else(PoisonError::into_inner);
        let load = || Arc::new(Module::load(path, build_id, self.source.module(path)));
        Arc::clone(modules.entry(key).or_insert_with(load))
    }
}

impl fmt::Debug for Symbols {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Symbols")
            .field("num_modules", &self.num_modules())
            .finish_non_exhaustive()
    }
}
