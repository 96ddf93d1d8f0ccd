//! Runs such as programs give: tasks of a recursion, chunks of loops, a call profile.

use std::collections::BinaryHeap;

use sheaf_model::table::{
    ContextRow, DefinitionRow, FragmentRow, GrainRow, LocationRow, MetricRow, TotalRow, ValueRow,
    WaitRow,
};
use sheaf_model::{ContextId, DefinitionId, ParamValue, PathKey, RunMeta, RunSummary, RunTables};

use super::Numbers;

const WORKERS: usize = 16;

/// One call of a recursion while it is simulated.
#[derive(Default, Clone)]
struct Call {
    parent: Option<usize>,
    size: u32,
    depth: usize,
    index: i64,
    worker: usize,
    created: i64,
    creation: i64,
    start: i64,
    end: i64,
    children: Vec<usize>,
    open: usize,
    fragments: Vec<(i64, i64, i32)>,
    wait: Option<(i64, i64)>,
}

/// Fibonacci with a task per call, as 16 workers with stealing would run it: `fib(22)` has
/// 57,313 grains, `fib(23)` 92,735.
pub(crate) fn recursion(seed: u64, size: u32) -> RunTables {
    let mut numbers = Numbers::new(seed);
    let mut calls = calls(size);
    simulate(&mut calls, &mut numbers);
    let definition = definition("task", "fib");
    let mut summary = summary(seed, "fib", vec![definition.clone()]);
    let depth = calls.iter().map(|call| call.depth).max().unwrap() + 1;
    let id = DefinitionId(definition.id);
    let mut context = ContextId::root(id);
    summary.contexts = (0..depth)
        .map(|depth| {
            let row = ContextRow {
                id: context.0,
                parent: depth.checked_sub(1).map(to_row),
                definition: 0,
                depth: to_row(depth),
            };
            context = context.child(id);
            row
        })
        .collect();
    let mut keys: Vec<PathKey> = Vec::new();
    let mut grains = Vec::new();
    for call in &calls {
        let parent = call.parent.map_or(PathKey::ROOT, |parent| keys[parent]);
        keys.push(parent.child(id, &[call.index]));
        grains.push(grain(call, keys[keys.len() - 1]));
    }
    let mut run = RunTables::without_grains(summary);
    run.grains = grains.into_iter().collect();
    run.fragments = calls
        .iter()
        .enumerate()
        .flat_map(|(row, call)| {
            call.fragments
                .iter()
                .map(move |(start, duration, ended_by)| FragmentRow {
                    grain: to_row(row),
                    location: to_row(call.worker),
                    start: *start,
                    duration: *duration,
                    ended_by: *ended_by,
                })
        })
        .collect();
    run.waits = calls
        .iter()
        .enumerate()
        .filter_map(|(row, call)| {
            call.wait.map(|(start, duration)| WaitRow {
                grain: to_row(row),
                kind: 0,
                start,
                duration,
                line: Some(14),
            })
        })
        .collect();
    run
}

/// A hundred executions of a dynamically scheduled loop, `chunks` chunks in all.
pub(crate) fn loops(seed: u64, chunks: usize) -> RunTables {
    let mut numbers = Numbers::new(seed);
    let definition = definition("loop", "main");
    let id = DefinitionId(definition.id);
    let mut summary = summary(seed, "stencil", vec![definition]);
    summary.contexts = [ContextRow {
        id: ContextId::root(id).0,
        parent: None,
        definition: 0,
        depth: 0,
    }]
    .into_iter()
    .collect();
    let mut clocks = [0_i64; WORKERS];
    let mut grains = Vec::new();
    for sequence in 0..100 {
        let barrier = clocks.iter().copied().max().unwrap();
        clocks.fill(barrier + 2_000);
        for index in 0..chunks / 100 {
            let worker = (0..WORKERS).min_by_key(|worker| clocks[*worker]).unwrap();
            let start = clocks[worker] + numbers.time(120);
            let work = numbers.time(8_000);
            clocks[worker] = start + work;
            let (sequence, index) = (i64::from(sequence), i64::try_from(index).unwrap());
            grains.push(GrainRow {
                path_key: PathKey::ROOT.child(id, &[sequence, index]).0,
                kind: 3,
                sequence: Some(sequence),
                index,
                first_iteration: Some(index * 16),
                iterations: Some(16),
                location: Some(to_row(worker)),
                start: Some(start),
                end: Some(start + work),
                work: Some(work),
                waiting: Some(0),
                ..GrainRow::default()
            });
        }
    }
    let mut run = RunTables::without_grains(summary);
    run.fragments = grains
        .iter()
        .enumerate()
        .map(|(row, grain)| FragmentRow {
            grain: to_row(row),
            location: grain.location.unwrap(),
            start: grain.start.unwrap(),
            duration: grain.work.unwrap(),
            ended_by: 0,
        })
        .collect();
    run.grains = grains.into_iter().collect();
    run
}

