//! Runs under the newest names of their definitions.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use proptest::prelude::*;
use sheaf_model::{DefinitionId, RunSummary};

use super::*;
use sheaf_synthetic::testing::runs;

fn id(name: &str) -> DefinitionId {
    DefinitionId::new("function", name, 0)
}

fn link(a: &str, b: &str) -> RenameLink {
    RenameLink {
        definitions: [id(a), id(b)],
        matched_by: MatchedBy::Inferred,
        score: 0.75,
    }
}

fn run_sets(runs: &[Arc<RunSummary>]) -> Vec<RunSet<'_>> {
    let run_set = |run: &'_ Arc<RunSummary>| run.meta.name.clone();
    let of = |run| RunSet {
        name: run_set(run),
        runs: vec![run.as_ref()],
    };
    runs.iter().map(of).collect()
}

const TWO: &str = "run a\n  main/f/g work_ns 3\n  main/h work_ns 4\nrun b\n  main/F/g work_ns 5\n  main/h work_ns 6\n";

#[test]
fn contexts_have_the_ids_that_they_would_have() {
    let all = runs(TWO);
    let renaming = Renaming::new(&[link("f", "F")], &Mapping::default(), &run_sets(&all));
    let renamed = renaming.apply(&all);
    assert!(Arc::ptr_eq(&renamed[1], &all[1]));
    let ids = |run: &RunSummary| {
        let mut ids: Vec<_> = run.contexts.rows().map(|row| row.id).collect();
        ids.sort_unstable();
        ids
    };
    assert_eq!(ids(&renamed[0]), ids(&all[1]));
    renamed[0].validate().unwrap();
    assert_eq!(renaming.joined(id("f")).as_deref(), Some("f → F"));
    assert_eq!(renaming.joined(id("g")), None);
    assert_eq!(
        renaming.names(id("F"))[1].link,
        Some((MatchedBy::Inferred, 0.75))
    );
}

#[test]
fn nothing_is_renamed_without_links() {
    let all = runs(TWO);
    let renaming = Renaming::new(&[], &Mapping::default(), &run_sets(&all));
    assert!(renaming.is_empty() && renaming.notes().is_empty());
    for (before, after) in all.iter().zip(renaming.apply(&all)) {
        assert!(Arc::ptr_eq(before, &after));
    }
}

proptest! {
    /// Whatever the links: no set of runs has two definitions that are one, each run keeps its numbers of rows, and
    /// the order of links of one rank does not matter.
    #[test]
    fn no_stage_loses_a_definition(
        stages_of in prop::collection::vec(prop::collection::btree_set(0_u8..8, 1..6), 1..6),
        pairs in prop::collection::vec((0_u8..8, 0_u8..8, 0_u8..4), 0..12),
    ) {
        let mut text = String::new();
        for (at, names) in stages_of.iter().enumerate() {
            let _ = writeln!(text, "run r{at}");
            for name in names {
                let _ = writeln!(text, "  d{name}/e work_ns 1");
            }
        }
        let all = runs(&text);
        let links: Vec<RenameLink> = pairs.iter().filter(|(a, b, _)| a != b).map(|(a, b, score)| RenameLink {
            score: f64::from(*score) / 4.0,
            ..link(&format!("d{a}"), &format!("d{b}"))
        }).collect();
        let known: Vec<RenameLink> = links.iter().filter(|link| {
            link.definitions.iter().all(|id| all.iter().any(|run| run.definitions.rows().any(|row| row.id == id.0)))
        }).copied().collect();
        let renaming = Renaming::new(&known, &Mapping::default(), &run_sets(&all));
        for (before, after) in all.iter().zip(renaming.apply(&all)) {
            let mut ids: BTreeMap<[u8; 16], usize> = BTreeMap::new();
            for row in after.contexts.rows() {
                *ids.entry(row.id).or_default() += 1;
            }
            prop_assert!(ids.values().all(|count| *count == 1));
            prop_assert_eq!(before.contexts.len(), after.contexts.len());
        }
        let turned: Vec<RenameLink> = known.iter().rev().copied().collect();
        let again = Renaming::new(&turned, &Mapping::default(), &run_sets(&all));
        prop_assert_eq!(renaming.classes(), again.classes());
    }
}
