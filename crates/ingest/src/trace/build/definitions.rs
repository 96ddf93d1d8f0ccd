//! Definitions: the constructs in the source that a run executed.
//!
//! A definition is (kind, function, ordinal). The function is that of the source which contains
//! the construct, also where the compiler inlined it or moved the code out. The ordinal is the
//! place among all constructs of that kind in the function *in the binary*, by line, so that it
//! does not depend on which of them a run happened to execute, and survives edits that add no
//! construct before it. Code that is there twice (inlined, unrolled) has one line and is one
//! construct; code without a line comes after, by offset.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use sheaf_model::DefinitionId;
use sheaf_model::table::DefinitionRow;

use super::sites::{Site, SiteId};
use crate::run_tables::FinishedDefinitions;
use crate::symbols::{Certainty, ConstructKind, Place, without_parameters};

/// Row number of a definition while the table is built.
pub(super) type DefinitionIdx = u32;

#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Key {
    Program(String),
    /// A function of MPI.
    Call(String),
    /// A construct with its function and place there.
    Construct(ConstructKind, String, Place),
    /// A construct in an unknown function that is called at a place of a function.
    Called(ConstructKind, String, Place),
    /// A construct whose function is not known, named by its site.
    Nameless(ConstructKind, String),
    /// A construct whose call the trace places inside the runtime, in the function around it.
    Unlocated(ConstructKind, Option<String>),
}

/// Whether a construct is in the function of its place or in one that is called there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Origin {
    Inside,
    Called,
}

type Places<'a> = BTreeMap<(Origin, ConstructKind, &'a str), BTreeSet<Place>>;

impl Key {
    /// The place of a construct and what is known of it.
    fn place(&self) -> Option<(Origin, ConstructKind, &str, &Place)> {
        match self {
            Self::Construct(kind, function, place) => {
                Some((Origin::Inside, *kind, function, place))
            }
            Self::Called(kind, function, place) => Some((Origin::Called, *kind, function, place)),
            _ => None,
        }
    }
}

/// Collects the definitions of a run.
pub(super) struct DefinitionTable<'a> {
    sites: &'a [Site],
    keys: Vec<Key>,
    /// Site of each definition: the one that stands first in its module.
    first_sites: Vec<SiteId>,
    rows: HashMap<Key, DefinitionIdx>,
    /// Definition by kind and site.
    by_site: HashMap<(ConstructKind, SiteId), DefinitionIdx>,
    recent: Option<((ConstructKind, SiteId), DefinitionIdx)>,
}

impl<'a> DefinitionTable<'a> {
    pub(super) fn new(sites: &'a [Site]) -> Self {
        Self {
            sites,
            keys: Vec::new(),
            first_sites: Vec::new(),
            rows: HashMap::new(),
            by_site: HashMap::new(),
            recent: None,
        }
    }

