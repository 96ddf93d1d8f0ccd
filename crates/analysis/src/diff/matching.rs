//! Which group of the baseline is which of the candidate: same context, else same definition.

use std::collections::BTreeMap;

use sheaf_model::DefinitionId;

use super::{DiffContext, DiffGroup, MatchedBy, MatchedWork};
use crate::reading::Reading;

/// A group with how it was matched.
pub(super) struct MatchedGroup {
    pub(super) group: DiffGroup,
    pub(super) matched_by: Option<MatchedBy>,
}

/// Share of the work of both sides by how its contexts are matched.
pub(super) fn matched_work(contexts: &[DiffContext]) -> MatchedWork {
    let mut sides: BTreeMap<DefinitionId, [bool; 2]> = BTreeMap::new();
    for context in contexts {
        let known = sides.entry(context.definition).or_default();
        for (known, is_present) in known.iter_mut().zip(context.is_present()) {
            *known |= is_present;
        }
    }
    let (mut context_work, mut definition_work, mut unmatched) = (0.0, 0.0, 0.0);
    for context in contexts {
        let work = context.work[0].abs() + context.work[1].abs();
        if context.is_present() == [true, true] {
            context_work += work;
        } else if sides.get(&context.definition) == Some(&[true, true]) {
            definition_work += work;
        } else {
            unmatched += work;
        }
    }
    let all = context_work + definition_work + unmatched;
    if all <= 0.0 {
        return MatchedWork::default();
    }
    MatchedWork {
        context: context_work / all,
        definition: definition_work / all,
        unmatched: unmatched / all,
    }
}

/// Makes one group of two that occur on one side each and end in the same definition, where
/// neither side has another such group; and says how every group was matched.
///
/// A pair stands where the candidate's group stood. What is ambiguous stays apart.
pub(super) fn pair_moved(groups: Vec<DiffGroup>, contexts: &[DiffContext]) -> Vec<MatchedGroup> {
    let mut single: BTreeMap<DefinitionId, [Vec<usize>; 2]> = BTreeMap::new();
    for (index, group) in groups.iter().enumerate() {
        let (Some(definition), Some(side)) = (group.definition, only_side(group)) else {
            continue;
        };
        single.entry(definition).or_default()[side].push(index);
    }
    let mut partner = vec![None; groups.len()];
    let mut is_taken = vec![false; groups.len()];
    for sides in single.values() {
        if let ([a], [b]) = (sides[0].as_slice(), sides[1].as_slice()) {
            partner[*b] = Some(*a);
            is_taken[*a] = true;
        }
    }
    let mut shares_context = vec![false; groups.len()];
    for context in contexts {
        if let Some(shared) = context
            .group
            .and_then(|group| shares_context.get_mut(group))
        {
            *shared |= context.is_present() == [true, true];
        }
    }
    let baseline: Vec<_> = groups
        .iter()
        .map(|group| (group.exclusive[0].clone(), group.inclusive[0].clone()))
        .collect();
    let mut matched = Vec::with_capacity(groups.len());
    for (index, mut group) in groups.into_iter().enumerate() {
        if is_taken[index] {
            continue;
        }
        if let Some(partner) = partner[index] {
            (group.exclusive[0], group.inclusive[0]) = baseline[partner].clone();
        }
        let matched_by = if only_side(&group).is_some() || !is_present(&group, 0) {
            None
        } else if shares_context[index] {
            Some(MatchedBy::Context)
        } else {
            Some(MatchedBy::Definition)
        };
        matched.push(MatchedGroup { group, matched_by });
    }
    matched
}

fn is_present(group: &DiffGroup, side: usize) -> bool {
    let all = group.exclusive[side].iter().chain(&group.inclusive[side]);
    all.copied().any(Reading::is_present)
}

/// The side that has the group, when only one has.
fn only_side(group: &DiffGroup) -> Option<usize> {
    match [is_present(group, 0), is_present(group, 1)] {
        [true, false] => Some(0),
        [false, true] => Some(1),
        _ => None,
    }
}
