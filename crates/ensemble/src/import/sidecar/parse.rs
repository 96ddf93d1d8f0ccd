//! From the text of a description to what it says, mistakes with their place.

use std::collections::BTreeMap;
use std::path::{Component, Path};

use glob::Pattern;
use sheaf_ingest::Parentage;
use sheaf_model::{ParamValue, instant};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Section, Sidecar, SidecarEntry, text_of_regular};
use crate::Error;
use sheaf_analysis::did_you_mean;

/// Keys that may stand in a section; those above all sections are the same but for the first two.
const KEYS: &[&str] = &[
    "match",
    "name",
    "clock-hz",
    "complete",
    "params",
    "params-from",
    "parentage",
    "reference-elapsed-ns",
    "task-graph",
    "workers",
];

/// Integers beyond this have no exact place in a parameter.
const MAX_EXACT: u64 = 1 << 53;
const MAX_WORKERS: i64 = 10_000_000;

/// What is wrong, and at which byte.
struct SidecarFault {
    at: usize,
    reason: String,
}

type Value<'a> = Spanned<DeValue<'a>>;

/// Reads a description that lies, or would lie, at `path`.
pub(super) fn parse(text: &str, path: &Path) -> Result<Sidecar, Error> {
    let folder = path.parent().unwrap_or(Path::new(""));
    document(text, folder).map_err(|fault| {
        let before = text.get(..fault.at).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Error::Sidecar {
            reason: fault.reason,
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            path: path.to_owned(),
        }
    })
}

fn document(text: &str, folder: &Path) -> Result<Sidecar, SidecarFault> {
    let table = DeTable::parse(text).map_err(|error| SidecarFault {
        at: error.span().map_or(0, |span| span.start),
        reason: error.message().replace('\n', ", "),
    })?;
    let mut sidecar = Sidecar {
        folder: folder.to_owned(),
        ..Sidecar::default()
    };
    for (key, value) in table.get_ref() {
        let name = key.get_ref().as_ref();
        if name == "files" {
            for section in array(value, "files")? {
                sidecar.sections.push(read_section(section, folder)?);
            }
        } else if matches!(name, "match" | "name") {
            let reason = format!("`{name}` belongs into a section `[[files]]`");
            return Err(at(key, reason));
        } else if !set(&mut sidecar.general, name, value, folder)? {
            let known = KEYS.get(2..).unwrap_or_default().iter().chain(&["files"]);
            return Err(unknown(key, name, known.copied()));
        }
    }
    Ok(sidecar)
}

fn read_section(value: &Value<'_>, folder: &Path) -> Result<Section, SidecarFault> {
    let DeValue::Table(table) = value.get_ref() else {
        return Err(at(
            value,
            "`files` has sections: write `[[files]]`".to_owned(),
        ));
    };
    let mut entry = SidecarEntry::default();
    let mut patterns = Vec::new();
    for (key, value) in table {
        match key.get_ref().as_ref() {
            "match" => {
                for pattern in texts(value, "match")? {
                    let parsed = Pattern::new(text(pattern, "match")?)
                        .map_err(|error| at(pattern, format!("no file pattern: {}", error.msg)))?;
                    patterns.push(parsed);
                }
            }
            "name" => entry.name = Some(text(value, "name")?.to_owned()),
            name if set(&mut entry, name, value, folder)? => {}
            name => return Err(unknown(key, name, KEYS.iter().copied())),
        }
    }
    if patterns.is_empty() {
        let reason = "the section says of no file; give it `match = \"*\"`".to_owned();
        return Err(at(value, reason));
    }
    Ok(Section { patterns, entry })
}

/// Takes in one key; false when nothing is known of it.
fn set(
    entry: &mut SidecarEntry,
    key: &str,
    value: &Value<'_>,
    folder: &Path,
) -> Result<bool, SidecarFault> {
    match key {
        "params" => entry.params = params(value)?,
        "params-from" => {
            for pattern in texts(value, key)? {
                let parsed = text(pattern, key)?.parse();
                let parsed = parsed
                    .map_err(|error: sheaf_model::ParseError| at(pattern, error.to_string()))?;
                entry.params_from.push(parsed);
            }
        }
        "clock-hz" => entry.clock_hz = Some(positive(value, key)?),
        "workers" => entry.workers = Some(whole(value, key, 1..=MAX_WORKERS)?),
        "reference-elapsed-ns" => {
            entry.reference_elapsed_ns = Some(whole(value, key, 0..=i64::MAX)?);
        }
        "complete" => match value.get_ref() {
            DeValue::Boolean(is_complete) => entry.is_complete = Some(*is_complete),
            _ => return Err(at(value, "`complete` is true or false".to_owned())),
        },
        "parentage" => {
            entry.parentage = Some(match text(value, key)? {
                "nesting" => Parentage::Nesting,
                "recorded" => Parentage::Recorded,
                other => {
                    let reason = format!("`{other}` is no parentage (known: recorded, nesting)");
                    return Err(at(value, reason));
                }
            });
        }
        "task-graph" => entry.task_graph = Some(task_graph(value, folder)?),
        _ => return Ok(false),
    }
    Ok(true)
}

