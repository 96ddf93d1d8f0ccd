//! From grouped values of an ensemble to a diff.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sheaf_model::{
    DefinitionId, Lens, Level, LocationAggregate, Progress, RunId, RunSummary, Scope,
};

use super::functions::{Renumbering, renumbered};
use super::naming::{Named, names_among, path};
use super::shape::COLLAPSED;
use super::{
    Comparison, DiffContext, DiffDefinition, DiffGroup, DiffInput, DiffOptions, DiffSide, Mapping,
    diff,
};
use sheaf_analysis::EnsembleTree;
use sheaf_analysis::Error;
use sheaf_analysis::Measurement;
use sheaf_analysis::State;
use sheaf_analysis::{GroupId, Reentry};
use sheaf_analysis::{Grouped, finish_groups};
use sheaf_answers::{DiffFact, Reason};
use sheaf_statistics::mean;

/// Of some runs, the place of each row of their contexts among its siblings.
pub type CreationOrders = BTreeMap<RunId, Vec<Option<u32>>>;

/// Iterations by row of the contexts, for runs that state them.
pub type IterationCounts = BTreeMap<RunId, Vec<Option<i64>>>;

/// The runs of one side, as the user named them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffSelection {
    /// As the user named it.
    pub name: String,
    /// Ids of its runs, which must be in the state.
    pub runs: Vec<RunId>,
    /// Of some of them, the place of each row of their contexts among its siblings, as
    /// [`creation_order`](super::creation_order) gives it.
    pub orders: CreationOrders,
    /// Iterations by row of the contexts, from [`iterations`](super::iterations), for runs that state them.
    pub iterations: IterationCounts,
}

impl DiffSelection {
    /// Runs of whose order of creations and whose iterations nothing is known.
    pub fn new(name: impl Into<String>, runs: Vec<RunId>) -> Self {
        Self {
            name: name.into(),
            runs,
            orders: BTreeMap::new(),
            iterations: BTreeMap::new(),
        }
    }
}

/// Compares two selections of the runs of `state` at the lens's level, baseline first.
///
/// Exclusive values are compared whatever the lens's scope, since only these conserve; inclusive
/// means come along for pictures. Nothing is left out for being small. How the work was matched
/// is found on contexts at every level; what the user says of definitions in `mapping` comes first.
///
/// ```
/// use std::sync::Arc;
/// use sheaf_compare::diff::{DiffOptions, DiffSelection, Mapping, finish_diff};
/// use sheaf_analysis::{Error, partial};
/// use sheaf_model::{Lens, Progress, RunMeta, RunSummary};
/// let run = Arc::new(RunSummary::empty(RunMeta::new("sort", "trace")));
/// let side = DiffSelection::new("all", vec![run.meta.id]);
/// let (lens, progress) = (Lens::default(), Progress::silent());
/// let state = partial(&lens, &[run], &progress).unwrap();
/// let sides = [side.clone(), side];
/// let (options, mapping) = (DiffOptions::default(), Mapping::default());
/// let answer = finish_diff(&lens, state, &sides, &options, mapping, &progress);
/// assert!(matches!(answer, Err(Error::UnknownMetric { .. })));
/// ```
///
/// # Errors
/// As for [`stats`](sheaf_analysis::stats).
pub fn finish_diff(
    lens: &Lens,
    state: State,
    selections: &[DiffSelection; 2],
    options: &DiffOptions,
    mapping: Mapping,
    progress: &Progress,
) -> Result<Comparison, Error> {
    let by_context = Lens {
        level: Level::Context,
        operations: Vec::new(),
        ..lens.clone()
    };
    let is_by_context = by_context == *lens;
    let (mut state, mut numbered, mut unclear) = (state, Vec::new(), BTreeMap::new());
    let mut contexts = finish_groups(&by_context, state.clone(), Reentry::Merged, progress)?;
    let places = places_of(contexts.tree.runs(), selections);
    let stated = selections.each_ref().map(|side| &side.iterations);
    let counts = iterations_of(&contexts.tree, &places, stated);
    if let Some(found) = renumbered(&contexts.tree, &places, &counts) {
        state = with_numbers(state, &found, &selections[0]);
        contexts = finish_groups(&by_context, state.clone(), Reentry::Merged, progress)?;
        (numbered, unclear) = (found.notes, found.unclear);
    }
    let grouped = if is_by_context {
        contexts.clone()
    } else {
        finish_groups(lens, state, Reentry::Merged, progress)?
    };
    progress.check()?;
    let runs = grouped.tree.runs();
    let places = places_of(runs, selections);
    let side = |side: usize| DiffSide {
        name: selections[side].name.clone(),
        runs: places[side]
            .iter()
            .map(|&place| &*runs[place].meta)
            .collect(),
    };
    let tree = &contexts.tree;
    let names = places.each_ref().map(|places| names_among(tree, places));
    let orders = [0, 1].map(|side: usize| {
        let of_run = |&place: &usize| {
            let order = selections[side].orders.get(&runs[place].meta.id)?;
            Some((place, order.as_slice()))
        };
        common_places(
            tree,
            &places[side].iter().filter_map(of_run).collect::<Vec<_>>(),
        )
    });
    let counts = iterations_of(tree, &places, stated);
    let known = |node: usize| NodeFacts {
        places: orders.each_ref().map(|order| order[node]),
        iterations: counts[node],
    };
    let input = DiffInput {
        sides: [side(0), side(1)],
        metric: grouped.metric.clone(),
        groups: groups(lens, &grouped, &places, &names, &unclear),
        contexts: work_of_contexts(&contexts, &grouped, &places, known),
        definitions: definitions_of(&contexts.tree, &names),
        mapping,
    };
    let mut found = diff(input, options);
    let mut notes = grouped.notes;
    if !is_conserving(lens.over) && found.answer.totals.is_some() {
        let over = lens.over;
        notes.push(DiffFact::NotConserving { over }.into());
    }
    notes.extend(numbered);
    found.answer.notes.splice(0..0, notes);
    Ok(found)
}

