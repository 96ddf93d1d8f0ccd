//! Names of definitions as each side has them. A definition is not its line, so that both sides may have it under
//! names that differ in it.

use std::sync::Arc;

use sheaf_analysis::EnsembleTree;
use sheaf_analysis::around_lines;

/// Name and line of a definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Named {
    /// Name for people.
    pub(crate) name: Arc<str>,
    /// Line, from 1.
    pub(crate) line: Option<i32>,
}

/// Names of all definitions of a tree as most of some of its runs have them; those that none of these has keep
/// their names.
pub(crate) fn names_among(tree: &EnsembleTree, runs: &[usize]) -> Vec<Named> {
    let mut names: Vec<Named> = tree
        .definitions()
        .iter()
        .map(|definition| Named {
            name: Arc::clone(&definition.name),
            line: definition.line,
        })
        .collect();
    for (at, definition) in tree.definitions_among(runs) {
        if let Some(known) = names.get_mut(at) {
            *known = Named {
                name: definition.name,
                line: definition.line,
            };
        }
    }
    names
}

/// Names on the path to a node, outermost first.
pub(crate) fn path(tree: &EnsembleTree, node: usize, names: &[Named]) -> Vec<String> {
    let around = |&node: &usize| tree.parent(node);
    let mut path: Vec<String> = std::iter::successors(Some(node), around)
        .filter_map(|node| names.get(tree.definition_index(node)))
        .map(|named| named.name.to_string())
        .collect();
    path.reverse();
    path
}

/// The name where both sides have it, `sort:100→105 (task)` where only a line differs, else `before → after`.
///
/// ```
/// use sheaf_compare::diff::both_names;
/// assert_eq!(both_names("sort (task)", "sort (task)"), "sort (task)");
/// assert_eq!(both_names("sort:7 (task)", "sort:12 (task)"), "sort:7→12 (task)");
/// assert_eq!(both_names("sort:7 (task)", "order:7 (task)"), "sort:7 (task) → order:7 (task)");
/// ```
pub fn both_names(before: &str, after: &str) -> String {
    if before == after {
        return after.to_owned();
    }
    match (around_lines(before), around_lines(after)) {
        (Some((head, line, tail)), Some((other_head, other, other_tail)))
            if (head, tail) == (other_head, other_tail) =>
        {
            format!("{head}:{line}→{other}{tail}")
        }
        _ => format!("{before} → {after}"),
    }
}

/// The candidate's path, with the baseline's names where they differ.
pub(super) fn both_paths(before: &[String], after: &[String]) -> Vec<String> {
    if before.len() == after.len() {
        let both = before.iter().zip(after);
        return both
            .map(|(before, after)| both_names(before, after))
            .collect();
    }
    let mut path = after.to_vec();
    if let (Some(before), Some(last)) = (before.last(), path.last_mut()) {
        *last = both_names(before, last);
    }
    path
}
