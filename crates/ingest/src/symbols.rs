//! From a code address to function, file and line, and to the constructs of a binary.
//!
//! Nothing here opens files: modules arrive opened through a [`ModuleSource`], and are read by
//! ranges, within bounds.

mod calls;
mod compiler;
mod creators;
mod functions;
mod lines;
mod module;
mod names;
mod ranges;
mod source;
mod subprograms;
mod table;
mod tails;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

pub(crate) use calls::ConstructKind;
pub(crate) use module::{Certainty, CodeSite, Module, ModuleState, Place};
pub(crate) use names::without_parameters;
pub use source::{ModuleFile, ModuleSource, NoModules, NoSymbols};

use crate::limits;

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
    modules: Mutex<Modules>,
}

/// What was looked up so far.
struct Modules {
    known: HashMap<ModuleKey, Arc<Module>>,
    /// Whether the file at a path imports functions of the runtime.
    imports: HashMap<String, bool>,
    /// Bytes that may still be read of all others.
    left: u64,
}

/// Path and build id: a binary that was rebuilt between two runs is another module.
type ModuleKey = (String, Option<String>);

impl Symbols {
    /// A cache that takes modules from `source`.
    pub fn new(source: impl ModuleSource + 'static) -> Self {
        Self {
            source: Box::new(source),
            modules: Mutex::new(Modules {
                known: HashMap::new(),
                imports: HashMap::new(),
                left: limits::ALL_MODULES_BYTES,
            }),
        }
    }

    /// Modules looked up so far, also those that were not found.
    pub fn num_modules(&self) -> usize {
        self.modules
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .known
            .len()
    }

    pub(crate) fn module(&self, path: &str, build_id: Option<&str>) -> Arc<Module> {
        let key = (path.to_owned(), build_id.map(str::to_owned));
        let mut modules = self.modules.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(module) = modules.known.get(&key) {
            return Arc::clone(module);
        }
        let file = self.source.module(path);
        let (module, num_read) = Module::load(path, build_id, file, modules.left);
        let module = Arc::new(module);
        modules.left -= num_read.min(modules.left);
        modules.known.insert(key, Arc::clone(&module));
        module
    }

    /// Whether the module at a path imports functions of the runtime. Reads little of it.
    pub(crate) fn imports_runtime(&self, path: &str) -> bool {
        let mut modules = self.modules.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(is_importing) = modules.imports.get(path) {
            return *is_importing;
        }
        let (is_importing, num_read) = match self.source.module(path) {
            Ok(file) => Module::imports_runtime(file, modules.left),
            Err(_) => (false, 0),
        };
        modules.left -= num_read.min(modules.left);
        modules.imports.insert(path.to_owned(), is_importing);
        is_importing
    }
}

impl fmt::Debug for Symbols {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Symbols")
            .field("num_modules", &self.num_modules())
            .finish_non_exhaustive()
    }
}
