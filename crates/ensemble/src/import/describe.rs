//! What the user says of one input: on the command line, in descriptions beside it, by its name.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use sheaf_ingest::{Format, Hints, Parentage, Together};
use sheaf_model::{ParamValue, Report, RunMeta};

use super::files::{Found, Item};
use super::name_pattern::NamePattern;
use super::sidecar::{Sidecar, SidecarEntry, Sidecars};
use super::{AddOptions, refused};
use crate::Error;

/// Kind of finding: no pattern over names fits an input.
const UNMATCHED: &str = "skipped_name_patterns";
/// Kind of finding: a parameter that readers ask for is not what they could use.
const UNUSABLE: &str = "skipped_hints";
/// Kind of finding: a parameter that readers of other formats use is a parameter of the run only.
const UNUSED: &str = "unused_hints";
/// Kind of finding: a parameter of the source has another value than the user gives.
const REPLACED: &str = "replaced_parameters";

/// What the user says of one input and of the runs in it.
///
/// Of several inputs that are one run, the first's goes into the run's metadata.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Description {
    /// Parameters; they win over those of the source.
    pub(super) params: BTreeMap<String, ParamValue>,
    /// Name instead of the one that the source suggests.
    pub(super) name: Option<String>,
    /// What readers should know.
    pub(super) hints: Hints,
    /// Elapsed time of the same run without instrumentation.
    pub(super) reference_elapsed_ns: Option<i64>,
    /// Whether the run came to its end, when the user knows better than the source.
    pub(super) is_complete: Option<bool>,
    /// Settings that the user gives by name for this input, which its reader must apply.
    settings: BTreeMap<&'static str, String>,
    /// Patterns that did not fit, parameters that readers cannot use.
    pub(super) findings: Report,
}

/// Describes everything that was found; what is described wrongly is refused.
pub(super) fn describe_all(found: Found, options: &AddOptions) -> Found {
    let mut sidecars = Sidecars::default();
    let Found { units, mut reports } = found;
    let mut described = Vec::with_capacity(units.len());
    for mut unit in units {
        let mut items = Vec::with_capacity(unit.items.len());
        for mut item in unit.items {
            let described = of_item(&item, options, &mut sidecars);
            match described.and_then(|description| description.checked(item.format)) {
                Ok(description) => {
                    item.found.merge(&description.findings);
                    item.description = description;
                    items.push(item);
                }
                Err(error) => {
                    let format = item.format.map(|format| format.as_str().to_owned());
                    let report = refused(&item.reported_as, format, error.chain());
                    reports.insert(item.place, report);
                }
            }
        }
        unit.items = items;
        if !unit.items.is_empty() {
            described.push(unit);
        }
    }
    Found {
        units: described,
        reports,
    }
}

fn of_item(
    item: &Item,
    options: &AddOptions,
    sidecars: &mut Sidecars,
) -> Result<Description, Error> {
    let (Some(path), Some(folder)) = (item.source.path(), item.source.folder()) else {
        return Ok(of_content(&item.name, options));
    };
    let is_database = item.format.map(Format::together) == Some(Together::Database);
    if !is_database {
        let root = item.root.as_deref().unwrap_or(&folder);
        return of_file(path, root, options, sidecars);
    }
    let folder = absolute(&folder);
    // A database that was named itself is described beside it too.
    let beside = folder.parent().unwrap_or(&folder);
    let is_inside = |root: &&Path| absolute(root) != folder;
    let root = item.root.as_deref().filter(is_inside).unwrap_or(beside);
    of_file(&folder, root, options, sidecars)
}

/// Description of the file, or the folder that is a database, at `path`.
///
/// Descriptions are looked for in the folders from `root`, the folder that the user named, to the
/// file's own, or the database's; of a named file its folder is the root. Later ones win: the
/// patterns of the options, the descriptions from `root` inwards (in each its patterns, its
/// parameters, its sections from first to last), the named description, the options themselves.
///
/// # Errors
/// When a description cannot be read or understood.
pub(super) fn of_file(
    path: &Path,
    root: &Path,
    options: &AddOptions,
    sidecars: &mut Sidecars,
) -> Result<Description, Error> {
    let path = absolute(path);
    let root = absolute(root);
    let own = if path.is_dir() {
        Some(path.as_path())
    } else {
        path.parent()
    };
    let folders = own.into_iter().flat_map(Path::ancestors);
    let mut folders: Vec<&Path> = folders
        .take_while(|folder| folder.starts_with(&root))
        .collect();
    folders.reverse();
    let mut layers = Vec::new();
    for folder in folders {
        layers.extend(sidecars.in_folder(folder)?);
    }
    Ok(describe(&path, layers.iter().map(AsRef::as_ref), options))
}

/// Description of content that is in no file, called `name`.
pub(super) fn of_content(name: &str, options: &AddOptions) -> Description {
    describe(Path::new(name), std::iter::empty(), options)
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

fn describe<'a>(
    path: &Path,
    sidecars: impl Iterator<Item = &'a Sidecar>,
    options: &'a AddOptions,
) -> Description {
    let mut description = Description::default();
    description.take_name(path, &options.params_from);
    for sidecar in sidecars.chain(&options.params_file) {
        for entry in sidecar.of(path) {
            description.take(path, entry);
        }
    }
    description.take_params(&options.params);
    description.name = options.name.clone().or(description.name);
    description.reference_elapsed_ns = options
        .reference_elapsed_ns
        .or(description.reference_elapsed_ns);
    if options.ended_early {
        description.is_complete = Some(false);
    }
    description
}

