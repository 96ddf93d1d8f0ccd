//! Names of sources and runs that follow from where files are, as far as they differ within one import.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path};

use sheaf_ingest::{Format, Run, Together, program_name};
use sheaf_model::RunMeta;

use super::Origin;
use super::files::{Found, Item};

/// Names of files that say nothing about the run, without their extensions.
const GENERIC: &[&str] = &[
    "data", "events", "out", "output", "perf", "prof", "profile", "result", "results", "timeline",
    "trace",
];

/// Names that an item has within its import.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Names {
    /// The file or database as [`sheaf_model::RunSource::file`] has it.
    pub(super) file: String,
    /// Name for a run that is called after its file, if the file's own name does not distinguish it from others.
    pub(super) run: Option<String>,
}

/// Gives every item of an import its names.
pub(super) fn assign(found: &mut Found, origin: &Origin) {
    let items = found.units.iter().flat_map(|unit| &unit.items);
    let places: Vec<Place> = items.map(|item| Place::of(item, origin)).collect();
    let files = files(&places);
    let runs = runs(&places);
    let items = found.units.iter_mut().flat_map(|unit| &mut unit.items);
    for ((item, file), run) in items.zip(files).zip(runs) {
        item.names = Names { file, run };
    }
}

/// Names for runs that several runs of a unit would have.
pub(super) fn repeated(runs: &[Run], items: &[Item]) -> BTreeSet<String> {
    let mut once = BTreeSet::new();
    let mut repeated = BTreeSet::new();
    for run in runs {
        let first = run.inputs.first().and_then(|&at| items.get(at));
        let name = first.and_then(|item| item.names.run.clone());
        repeated.extend(name.filter(|name| !once.insert(name.clone())));
    }
    repeated
}

impl Names {
    /// Names a run that is called after its file, with the beginning of its id if the name is among the `repeated`.
    pub(super) fn rename(&self, meta: &mut RunMeta, repeated: &BTreeSet<String>) {
        let Some(name) = self
            .run
            .as_ref()
            .filter(|_| meta.known_program().is_empty())
        else {
            return;
        };
        meta.name = if repeated.contains(name) {
            let short: String = meta.id.to_string().chars().take(8).collect();
            format!("{name}-{short}")
        } else {
            name.clone()
        };
    }
}

/// Path of an item, relative to the path that the user named.
struct Place {
    /// Names from the outermost folder to the file, or to the folder that is a database.
    parts: Vec<String>,
    /// How many of the last parts the user named, or found below the folder that was named.
    own: usize,
    /// Name of the file without extensions, or of the folder.
    stem: String,
    /// Whether files of the folder with this stem may be one run.
    is_shared: bool,
}

impl Place {
    fn of(item: &Item, origin: &Origin) -> Self {
        let together = item.format.map_or(Together::File, Format::together);
        let path = match together {
            Together::Database if item.source.path().is_some() => Path::new(&item.reported_as),
            _ => Path::new(&item.name),
        };
        let base = match origin {
            Origin::Received(folder) => Some(folder.as_path()),
            Origin::Named | Origin::Recorded => None,
        };
        let parts = parts(path, base);
        let above = item.root.as_deref().map(|root| parts_above(root, base));
        let own = above.map_or(1, |above| parts.len().saturating_sub(above));
        let last = parts.last().map_or("", String::as_str);
        let stem = match together {
            Together::Database => last.to_owned(),
            Together::File | Together::Folder => program_name(last).to_owned(),
        };
        Self {
            own: own.clamp(1, parts.len().max(1)),
            stem,
            is_shared: together == Together::Folder,
            parts,
        }
    }

    /// The last `count` parts.
    fn last(&self, count: usize) -> String {
        let first = self.parts.len().saturating_sub(count);
        self.parts.get(first..).unwrap_or_default().join("/")
    }

    /// The name of a folder above, the nearest is number 1; the stem if there is none.
    fn folder(&self, number: usize) -> &str {
        let place = self.parts.len().checked_sub(number + 1);
        place
            .and_then(|place| self.parts.get(place))
            .unwrap_or(&self.stem)
    }

