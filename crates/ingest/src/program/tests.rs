//! Programs in, tables out.

use std::fmt::Write as _;

use sheaf_model::table::{FragmentEnd, GrainKind, WaitKind, flags};
use sheaf_model::{
    ContextId, DefinitionId, Direction, MetricKind, PathKey, RunMeta, RunTables, TimeUnit, Unit,
};

use super::{CannotBuild, Grain, GrainIdx, Program};
use crate::measure::{MetricSpec, Value};
use crate::profile::Frame;

fn grain(program: &mut Program, name: &str, index: i64) -> Grain {
    Grain {
        definition: program.definition(Frame {
            kind: "task",
            name,
            ..Frame::default()
        }),
        kind: GrainKind::Task,
        flags: 0,
        sequence: None,
        index,
        joined_by: None,
        first_iteration: None,
        iterations: None,
        location: None,
        created: None,
        start: None,
        end: None,
        work: None,
        creation: None,
        waiting: None,
    }
}

fn new() -> Program {
    Program::new(RunMeta::new("p", "test"))
}

/// Contexts as paths of names, and one line per row of what refers to them.
fn dump(tables: &RunTables) -> String {
    let summary = &tables.summary;
    let mut text = String::new();
    let definitions: Vec<_> = summary.definitions.rows().collect();
    for row in summary.contexts.rows() {
        let name = &definitions[usize::try_from(row.definition).unwrap()].name;
        let indent = usize::try_from(row.depth).unwrap() * 2;
        writeln!(text, "{:indent$}{name}", "").unwrap();
    }
    let metrics: Vec<String> = summary.metrics.rows().map(|row| row.name).collect();
    let metric = |row: i32| metrics[usize::try_from(row).unwrap()].as_str();
    for row in summary.values.rows() {
        let (sum, float) = (row.sum, row.sum_float);
        let place = (row.context, metric(row.metric), row.location);
        writeln!(text, "value {place:?} {} {sum:?} {float:?}", row.count).unwrap();
    }
    for row in summary.totals.rows() {
        let place = (row.context, metric(row.metric));
        let integers = (row.sum, row.min, row.max);
        let floats = (row.sum_float, row.min_float, row.max_float);
        writeln!(
            text,
            "total {place:?} {} {integers:?} {floats:?}",
            row.count
        )
        .unwrap();
    }
    for row in tables.grains.rows() {
        let place = (row.context, row.parent, row.sequence, row.index);
        let times = (row.start, row.end, row.work, row.location);
        writeln!(text, "grain {place:?} {times:?} {}", row.flags).unwrap();
    }
    for row in tables.fragments.rows() {
        let place = (row.grain, row.location, row.start, row.duration);
        writeln!(text, "fragment {place:?} {}", row.ended_by).unwrap();
    }
    for row in tables.waits.rows() {
        writeln!(text, "wait {:?}", (row.grain, row.start, row.duration)).unwrap();
    }
    for row in tables.dependences.rows() {
        let edge = (row.predecessor, row.successor);
        writeln!(text, "dependence {edge:?}").unwrap();
    }
    for row in tables.counters.rows() {
        let value = (row.value, row.value_float);
        writeln!(
            text,
            "counter {} {} {value:?}",
            row.grain,
            metric(row.metric)
        )
        .unwrap();
    }
    text
}

/// An initial task that creates two tasks and waits for them, in either order of turns.
fn forked(children_first: bool) -> Program {
    let mut program = new();
    let workers = [(0, 1), (0, 0)].map(|(rank, thread)| program.location(rank, thread, None));
    let mut main = grain(&mut program, "", 0);
    (main.kind, main.definition) = (GrainKind::Initial, program.itself());
    let children = [1, 0].map(|index| Grain {
        creation: Some(3 + index),
        ..grain(&mut program, "child", index)
    });
    let (main, children) = if children_first {
        let children = children.map(|child| program.grain(child));
        (program.grain(main), children)
    } else {
        (
            program.grain(main),
            children.map(|child| program.grain(child)),
        )
    };
    for child in children {
        program.set_parent(child, main);
    }
    program.fragment(main, workers[1], 0, 10, FragmentEnd::Creation);
    program.fragment(children[0], workers[0], 12, 8, FragmentEnd::GrainEnd);
    program.fragment(main, workers[1], 11, 4, FragmentEnd::Wait);
    program.fragment(children[1], workers[1], 15, 5, FragmentEnd::GrainEnd);
    program.fragment(main, workers[0], 20, 2, FragmentEnd::GrainEnd);
    program.wait(main, WaitKind::Taskwait, 15, 5, None);
    program.dependence(children[1], children[0]);
    program.dependence(children[1], children[0]);
    program
}

