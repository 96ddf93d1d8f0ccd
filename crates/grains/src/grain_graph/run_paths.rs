//! Everything about the paths of a run, with or without a graph.

use sheaf_model::{Cancelled, Progress, RunTables};

use super::absent::{Absence, Figure};
use super::elapsed::{ElapsedPath, PathFault};
use super::graph::{GrainGraph, NodeKind};
use super::structure::Structure;
use super::timeline::Timelines;
use super::walk::{Chain, Critical, Finishers, Lengths, Trace, Winners, walk, walkable};
use super::{GrainGroup, GraphFault, LengthFinder, NONE, PathLengths, Paths};

/// Definitions whose spans one walk finds: 8 bytes for each wherever ways meet.
const LANES: usize = 8;
/// Passes over a graph at a time: each takes 8 bytes for each node.
const FINDERS: usize = 2;

/// Neighbouring nodes of one grain on a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PathPart {
    /// The grain that runs, forks or joins.
    pub grain: u32,
    /// Whether one of the nodes is a stretch of the grain: neither fork nor join.
    pub has_stretch: bool,
    /// Sum of their weights in the run's time unit.
    pub work: i64,
}

/// The paths of a run or of a group of its grains, and the spans of definitions.
///
/// ```
/// use sheaf_grains::grain_graph::{GrainGraph, PathQuestion, RunPaths, Structure};
/// let run = sheaf_synthetic::Program::recursion(5).run(2);
/// let structure = Structure::of(&run);
/// let question = PathQuestion { group: None, definitions: &[0] };
/// let progress = sheaf_model::Progress::silent();
/// let paths = RunPaths::of(&run, &structure, question, &progress)?.unwrap();
/// let graph = GrainGraph::unreduced(&run, &structure);
/// let same = RunPaths::on_graph(&run, &graph, question, &progress)?.unwrap();
/// assert_eq!(paths, same);
/// # Ok::<(), sheaf_model::Cancelled>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunPaths {
    /// Work and span.
    pub lengths: PathLengths,
    /// The nodes of the critical path, as of [`Paths::critical_path`], but for those of the run itself.
    pub critical: Vec<PathPart>,
    /// The path of last finishers, or why there is none.
    pub last_finishers: Result<ElapsedPath, PathFault>,
    /// The span of each definition that the question names, in its order.
    pub spans: Vec<i64>,
}

/// A selection of the figures that [`RunPaths`] holds.
#[derive(Clone, Copy, Default, Debug)]
pub struct PathQuestion<'a> {
    /// The grains that paths are local to; all if there is none.
    pub group: Option<&'a GrainGroup>,
    /// Rows of definitions whose spans are wanted, each local to all grains of the definition.
    pub definitions: &'a [u32],
}

impl RunPaths {
    /// Those of the unreduced graph of a run with fragments, of which no node or edge is kept. Linear in time but for
    /// sorting what each grain does, and the beginnings and ends of fragments. Takes 8 bytes for each sibling set, and more
    /// for grains that are under way at the same time. `None` if the graph has a cycle, if the run has no fragments, or if
    /// tasks are the book-keeping of loops: the graph itself then has the answer or the fault.
    ///
    /// # Errors
    /// When `progress` was stopped.
    pub fn of(
        run: &RunTables,
        structure: &Structure,
        question: PathQuestion<'_>,
        progress: &Progress,
    ) -> Result<Option<Self>, Cancelled> {
        let Some(timelines) = walkable(run, structure) else {
            return Ok(None);
        };
        let (spans, longest) = rayon::join(
            || walked_spans(&timelines, question.definitions, progress),
            || walked_paths(&timelines, question.group, progress),
        );
        let (Some(spans), Some((lengths, critical, last_finishers))) = (spans?, longest?) else {
            return Ok(None);
        };
        drop(timelines);
        progress.check()?;
        Ok(Some(Self {
            lengths,
            critical,
            last_finishers: last_finishers
                .map(|path| path.finish(run))
                .map_err(PathFault::from),
            spans,
        }))
    }

    /// Those of a graph of a run. Linear in nodes and edges, once more for each definition.
    ///
    /// # Errors
    /// When `progress` was stopped; within the answer [`GraphFault::Cycle`].
    pub fn on_graph(
        run: &RunTables,
        graph: &GrainGraph,
        question: PathQuestion<'_>,
        progress: &Progress,
    ) -> Result<Result<Self, GraphFault>, Cancelled> {
        let paths = match question.group {
            Some(group) => Paths::local(graph, group),
            None => Paths::of(graph),
        };
        let (lengths, critical) = match paths {
            Ok(paths) => (paths.lengths(), parts_of(graph, &paths.critical_path())),
            Err(fault) => return Ok(Err(fault)),
        };
        progress.check()?;
        let last_finishers = match question.group {
            Some(group) => ElapsedPath::local(run, graph, group),
            None => ElapsedPath::of(run, graph),
        };
        progress.check()?;
        let spans = spans_on_graph(run, graph, question.definitions, progress)?;
        Ok(spans.map(|spans| Self {
            lengths,
            critical,
            last_finishers,
            spans,
        }))
    }
}

type Found<T> = Result<Option<T>, Cancelled>;

