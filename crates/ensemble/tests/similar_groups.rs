//! Groups that look alike within a run and across runs.

#![expect(clippy::unwrap_used, reason = "a failed step is a failed test")]

use std::path::Path;

use sheaf_ensemble::{Ensemble, GroupsQuestion, View};
use sheaf_model::Progress;

const RUN: &str = "sort-t4-r1";

fn sample(name: &str) -> Ensemble {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/ensembles");
    Ensemble::open(&folder.join(name)).unwrap()
}

fn view(ensemble: &Ensemble) -> View<'_> {
    ensemble.view(&Progress::silent()).unwrap()
}

/// Number of the first group with children below the root's first levels, and its structure.
fn a_group(ensemble: &Ensemble) -> (u32, String) {
    let mut at = 0;
    loop {
        let question = GroupsQuestion {
            group: at,
            limit: 1_000,
            is_with_structures: true,
            ..GroupsQuestion::default()
        };
        let answer = view(ensemble).groups(RUN, &question).unwrap();
        if answer.group.grains < 100 {
            return (at, answer.group.structure.unwrap());
        }
        let largest = answer.rows.iter().max_by_key(|row| row.nodes).unwrap();
        at = largest.group;
    }
}

#[test]
fn a_group_is_most_like_those_of_its_structure() {
    let ensemble = sample("threads");
    let (group, structure) = a_group(&ensemble);
    let answer = view(&ensemble).similar_groups(RUN, group, None).unwrap();
    assert_eq!(answer.of.group, group);
    let first = &answer.rows[0];
    assert_eq!((first.similarity, &first.structure), (1.0, &structure));
    assert!(
        answer
            .rows
            .is_sorted_by(|a, b| a.similarity >= b.similarity)
    );
    assert!(answer.rows.len() > 3, "{} structures", answer.rows.len());
    for row in &answer.rows {
        let nodes = row.group.nodes;
        assert!((0.0..=1.0).contains(&row.similarity));
        assert!(2 * nodes >= answer.of.nodes && nodes <= 2 * answer.of.nodes);
    }
    let only = answer.rows.iter().filter(|row| row.structure == structure);
    assert_eq!(only.count(), 1, "a structure is one row");
}

#[test]
fn runs_of_one_program_have_the_same_structures() {
    let ensemble = sample("threads");
    let (group, structure) = a_group(&ensemble);
    let other = view(&ensemble)
        .similar_groups(RUN, group, Some("sort-t1-r1"))
        .unwrap();
    let own = view(&ensemble).info(RUN).unwrap().run.run;
    assert_ne!(other.run, own);
    assert_eq!(other.rows[0].structure, structure);
    let error = view(&ensemble).similar_groups(RUN, 1 << 30, None);
    let message = error.unwrap_err().chain();
    assert!(message.contains("1073741824"), "{message}");
}
