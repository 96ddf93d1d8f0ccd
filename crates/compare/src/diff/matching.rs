//! Which group of the baseline is which of the candidate: what most of their contexts say.

use std::collections::{BTreeMap, BTreeSet};

use sheaf_model::DefinitionId;

use super::context_matching::ContextMatching;
use super::{DiffContext, DiffGroup};
use sheaf_analysis::Measurement;
use sheaf_answers::{ChangeKind, MatchedBy};

/// A group with how it was matched.
pub(super) struct MatchedGroup {
    pub(super) group: DiffGroup,
    pub(super) matched_by: Option<MatchedBy>,
    /// How sure that is, where it is not certain.
    pub(super) score: Option<f64>,
    /// Id of the baseline's group, where it is another.
    pub(super) baseline: Option<String>,
    /// What happened to the structure of its contexts.
    pub(super) structure: BTreeSet<ChangeKind>,
}

/// What the contexts of two groups say of each other.
struct Vote {
    votes: usize,
    by: MatchedBy,
    score: f64,
}

/// Makes one group of two that occur on one side each: where more than half of the contexts of either that
/// are paired are paired with the other's, else where both end in the same definition and neither side has
/// another such group. Says how every group was matched.
///
/// A pair stands where the candidate's group stood. What is ambiguous stays apart. `kinds` says what happened to
/// each group's contexts.
pub(super) fn pair_groups(
    groups: Vec<DiffGroup>,
    contexts: &[DiffContext],
    pairing: &ContextMatching,
    mut kinds: Vec<BTreeSet<ChangeKind>>,
) -> Vec<MatchedGroup> {
    let sides: Vec<Option<usize>> = groups.iter().map(only_side).collect();
    let mut partners = voted(&sides, contexts, pairing);
    pair_by_definition(&groups, &sides, &mut partners);
    let mut is_taken = vec![false; groups.len()];
    for (partner, _, _) in partners.iter().flatten() {
        is_taken[*partner] = true;
    }
    let mut shares_context = vec![false; groups.len()];
    for context in contexts {
        let group = context
            .group
            .and_then(|group| shares_context.get_mut(group));
        if let Some(shared) = group {
            *shared |= context.is_present() == [true, true];
        }
    }
    let baselines: BTreeMap<usize, DiffGroup> = (0..groups.len())
        .filter(|&at| is_taken[at])
        .map(|at| (at, groups[at].clone()))
        .collect();
    let mut matched = Vec::with_capacity(groups.len());
    for (index, mut group) in groups.into_iter().enumerate() {
        if is_taken[index] {
            continue;
        }
        let mut structure = std::mem::take(&mut kinds[index]);
        let known = partners[index].and_then(|(partner, by, score)| {
            baselines
                .get(&partner)
                .map(|baseline| (partner, baseline, by, score))
        });
        if let Some((partner, baseline, by, score)) = known {
            take_baseline(&mut group, baseline);
            structure.append(&mut kinds[partner]);
            matched.push(MatchedGroup {
                group,
                matched_by: Some(by),
                score,
                baseline: Some(baseline.id.clone()),
                structure,
            });
            continue;
        }
        let only = only_side(&group);
        if let Some(side) = only {
            let (path, line) = (group.paths[side].clone(), group.lines[side]);
            group.paths[1 - side] = path;
            group.lines[1 - side] = line;
        }
        let matched_by = if only.is_some() || !is_present(&group, 0) {
            None
        } else if shares_context[index] {
            Some(MatchedBy::Context)
        } else {
            Some(MatchedBy::Definition)
        };
        matched.push(MatchedGroup {
            group,
            matched_by,
            score: None,
            baseline: None,
            structure,
        });
    }
    matched
}

/// Gives the candidate's group the baseline's side of another.
fn take_baseline(group: &mut DiffGroup, baseline: &DiffGroup) {
    group.exclusive[0].clone_from(&baseline.exclusive[0]);
    group.inclusive[0].clone_from(&baseline.inclusive[0]);
    group.paths[0].clone_from(&baseline.paths[0]);
    group.lines[0] = baseline.lines[0];
    if group.incomparable.is_none() {
        group.incomparable.clone_from(&baseline.incomparable);
    }
}

/// The baseline's group of each of the candidate's that was found, how, and how sure that is.
type Partners = Vec<Option<(usize, MatchedBy, Option<f64>)>>;

fn voted(sides: &[Option<usize>], contexts: &[DiffContext], pairing: &ContextMatching) -> Partners {
    let mut ballots: BTreeMap<(usize, usize), Vote> = BTreeMap::new();
    let mut totals = vec![0_usize; sides.len()];
    for (at, context) in contexts.iter().enumerate() {
        let there = pairing.partners[at].filter(|_| context.is_present() == [true, false]);
        let Some((there, by)) = there.zip(pairing.tier(contexts, at)) else {
            continue;
        };
        let (Some(a), Some(b)) = (context.group, contexts[there].group) else {
            continue;
        };
        let is_apart = |group: usize, side: usize| sides.get(group) == Some(&Some(side));
        if !is_apart(a, 0) || !is_apart(b, 1) {
            continue;
        }
        totals[a] += 1;
        totals[b] += 1;
        let pair = (context.definition, contexts[there].definition);
        let score = pairing.renames.get(&pair).map_or(1.0, |(_, score)| *score);
        let ballot = ballots.entry((a, b)).or_insert(Vote {
            votes: 0,
            by,
            score,
        });
        ballot.votes += 1;
        ballot.by = ballot.by.max(by);
        ballot.score = ballot.score.min(score);
    }
    let mut partners = vec![None; sides.len()];
    for ((a, b), ballot) in ballots {
        if 2 * ballot.votes > totals[a] && 2 * ballot.votes > totals[b] {
            let score = (ballot.by == MatchedBy::Inferred).then_some(ballot.score);
            partners[b] = Some((a, ballot.by, score));
        }
    }
    partners
}

fn pair_by_definition(groups: &[DiffGroup], sides: &[Option<usize>], partners: &mut Partners) {
    let mut is_taken = vec![false; groups.len()];
    for (b, partner) in partners.iter().enumerate() {
        if let Some((a, _, _)) = partner {
            (is_taken[*a], is_taken[b]) = (true, true);
        }
    }
    let mut single: BTreeMap<DefinitionId, [Vec<usize>; 2]> = BTreeMap::new();
    for (index, group) in groups.iter().enumerate() {
        if let (Some(definition), Some(side), false) =
            (group.definition, sides[index], is_taken[index])
        {
            single.entry(definition).or_default()[side].push(index);
        }
    }
    for sides in single.values() {
        if let ([a], [b]) = (sides[0].as_slice(), sides[1].as_slice()) {
            partners[*b] = Some((*a, MatchedBy::Definition, None));
        }
    }
}

fn is_present(group: &DiffGroup, side: usize) -> bool {
    let all = group.exclusive[side].iter().chain(&group.inclusive[side]);
    all.copied().any(Measurement::is_present)
}

/// The side that has the group, when only one has.
fn only_side(group: &DiffGroup) -> Option<usize> {
    match [is_present(group, 0), is_present(group, 1)] {
        [true, false] => Some(0),
        [false, true] => Some(1),
        _ => None,
    }
}
