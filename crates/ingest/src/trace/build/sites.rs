//! Places of constructs in code: numbered while events are read, resolved once afterwards.

use std::collections::HashMap;
use std::sync::Arc;

use sheaf_model::Report;

use crate::symbols::{CodeSite, Module, ModuleState, NoSymbols, Place, Symbols};
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
            report,
        };
        let sites = self.list.iter().map(|&(process, address)| {
            let header = headers.get(process as usize);
            header.map_or_else(Site::default, |header| resolver.site(header, address))
        });
        sites.collect()
    }
}

/// A resolved place in code.
#[derive(Clone, Default)]
pub(super) struct Site {
    pub(super) module: Option<Arc<Module>>,
    pub(super) code: CodeSite,
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
    report: &'a mut Report,
}

impl Resolver<'_> {
    fn site(&mut self, header: &TraceHeader, address: CodeAddress) -> Site {
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
        let code = module.site(location.file_offset);
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
        let offset = location.file_offset;
        let place = Some(code.place(offset));
        let site = Site {
            module: Some(module),
            code,
            offset,
            place,
            is_in_runtime,
        };
        self.known.insert(key, site.clone());
        site
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
