//! The order of versions: as numbers and version strings mean it, as a list says, as a parameter says.
//! Never by date.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sheaf_answers::{HistoryFact, Note};
use sheaf_model::{ParamValue, RunSummary};

use sheaf_analysis::{Error, nearest};
use sheaf_analysis::{parameter_of, unknown_parameter};

/// How versions are ordered.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum HistoryOrder {
    /// By what they say: `9` before `10`, `1.9` before `1.10`, `2.0-rc1` before `2.0`.
    #[default]
    Versions,
    /// As listed, oldest first; versions that are not listed are left out.
    List(Vec<String>),
    /// By the values of another parameter, such as the number of a build.
    Parameter(String),
}

/// Versions, oldest first; versions of one place stand together.
pub(super) fn versions(
    runs: &[Arc<RunSummary>],
    by: &str,
    order: &HistoryOrder,
    notes: &mut Vec<Note>,
) -> Result<Vec<(ParamValue, usize)>, Error> {
    let mut found: BTreeMap<String, ParamValue> = BTreeMap::new();
    for value in runs.iter().filter_map(|run| parameter_of(&run.meta, by)) {
        found.entry(value.to_string()).or_insert(value);
    }
    let ordered: Vec<ParamValue> = match order {
        HistoryOrder::Versions => by_meaning(by, found)?,
        HistoryOrder::List(list) => {
            refuse_twice(by, list)?;
            let listed = list
                .iter()
                .filter_map(|name| found.get(name.trim()).cloned());
            let listed: Vec<ParamValue> = listed.collect();
            if listed.is_empty() {
                return Err(Error::UnknownVersion {
                    parameter: by.to_owned(),
                    version: list.first().cloned().unwrap_or_default(),
                    nearest: nearest(
                        list.first().map_or("", String::as_str),
                        found.keys().map(String::as_str),
                    ),
                });
            }
            let missing = list
                .iter()
                .filter(|name| !found.contains_key(name.trim()))
                .count();
            if missing > 0 {
                let (versions, listed) = (missing as u64, list.len() as u64);
                notes.push(HistoryFact::VersionsWithoutRun { versions, listed }.into());
            }
            listed
        }
        HistoryOrder::Parameter(name) => by_parameter(runs, by, name, found)?,
    };
    Ok(ordered
        .into_iter()
        .enumerate()
        .map(|(place, value)| (value, place))
        .collect())
}

/// A version has one place.
fn refuse_twice(by: &str, list: &[String]) -> Result<(), Error> {
    let mut seen = BTreeSet::new();
    match list.iter().find(|name| !seen.insert(name.trim())) {
        None => Ok(()),
        Some(name) => Err(Error::VersionTwice {
            parameter: by.to_owned(),
            version: name.trim().to_owned(),
        }),
    }
}

/// Place of a version in the order.
pub(super) fn place(versions: &[(ParamValue, usize)], value: &ParamValue) -> Option<usize> {
    let text = value.to_string();
    versions
        .iter()
        .find(|(known, _)| known.to_string() == text)
        .map(|(_, place)| *place)
}

fn by_meaning(by: &str, found: BTreeMap<String, ParamValue>) -> Result<Vec<ParamValue>, Error> {
    let mut keyed = Vec::with_capacity(found.len());
    for (text, value) in found {
        let Some(key) = Version::parse(&text) else {
            return Err(Error::NoOrder {
                parameter: by.to_owned(),
                version: text,
            });
        };
        keyed.push((key, text, value));
    }
    keyed.sort_by(|x, y| x.0.order(&y.0).then_with(|| x.1.cmp(&y.1)));
    Ok(keyed.into_iter().map(|(_, _, value)| value).collect())
}

