//! From what a user calls a group or a context to the one that is meant.

use sheaf_model::ContextId;

use super::{Group, GroupId};
use crate::error::Error;
use crate::nearest::nearest;
use crate::tree::EnsembleTree;

const MAX_IDS: usize = 10;

/// The group with an id, else the only one with a name.
pub(super) fn group(tree: &EnsembleTree, groups: &[Group], text: &str) -> Result<usize, Error> {
    let hex = text.parse::<ContextId>().ok().map(|id| id.0);
    let has_id = |group: &Group| match &group.id {
        GroupId::Definition(id) => hex == Some(id.0),
        GroupId::Context(id) => hex == Some(id.0),
        other => other.to_string() == text,
    };
    if let Some(group) = groups.iter().position(has_id) {
        return Ok(group);
    }
    let named: Vec<usize> = (0..groups.len())
        .filter(|&at| is_called(tree, &groups[at], text))
        .collect();
    match named.as_slice() {
        [group] => Ok(*group),
        [] => Err(Error::UnknownGroup {
            group: text.to_owned(),
            nearest: nearest(text, groups.iter().map(|group| group.name.as_ref())),
        }),
        several => Err(Error::Ambiguous {
            name: text.to_owned(),
            ids: several
                .iter()
                .take(MAX_IDS)
                .map(|&at| groups[at].id.to_string())
                .collect(),
        }),
    }
}

/// By its own name, or by any that runs have for its definition, where it is named after that.
fn is_called(tree: &EnsembleTree, group: &Group, text: &str) -> bool {
    let definition = group.definition.map(|at| &tree.definitions()[at]);
    let is_namesake = definition.is_some_and(|it| it.name == group.name && it.is_called(text));
    is_namesake || *group.name == *text
}

/// The context with an id, else the only one whose definition has a name, else the one with a
/// path of names, `main/solve/dot`.
pub(super) fn context(tree: &EnsembleTree, text: &str) -> Result<usize, Error> {
    if let Some(node) = text.parse().ok().and_then(|id| tree.node_of(id)) {
        return Ok(node);
    }
    let nodes = || 0..tree.len();
    let mut found: Vec<usize> = nodes()
        .filter(|&node| tree.definition(node).is_called(text))
        .collect();
    if found.is_empty() {
        found = nodes().filter(|&node| has_path(tree, node, text)).collect();
    }
    match found.as_slice() {
        [node] => Ok(*node),
        [] => Err(Error::UnknownContext {
            context: text.to_owned(),
            nearest: nearest(
                text,
                tree.definitions()
                    .iter()
                    .map(|definition| definition.name.as_ref()),
            ),
        }),
        several => Err(Error::Ambiguous {
            name: text.to_owned(),
            ids: several
                .iter()
                .take(MAX_IDS)
                .map(|&node| tree.id(node).to_string())
                .collect(),
        }),
    }
}

/// Compares from the end, so that names may contain slashes.
fn has_path(tree: &EnsembleTree, node: usize, text: &str) -> bool {
    let mut rest = text;
    let mut at = node;
    loop {
        let definition = tree.definition(at);
        let mut names = std::iter::once(&definition.name).chain(&definition.names);
        let Some(front) = names.find_map(|name| rest.strip_suffix(name.as_ref())) else {
            return false;
        };
        let Some(parent) = tree.parent(at) else {
            return front.is_empty();
        };
        let Some(front) = front.strip_suffix('/') else {
            return false;
        };
        rest = front;
        at = parent;
    }
}
