//! Groups as a level of detail makes them, before any operation.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher};
use std::sync::Arc;

use sheaf_answers::{GroupFact, GroupedBy, Note};
use sheaf_model::table::OUTSIDE;

use super::{Group, GroupId, Grouping, Label, Reentry};
use crate::tree::{Definition, EnsembleTree, NONE, Visit};

/// Lookup only: its order is never used.
type Lookup<K, V> = HashMap<K, V, BuildHasherDefault<DefaultHasher>>;

/// Groups under construction: each distinct key makes one.
pub(super) struct Interner<'a> {
    pub(super) groups: &'a mut Vec<Group>,
    index: Lookup<GroupId, u32>,
}

impl<'a> Interner<'a> {
    pub(super) fn new(groups: &'a mut Vec<Group>) -> Self {
        let index = groups
            .iter()
            .map(|group| group.id.clone())
            .zip(0..)
            .collect();
        Self { groups, index }
    }

    pub(super) fn group(
        &mut self,
        id: GroupId,
        name: impl FnOnce() -> Arc<str>,
        definition: Option<usize>,
    ) -> u32 {
        if let Some(&group) = self.index.get(&id) {
            return group;
        }
        let group = u32::try_from(self.groups.len()).unwrap_or(NONE - 1);
        self.index.insert(id.clone(), group);
        self.groups.push(Group {
            id,
            name: name(),
            definition,
            first_node: 0,
            is_visible: true,
            is_outside: false,
        });
        group
    }

    /// The group of all contexts of the definition that `node` ends in.
    pub(super) fn definition(&mut self, tree: &EnsembleTree, node: usize) -> u32 {
        let definition = tree.definition(node);
        let id = GroupId::Definition(definition.id);
        self.group(
            id,
            || definition.name.clone(),
            Some(tree.definition_index(node)),
        )
    }

    /// The group of one context alone.
    pub(super) fn context(&mut self, tree: &EnsembleTree, node: usize) -> u32 {
        let name = || tree.definition(node).name.clone();
        self.group(
            GroupId::Context(tree.id(node)),
            name,
            Some(tree.definition_index(node)),
        )
    }
}

impl Grouping {
    fn start(nodes: usize, grouped_by: GroupedBy) -> Self {
        Self {
            groups: Vec::new(),
            group_of: Vec::with_capacity(nodes),
            is_on_path: vec![true; nodes],
            grouped_by,
            notes: Vec::new(),
        }
    }
}

pub(super) fn by_definition(tree: &EnsembleTree) -> Grouping {
    let mut grouping = Grouping::start(tree.len(), GroupedBy::Definition);
    let mut interner = Interner::new(&mut grouping.groups);
    grouping
        .group_of
        .extend((0..tree.len()).map(|node| interner.definition(tree, node)));
    grouping
}

pub(super) fn by_context(tree: &EnsembleTree) -> Grouping {
    let mut grouping = Grouping::start(tree.len(), GroupedBy::Context);
    let mut interner = Interner::new(&mut grouping.groups);
    grouping
        .group_of
        .extend((0..tree.len()).map(|node| interner.context(tree, node)));
    grouping
}

pub(super) fn by_label(tree: &EnsembleTree, reentry: Reentry) -> Grouping {
    let mut facts = Vec::new();
    for (label, grouped_by, instead) in [
        (Label::Module, GroupedBy::Module, GroupedBy::File),
        (Label::File, GroupedBy::File, GroupedBy::NamePrefix),
    ] {
        let labels = labels(tree, label);
        let outside = tree.outside();
        let is_inside = |node: &u32| outside.binary_search(node).is_err();
        let mut names: Vec<&str> = (0..)
            .zip(&labels)
            .filter(|(node, name)| !name.is_empty() && is_inside(node))
            .map(|(_, name)| name.as_ref())
            .collect();
        names.sort_unstable();
        names.dedup();
        if names.len() > 1 {
            return Grouping {
                notes: facts.into_iter().map(Note::from).collect(),
                ..by_labels(tree, label, &labels, reentry)
            };
        }
        // Only the last attempt forms groups.
        if let Some(GroupFact::SameLabel { instead, .. }) = facts.last_mut() {
            *instead = None;
        }
        facts.push(GroupFact::SameLabel {
            label: grouped_by,
            name: names.first().map(|name| (*name).to_owned()),
            instead: Some(instead),
        });
    }
    let labels = labels(tree, Label::NamePrefix);
    Grouping {
        notes: facts.into_iter().map(Note::from).collect(),
        ..by_labels(tree, Label::NamePrefix, &labels, reentry)
    }
}