    pub(super) fn site(&self, site: SiteId) -> Option<&'a Site> {
        self.sites.get(site.0 as usize)
    }

    /// Whether a site states where in the program a construct is.
    pub(super) fn is_located(&self, kind: ConstructKind, site: SiteId) -> bool {
        self.site(site)
            .is_some_and(|site| !site.is_in_runtime && site.code.can_begin(kind))
    }

    /// Whether a site is that of another construct: LLVM's runtime reports what tasks create on
    /// the primary thread, inside the closing barrier of a region of a GCC-compiled program,
    /// with the site of the region.
    pub(super) fn is_of_another(&self, kind: ConstructKind, site: SiteId) -> bool {
        self.site(site)
            .is_some_and(|site| !site.is_in_runtime && !site.code.can_begin(kind))
    }

    /// Whether nothing but the function around it is known of a construct.
    pub(super) fn is_guess(&self, row: DefinitionIdx) -> bool {
        matches!(self.keys.get(row as usize), Some(Key::Unlocated(..)))
    }

    pub(super) fn program(&mut self, name: &str) -> DefinitionIdx {
        self.row(Key::Program(name.to_owned()), SiteId::NONE)
    }

    /// The definition of a function of MPI.
    pub(super) fn call(&mut self, name: &str) -> DefinitionIdx {
        self.row(Key::Call(name.to_owned()), SiteId::NONE)
    }

    /// The definition of a construct; `around` is the definition that it is met in.
    pub(super) fn construct(
        &mut self,
        kind: ConstructKind,
        site: SiteId,
        around: DefinitionIdx,
    ) -> DefinitionIdx {
        if !self.is_located(kind, site) {
            let key = self.unlocated(kind, around);
            return self.row(key, SiteId::NONE);
        }
        let known = (kind, site);
        if let Some((key, row)) = self.recent
            && key == known
        {
            return row;
        }
        let row = match self.by_site.get(&known) {
            Some(&row) => row,
            None => self.add_located(kind, site),
        };
        self.recent = Some((known, row));
        row
    }

    fn add_located(&mut self, kind: ConstructKind, site: SiteId) -> DefinitionIdx {
        let Some(resolved) = self.site(site) else {
            return 0;
        };
        let key = match (&resolved.code.function, &resolved.place) {
            (Some(function), Some(place)) => match resolved.certainty {
                Certainty::Exact => Key::Construct(kind, function.clone(), place.clone()),
                Certainty::InFunction => Key::Unlocated(kind, Some(function.clone())),
                Certainty::Called => Key::Called(kind, function.clone(), place.clone()),
            },
            _ => Key::Nameless(kind, resolved.text()),
        };
        let row = self.row(key, site);
        self.by_site.insert((kind, site), row);
        row
    }

    /// A construct of which only the function around it is known.
    fn unlocated(&self, kind: ConstructKind, around: DefinitionIdx) -> Key {
        let function = self.function(around).map(str::to_owned);
        let site = self
            .first_sites
            .get(around as usize)
            .and_then(|&site| self.site(site));
        let is_elsewhere = matches!(self.keys.get(around as usize), Some(Key::Called(..)));
        let module = site.and_then(|site| site.module.as_ref());
        if let (Some(function), Some(module)) = (&function, module)
            && !is_elsewhere
            && let Some(place) = module.only_construct(kind, function)
        {
            return Key::Construct(kind, function.clone(), place.clone());
        }
        Key::Unlocated(kind, function)
    }

    fn row(&mut self, key: Key, site: SiteId) -> DefinitionIdx {
        if let Some(&row) = self.rows.get(&key) {
            self.keep_first_site(row, site);
            return row;
        }
        let row = DefinitionIdx::try_from(self.keys.len()).unwrap_or(DefinitionIdx::MAX);
        self.keys.push(key.clone());
        self.first_sites.push(site);
        self.rows.insert(key, row);
        row
    }

    fn keep_first_site(&mut self, row: DefinitionIdx, site: SiteId) {
        let first = self.first_sites[row as usize];
        let order = |site: SiteId| self.site(site).map_or(u64::MAX, |site| site.offset);
        if order(site) < order(first) {
            self.first_sites[row as usize] = site;
        }
    }

    /// Function of a definition.
    fn function(&self, row: DefinitionIdx) -> Option<&str> {
        match self.keys.get(row as usize)? {
            Key::Construct(_, function, _) | Key::Called(_, function, _) => Some(function),
            Key::Unlocated(_, function) => function.as_deref(),
            Key::Program(_) => Some("main"),
            Key::Nameless(..) | Key::Call(_) => None,
        }
    }

    pub(super) fn finish(self) -> FinishedDefinitions {
        let places = self.places();
        let rows = self.keys.iter().zip(&self.first_sites);
        FinishedDefinitions::new(
            rows.map(|(key, &site)| self.describe(key, site, &places))
                .collect(),
        )
    }

    /// Places of the constructs of each kind and function: those of the binary and those seen.
    fn places(&self) -> Places<'_> {
        let mut places = Places::new();
        for (key, site) in self.keys.iter().zip(&self.first_sites) {
            let Some((origin, kind, function, place)) = key.place() else {
                continue;
            };
            let known = places.entry((origin, kind, function)).or_default();
            known.insert(place.clone());
            let module = self.site(*site).and_then(|site| site.module.as_ref());
            if let Some(module) = module
                && origin == Origin::Inside
            {
                known.extend(module.constructs(kind, function).cloned());
            }
        }
        places
    }

    fn describe(&self, key: &Key, site: SiteId, places: &Places<'_>) -> DefinitionRow {
        let site = self.site(site);
        let (kind, identity, ordinal, name, function) = match key {
            Key::Program(name) => ("program", name.clone(), 0, name.clone(), Some(name.clone())),
            Key::Call(name) => {
                let shown = format!("{name} (mpi)");
                ("mpi", name.clone(), 0, shown, Some(name.clone()))
            }
            Key::Construct(kind, function, place) | Key::Called(kind, function, place) => {
                let origin = key.place().map_or(Origin::Inside, |(origin, ..)| origin);
                let all = places.get(&(origin, *kind, function.as_str()));
                let ordinal = all.map_or(0, |all| all.range(..place).count());
                let is_only = all.is_none_or(|all| all.len() == 1);
                let line = Some(place.line).filter(|&line| line > 0 && !is_only);
                let (mark, note) = match origin {
                    Origin::Inside => ("", ""),
                    Origin::Called => (" called", ", called here"),
                };
                (
                    kind.as_str(),
                    format!("{function}{mark}"),
                    ordinal,
                    construct_name(function, line, *kind, note),
                    Some(function.clone()),
                )
            }
            Key::Nameless(kind, text) => (
                kind.as_str(),
                text.clone(),
                0,
                construct_name(text, None, *kind, ""),
                None,
            ),
            Key::Unlocated(kind, function) => {
                let around = function.as_deref().unwrap_or("?");
                let identity = format!("{around} ?");
                let name = construct_name(around, None, *kind, ", no line");
                (kind.as_str(), identity, 0, name, function.clone())
            }
        };
        let ordinal = u32::try_from(ordinal).unwrap_or(u32::MAX);
        let place = key.place().map(|(.., place)| place);
        DefinitionRow {
            id: DefinitionId::new(kind, &identity, ordinal).0,
            kind: kind.to_owned(),
            name,
            function,
            file: place.and_then(|place| place.file.clone()),
            line: place
                .and_then(|place| i32::try_from(place.line).ok())
                .filter(|&line| line > 0),
            module: site.and_then(|site| Some(site.module.as_ref()?.name.clone())),
            ordinal: i32::try_from(ordinal).unwrap_or(i32::MAX),
            site: site.map(Site::text),
        }
    }
}

fn construct_name(function: &str, line: Option<u32>, kind: ConstructKind, note: &str) -> String {
    let function = without_parameters(function);
    let line = line.map(|line| format!(":{line}")).unwrap_or_default();
    format!("{function}{line} ({}{note})", kind.as_str())
}
