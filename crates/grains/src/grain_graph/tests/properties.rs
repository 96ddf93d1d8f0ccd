//! What holds of the graphs and paths of any program, on made-up ones.

use proptest::prelude::*;
use sheaf_model::RunTables;

use super::super::{
    ElapsedPath, GrainGraph, GrainGroup, NodeKind, PathLengths, Paths, Structure, critical_grains,
};
use sheaf_synthetic::{Numbers, Program};

/// Length of the longest path, the plain way: every edge again until nothing changes.
fn longest(graph: &GrainGraph) -> i64 {
    let nodes = 0..u32::try_from(graph.num_nodes()).unwrap();
    let mut finish: Vec<i64> = nodes.clone().map(|node| graph.weight(node)).collect();
    loop {
        let mut is_settled = true;
        for node in nodes.clone() {
            for edge in graph.edges(node) {
                let through = finish[node as usize] + graph.weight(edge.target);
                if through > finish[edge.target as usize] {
                    finish[edge.target as usize] = through;
                    is_settled = false;
                }
            }
        }
        if is_settled {
            return finish.into_iter().max().unwrap_or(0);
        }
    }
}

/// The path's parts add up to its length, and its stretches follow each other in time.
fn assert_exact(path: &ElapsedPath, run: &RunTables) {
    let parts = path.before + path.work + path.delay() + path.outside + path.after;
    assert_eq!(parts, path.elapsed, "{path:?}");
    // Without waits, grains are taken to end after their children. What depends on them may have begun before.
    if run.waits.is_empty() && !run.dependences.is_empty() {
        return;
    }
    assert!(path.delays.iter().all(|&delay| delay >= 0), "{path:?}");
    assert!(
        path.outside >= 0 && path.before >= 0 && path.after >= 0,
        "{path:?}"
    );
    for (busy, delay) in path.busy.iter().zip(&path.delays) {
        assert!((0..=*delay).contains(busy), "{path:?}");
    }
    let mut end = i64::MIN;
    for &row in &path.rows {
        let row = row as usize;
        let start = run.fragments.start.value(row);
        assert!(start >= end, "{path:?}");
        end = start + run.fragments.duration.value(row);
    }
}

fn assert_paths(graph: &GrainGraph, paths: &Paths, work: i64) {
    assert_eq!(paths.work(), work);
    assert!(paths.span() <= work);
    assert_eq!(paths.span(), longest(graph));
    let lengths = PathLengths::of(graph).unwrap();
    assert_eq!((lengths.work, lengths.span), (work, paths.span()));
    let path = paths.critical_path();
    let weights: i64 = path.iter().map(|&node| graph.weight(node)).sum();
    assert_eq!(weights, paths.span());
    for pair in path.windows(2) {
        assert!(graph.edges(pair[0]).any(|edge| edge.target == pair[1]));
    }
    let grains = paths.critical_grains(graph);
    let bits = paths.critical_bits(graph, 1000);
    assert_eq!(bits.count_set_bits(), grains.len());
    assert!(grains.iter().all(|&grain| bits.value(grain as usize)));
}

/// Grains on the critical path that are found without a graph are those of the graph, also if many paths are equally
/// long.
fn assert_critical(run: &RunTables, structure: &Structure) {
    let mut equal = run.clone();
    equal.grains.work = run.grains.work.iter().map(|work| Some(work? % 2)).collect();
    for run in [run, &equal] {
        let graph = GrainGraph::reduced(run, structure);
        let mut expected = Paths::of(&graph).unwrap().critical_grains(&graph);
        expected.sort_unstable();
        assert_eq!(critical_grains(run, structure), expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn graphs_and_paths_of_any_program(seed: u64, tasks in 1..60_u32, workers in 1..5_u32) {
        let run = Program::random(seed, tasks).run(workers);
        run.validate().unwrap();
        let structure = Structure::of(&run);
        let work: i64 = run.grains.work.iter().flatten().sum();
        let reduced = GrainGraph::reduced(&run, &structure);
        reduced.validate().unwrap();
        assert_paths(&reduced, &Paths::of(&reduced).unwrap(), work);
        assert_critical(&run, &structure);
        let graph = GrainGraph::unreduced(&run, &structure);
        graph.validate().unwrap();
        let paths = Paths::of(&graph).unwrap();
        assert_paths(&graph, &paths, work);
        // Whatever the workers did, they did it in an order that the graph allows.
        let elapsed = run.summary.meta.elapsed.unwrap();
        prop_assert!(paths.span() <= elapsed, "{} > {elapsed}", paths.span());
        let fragments = (0..u32::try_from(graph.num_nodes()).unwrap())
            .filter(|&node| graph.kind(node) == Some(NodeKind::Fragment));
        prop_assert_eq!(fragments.count(), run.fragments.len());
        let path = ElapsedPath::of(&run, &graph).unwrap();
        prop_assert_eq!(path.elapsed, elapsed);
        prop_assert_eq!((path.before, path.outside, path.after), (0, 0, 0));
        assert_exact(&path, &run);
        // One worker never lets time pass.
        prop_assert!(workers > 1 || path.work <= elapsed);
    }

    #[test]
    fn local_paths_of_any_group(seed: u64, tasks in 1..60_u32, workers in 1..5_u32) {
        let run = Program::random(seed, tasks).run(workers);
        let structure = Structure::of(&run);
        let graph = GrainGraph::unreduced(&run, &structure);
        let whole = Paths::of(&graph).unwrap();
        let all = GrainGroup::new(run.grains.len(), |_| true);
        prop_assert_eq!(Paths::local(&graph, &all).unwrap().span(), whole.span());
        let mut numbers = Numbers::new(seed);
        let mut groups = vec![all];
        for grain in 0..u32::try_from(run.grains.len()).unwrap() {
            groups.push(GrainGroup::subtree(&structure, grain));
        }
        for set in 0..u32::try_from(structure.sets().len()).unwrap() {
            groups.push(GrainGroup::set(&structure, set));
        }
        groups.push(GrainGroup::definition(&run, 0));
        groups.push(GrainGroup::definition(&run, 1));
        groups.push(GrainGroup::new(run.grains.len(), |_| numbers.below(2) == 0));
        for group in &groups {
            let members = |row: &usize| group.bits().value(*row);
            let work: i64 = (0..run.grains.len()).filter(members)
                .map(|row| run.grains.work.value(row)).sum();
            let local = Paths::local(&graph, group).unwrap();
            prop_assert_eq!(local.work(), work);
            prop_assert!(local.span() <= work && local.span() <= whole.span());
            let path = local.critical_path();
            let weights: i64 = path.iter().map(|&node| graph.weight(node)).sum();
            prop_assert_eq!(weights, local.span());
            prop_assert!(path.iter().all(|&node| group.contains(graph.grain(node).unwrap())));
            let elapsed = ElapsedPath::local(&run, &graph, group).unwrap();
            assert_exact(&elapsed, &run);
            prop_assert!(local.span() <= elapsed.elapsed || work == 0);
        }
    }

    #[test]
    fn nothing_depends_on_chance(seed: u64, tasks in 1..60_u32) {
        let run = Program::random(seed, tasks).run(3);
        let both = [0, 1].map(|_| {
            let structure = Structure::of(&run);
            let graph = GrainGraph::unreduced(&run, &structure);
            let paths = Paths::of(&graph).unwrap();
            (paths.critical_path(), ElapsedPath::of(&run, &graph).unwrap())
        });
        prop_assert_eq!(&both[0], &both[1]);
    }
}
