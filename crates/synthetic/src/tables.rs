//! The tables of a made-up run.

use sheaf_model::table::{
    ContextRow, DefinitionRow, DependenceRow, FragmentRow, FragmentsBuilder, GrainKind, GrainRow,
    GrainsBuilder, LocationRow, WaitKind, WaitRow, WaitsBuilder, flags,
};
use sheaf_model::{ContextId, DefinitionId, RunMeta, RunSummary, RunTables};

use super::Program;
use super::execute::Execution;

pub(super) fn tables(program: &Program, seen: &Execution) -> RunTables {
    let mut run = RunTables::without_grains(summary(program, seen));
    let tasks = program.num_tasks();
    let by_task = sorted(tasks, seen.stretches.iter().map(|stretch| stretch.task));
    let mut facts = Facts {
        start: vec![0; tasks],
        work: vec![0; tasks],
        location: vec![0; tasks],
    };
    let mut fragments = FragmentsBuilder::default();
    for &row in by_task.iter().rev() {
        let stretch = &seen.stretches[row as usize];
        facts.start[stretch.task as usize] = stretch.start;
    }
    for &row in &by_task {
        let stretch = &seen.stretches[row as usize];
        facts.work[stretch.task as usize] += stretch.duration;
        facts.location[stretch.task as usize] = to_i32(stretch.worker);
        fragments.push(FragmentRow {
            grain: to_i32(stretch.task),
            location: to_i32(stretch.worker),
            start: stretch.start,
            duration: stretch.duration,
            ended_by: stretch.ended_by as i32,
        });
    }
    run.fragments = fragments.finish();
    run.grains = grains(program, seen, &facts).finish();
    let by_task = sorted(tasks, seen.waits.iter().map(|wait| wait.task));
    let mut waits = WaitsBuilder::default();
    for &row in &by_task {
        let wait = &seen.waits[row as usize];
        waits.push(WaitRow {
            grain: to_i32(wait.task),
            kind: WaitKind::Taskwait as i32,
            start: wait.start,
            duration: wait.end - wait.start,
            line: None,
        });
    }
    run.waits = waits.finish();
    let dependences = program.dependences.iter();
    run.dependences = dependences
        .map(|&(predecessor, successor)| DependenceRow {
            predecessor: to_i32(predecessor),
            successor: to_i32(successor),
        })
        .collect();
    run
}

struct Facts {
    start: Vec<i64>,
    work: Vec<i64>,
    location: Vec<i32>,
}

fn grains(program: &Program, seen: &Execution, facts: &Facts) -> GrainsBuilder {
    let mut grains = GrainsBuilder::default();
    let mut is_dependent = vec![false; program.num_tasks()];
    for &(predecessor, successor) in &program.dependences {
        is_dependent[predecessor as usize] = true;
        is_dependent[successor as usize] = true;
    }
    for (task, at) in (0_u32..).zip(0..program.num_tasks()) {
        let parent = Some(seen.parents[at]).filter(|&parent| parent != u32::MAX);
        let place = parent.map_or(0, |parent| task - program.first_child[parent as usize]);
        grains.push(GrainRow {
            path_key: i64::from(task) * 0x1_0001,
            context: i32::from(parent.is_some()),
            parent: parent.map(to_i32),
            kind: GrainKind::Task as i32,
            flags: if is_dependent[at] {
                flags::HAS_DEPENDENCES
            } else {
                0
            },
            index: i64::from(place),
            location: Some(facts.location[at]),
            created: Some(seen.created[at]),
            start: Some(facts.start[at]),
            end: Some(seen.ended[at]),
            work: Some(facts.work[at]),
            ..GrainRow::default()
        });
    }
    grains
}

fn summary(program: &Program, seen: &Execution) -> RunSummary {
    let mut meta = RunMeta::new("synthetic", "synthetic");
    meta.grains = i64::try_from(program.num_tasks()).unwrap_or(i64::MAX);
    meta.workers = Some(i64::from(seen.workers));
    meta.elapsed = Some(seen.elapsed);
    let mut summary = RunSummary::empty(meta);
    let ids = ["main", "work"].map(|name| DefinitionId::new("task", name, 0));
    let mut definitions: Vec<DefinitionRow> = ["main", "work"]
        .iter()
        .zip(ids)
        .map(|(name, id)| DefinitionRow {
            id: id.0,
            kind: "task".to_owned(),
            name: format!("{name} (task)"),
            function: Some((*name).to_owned()),
            ..DefinitionRow::default()
        })
        .collect();
    definitions.sort_by_key(|row| row.id);
    let row_of = |id: DefinitionId| definitions.iter().position(|row| row.id == id.0);
    let [main, work] = ids.map(|id| row_of(id).map_or(0, |row| i32::from(row == 1)));
    let root = ContextId::root(ids[0]);
    let contexts = [
        (root, None, main, 0),
        (ContextId::child(root, ids[1]), Some(0), work, 1),
    ];
    summary.contexts = contexts
        .into_iter()
        .map(|(id, parent, definition, depth)| ContextRow {
            id: id.0,
            parent,
            definition,
            depth,
        })
        .collect();
    summary.definitions = definitions.into_iter().collect();
    summary.locations = (0..to_i32(seen.workers))
        .map(|thread| LocationRow {
            rank: 0,
            thread,
            core: Some(thread),
            numa_node: None,
        })
        .collect();
    summary
}

/// Places of items by task, else as they are.
fn sorted(tasks: usize, of: impl Iterator<Item = u32> + Clone) -> Vec<u32> {
    let mut next = vec![0_u32; tasks + 1];
    let mut items = 0;
    for task in of.clone() {
        next[task as usize + 1] += 1;
        items += 1;
    }
    for task in 0..tasks {
        next[task + 1] += next[task];
    }
    let mut sorted = vec![0; items];
    for (item, task) in (0..).zip(of) {
        sorted[next[task as usize] as usize] = item;
        next[task as usize] += 1;
    }
    sorted
}

fn to_i32(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}