/// The content of a file beside the description.
fn task_graph(value: &Value<'_>, folder: &Path) -> Result<String, SidecarFault> {
    let name = Path::new(text(value, "task-graph")?);
    // The description may have come with somebody's data: it names nothing elsewhere.
    let is_below = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    if !name.components().all(is_below) {
        let reason = format!(
            "`{}` is not in the folder of this description",
            name.display()
        );
        return Err(at(value, reason));
    }
    text_of_regular(&folder.join(name)).map_err(|error| at(value, error.chain()))
}

fn params(value: &Value<'_>) -> Result<BTreeMap<String, ParamValue>, SidecarFault> {
    let DeValue::Table(table) = value.get_ref() else {
        return Err(at(
            value,
            "`params` is a table: write `[params]`".to_owned(),
        ));
    };
    let mut params = BTreeMap::new();
    for (key, value) in table {
        let name = key.get_ref().trim();
        if name.is_empty() {
            return Err(at(key, "a parameter has no name".to_owned()));
        }
        params.insert(name.to_owned(), param(name, value)?);
    }
    Ok(params)
}

fn param(name: &str, value: &Value<'_>) -> Result<ParamValue, SidecarFault> {
    Ok(match value.get_ref() {
        DeValue::String(text) => ParamValue::Text(text.clone().into_owned()),
        DeValue::Boolean(value) => ParamValue::Boolean(*value),
        DeValue::Integer(number) => {
            let whole = i64::from_str_radix(number.as_str(), number.radix()).ok();
            let exact = whole.filter(|whole| whole.unsigned_abs() <= MAX_EXACT);
            let exact = exact.ok_or_else(|| {
                at(
                    value,
                    format!("`{number}` is too large for an exact number; quote it"),
                )
            })?;
            ParamValue::Number(exact as f64)
        }
        DeValue::Float(number) => {
            let finite = number
                .as_str()
                .parse()
                .ok()
                .filter(|number: &f64| number.is_finite());
            let reason = || at(value, format!("`{number}` is no finite number"));
            ParamValue::Number(finite.ok_or_else(reason)?)
        }
        DeValue::Datetime(time) if time.date.is_none() => {
            return Err(at(
                value,
                format!("`{time}` is no point in time without a date"),
            ));
        }
        DeValue::Datetime(time) => {
            let nanos = instant::parse(&time.to_string());
            let reason = || {
                at(
                    value,
                    format!("`{time}` is not between the years 1678 and 2261"),
                )
            };
            ParamValue::Time(nanos.ok_or_else(reason)?)
        }
        DeValue::Array(_) | DeValue::Table(_) => {
            let reason = format!("`{name}` is neither number, text, boolean nor time");
            return Err(at(value, reason));
        }
    })
}

fn positive(value: &Value<'_>, key: &str) -> Result<f64, SidecarFault> {
    let number = match param(key, value)? {
        ParamValue::Number(number) if number > 0.0 => Some(number),
        _ => None,
    };
    number.ok_or_else(|| at(value, format!("`{key}` is a number greater than 0")))
}

fn whole(
    value: &Value<'_>,
    key: &str,
    range: std::ops::RangeInclusive<i64>,
) -> Result<i64, SidecarFault> {
    let number = match value.get_ref() {
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix()).ok(),
        _ => None,
    };
    number
        .filter(|number| range.contains(number))
        .ok_or_else(|| {
            at(
                value,
                format!("`{key}` is a whole number of at least {}", range.start()),
            )
        })
}

fn text<'a>(value: &'a Value<'_>, key: &str) -> Result<&'a str, SidecarFault> {
    match value.get_ref() {
        DeValue::String(text) => Ok(text.as_ref()),
        _ => Err(at(value, format!("`{key}` is a text"))),
    }
}

/// One text, or a list of them.
fn texts<'a, 'b>(value: &'a Value<'b>, key: &str) -> Result<Vec<&'a Value<'b>>, SidecarFault> {
    match value.get_ref() {
        DeValue::String(_) => Ok(vec![value]),
        _ => array(value, key).map(Iterator::collect),
    }
}

fn array<'a, 'b>(
    value: &'a Value<'b>,
    key: &str,
) -> Result<impl Iterator<Item = &'a Value<'b>> + use<'a, 'b>, SidecarFault> {
    match value.get_ref() {
        DeValue::Array(values) => Ok(values.iter()),
        _ if key == "files" => Err(at(
            value,
            "`files` has sections: write `[[files]]`".to_owned(),
        )),
        _ => Err(at(value, format!("`{key}` is a text or a list of texts"))),
    }
}

fn unknown<'k, T>(
    key: &Spanned<T>,
    name: &str,
    known: impl Iterator<Item = &'k str>,
) -> SidecarFault {
    at(
        key,
        format!("unknown key `{name}`{}", did_you_mean(name, known)),
    )
}

fn at<T>(value: &Spanned<T>, reason: String) -> SidecarFault {
    SidecarFault {
        at: value.span().start,
        reason,
    }
}
