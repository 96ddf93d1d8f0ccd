//! Files that a folder lacks: TAU writes one per thread of each rank, and with several metrics one per metric.

use std::collections::{BTreeMap, BTreeSet};

use super::super::file::{Place, Profile};

/// Ranks, threads or metrics that a warning names.
const MAX_NAMES: usize = 10;

/// Warnings about missing files. Linear in the files that are there, as a damaged name can state any number.
pub(super) fn warnings(files: &[Profile<'_>]) -> Vec<String> {
    let mut warnings: Vec<String> = missing_ranks(files).into_iter().collect();
    warnings.extend(missing_metrics(files));
    warnings
}

/// A warning about ranks below the largest that no file is of.
fn missing_ranks(files: &[Profile<'_>]) -> Option<String> {
    let ranks: BTreeSet<i32> = files.iter().map(|file| file.place.rank).collect();
    let last = usize::try_from(*ranks.last()?).ok()?;
    let count = (last + 1)
        .checked_sub(ranks.len())
        .filter(|&count| count > 0)?;
    let missing = (0..).filter(|rank| !ranks.contains(rank));
    let names = missing.map(|rank| rank.to_string());
    Some(format!(
        "no file holds values of rank {}",
        listed(names, count)
    ))
}

/// Warnings about the ranks and threads that have files of some metrics but not of others.
fn missing_metrics(files: &[Profile<'_>]) -> Vec<String> {
    let places: BTreeSet<Place> = files.iter().map(|file| file.place).collect();
    let mut by_metric: BTreeMap<&str, BTreeSet<Place>> = BTreeMap::new();
    for file in files {
        by_metric.entry(file.metric).or_default().insert(file.place);
    }
    let mut incomplete = by_metric.iter().filter(|(_, own)| own.len() < places.len());
    let mut warnings: Vec<String> = incomplete
        .by_ref()
        .take(MAX_NAMES)
        .map(|(metric, own)| missing_places(metric, own, &places))
        .collect();
    let more = incomplete.count();
    if more > 0 {
        warnings.push(format!(
            "files of some ranks are missing for {more} more metrics"
        ));
    }
    warnings
}

/// Names the ranks that have no file of a metric, then the threads of ranks of which other threads have one.
fn missing_places(metric: &str, own: &BTreeSet<Place>, places: &BTreeSet<Place>) -> String {
    let ranks: BTreeSet<i32> = own.iter().map(|place| place.rank).collect();
    let all: BTreeSet<i32> = places.iter().map(|place| place.rank).collect();
    let mut parts = Vec::new();
    if ranks.len() < all.len() {
        let missing = all.difference(&ranks).map(ToString::to_string);
        let names = listed(missing, all.len() - ranks.len());
        parts.push(format!("rank {names}"));
    }
    let is_other = |place: &&Place| ranks.contains(&place.rank) && !own.contains(place);
    let threads = places.iter().filter(is_other);
    let count = threads.clone().count();
    if count > 0 {
        let name = |place: &Place| match place.context {
            0 => format!("{}.{}", place.rank, place.thread),
            context => format!("{}.{context}.{}", place.rank, place.thread),
        };
        let names = listed(threads.map(name), count);
        parts.push(format!("thread {names}"));
    }
    format!("no file holds {metric} of {}", parts.join(" and of "))
}

/// The first of `count` names, and how many more there are.
fn listed(names: impl Iterator<Item = String>, count: usize) -> String {
    let names: Vec<String> = names.take(count.min(MAX_NAMES)).collect();
    let more = match count - names.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}{more}", names.join(", "))
}