#[test]
fn a_small_program() {
    let tables = forked(false).finish(None).unwrap();
    tables.validate().unwrap();
    let expected = "\
p
  child
value (0, \"work_ns\", 0) 2 Some(14) None
value (0, \"work_ns\", 1) 1 Some(2) None
value (1, \"creation_ns\", 1) 2 Some(7) None
value (1, \"grains\", 0) 1 Some(1) None
value (1, \"grains\", 1) 1 Some(1) None
value (1, \"work_ns\", 0) 1 Some(5) None
value (1, \"work_ns\", 1) 1 Some(8) None
total (0, \"work_ns\") 1 (Some(16), Some(16), Some(16)) (None, None, None)
total (1, \"creation_ns\") 2 (Some(7), Some(3), Some(4)) (None, None, None)
total (1, \"grains\") 2 (Some(2), Some(1), Some(1)) (None, None, None)
total (1, \"work_ns\") 2 (Some(13), Some(5), Some(8)) (None, None, None)
grain (0, None, None, 0) (Some(0), Some(22), Some(16), Some(1)) 0
grain (1, Some(0), None, 0) (Some(15), Some(20), Some(5), Some(0)) 0
grain (1, Some(0), None, 1) (Some(12), Some(20), Some(8), Some(1)) 0
fragment (0, 0, 0, 10) 1
fragment (0, 0, 11, 4) 2
fragment (0, 1, 20, 2) 0
fragment (1, 0, 15, 5) 0
fragment (2, 1, 12, 8) 0
wait (0, 15, 5)
dependence (1, 2)
";
    assert_eq!(dump(&tables), expected);
    let meta = &tables.summary.meta;
    assert_eq!(
        (meta.grains, meta.workers, meta.elapsed, meta.ranks),
        (2, Some(2), Some(22), 1)
    );
}

#[test]
fn ids_are_those_of_recorded_runs() {
    let tables = forked(false).finish(None).unwrap();
    let program = DefinitionId::new("program", "p", 0);
    let child = DefinitionId::new("task", "child", 0);
    let root = ContextId::root(program);
    let contexts: Vec<_> = tables.summary.contexts.rows().map(|row| row.id).collect();
    assert_eq!(contexts, [root.0, root.child(child).0]);
    let main = PathKey::ROOT.child(program, &[0, 0, 0]);
    let keys = [main, main.child(child, &[0]), main.child(child, &[1])];
    assert_eq!(
        tables.grains.path_key,
        keys.map(|key| key.0).to_vec().into()
    );
}

#[test]
fn the_order_of_turns_does_not_matter() {
    let ids = [false, true].map(|order| forked(order).finish(None).unwrap().content_id());
    assert_eq!(ids[0], ids[1]);
}

#[test]
fn ticks_become_nanoseconds_and_fragments_tile() {
    let mut program = new();
    program.meta.time_unit = TimeUnit::Ticks;
    let worker = program.location(0, 0, None);
    let task = grain(&mut program, "t", 0);
    let task = program.grain(Grain {
        work: Some(10),
        creation: Some(5),
        ..task
    });
    for start in 0..10 {
        program.fragment(task, worker, start, 1, FragmentEnd::Switch);
    }
    let spec = time_metric("span_ticks");
    let span = program.metric(spec);
    program.measure(task, span, Value::Integer(6));
    let tables = program.finish(Some(3e9)).unwrap();
    let fragments: Vec<_> = tables.fragments.rows().collect();
    for pair in fragments.windows(2) {
        assert_eq!(pair[0].start + pair[0].duration, pair[1].start);
    }
    let row = tables.grains.row(0);
    // Ten ticks are 3⅓ ns: not ten times the rounded third.
    assert_eq!(
        (row.work, row.end, row.creation),
        (Some(3), Some(3), Some(2))
    );
    let metrics: Vec<_> = tables.summary.metrics.rows().collect();
    let names: Vec<_> = metrics.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(names, ["creation_ns", "grains", "span_ns", "work_ns"]);
    assert_eq!(tables.counters.row(0).value, Some(2));
    assert_eq!(tables.summary.meta.time_unit, TimeUnit::Nanoseconds);
    assert!(tables.summary.meta.lacks.is_empty());
}

fn time_metric(name: &str) -> MetricSpec {
    MetricSpec {
        name: name.to_owned(),
        unit: Unit::Ticks,
        kind: MetricKind::Additive,
        direction: Direction::HigherIsWorse,
        is_integer: true,
        source: None,
    }
}

#[test]
fn without_a_rate_ticks_stay_ticks() {
    for rate in [None, Some(0.0), Some(f64::NAN), Some(-1.0)] {
        let mut program = new();
        program.meta.time_unit = TimeUnit::Ticks;
        let task = grain(&mut program, "t", 0);
        program.grain(Grain {
            work: Some(10),
            ..task
        });
        let tables = program.finish(rate).unwrap();
        let names: Vec<_> = tables.summary.metrics.rows().map(|row| row.name).collect();
        assert_eq!(names, ["grains", "work_ticks"]);
        assert!(tables.summary.meta.lacks.contains_key("clock_rate"));
        assert_eq!(tables.grains.row(0).work, Some(10));
    }
}

#[test]
fn measures_add_up_per_grain() {
    let mut program = new();
    let workers = [0, 1].map(|thread| program.location(0, thread, None));
    let misses = program.metric(MetricSpec {
        unit: Unit::Count,
        ..time_metric("misses")
    });
    let ratio = program.metric(MetricSpec {
        unit: Unit::Ratio,
        kind: MetricKind::Intensive,
        is_integer: false,
        ..time_metric("ratio")
    });
    let own = program.metric(time_metric("work_ns"));
    for (worker, value) in workers.into_iter().zip([1_i32, 2]) {
        let task = grain(&mut program, "t", i64::from(value));
        let task = program.grain(Grain {
            location: Some(worker),
            ..task
        });
        program.measure(task, ratio, Value::Float(f64::from(value) / 2.0));
        program.measure(task, misses, Value::Integer(i64::from(value)));
        program.measure(task, misses, Value::Integer(10));
        program.measure(task, own, Value::Integer(5));
    }
    let tables = program.finish(None).unwrap();
    tables.validate().unwrap();
    let text = dump(&tables);
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.starts_with("grain "))
        .collect();
    let expected = "\
p
  t
value (1, \"grains\", 0) 1 Some(1) None
value (1, \"grains\", 1) 1 Some(1) None
value (1, \"misses\", 0) 1 Some(11) None
value (1, \"misses\", 1) 1 Some(12) None
value (1, \"ratio\", 0) 1 None Some(0.5)
value (1, \"ratio\", 1) 1 None Some(1.0)
value (1, \"source_work_ns\", 0) 1 Some(5) None
value (1, \"source_work_ns\", 1) 1 Some(5) None
total (1, \"grains\") 2 (Some(2), Some(1), Some(1)) (None, None, None)
total (1, \"misses\") 2 (Some(23), Some(11), Some(12)) (None, None, None)
total (1, \"ratio\") 2 (None, None, None) (Some(1.5), Some(0.5), Some(1.0))
total (1, \"source_work_ns\") 2 (Some(10), Some(5), Some(5)) (None, None, None)
counter 0 misses (Some(11), None)
counter 0 ratio (None, Some(0.5))
counter 0 source_work_ns (Some(5), None)
counter 1 misses (Some(12), None)
counter 1 ratio (None, Some(1.0))
counter 1 source_work_ns (Some(5), None)";
    assert_eq!(lines.join("\n"), expected);
}

#[test]
fn work_that_fragments_do_not_add_up_to_is_the_grains() {
    let mut program = new();
    let worker = program.location(0, 0, None);
    let task = grain(&mut program, "t", 0);
    let task = program.grain(Grain {
        work: Some(100),
        flags: flags::COLLAPSED,
        ..task
    });
    program.fragment(task, worker, 0, 60, FragmentEnd::GrainEnd);
    let tables = program.finish(None).unwrap();
    let sums: Vec<_> = tables.summary.values.rows().map(|row| row.sum).collect();
    assert_eq!(sums, [Some(1), Some(100)]);
}

#[test]
fn equal_paths_are_flagged_and_flags_inherited() {
    let mut program = new();
    let task = grain(&mut program, "t", 0);
    let twins = [0, 1].map(|_| program.grain(task));
    let other = grain(&mut program, "t", 1);
    let racy = program.grain(Grain {
        flags: flags::SCHEDULE_DEPENDENT,
        ..other
    });
    let below = program.grain(task);
    program.set_parent(below, racy);
    let sound = program.grain(Grain { index: 2, ..task });
    let tables = program.finish(None).unwrap();
    let of = |wanted: &[i64]| {
        let rows = tables
            .grains
            .rows()
            .filter(|row| wanted.contains(&row.index));
        rows.map(|row| row.flags).collect::<Vec<_>>()
    };
    assert_eq!(twins.len() + 1, of(&[0]).len());
    assert!(
        of(&[0, 1])
            .iter()
            .all(|&flag| flag == flags::SCHEDULE_DEPENDENT)
    );
    assert_eq!((sound.0, of(&[2])), (4, vec![0]));
}

#[test]
fn chunks_are_known_by_their_iterations() {
    let keys = [0, 7].map(|index| {
        let mut program = new();
        let chunk = grain(&mut program, "l", index);
        program.grain(Grain {
            kind: GrainKind::Chunk,
            sequence: Some(2),
            first_iteration: Some(16),
            iterations: Some(4),
            ..chunk
        });
        program.finish(None).unwrap().grains.path_key.value(0)
    });
    assert_eq!(keys[0], keys[1]);
}

#[test]
fn a_cycle_is_refused() {
    let mut program = new();
    let task = grain(&mut program, "t", 0);
    let grains: [GrainIdx; 4] = [0; 4].map(|_| program.grain(task));
    for (child, parent) in [(0, 1), (1, 2), (2, 3), (3, 1)] {
        program.set_parent(grains[child], grains[parent]);
    }
    let refused = program.finish(None).unwrap_err();
    assert!(
        matches!(refused, CannotBuild::Cycle(GrainIdx(1..=3))),
        "{refused:?}"
    );
}

const MANY: u32 = 1_000_000;

#[test]
fn a_chain_of_a_million() {
    let mut program = new();
    let task = grain(&mut program, "t", 0);
    for number in 0..MANY {
        let child = program.grain(task);
        if number > 0 {
            // The other way round: each child before its parent.
            program.set_parent(GrainIdx(number - 1), child);
        }
    }
    let tables = program.finish(None).unwrap();
    tables.validate().unwrap();
    assert_eq!(tables.grains.len(), MANY as usize);
    let last = tables.summary.contexts.row(MANY as usize);
    assert_eq!(last.depth, i32::try_from(MANY).unwrap());
    assert_eq!(tables.summary.totals.len(), MANY as usize);
}

#[test]
fn a_fork_of_a_million() {
    let mut program = new();
    let task = grain(&mut program, "t", 0);
    let worker = program.location(0, 0, None);
    let parent = program.grain(task);
    for number in (0..MANY).rev() {
        let child = program.grain(Grain {
            index: i64::from(number),
            work: Some(i64::from(number)),
            location: Some(worker),
            ..task
        });
        program.set_parent(child, parent);
    }
    let tables = program.finish(None).unwrap();
    tables.validate().unwrap();
    assert_eq!(tables.summary.contexts.len(), 3);
    assert_eq!(tables.grains.row(MANY as usize).index, i64::from(MANY) - 1);
    let work = tables.summary.values.rows().last().unwrap();
    assert_eq!(work.sum, Some(i64::from(MANY) * i64::from(MANY - 1) / 2));
    assert!(tables.grains.flags.values().iter().all(|flags| flags == 0));
}
