//! The tree of contexts inside one group.

mod forest;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use sheaf_answers::{GroupFact, Hierarchy, Site};
use sheaf_model::{Lens, Progress, RunSummary, Scope};

use crate::error::Error;
use crate::group_values::{GroupValues, greatest_inclusive, rows};
use crate::groups::{Grouping, Reentry};
use crate::histogram::histogram;
use crate::kernel::{Question, State, UnifiedRuns, partial};
use crate::measurement::{Measurement, greatest};
use crate::partition::Partition;
use crate::sankey::{count_present, values_of};
use crate::selection::Selection;
use crate::tree::NONE;
use forest::Forest;

/// Sites that an answer holds at most.
const MAX_SITES: usize = 5_000;

/// Answers what happens inside one group, named by id or unambiguous name.
///
/// Of a module or file these are its contexts, from those where other groups enter it to where
/// control leaves it; a context that comes back into the group further down hangs below the last
/// one before it left. Of a definition or a context, whose own contexts would be a single cell,
/// it is everything below, contexts with the same path below the definition taken together.
/// Values are those of the contexts: an inclusive one includes what lies outside of the group.
/// The heaviest 5,000 sites are kept.
///
/// ```
/// use sheaf_analysis::hierarchy;
/// use sheaf_model::{Lens, Progress};
/// assert!(hierarchy(&Lens::default(), "main", &[], &Progress::silent()).is_err());
/// ```
///
/// # Errors
/// As for [`stats`](crate::stats), and when there is no such group.
pub fn hierarchy(
    lens: &Lens,
    group: &str,
    runs: &[Arc<RunSummary>],
    progress: &Progress,
) -> Result<Hierarchy, Error> {
    finish_hierarchy(lens, group, partial(lens, runs, progress)?, progress)
}

/// Finishes the answer of [`hierarchy`] from the merged state of all runs.
///
/// # Errors
/// As for [`hierarchy`].
pub fn finish_hierarchy(
    lens: &Lens,
    group: &str,
    state: State,
    progress: &Progress,
) -> Result<Hierarchy, Error> {
    let ensemble = UnifiedRuns::new(state)?;
    let question = ensemble.question(&lens.metric)?;
    let grouping = Grouping::new(&ensemble.tree, lens, Reentry::Separate)?;
    let selection = Selection::find(&ensemble, &question, &grouping, group, lens, progress)?;
    let forest = Forest::new(&ensemble.tree, &selection);
    progress.report("weighing contexts", 0, None);
    let inside = partition(&forest, &[]);
    let weights = greatest_inclusive(&ensemble, &question, &inside, lens.over, progress)?;
    let (forest, omitted) = forest.cut(&weights, MAX_SITES);
    progress.report("evaluating contexts", 0, None);
    let sites = sites(&ensemble, &question, &forest, &selection, lens, progress)?;
    let mut notes = [question.notes, grouping.notes].concat();
    if omitted > 0 {
        let contexts = omitted;
        notes.push(GroupFact::ContextsLeftOut { contexts }.into());
    }
    let bins = sites.iter().flat_map(|site| &site.histogram.counts);
    Ok(Hierarchy {
        schema: "hierarchy/1".to_owned(),
        lens: lens.to_string(),
        runs: ensemble.run_names(),
        unit: question.metric.unit,
        omitted,
        recursive_edges_cut: 0,
        max_bin_count: bins.copied().max().unwrap_or(0),
        max_exclusive: sites
            .iter()
            .map(|site| site.max_exclusive)
            .fold(0.0, f64::max),
        sites,
        group: selection.id.to_string(),
        name: selection.name,
        notes,
    })
}

/// Contexts by site. Contexts of one site are never below one another, so each is outermost; the
/// `entries` flow together into the artificial root.
fn partition(forest: &Forest, entries: &[usize]) -> Partition {
    let mut flow_of = vec![NONE; forest.site_of.len()];
    for &entry in entries {
        flow_of[entry] = 0;
    }
    Partition {
        groups: forest.sites.len(),
        flows: 1,
        group_of: forest.site_of.clone(),
        is_outermost: vec![true; forest.site_of.len()],
        flow_of,
        outside: Vec::new(),
    }
}

fn sites(
    ensemble: &UnifiedRuns,
    question: &Question,
    forest: &Forest,
    selection: &Selection,
    lens: &Lens,
    progress: &Progress,
) -> Result<Vec<Site>, Error> {
    let partition = partition(forest, &selection.outermost);
    let rows = rows(ensemble, question, &partition, lens.over, progress)?;
    let values = GroupValues::from_rows(&rows, partition.groups);
    let has_root = forest.roots > 1;
    let mut sites = Vec::with_capacity(forest.sites.len() + 1);
    if has_root {
        let inclusive: Vec<Measurement> = rows
            .iter()
            .map(|row| row.flows.first().copied().unwrap_or(Measurement::Absent))
            .collect();
        let nothing = |measurement: &Measurement| match measurement {
            Measurement::Value(_) => Measurement::Value(0.0),
            other => *other,
        };
        let exclusive: Vec<Measurement> = inclusive.iter().map(nothing).collect();
        let root = Site {
            id: selection.id.to_string(),
            name: selection.name.clone(),
            kind: "group".to_owned(),
            ..site(&inclusive, &exclusive, lens)
        };
        sites.push(root);
    }
    let shift = u32::from(has_root);
    for (number, place) in forest.sites.iter().enumerate() {
        let definition = ensemble.tree.definition(place.node);
        let inclusive = values.of(Scope::Inclusive, number);
        sites.push(Site {
            id: place.id.to_string(),
            parent: match place.parent {
                Some(parent) => u32::try_from(parent).ok().map(|parent| parent + shift),
                None => has_root.then_some(0),
            },
            name: definition.name.to_string(),
            kind: definition.kind.to_string(),
            source: definition.source(),
            depth: place.depth + shift,
            ..site(inclusive, values.of(Scope::Exclusive, number), lens)
        });
    }
    Ok(sites)
}

/// The values of a site, without anything that says which.
fn site(inclusive: &[Measurement], exclusive: &[Measurement], lens: &Lens) -> Site {
    let shown = match lens.scope {
        Scope::Inclusive => inclusive,
        Scope::Exclusive => exclusive,
    };
    Site {
        id: String::new(),
        parent: None,
        name: String::new(),
        kind: String::new(),
        source: None,
        depth: 0,
        max_inclusive: greatest(inclusive.iter().copied()),
        max_exclusive: greatest(exclusive.iter().copied()),
        present: count_present(inclusive),
        histogram: histogram(values_of(shown), lens.bins),
        inclusive_by_run: values_of(inclusive),
        exclusive_by_run: values_of(exclusive),
    }
}
