//! Places of constructs in code: numbered while events are read, resolved once afterwards.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use sheaf_model::Report;

use crate::symbols::{Certainty, CodeSite, Module, ModuleState, NoSymbols, Place, Symbols};
use crate::trace::{CodeAddress, TraceHeader};
use rustc_hash::FxHashMap;

/// Number of a code address of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct SiteId(pub(super) u32);

impl SiteId {
    pub(super) const NONE: Self = Self(u32::MAX);
}

/// Numbers code addresses.
#[derive(Debug, Default)]
pub(super) struct Sites {
    list: Vec<(u32, CodeAddress)>,
    numbers: FxHashMap<(u32, CodeAddress), SiteId>,
    /// Programs have few sites: the last ones are found here, without hashing.
    recent: [Option<((u32, CodeAddress), SiteId)>; 16],
}

impl Sites {
    pub(super) fn intern(&mut self, process: u32, address: Option<CodeAddress>) -> SiteId {
        let Some(address) = address else {
            return SiteId::NONE;
        };
        let key = (process, address);
        let slot = usize::try_from((address.address ^ (address.address >> 6)) % 16).unwrap_or(0);
        if let Some((known, site)) = self.recent[slot]
            && known == key
        {
            return site;
        }
        let next = SiteId(u32::try_from(self.list.len()).unwrap_or(u32::MAX));
        let site = *self.numbers.entry(key).or_insert(next);
        if site == next {
            self.list.push(key);
        }
        self.recent[slot] = Some((key, site));
        site
    }

    /// Resolves every site; counts modules that are missing or of another build.
    pub(super) fn resolve(
        &self,
        headers: &[&TraceHeader],
        symbols: &Symbols,
        report: &mut Report,
    ) -> Vec<Site> {
        let mut resolver = Resolver {
            symbols,
            known: HashMap::new(),
            libraries: HashMap::new(),
            report,
        };
        let sites = self.list.iter().map(|&(process, address)| {
            let header = headers.get(process as usize);
            header.map_or_else(Site::default, |header| {
                resolver.site(process, header, address)
            })
        });
        sites.collect()
    }
}

/// A resolved place in code.
#[derive(Clone, Default)]
pub(super) struct Site {
    pub(super) module: Option<Arc<Module>>,
    pub(super) code: CodeSite,
    pub(super) certainty: Certainty,
    /// Offset in the module's file, or the address when no module contains it.
    pub(super) offset: u64,
    pub(super) place: Option<Place>,
    /// It lies inside an OpenMP runtime, so states nothing about the program.
    pub(super) is_in_runtime: bool,
}

impl Site {
    /// `module+0xoffset`.
    pub(super) fn text(&self) -> String {
        match &self.module {
            Some(module) => format!("{}+{:#x}", module.name, self.offset),
            None => format!("{:#x}", self.offset),
        }
    }
}

struct Resolver<'a> {
    symbols: &'a Symbols,
    /// By module path, build and offset, so that ranks share what they have in common.
    known: HashMap<(String, Option<String>, u64), Site>,
    /// Modules that use OpenMP, by process.
    libraries: HashMap<u32, Vec<Arc<Module>>>,
    report: &'a mut Report,
}

impl Resolver<'_> {
    fn site(&mut self, process: u32, header: &TraceHeader, address: CodeAddress) -> Site {
        let Some(location) = header.locate(address) else {
            let place = || Some(format!("{:#x}", address.address));
            self.report
                .add("skipped_addresses_outside_modules", 1, place);
            return Site {
                offset: address.address,
                ..Site::default()
            };
        };
        let mapping = location.mapping;
        let key = (
            mapping.path.clone(),
            mapping.build_id.clone(),
            location.file_offset,
        );
        if let Some(site) = self.known.get(&key) {
            return site.clone();
        }
        let module = self
            .symbols
            .module(&mapping.path, mapping.build_id.as_deref());
        let (offset, certainty) = module.follow(location.file_offset);
        let called = module.called_symbol(location.file_offset);
        let called = called.filter(|_| certainty == Certainty::Called);
        let elsewhere = called.and_then(|symbol| self.follow_symbol(process, header, symbol));
        let (module, offset, certainty) = elsewhere.unwrap_or((module, offset, certainty));
        let code = module.site(offset);
        let is_runtime_file = header.runtimes.iter().any(|runtime| {
            runtime.library.as_ref() == Some(&mapping.path) && runtime.library != header.executable
        });
        let is_in_runtime = is_runtime_file
            || ["libomp.so", "libiomp5.so"]
                .iter()
                .any(|name| module.name.starts_with(name))
            || code.function.as_deref().is_some_and(|function| {
                function.starts_with("__kmp") || function.starts_with("GOMP_")
            });
        if !is_in_runtime {
            self.count_fault(&module, &code);
        }
        let place = Some(code.place(offset));
        let site = Site {
            module: Some(module),
            code,
            certainty,
            offset,
            place,
            is_in_runtime,
        };
        self.known.insert(key, site.clone());
        site
    }

    /// The construct that a call of a function of another module leads to, if only one module has such a function.
    fn follow_symbol(
        &mut self,
        process: u32,
        header: &TraceHeader,
        symbol: &str,
    ) -> Option<(Arc<Module>, u64, Certainty)> {
        let symbols = self.symbols;
        let libraries = self.libraries.entry(process).or_insert_with(|| {
            let mappings = header.mappings.iter().flatten();
            let modules: BTreeSet<_> = mappings
                .map(|mapping| (mapping.path.as_str(), mapping.build_id.as_deref()))
                .collect();
            let using = modules.iter().filter(|(path, _)| {
                let mut runtimes = header.runtimes.iter();
                let is_runtime = runtimes.any(|runtime| runtime.library.as_deref() == Some(path));
                !is_runtime && symbols.imports_runtime(path)
            });
            using
                .map(|(path, build_id)| symbols.module(path, *build_id))
                .collect()
        });
        let mut found = libraries.iter().filter_map(|module| {
            let (offset, certainty) = module.follow_symbol(symbol)?;
            Some((Arc::clone(module), offset, certainty))
        });
        let first = found.next()?;
        found.next().is_none().then_some(first)
    }

    fn count_fault(&mut self, module: &Module, code: &CodeSite) {
        let kind = match module.state {
            ModuleState::NoSymbols(why) => why.finding(),
            ModuleState::Loaded if code.line.is_none() => "read_sites_without_line",
            ModuleState::Loaded => "read_sites",
        };
        let first = || match module.state {
            ModuleState::Loaded | ModuleState::NoSymbols(NoSymbols::Missing) => module.name.clone(),
            ModuleState::NoSymbols(_) => module.path.clone(),
        };
        self.report.add(kind, 1, || Some(first()));
    }
}
