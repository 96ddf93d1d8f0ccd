//! Grains are found under other names, by hand.

use std::sync::Arc;

use sheaf_model::RunSummary;
use sheaf_model::table::{ContextRow, DefinitionRow, GrainRow, Grains};
use sheaf_model::{ContextId, RunMeta, RunTables};

use super::*;
use crate::diff::Correspondence;
use crate::diff::IterationCounts;
use sheaf_answers::MatchedBy;

/// The run with other names, and keys that say nothing of those before.
fn under(run: &RunTables, name: impl Fn(&str) -> String, scramble: i64) -> RunTables {
    let mut run = run.clone();
    let renamed = |row: DefinitionRow| {
        let name = name(&row.name);
        let id = DefinitionId::new(&row.kind, &name, 0).0;
        DefinitionRow { id, name, ..row }
    };
    run.summary.definitions = run.summary.definitions.rows().map(renamed).collect();
    run.grains = run
        .grains
        .rows()
        .map(|row| GrainRow {
            path_key: row
                .path_key
                .wrapping_mul(scramble)
                .wrapping_add(scramble - 1),
            ..row
        })
        .collect();
    run
}

fn with_name(run: &RunTables, name: &str) -> RunTables {
    let mut run = run.clone();
    run.summary.meta_mut().id = RunId([name.as_bytes()[0]; 16]);
    run.summary.meta_mut().name = name.to_owned();
    run
}

/// Compares two runs through the definitions that `said` says are the same, or that are inferred.
pub(super) fn through(a: &RunTables, b: &RunTables, said: &[(&str, &str)]) -> GrainDiff {
    let mapping = Mapping {
        entries: said
            .iter()
            .map(|(a, b)| Correspondence {
                a: (*a).to_owned(),
                b: (*b).to_owned(),
                is_same: true,
            })
            .collect(),
    };
    let summaries: Vec<Arc<RunSummary>> = [a, b].map(|run| Arc::new(run.summary.clone())).to_vec();
    let ids = [a, b].map(|run| vec![run.summary.meta.id]);
    let renaming = renaming(
        &summaries,
        ids.each_ref().map(Vec::as_slice),
        [&IterationCounts::new(); 2],
        &mapping,
    );
    let mut differ = GrainDiffer::new([1, 1]);
    let columns = |run: &RunTables| {
        let mut columns = GrainColumns::of(run);
        let grains = run.grains.to_batch().unwrap();
        columns
            .rename(&grains, &run.summary.contexts, &renaming)
            .unwrap();
        columns
    };
    differ.add(&[(columns(a), A), (columns(b), B)]);
    differ.finish()
}

#[test]
fn definitions_that_a_side_lacks_have_no_work_there() {
    let a = with_name(&Program::recursion(4).run(1), "a");
    let b = under(
        &with_name(&Program::recursion(4).run(1), "b"),
        |name| format!("other {name}!"),
        -0x1234_5677,
    );
    let mut differ = GrainDiffer::new([1, 1]);
    differ.add(&[(GrainColumns::of(&a), A), (GrainColumns::of(&b), B)]);
    let diff = differ.finish();
    assert_eq!(diff.total().matched, 0);
    for definition in diff.definitions() {
        let [before, after] = [definition.grains.a, definition.grains.b];
        assert!(before.is_some() != after.is_some(), "{definition:?}");
        let change = after.unwrap_or(0.0) - before.unwrap_or(0.0);
        assert_eq!(definition.grains.delta.to_bits(), change.to_bits());
    }
}

/// Rows of a made program: context, parent, kind, sequence, index, iterations.
type Row = (
    i32,
    Option<i32>,
    GrainKind,
    Option<i64>,
    i64,
    Option<(i64, i64)>,
);

