//! Differences between the structures of two sides.

use std::collections::{BTreeMap, BTreeSet};

use arrow::array::Array;
use sheaf_model::{DefinitionId, RunTables};

use super::RunTime;
use crate::grain_diff::GrainColumns;

/// The structure of one run by definition, under the newest names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunStructure {
    definitions: BTreeMap<DefinitionId, OfDefinition>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct OfDefinition {
    grains: u64,
    /// Definitions of the parents of its contexts.
    parents: BTreeSet<DefinitionId>,
}

/// Differences that concern one definition.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StructureChange {
    /// Mean numbers of grains, if every run of one side has more than every run of the other.
    pub grains: Option<[f64; 2]>,
    /// Parents that only one side has.
    pub parents: [BTreeSet<DefinitionId>; 2],
}

impl RunStructure {
    /// Linear in the grains.
    pub fn of(run: &RunTables, grains: &GrainColumns) -> Self {
        let mut definitions: BTreeMap<DefinitionId, OfDefinition> = BTreeMap::new();
        let mut of_context = vec![0_u64; grains.definitions.len()];
        for &context in grains.context.values() {
            let context = usize::try_from(context).ok();
            if let Some(count) = context.and_then(|context| of_context.get_mut(context)) {
                *count += 1;
            }
        }
        let parents = &run.summary.contexts.parent;
        for (context, (&definition, count)) in grains.definitions.iter().zip(of_context).enumerate()
        {
            if count == 0 {
                continue;
            }
            let found = definitions.entry(definition).or_default();
            found.grains += count;
            if context < parents.len() && parents.is_valid(context) {
                let parent = usize::try_from(parents.value(context)).ok();
                let parent = parent.and_then(|parent| grains.definitions.get(parent));
                found.parents.extend(parent);
            }
        }
        Self { definitions }
    }
}

/// Differences by definition, of those that occur in every run.
pub fn structure_changes(sides: &[Vec<RunTime>; 2]) -> BTreeMap<DefinitionId, StructureChange> {
    let mut runs = sides.iter().flatten();
    let Some(first) = runs.next() else {
        return BTreeMap::new();
    };
    let is_everywhere = |definition: &&DefinitionId| {
        let mut runs = sides.iter().flatten();
        runs.all(|run| run.structure.definitions.contains_key(definition))
    };
    let common = first.structure.definitions.keys().filter(is_everywhere);
    let changes = common.map(|&definition| (definition, change(sides, definition)));
    changes
        .filter(|(_, change)| *change != StructureChange::default())
        .collect()
}

fn change(sides: &[Vec<RunTime>; 2], definition: DefinitionId) -> StructureChange {
    let [a, b] = sides.each_ref().map(|side| {
        let runs = side.iter();
        let found = runs.filter_map(|run| run.structure.definitions.get(&definition));
        found.collect::<Vec<&OfDefinition>>()
    });
    let bounds = |side: &[&OfDefinition]| {
        let counts = || side.iter().map(|run| run.grains);
        Some((counts().min()?, counts().max()?))
    };
    let is_apart = |(a, b): ((u64, u64), (u64, u64))| a.1 < b.0 || b.1 < a.0;
    let is_apart = bounds(&a).zip(bounds(&b)).is_some_and(is_apart);
    let mean = |side: &[&OfDefinition]| {
        let sum: u64 = side.iter().map(|run| run.grains).sum();
        sum as f64 / side.len().max(1) as f64
    };
    let parents = |side: &[&OfDefinition]| -> BTreeSet<DefinitionId> {
        side.iter().flat_map(|run| &run.parents).copied().collect()
    };
    let [of_a, of_b] = [parents(&a), parents(&b)];
    StructureChange {
        grains: is_apart.then(|| [mean(&a), mean(&b)]),
        parents: [&of_a - &of_b, &of_b - &of_a],
    }
}