/// Least value of the other parameter among a version's runs decides.
fn by_parameter(
    runs: &[Arc<RunSummary>],
    by: &str,
    name: &str,
    found: BTreeMap<String, ParamValue>,
) -> Result<Vec<ParamValue>, Error> {
    let mut least: BTreeMap<String, ParamValue> = BTreeMap::new();
    for run in runs {
        let (Some(version), Some(value)) =
            (parameter_of(&run.meta, by), parameter_of(&run.meta, name))
        else {
            continue;
        };
        let known = least
            .entry(version.to_string())
            .or_insert_with(|| value.clone());
        if value.order(known).is_lt() {
            *known = value;
        }
    }
    if least.is_empty() {
        return Err(unknown_parameter(
            &runs.iter().map(|run| &*run.meta).collect::<Vec<_>>(),
            name,
        ));
    }
    let mut keyed: Vec<(ParamValue, String, ParamValue)> = Vec::new();
    for (text, version) in found {
        if let Some(key) = least.get(&text) {
            keyed.push((key.clone(), text, version));
        }
    }
    keyed.sort_by(|x, y| x.0.order(&y.0).then_with(|| x.1.cmp(&y.1)));
    Ok(keyed.into_iter().map(|(_, _, version)| version).collect())
}

/// A version as Semantic Versioning reads it, with any number of parts.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Version {
    numbers: Vec<String>,
    /// Parts of what stands behind the first `-`: such a version comes before the one without.
    before: Vec<String>,
}

impl Version {
    fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let text = text.strip_prefix(['v', 'V']).unwrap_or(text);
        // What stands behind a plus is no part of the order.
        let text = text.split('+').next().unwrap_or_default();
        let (core, before) = text
            .split_once('-')
            .map_or((text, None), |(core, rest)| (core, Some(rest)));
        let numbers: Vec<String> = core.split('.').map(str::to_owned).collect();
        let is_number =
            |part: &String| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        numbers.iter().all(is_number).then(|| Self {
            numbers,
            before: before.map_or_else(Vec::new, |rest| {
                rest.split('.').map(str::to_owned).collect()
            }),
        })
    }

    fn order(&self, other: &Self) -> Ordering {
        let places = self.numbers.len().max(other.numbers.len());
        let number = |version: &Self, place: usize| {
            version
                .numbers
                .get(place)
                .cloned()
                .unwrap_or_else(|| "0".to_owned())
        };
        let cores = (0..places).map(|place| numeric(&number(self, place), &number(other, place)));
        let cores = cores.fold(Ordering::Equal, Ordering::then);
        cores.then_with(|| match (self.before.is_empty(), other.before.is_empty()) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Greater,
            (false, true) => Ordering::Less,
            (false, false) => parts(&self.before, &other.before),
        })
    }
}

/// Digits of any length as numbers.
fn numeric(a: &str, b: &str) -> Ordering {
    let (a, b) = (a.trim_start_matches('0'), b.trim_start_matches('0'));
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}

fn parts(a: &[String], b: &[String]) -> Ordering {
    for (a, b) in a.iter().zip(b) {
        let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        let order = match (is_number(a), is_number(b)) {
            (true, true) => numeric(a, b),
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            (false, false) => a.cmp(b),
        };
        if order.is_ne() {
            return order;
        }
    }
    a.len().cmp(&b.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_come_in_their_order() {
        let ordered = [
            "v0.9",
            "1.0.0-alpha",
            "1.0.0-alpha.1",
            "1.0.0-alpha.beta",
            "1.0.0-beta.2",
            "1.0.0-beta.11",
            "1.0.0-rc.1",
            "1.0.0",
            "1.2",
            "1.9",
            "v1.10",
            "1.10.1+build5",
            "2",
            "10",
            "99999999999999999999999",
            "100000000000000000000000",
        ];
        for pair in ordered.windows(2) {
            let [x, y] = [pair[0], pair[1]].map(|text| Version::parse(text).unwrap());
            assert_eq!(x.order(&y), Ordering::Less, "{pair:?}");
            assert_eq!(y.order(&x), Ordering::Greater, "{pair:?}");
        }
        for none in ["", "main", "3f2a91c", "1..2", "-1", "2026/01/31"] {
            assert!(Version::parse(none).is_none(), "{none}");
        }
    }
}