/// The definitions and contexts of the team.
fn summary(name: &str, task: &str) -> RunSummary {
    let kinds = ["program", "parallel", "loop", "task", "task"];
    let names = ["main", "main (parallel)", "main (loop)", task, "leaf"];
    let meta = RunMeta {
        name: name.to_owned(),
        id: RunId([name.as_bytes()[0]; 16]),
        ..RunMeta::new("made", "test")
    };
    let mut run = RunSummary::empty(meta);
    let ids: Vec<DefinitionId> = kinds
        .iter()
        .zip(names)
        .map(|(kind, name)| DefinitionId::new(kind, name, 0))
        .collect();
    run.definitions = (0..5)
        .map(|at| DefinitionRow {
            id: ids[at].0,
            kind: kinds[at].to_owned(),
            name: names[at].to_owned(),
            ..DefinitionRow::default()
        })
        .collect();
    let root = ContextId::root(ids[0]);
    let parallel = root.child(ids[1]);
    let chunk = parallel.child(ids[2]);
    let contexts = [
        (root, None, 0, 0),
        (parallel, Some(0), 1, 1),
        (chunk, Some(1), 2, 2),
        (chunk.child(ids[3]), Some(2), 3, 3),
        (parallel.child(ids[3]), Some(1), 3, 2),
        (parallel.child(ids[3]).child(ids[4]), Some(4), 4, 3),
    ];
    run.contexts = contexts
        .map(|(id, parent, definition, depth)| ContextRow {
            id: id.0,
            parent,
            definition,
            depth,
        })
        .into_iter()
        .collect();
    run
}

/// A team of two in `main`, with a loop whose chunks create tasks and a single that does.
fn team(name: &str, task: &str, rows: &[Row]) -> RunTables {
    let mut run = RunTables::without_grains(summary(name, task));
    let grain = |(at, row): (i64, &Row)| GrainRow {
        path_key: match (at, row.5) {
            (_, Some((first, count))) => first * 1_000 + count,
            // Of what is below a renamed definition nothing can be told from the key.
            (3.., None) => (at + 1) * i64::from(name.as_bytes()[0]) * 1_000_003,
            (_, None) => -at - 1,
        },
        context: row.0,
        parent: row.1,
        kind: row.2 as i32,
        sequence: row.3,
        index: row.4,
        first_iteration: row.5.map(|range| range.0),
        iterations: row.5.map(|range| range.1),
        work: Some(at + 1),
        ..GrainRow::default()
    };
    run.grains = (0..).zip(rows).map(grain).collect::<Grains>();
    run
}

#[test]
fn what_a_team_shares_does_not_depend_on_who_did_it() {
    use GrainKind::{Chunk, Implicit, Initial, Task};
    let all = |chunks: [(i64, i64); 2], single: i32| -> Vec<Row> {
        let mut rows = vec![
            (0, None, Initial, None, 0, None),
            (1, Some(0), Implicit, Some(0), 0, None),
            (1, Some(0), Implicit, Some(0), 1, None),
            (2, Some(1), Chunk, Some(0), 0, Some(chunks[0])),
            (2, Some(2), Chunk, Some(0), 0, Some(chunks[1])),
        ];
        for (chunk, (_, count)) in (3..).zip(chunks) {
            rows.extend((0..count).map(|index| (3, Some(chunk), Task, None, index, None)));
        }
        rows.push((4, Some(single), Task, Some(1), 0, None));
        rows.push((5, Some(13), Task, None, 0, None));
        rows
    };
    // Eight tasks of eight iterations, cut in another place, and a single that the other member executed.
    let a = team("a", "old", &all([(0, 4), (4, 4)], 1));
    let b = team("b", "new", &all([(0, 2), (2, 6)], 2));
    let found = through(&a, &b, &[("old", "new")]);
    let total = found.total();
    // The chunks have other iterations.
    assert_eq!((total.matched, [total.only_a, total.only_b]), (13, [2, 2]));
    let page = found.page(GrainMatch::Matched, 0, usize::MAX);
    for row in &page {
        let own = Some(f64::from(row.owner.1) + 1.0);
        assert_eq!(row.work, [own, own]);
    }
    let inferred = through(&a, &b, &[]);
    assert_eq!(inferred.total().matched, 13);
    let page = inferred.page(GrainMatch::Matched, 0, usize::MAX);
    let last = page.iter().find(|row| row.owner.1 == 14).unwrap();
    assert_eq!(last.through.unwrap().0, MatchedBy::Inferred);
    let definition = found
        .definitions()
        .iter()
        .find(|one| one.definition == DefinitionId::new("task", "new", 0))
        .unwrap();
    assert_eq!(definition.grains.matched, 9);
}