/// The spans of definitions, several in each walk.
fn walked_spans(
    timelines: &Timelines<'_>,
    definitions: &[u32],
    progress: &Progress,
) -> Found<Vec<i64>> {
    let run = timelines.run();
    let contexts = &run.summary.contexts.definition;
    let mut spans = Vec::with_capacity(definitions.len());
    for definitions in definitions.chunks(LANES) {
        let lane_of = |row: usize| {
            let definition = u32::try_from(contexts.value(row)).unwrap_or(NONE);
            let lane = definitions.iter().position(|&other| other == definition);
            lane.unwrap_or(LANES)
        };
        let lanes: Vec<usize> = (0..contexts.len()).map(lane_of).collect();
        let of_grains = &run.grains.context;
        let lane = |grain: u32| {
            let context = usize::try_from(of_grains.value(grain as usize)).ok();
            let lane = context.and_then(|context| lanes.get(context).copied());
            lane.unwrap_or(LANES)
        };
        let Some((lengths, _)) = walk(timelines, Lengths::<LANES, _>::new(lane), progress)? else {
            return Ok(None);
        };
        let found = lengths.lengths();
        spans.extend(definitions.iter().zip(found).map(|(_, found)| found.span));
    }
    Ok(Some(spans))
}

type Longest = (
    PathLengths,
    Vec<PathPart>,
    Result<super::elapsed::PathWithGaps, Absence>,
);

/// Lengths, critical path and path of last finishers, in one walk.
fn walked_paths(
    timelines: &Timelines<'_>,
    group: Option<&GrainGroup>,
    progress: &Progress,
) -> Found<Longest> {
    let run = timelines.run();
    let critical = Critical::new(group, winners(timelines));
    let (critical, last_finishers) = if let Some(absence) = Absence::of(run, Figure::ElapsedPath) {
        let walked = walk(timelines, critical, progress)?;
        (walked.map(|(critical, _)| critical), Err(absence))
    } else {
        let finishers = Finishers::new(run, winners(timelines));
        let Some(((critical, finishers), _)) = walk(timelines, (critical, finishers), progress)?
        else {
            return Ok(None);
        };
        let (winners, latest) = finishers.into_path();
        let trace = Trace::new(timelines, winners);
        let chain = Chain::new(trace, latest, ElapsedPath::last(run, group));
        (Some(critical), Ok(ElapsedPath::along(run, group, chain)))
    };
    progress.check()?;
    Ok(critical.map(|critical| {
        let lengths = critical.lengths();
        let (last, winners) = critical.into_path();
        let mut trace = Trace::new(timelines, winners);
        if let Some(grain) = last {
            trace.go_to_end(grain);
        }
        let durations = &run.fragments.duration;
        let nodes = trace.map(|node| {
            let weight = if node.row == NONE {
                0
            } else {
                durations.value(node.row as usize)
            };
            (node.grain, node.is_stretch, weight)
        });
        let mut critical = join_neighbours(nodes.filter(|node| counts(group, node.0)));
        critical.reverse();
        (lengths, critical, last_finishers)
    }))
}

fn winners(timelines: &Timelines<'_>) -> Winners {
    let (run, structure) = (timelines.run(), timelines.structure());
    let has_dependences = !run.dependences.is_empty();
    Winners::new(
        if has_dependences { run.grains.len() } else { 0 },
        structure.sets().len(),
        timelines.barriers().owners().len(),
    )
}

/// Whether a path local to a group has nodes of a grain, or of the run itself.
fn counts(group: Option<&GrainGroup>, grain: u32) -> bool {
    group.is_none_or(|group| group.contains(grain))
}

fn parts_of(graph: &GrainGraph, path: &[u32]) -> Vec<PathPart> {
    join_neighbours(path.iter().map(|&node| {
        let is_stretch = graph.kind(node).is_some_and(NodeKind::is_stretch);
        let grain = graph.grain(node).unwrap_or(NONE);
        (grain, is_stretch, graph.weight(node))
    }))
}

/// Joins neighbouring nodes of one grain, from grain, whether it is a stretch, and weight of each node.
fn join_neighbours(nodes: impl Iterator<Item = (u32, bool, i64)>) -> Vec<PathPart> {
    let mut parts: Vec<PathPart> = Vec::new();
    for (grain, is_stretch, weight) in nodes.filter(|node| node.0 != NONE) {
        match parts.last_mut() {
            Some(part) if part.grain == grain => {
                part.has_stretch |= is_stretch;
                part.work = part.work.saturating_add(weight);
            }
            _ => parts.push(PathPart {
                grain,
                has_stretch: is_stretch,
                work: weight,
            }),
        }
    }
    parts
}

/// The spans of definitions, with a pass for each.
fn spans_on_graph(
    run: &RunTables,
    graph: &GrainGraph,
    definitions: &[u32],
    progress: &Progress,
) -> Result<Result<Vec<i64>, GraphFault>, Cancelled> {
    use rayon::prelude::*;
    let size = definitions.len().div_ceil(FINDERS).max(1);
    let parts = definitions.par_chunks(size).map(|definitions| {
        let mut finder = LengthFinder::new(graph);
        let mut spans = Vec::with_capacity(definitions.len());
        for &definition in definitions {
            progress.check()?;
            let group = GrainGroup::definition(run, definition);
            match finder.find(Some(&group)) {
                Ok(lengths) => spans.push(lengths.span),
                Err(fault) => return Ok(Err(fault)),
            }
        }
        Ok(Ok(spans))
    });
    let parts: Vec<Result<Vec<i64>, GraphFault>> = parts.collect::<Result<_, Cancelled>>()?;
    let parts: Result<Vec<Vec<i64>>, GraphFault> = parts.into_iter().collect();
    Ok(parts.map(|parts| parts.concat()))
}