/// Places of the runs of either side.
fn places_of(runs: &[Arc<RunSummary>], selections: &[DiffSelection; 2]) -> [Vec<usize>; 2] {
    selections.each_ref().map(|selection| {
        let is_chosen = |place: &usize| selection.runs.contains(&runs[*place].meta.id);
        (0..runs.len()).filter(is_chosen).collect()
    })
}

/// The runs with the constructs of the baseline numbered as in the candidate.
fn with_numbers(state: State, found: &Renumbering, baseline: &DiffSelection) -> State {
    state.map_runs(|run| {
        if baseline.runs.contains(&run.meta.id) {
            found.apply(run)
        } else {
            Arc::clone(run)
        }
    })
}

/// Whether the sum over groups of values so aggregated is the value of the run.
const fn is_conserving(over: LocationAggregate) -> bool {
    matches!(
        over,
        LocationAggregate::RanksMean | LocationAggregate::RanksSum | LocationAggregate::WorkersMean
    )
}

fn groups(
    lens: &Lens,
    grouped: &Grouped,
    places: &[Vec<usize>; 2],
    names: &[Vec<Named>; 2],
    unclear: &BTreeMap<DefinitionId, Reason>,
) -> Vec<DiffGroup> {
    let tree = &grouped.tree;
    let by_context = lens.level == Level::Context;
    let shown = shown(grouped);
    let group = |(index, group): (usize, &sheaf_analysis::Group)| {
        let measurements = |scope| {
            let all = grouped.values.of(scope, index);
            places.each_ref().map(|places| pick(all, places))
        };
        let is_context = matches!(group.id, GroupId::Context(_));
        let is_one = is_context || matches!(group.id, GroupId::Definition(_));
        let own = group.definition.filter(|_| is_one);
        DiffGroup {
            id: group.id.to_string(),
            paths: names.each_ref().map(|names| match own {
                _ if by_context => path(tree, group.first_node, names),
                Some(own) => vec![names[own].name.to_string()],
                None => vec![group.name.to_string()],
            }),
            lines: names
                .each_ref()
                .map(|names| own.and_then(|own| names[own].line)),
            definition: own
                .filter(|_| is_context)
                .map(|own| tree.definitions()[own].id),
            is_outside: group.is_outside,
            incomparable: own.and_then(|own| unclear.get(&tree.definitions()[own].id).cloned()),
            exclusive: measurements(Scope::Exclusive),
            inclusive: measurements(Scope::Inclusive),
        }
    };
    let groups = grouped.grouping.groups.iter().enumerate();
    groups
        .filter(|(index, _)| shown[*index].is_some())
        .map(group)
        .collect()
}

/// Place of each group among those that are compared: all but groups outside of regions, if these are
/// hidden.
fn shown(grouped: &Grouped) -> Vec<Option<usize>> {
    let mut places = 0..;
    let groups = grouped.grouping.groups.iter();
    let is_shown = |group: &sheaf_analysis::Group| group.is_visible || !group.is_outside;
    groups
        .map(|group| is_shown(group).then(|| places.next()).flatten())
        .collect()
}

fn pick(measurements: &[Measurement], places: &[usize]) -> Vec<Measurement> {
    places.iter().map(|&place| measurements[place]).collect()
}

/// Both groupings are of the same runs, so they number the same nodes.
fn work_of_contexts(
    contexts: &Grouped,
    grouped: &Grouped,
    places: &[Vec<usize>; 2],
    known: impl Fn(usize) -> NodeFacts,
) -> Vec<DiffContext> {
    let shown = shown(grouped);
    let group = |node| shown[grouped.grouping.group_of(node)];
    contexts_of(&contexts.tree, places, group, known, |node| {
        let own = contexts.grouping.group_of(node);
        let measurements = contexts.values.of(Scope::Exclusive, own);
        places.each_ref().map(|places| {
            mean(places.iter().map(|&run| measurements[run].or_zero())).unwrap_or(0.0)
        })
    })
}