    /// Identity of the thing that gets a name: a file, a database, or the files of a folder that share a stem.
    fn key(&self) -> (&[String], &str) {
        match self.parts.split_last() {
            Some((_, folders)) if self.is_shared => (folders, &self.stem),
            _ => (&self.parts, ""),
        }
    }
}

/// Names of a path below `base`, without those that go up and what is before them.
fn parts(path: &Path, base: Option<&Path>) -> Vec<String> {
    let path = base
        .and_then(|base| path.strip_prefix(base).ok())
        .unwrap_or(path);
    let mut parts = Vec::new();
    for component in path.components() {
        match component {
            Component::Normal(name) => parts.push(name.to_string_lossy().into_owned()),
            Component::ParentDir => parts.clear(),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    parts
}

/// Number of parts above the folder that the user named.
fn parts_above(root: &Path, base: Option<&Path>) -> usize {
    parts(root, base).len().saturating_sub(1)
}

/// The files as they were named, each with as many folders as distinguish it from the others.
fn files(places: &[Place]) -> Vec<String> {
    let mut counts: Vec<usize> = places.iter().map(|place| place.own).collect();
    loop {
        let mut named: BTreeMap<String, BTreeSet<&[String]>> = BTreeMap::new();
        for (place, &count) in places.iter().zip(&counts) {
            named
                .entry(place.last(count))
                .or_default()
                .insert(&place.parts);
        }
        let mut is_changed = false;
        for (place, count) in places.iter().zip(&mut counts) {
            let others = named.get(&place.last(*count)).map_or(0, BTreeSet::len);
            if others > 1 && *count < place.parts.len() {
                *count += 1;
                is_changed = true;
            }
        }
        if !is_changed {
            let named = places.iter().zip(&counts);
            return named.map(|(place, &count)| place.last(count)).collect();
        }
    }
}

/// For places that share their stem with others, or whose stem says nothing, the part of the path that differs.
fn runs(places: &[Place]) -> Vec<Option<String>> {
    let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, place) in places.iter().enumerate() {
        let stem = place.stem.as_str();
        let is_generic = GENERIC.contains(&stem.to_ascii_lowercase().as_str());
        let stem = if is_generic { "" } else { stem };
        groups.entry(stem).or_default().push(at);
    }
    let mut runs = vec![None; places.len()];
    for (stem, group) in groups {
        let members: Vec<&Place> = group.iter().filter_map(|&at| places.get(at)).collect();
        let keys: BTreeSet<_> = members.iter().map(|place| place.key()).collect();
        if keys.len() < 2 {
            continue;
        }
        let names = differing(&members, keys.len(), stem.is_empty());
        for (at, name) in group.into_iter().zip(names) {
            if let Some(run) = runs.get_mut(at) {
                *run = Some(name);
            }
        }
    }
    runs
}

/// The shortest part of each path that differs from those of the others: one folder, the nearest first; the name of
/// the file; the last folders together.
fn differing(members: &[&Place], num_keys: usize, is_generic: bool) -> Vec<String> {
    let depth = members.iter().map(|place| place.parts.len()).max();
    let depth = depth.unwrap_or(0);
    let is_distinct = |names: &[String]| {
        let pairs = members.iter().zip(names);
        let mut keys: BTreeMap<&str, (&[String], &str)> = BTreeMap::new();
        let mut is_clear = true;
        for (place, name) in pairs {
            let known = *keys.entry(name).or_insert_with(|| place.key());
            is_clear &= known == place.key();
        }
        is_clear && keys.len() == num_keys
    };
    let each = |name: &dyn Fn(&Place) -> String| -> Vec<String> {
        members.iter().map(|place| name(place)).collect()
    };
    for number in 1..depth {
        let names = each(&|place| place.folder(number).to_owned());
        if is_distinct(&names) {
            return names;
        }
    }
    let files = each(&|place| place.last(1));
    if !is_generic && is_distinct(&files) {
        return files;
    }
    for number in 2..depth {
        let names = each(&|place| {
            let last = place.last(number + 1);
            let folders = last.rsplit_once('/').map(|(folders, _)| folders.to_owned());
            folders.unwrap_or_else(|| place.stem.clone())
        });
        if is_distinct(&names) {
            return names;
        }
    }
    each(&|place| place.last(depth))
}

#[cfg(test)]
mod tests;
