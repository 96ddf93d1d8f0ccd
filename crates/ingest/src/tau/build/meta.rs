//! What profiles state about their run.

use std::collections::BTreeSet;

use sheaf_model::{ParamValue, RunMeta};

use super::super::file::Profile;
use crate::program_name::unnamed;
use crate::{Format, Input};

/// Attributes that all files agree on are parameters; others are of single processes.
pub(super) fn meta(input: &Input<'_>, files: &[Profile<'_>]) -> RunMeta {
    let values = |name: &str| {
        let name = name.to_owned();
        files
            .iter()
            .filter_map(move |file| file.attributes.get(&name))
    };
    let program = values("Executable")
        .next()
        .and_then(|path| path.rsplit('/').next());
    let program = program.filter(|program| !program.is_empty());
    // A metric's folder is not a name of a run.
    let folder = input
        .name
        .rsplit(['/', '\\'])
        .skip(1)
        .find(|name| !name.starts_with("MULTI__"));
    let folder = folder.filter(|name| !name.is_empty() && *name != ".");
    let mut meta = match program {
        Some(program) => RunMeta::new(program, Format::Tau.as_str()),
        None => unnamed(folder.unwrap_or(Format::Tau.as_str()), Format::Tau),
    };
    let times = |name: &str| values(name).filter_map(|time| time.parse::<i64>().ok());
    let started = times("Starting Timestamp").min();
    let ended = times("Ending Timestamp").max();
    let to_ns = |microseconds: i64| microseconds.checked_mul(1000);
    meta.elapsed = match (started, ended) {
        (Some(started), Some(ended)) => ended.checked_sub(started).and_then(to_ns),
        _ => None,
    };
    meta.elapsed = meta.elapsed.filter(|elapsed| *elapsed >= 0);
    let ranks: BTreeSet<i32> = files.iter().map(|file| file.place.rank).collect();
    let places: BTreeSet<_> = files.iter().map(|file| file.place).collect();
    if let Some(first) = files.first() {
        for (name, value) in &first.attributes {
            let is_common = files
                .iter()
                .all(|file| file.attributes.get(name) == Some(value));
            if is_common && name != "Metric Name" && !value.is_empty() {
                meta.params.insert(name.clone(), ParamValue::infer(value));
            }
        }
    }
    let mut known = |name: &str, value: Option<ParamValue>| {
        if let Some(value) = value {
            meta.params.insert(name.to_owned(), value);
        }
    };
    known("started", started.and_then(to_ns).map(ParamValue::Time));
    let host = values("Hostname")
        .next()
        .map(|host| ParamValue::Text(host.clone()));
    let is_one_host = values("Hostname").collect::<BTreeSet<_>>().len() == 1;
    known("host", host.filter(|_| is_one_host));
    known("ranks", Some(ParamValue::Number(ranks.len() as f64)));
    let threads = places.len() / ranks.len().max(1);
    let is_even = threads * ranks.len() == places.len();
    known(
        "threads",
        is_even.then_some(ParamValue::Number(threads as f64)),
    );
    meta.ranks = i64::try_from(ranks.len()).unwrap_or(1);
    meta.workers = i64::try_from(places.len()).ok();
    meta
}
