//! The context tree in the order of its table.

use sheaf_model::ContextId;
use sheaf_model::table::{ContextRow, Contexts, ContextsBuilder};

use super::NONE;
use super::intern::Ids;
use crate::buckets::Buckets;

/// The table in pre-order, children by the id of their definition, and the row of each node.
/// Linear in the nodes, with an own stack.
pub(super) fn contexts(nodes: &[(u32, u32)], definitions: &Ids) -> (Contexts, Vec<u32>) {
    let row_of = |definition: u32| definitions.rows.get(definition as usize).copied();
    let by_definition = Buckets::new(nodes.len(), definitions.rows.len(), |node| {
        row_of(nodes.get(node as usize)?.1)
    });
    let sorted = by_definition.items();
    // Bucket 0 holds the roots, bucket n + 1 the children of node n, each in order.
    let children = Buckets::new(sorted.len(), nodes.len() + 1, |at| {
        let (parent, _) = nodes.get(*sorted.get(at as usize)? as usize)?;
        Some(parent.wrapping_add(1))
    });
    let push_children = |stack: &mut Vec<u32>, bucket: usize| {
        let below = children.get(bucket).iter().rev();
        stack.extend(below.filter_map(|&at| sorted.get(at as usize)));
    };
    let mut rows = vec![NONE; nodes.len()];
    let mut done: Vec<(ContextId, i32)> = Vec::with_capacity(nodes.len());
    let mut table = ContextsBuilder::default();
    let mut stack = Vec::new();
    push_children(&mut stack, 0);
    while let Some(node) = stack.pop() {
        let (parent, definition) = nodes[node as usize];
        let id = definitions.ids[definition as usize];
        let parent_row = rows.get(parent as usize).copied();
        let above = parent_row.and_then(|row| done.get(row as usize));
        let (id, depth) = match above {
            Some((above, depth)) => (above.child(id), depth + 1),
            None => (ContextId::root(id), 0),
        };
        rows[node as usize] = super::index(done.len());
        done.push((id, depth));
        table.push(ContextRow {
            id: id.0,
            parent: parent_row.and_then(|row| i32::try_from(row).ok()),
            definition: row_of(definition)
                .and_then(|row| i32::try_from(row).ok())
                .unwrap_or(0),
            depth,
        });
        push_children(&mut stack, node as usize + 1);
    }
    (table.finish(), rows)
}