/// Facts about a node that grains state, by side.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct NodeFacts {
    /// Place among its siblings.
    pub(super) places: [Option<u32>; 2],
    /// Least and most iterations.
    pub(super) iterations: [Option<[i64; 2]>; 2],
}

/// Contexts of the runs at `places` of the tree, with the group of each node, its facts from grains, and its work.
pub(super) fn contexts_of(
    tree: &EnsembleTree,
    places: &[Vec<usize>; 2],
    group: impl Fn(usize) -> Option<usize>,
    known: impl Fn(usize) -> NodeFacts,
    work: impl Fn(usize) -> [f64; 2],
) -> Vec<DiffContext> {
    let mut present = vec![[0; 2]; tree.len()];
    let mut grains: Vec<[Option<[i64; 2]>; 2]> = vec![[None; 2]; tree.len()];
    for (side, places) in places.iter().enumerate() {
        for &run in places {
            let counts = sheaf_analysis::grains_of(&tree.runs()[run]);
            for (row, &node) in tree.nodes_of_run(run).iter().enumerate() {
                let node = node as usize;
                present[node][side] += 1;
                let is_collapsed = COLLAPSED.contains(&tree.definition(node).kind.as_ref());
                let count = counts.as_ref().and_then(|counts| counts.get(row));
                if let Some(&count) = count.filter(|_| !is_collapsed) {
                    let [least, most] = grains[node][side].get_or_insert([count; 2]);
                    (*least, *most) = (count.min(*least), count.max(*most));
                }
            }
        }
    }
    let mut index = vec![None; tree.len()];
    let mut found = Vec::new();
    for node in 0..tree.len() {
        if present[node] == [0, 0] {
            continue;
        }
        index[node] = Some(found.len());
        let NodeFacts { places, iterations } = known(node);
        found.push(DiffContext {
            definition: tree.definition_index(node),
            parent: tree.parent(node).and_then(|parent| index[parent]),
            group: group(node),
            runs: present[node],
            grains: grains[node],
            places,
            iterations,
            work: work(node),
        });
    }
    found
}

/// Least and most iterations of every node on each side, in the runs of which they are known.
pub(super) fn iterations_of(
    tree: &EnsembleTree,
    places: &[Vec<usize>; 2],
    counts: [&IterationCounts; 2],
) -> Vec<[Option<[i64; 2]>; 2]> {
    let mut found: Vec<[Option<[i64; 2]>; 2]> = vec![[None; 2]; tree.len()];
    for (side, (places, counts)) in places.iter().zip(counts).enumerate() {
        for &run in places {
            let Some(counts) = counts.get(&tree.runs()[run].meta.id) else {
                continue;
            };
            for (&node, count) in tree.nodes_of_run(run).iter().zip(counts) {
                if let (Some(known), Some(count)) = (found.get_mut(node as usize), *count) {
                    let [least, most] = known[side].get_or_insert([count; 2]);
                    (*least, *most) = (count.min(*least), count.max(*most));
                }
            }
        }
    }
    found
}

/// Places of the nodes of a tree that all given runs agree on. A run gives one for each row of its contexts.
fn common_places(tree: &EnsembleTree, runs: &[(usize, &[Option<u32>])]) -> Vec<Option<u32>> {
    let mut common = vec![None; tree.len()];
    for (number, (run, order)) in runs.iter().enumerate() {
        let mut own = vec![None; tree.len()];
        for (&node, place) in tree.nodes_of_run(*run).iter().zip(*order) {
            own[node as usize] = *place;
        }
        if number == 0 {
            common = own;
            continue;
        }
        // By parent and place in the first run; what is not in this run is no matter.
        let mut both: Vec<(Option<usize>, u32, u32)> = (0..tree.len())
            .filter_map(|node| Some((tree.parent(node), common[node]?, own[node]?)))
            .collect();
        both.sort_unstable();
        let differ = |of_one: &&[(Option<usize>, u32, u32)]| !of_one.is_sorted_by_key(|it| it.2);
        let of_parents = both.chunk_by(|x, y| x.0 == y.0);
        let differing: BTreeSet<Option<usize>> = of_parents
            .filter(differ)
            .map(|of_one| of_one[0].0)
            .collect();
        for (node, place) in common.iter_mut().enumerate() {
            if differing.contains(&tree.parent(node)) {
                *place = None;
            }
        }
    }
    common
}

/// Definitions of a tree as each side names them.
pub(super) fn definitions_of(tree: &EnsembleTree, names: &[Vec<Named>; 2]) -> Vec<DiffDefinition> {
    let all = tree.definitions().iter().enumerate();
    all.map(|(at, it)| definition(at, it, names)).collect()
}

fn definition(
    at: usize,
    definition: &sheaf_analysis::Definition,
    names: &[Vec<Named>; 2],
) -> DiffDefinition {
    DiffDefinition {
        id: definition.id,
        kind: definition.kind.clone(),
        names: names.each_ref().map(|names| names[at].name.clone()),
        lines: names.each_ref().map(|names| names[at].line),
        function: definition.function.clone(),
        file: definition.file.clone(),
        ordinal: definition.ordinal,
    }
}
