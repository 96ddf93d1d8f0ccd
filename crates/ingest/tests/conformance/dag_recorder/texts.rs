//! The tables of recordings against the recorder's own text dumps.

use sheaf_ingest::Run;
use sheaf_model::table::FragmentEnd;

use super::Recording;
use crate::comparison::Comparison;

/// A leaf: start, length, worker, what ended it.
type Leaf = (i64, i64, i64, i32);

/// Compares every leaf of the dump of a recording in full with the fragments, every wait with the waits, and the lines of
/// creations with the definitions.
pub(super) fn compare(comparison: &mut Comparison, recording: &Recording, run: &Run) {
    let Some(dump) = recording.beside("txt") else {
        return;
    };
    if run.tables.summary.meta.lacks.contains_key("folded") {
        return;
    }
    let name = &recording.name;
    let mut lines = dump.lines();
    let counts = lines.next().unwrap().split('|');
    let counts: Vec<usize> = counts.map(|count| count.parse().unwrap()).collect();
    let (mut leaves, mut wait_lines, mut created_lines) = (Vec::new(), Vec::new(), Vec::new());
    for line in lines.take(counts[0]) {
        let fields: Vec<&str> = line.split('|').collect();
        let number = |field: usize| fields[field].parse::<i64>().unwrap();
        let ended_by = match fields[1] {
            "create_task" => {
                created_lines.push(i32::try_from(number(40)).unwrap());
                FragmentEnd::Creation
            }
            "wait_tasks" => {
                wait_lines.push(i32::try_from(number(40)).unwrap());
                FragmentEnd::Wait
            }
            "other" => FragmentEnd::Switch,
            "end_task" => FragmentEnd::GrainEnd,
            _ => continue,
        };
        let (start, end) = (number(3), number(8));
        leaves.push((start, end - start, number(35), ended_by as i32));
    }
    leaves.sort_unstable();
    comparison.exact(&format!("{name}: leaves"), ours(run), leaves);
    wait_lines.sort_unstable();
    let waits = run.tables.waits.rows();
    let mut lines: Vec<i32> = waits.filter_map(|row| row.line).collect();
    lines.sort_unstable();
    comparison.exact(&format!("{name}: lines of waits"), lines, wait_lines);
    created_lines.sort_unstable();
    created_lines.dedup();
    let definitions = run.tables.summary.definitions.rows();
    let tasks = definitions.filter(|row| row.kind == "task");
    let mut lines: Vec<i32> = tasks.filter_map(|row| row.line).collect();
    lines.sort_unstable();
    comparison.exact(&format!("{name}: lines of tasks"), lines, created_lines);
}

fn ours(run: &Run) -> Vec<Leaf> {
    let threads = run.tables.summary.locations.thread.values();
    let rows = run.tables.fragments.rows();
    let leaf = |row: sheaf_model::table::FragmentRow| {
        let worker = i64::from(threads[usize::try_from(row.location).unwrap()]);
        (row.start, row.duration, worker, row.ended_by)
    };
    let mut leaves: Vec<Leaf> = rows.map(leaf).collect();
    leaves.sort_unstable();
    leaves
}