/// Label of each node; that of the caller where the definition has none.
fn labels(tree: &EnsembleTree, label: Label) -> Vec<Arc<str>> {
    let none: Arc<str> = Arc::from("");
    let own: Vec<Option<Arc<str>>> = tree
        .definitions()
        .iter()
        .map(|definition| own_label(definition, label))
        .collect();
    let mut labels: Vec<Arc<str>> = Vec::with_capacity(tree.len());
    for node in 0..tree.len() {
        let label = match (&own[tree.definition_index(node)], tree.parent(node)) {
            (Some(label), _) => label.clone(),
            (None, Some(parent)) => labels[parent].clone(),
            (None, None) => none.clone(),
        };
        labels.push(label);
    }
    labels
}

fn own_label(definition: &Definition, label: Label) -> Option<Arc<str>> {
    // Values outside of every region have no module; they form a group separate from definitions whose module is unknown.
    if &*definition.kind == OUTSIDE {
        return Some(definition.name.clone());
    }
    match label {
        Label::Module => definition.module.clone(),
        Label::File => definition.file.clone(),
        Label::NamePrefix => Some(Arc::from(prefix(&definition.name))),
    }
    .filter(|name| !name.is_empty())
}

/// `MPI` of `MPI_Send`, `std` of `std::sort`, `main` of `main:31 (loop)`; leading underscores are
/// no separators.
fn prefix(name: &str) -> &str {
    let start = name.len() - name.trim_start_matches('_').len();
    let is_separator = |c: char| !c.is_alphanumeric() && c != '~';
    match name[start..].find(is_separator) {
        Some(length) if length > 0 => &name[..start + length],
        _ => name,
    }
}

fn by_labels(tree: &EnsembleTree, label: Label, labels: &[Arc<str>], reentry: Reentry) -> Grouping {
    let grouped_by = match label {
        Label::Module => GroupedBy::Module,
        Label::File => GroupedBy::File,
        Label::NamePrefix => GroupedBy::NamePrefix,
    };
    let mut grouping = Grouping::start(tree.len(), grouped_by);
    let Grouping {
        groups, group_of, ..
    } = &mut grouping;
    let mut interner = Interner::new(groups);
    let mut active: Lookup<Arc<str>, u32> = Lookup::default();
    tree.walk(|visit| match visit {
        Visit::Leave(node) => {
            if let Some(active) = active.get_mut(&labels[node]) {
                *active -= 1;
            }
        }
        Visit::Enter(node) => {
            let name = &labels[node];
            let active = active.entry(name.clone()).or_default();
            *active += 1;
            let group = match tree.parent(node) {
                Some(parent) if labels[parent] == *name => group_of[parent],
                _ => {
                    let is_again = *active > 1 && reentry == Reentry::Separate;
                    labelled(&mut interner, tree, label, name, is_again.then_some(node))
                }
            };
            group_of.push(group);
        }
    });
    grouping
}

fn labelled(
    interner: &mut Interner<'_>,
    tree: &EnsembleTree,
    label: Label,
    name: &Arc<str>,
    entry: Option<usize>,
) -> u32 {
    let entry = entry.map(|node| tree.definition(node));
    let id = GroupId::Labelled {
        label,
        name: name.clone(),
        entry: entry.map(|entry| entry.id),
    };
    let text = || {
        let shown = match (name.is_empty(), label) {
            (false, _) => name.as_ref(),
            (true, Label::File) => "(no file)",
            (true, _) => "(no module)",
        };
        match entry {
            Some(entry) => format!("{shown}: {}", entry.name).into(),
            None => shown.into(),
        }
    };
    interner.group(id, text, None)
}

#[cfg(test)]
mod tests {
    use super::prefix;

    #[test]
    fn prefixes_end_at_separators() {
        let names = [
            "MPI_Send",
            "std::sort",
            "main:31 (loop)",
            "__kmp_fork",
            "fib",
            "_",
            "",
            "Ärger_x",
        ];
        let prefixes: Vec<_> = names.iter().map(|name| prefix(name)).collect();
        assert_eq!(
            prefixes,
            ["MPI", "std", "main", "__kmp", "fib", "_", "", "Ärger"]
        );
    }
}