/// A call profile with values of every metric in every context, at one location.
pub(crate) fn profile(seed: u64, contexts: usize, metrics: usize) -> RunTables {
    let mut numbers = Numbers::new(seed);
    let mut definitions: Vec<_> = (0..contexts)
        .map(|place| definition("function", &format!("kernel_{place}")))
        .collect();
    definitions.sort_by_key(|row| row.id);
    let mut summary = summary(seed, "rajaperf", definitions.clone());
    let root = ContextId::root(DefinitionId(definitions[0].id));
    summary.contexts = (0..contexts)
        .map(|row| ContextRow {
            id: match row {
                0 => root.0,
                _ => root.child(DefinitionId(definitions[row].id)).0,
            },
            parent: (row > 0).then_some(0),
            definition: to_row(row),
            depth: i32::from(row > 0),
        })
        .collect();
    summary.metrics = (0..metrics)
        .map(|metric| MetricRow {
            name: format!("metric_{metric:02}_s"),
            unit: "s".to_owned(),
            kind: "additive".to_owned(),
            direction: "higher_is_worse".to_owned(),
            is_integer: false,
            source: Some(format!("Avg metric {metric}")),
            alias: None,
        })
        .collect();
    let cells: Vec<(i32, i32, f64)> = (0..contexts * metrics)
        .map(|cell| {
            let value = f64::from(u32::try_from(numbers.time(1 << 20)).unwrap()) / 1e6;
            (to_row(cell / metrics), to_row(cell % metrics), value)
        })
        .collect();
    summary.values = cells
        .iter()
        .map(|(context, metric, value)| ValueRow {
            context: *context,
            metric: *metric,
            location: 0,
            count: 1,
            sum: None,
            sum_float: Some(*value),
        })
        .collect();
    summary.totals = cells
        .into_iter()
        .map(|(context, metric, value)| TotalRow {
            context,
            metric,
            count: 1,
            sum: None,
            min: None,
            max: None,
            sum_squares: None,
            sum_float: Some(value),
            min_float: Some(value),
            max_float: Some(value),
            sketch_buckets: Vec::new(),
            sketch_counts: Vec::new(),
        })
        .collect();
    RunTables::without_grains(summary)
}

fn calls(size: u32) -> Vec<Call> {
    let mut calls = vec![Call {
        size,
        ..Call::default()
    }];
    let mut next = 0;
    while next < calls.len() {
        let Call { size, depth, .. } = calls[next];
        for index in (0..2).filter(|_| size >= 2) {
            let child = calls.len();
            calls[next].children.push(child);
            calls.push(Call {
                parent: Some(next),
                size: size - 1 - index,
                depth: depth + 1,
                index: i64::from(index),
                ..Call::default()
            });
        }
        next += 1;
    }
    calls
}

/// Workers take the newest of their own tasks, else the oldest of another's. A call that waits is
/// resumed when its last child ends.
fn simulate(calls: &mut [Call], numbers: &mut Numbers) {
    let mut queues = vec![std::collections::VecDeque::new(); WORKERS];
    queues[0].push_back(0);
    let mut clocks: BinaryHeap<std::cmp::Reverse<(i64, usize)>> = (0..WORKERS)
        .map(|worker| std::cmp::Reverse((0, worker)))
        .collect();
    let mut left = calls.len();
    while left > 0 {
        let std::cmp::Reverse((clock, worker)) = clocks.pop().unwrap();
        let victim = numbers.below(WORKERS);
        let taken = queues[worker]
            .pop_back()
            .or_else(|| queues[victim].pop_front());
        let Some(call) = taken.filter(|call: &usize| calls[*call].created <= clock) else {
            if let Some(call) = taken {
                queues[worker].push_back(call);
            }
            clocks.push(std::cmp::Reverse((clock + 200, worker)));
            continue;
        };
        let end = execute(calls, call, worker, clock + numbers.time(120), numbers);
        for child in calls[call].children.clone() {
            queues[worker].push_back(child);
        }
        left -= 1;
        clocks.push(std::cmp::Reverse((end, worker)));
    }
}