impl Description {
    fn take(&mut self, path: &Path, entry: &SidecarEntry) {
        self.take_name(path, &entry.params_from);
        self.take_params(&entry.params);
        if entry.name.is_some() {
            self.name.clone_from(&entry.name);
        }
        let hints = &mut self.hints;
        hints.clock_hz = entry.clock_hz.or(hints.clock_hz);
        hints.workers = entry.workers.or(hints.workers);
        if entry.task_graph.is_some() {
            hints.task_graph.clone_from(&entry.task_graph);
        }
        if let Some(rule) = entry.parentage {
            hints.parentage = rule;
            let rule = match rule {
                Parentage::Nesting => "nesting",
                Parentage::Recorded => "recorded",
            };
            self.settings.insert("parentage", rule.to_owned());
        }
        self.reference_elapsed_ns = entry.reference_elapsed_ns.or(self.reference_elapsed_ns);
        self.is_complete = entry.is_complete.or(self.is_complete);
    }

    /// Takes in what the name holds; of several patterns those that fit.
    fn take_name(&mut self, path: &Path, patterns: &[NamePattern]) {
        let found: Vec<_> = patterns
            .iter()
            .filter_map(|pattern| pattern.read(path))
            .collect();
        if found.is_empty() {
            let first = || patterns.first().map(ToString::to_string);
            self.findings.add(UNMATCHED, patterns.len() as u64, first);
        }
        for params in found {
            self.take_params(&params);
        }
    }

    /// Takes in parameters; two of them give readers what files of some formats lack.
    fn take_params(&mut self, params: &BTreeMap<String, ParamValue>) {
        for (name, value) in params {
            let is_hint = match name.as_str() {
                "clock_hz" => {
                    let rate = number(value).filter(|rate| *rate > 0.0);
                    self.hints.clock_hz = rate.or(self.hints.clock_hz);
                    rate.is_some()
                }
                "workers" => {
                    let workers = number(value).filter(|count| count.fract() == 0.0);
                    let workers = workers.filter(|count| (1.0..=1e7).contains(count));
                    #[expect(clippy::cast_possible_truncation, reason = "checked right above")]
                    let workers = workers.map(|count| count as i64);
                    self.hints.workers = workers.or(self.hints.workers);
                    workers.is_some()
                }
                "parentage" => {
                    self.settings.insert("parentage", value.to_string());
                    true
                }
                _ => true,
            };
            if !is_hint {
                let first = || Some(format!("{name}={value}"));
                self.findings.add(UNUSABLE, 1, first);
            }
        }
        let params = params
            .iter()
            .map(|(name, value)| (name.clone(), value.clone()));
        self.params.extend(params);
    }

    /// The description with its settings applied.
    ///
    /// # Errors
    /// When a setting has a value that it cannot have, or the reader of the format has no such setting.
    fn checked(mut self, format: Option<Format>) -> Result<Self, Error> {
        if let Some(format) = format {
            for name in self.hints.unused(format) {
                let first = || {
                    Some(format!(
                        "{name}: the reader of `{format}` does not use it",
                        format = format.as_str()
                    ))
                };
                self.findings.add(UNUSED, 1, first);
            }
        }
        let Some(value) = self.settings.get("parentage") else {
            return Ok(self);
        };
        let refused = |reason: String| Error::Setting {
            setting: format!("parentage={value}"),
            reason,
        };
        if let Some(format) = format.filter(|format| *format != Format::Chrome) {
            let format = format.as_str();
            let reason =
                format!("it is for Chrome traces, and the file is `{format}`; leave it out");
            return Err(refused(reason));
        }
        self.hints.parentage = match value.as_str() {
            "nesting" => Parentage::Nesting,
            "recorded" => Parentage::Recorded,
            _ => return Err(refused("it is `recorded` or `nesting`".to_owned())),
        };
        // The reader notes the rule that it followed.
        self.params.remove("parentage");
        Ok(self)
    }

    /// Counts the parameters whose value in the source is another than the user's.
    pub(super) fn report_replaced(&self, meta: &RunMeta, report: &mut Report) {
        for (name, value) in &self.params {
            let stated = meta.params.get(name).filter(|stated| *stated != value);
            if let Some(stated) = stated {
                let first = || {
                    let (stated, value) = (stated.shown(), value.shown());
                    Some(format!(
                        "{name}: the file has `{stated}`, replaced by `{value}`"
                    ))
                };
                report.add(REPLACED, 1, first);
            }
        }
    }

    /// Puts the description into a run's metadata.
    pub(super) fn apply(&self, meta: &mut RunMeta) {
        let params = self.params.iter();
        meta.params
            .extend(params.map(|(name, value)| (name.clone(), value.clone())));
        if let Some(name) = &self.name {
            meta.name.clone_from(name);
        }
        if self.reference_elapsed_ns.is_some() {
            meta.reference_elapsed_ns = self.reference_elapsed_ns;
        }
        // What the source lost does not come back by saying so.
        meta.is_complete &= self.is_complete.unwrap_or(true);
    }
}

fn number(value: &ParamValue) -> Option<f64> {
    match value {
        ParamValue::Number(number) if number.is_finite() => Some(*number),
        // Numbers that would not print back the same stay texts: `2.1e9`.
        ParamValue::Text(text) => text.parse().ok().filter(|number: &f64| number.is_finite()),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