fn execute(
    calls: &mut [Call],
    call: usize,
    worker: usize,
    start: i64,
    numbers: &mut Numbers,
) -> i64 {
    let mut clock = start;
    calls[call].worker = worker;
    calls[call].start = start;
    let children = calls[call].children.clone();
    for child in &children {
        let computing = numbers.time(90);
        calls[call].fragments.push((clock, computing, 1));
        clock += computing;
        calls[*child].created = clock;
        calls[*child].creation = numbers.time(300);
        clock += calls[*child].creation;
    }
    if children.is_empty() {
        let computing = numbers.time(1_500);
        calls[call].fragments.push((clock, computing, 0));
        clock += computing;
        finish(calls, call, clock, numbers);
    } else {
        let computing = numbers.time(60);
        calls[call].fragments.push((clock, computing, 2));
        clock += computing;
        calls[call].open = children.len();
        calls[call].wait = Some((clock, 0));
    }
    clock
}

/// Ends a call, and the calls above that waited for nothing else.
fn finish(calls: &mut [Call], call: usize, end: i64, numbers: &mut Numbers) {
    let (mut call, mut end) = (call, end);
    calls[call].end = end;
    while let Some(parent) = calls[call].parent {
        calls[parent].open -= 1;
        if calls[parent].open > 0 {
            return;
        }
        let resumed = end + numbers.time(150);
        let computing = numbers.time(80);
        if let Some((start, duration)) = &mut calls[parent].wait {
            *duration = resumed - *start;
        }
        calls[parent].fragments.push((resumed, computing, 0));
        end = resumed + computing;
        calls[parent].end = end;
        call = parent;
    }
}

fn grain(call: &Call, key: PathKey) -> GrainRow {
    GrainRow {
        path_key: key.0,
        context: to_row(call.depth),
        parent: call.parent.map(to_row),
        kind: 2,
        index: call.index,
        location: Some(to_row(call.worker)),
        created: Some(call.created),
        start: Some(call.start),
        end: Some(call.end),
        work: Some(call.fragments.iter().map(|(_, duration, _)| duration).sum()),
        creation: Some(call.creation),
        waiting: Some(call.wait.map_or(0, |(_, duration)| duration % 700)),
        ..GrainRow::default()
    }
}

fn definition(kind: &str, function: &str) -> DefinitionRow {
    DefinitionRow {
        id: DefinitionId::new(kind, function, 0).0,
        kind: kind.to_owned(),
        name: format!("{function} ({kind})"),
        function: Some(function.to_owned()),
        file: Some(format!("{function}.c")),
        line: Some(12),
        module: Some("program".to_owned()),
        ordinal: 0,
        site: Some("program+0x1234".to_owned()),
    }
}

fn summary(seed: u64, program: &str, definitions: Vec<DefinitionRow>) -> RunSummary {
    let mut meta = RunMeta::new(program, "synthetic");
    meta.name = format!("{program}-{seed}");
    meta.elapsed = Some(1_000_000 + i64::try_from(seed).unwrap());
    meta.workers = Some(i64::try_from(WORKERS).unwrap());
    let seed = f64::from(u32::try_from(seed).unwrap());
    meta.params
        .insert("seed".to_owned(), ParamValue::Number(seed));
    let mut summary = RunSummary::empty(meta);
    summary.definitions = definitions.into_iter().collect();
    summary.locations = (0..WORKERS)
        .map(|worker| LocationRow {
            rank: 0,
            thread: to_row(worker),
            core: Some(to_row(worker)),
            numa_node: Some(to_row(worker / 8)),
        })
        .collect();
    summary
}

fn to_row(index: usize) -> i32 {
    i32::try_from(index).unwrap()
}
