//! The tree of contexts while it grows, and its table.

use rustc_hash::FxHashMap;
use sheaf_model::ContextId;
use sheaf_model::table::{ContextRow, Contexts, ContextsBuilder};

use super::{FinishedDefinitions, NONE, row};
use crate::buckets::Buckets;

/// Paths of definitions, each once, in the order in which they were met.
#[derive(Debug, Default)]
pub(crate) struct ContextTree {
    /// Parent and definition of each; roots have the parent [`NONE`].
    nodes: Vec<(u32, u32)>,
    known: FxHashMap<(u32, u32), u32>,
    recent: Option<((u32, u32), u32)>,
}

/// The table of contexts, and the row of each by its number.
pub(crate) struct FinishedContexts {
    pub(crate) table: Contexts,
    pub(crate) rows: Vec<i32>,
}

impl ContextTree {
    /// The context of a definition below another context, or below none ([`NONE`]).
    pub(crate) fn child(&mut self, parent: u32, definition: u32) -> u32 {
        let key = (parent, definition);
        if let Some((known, at)) = self.recent
            && known == key
        {
            return at;
        }
        let next = u32::try_from(self.nodes.len()).unwrap_or(NONE);
        let at = *self.known.entry(key).or_insert(next);
        if at == next {
            self.nodes.push(key);
        }
        self.recent = Some((key, at));
        at
    }

    /// The same, if it was met before.
    pub(crate) fn known(&self, parent: u32, definition: u32) -> Option<u32> {
        self.known.get(&(parent, definition)).copied()
    }

    /// The definition that a context ends in.
    pub(crate) fn definition(&self, context: u32) -> Option<u32> {
        Some(self.nodes.get(context as usize)?.1)
    }

    /// Parent of each context, [`NONE`] for roots.
    pub(crate) fn parents(&self) -> impl Iterator<Item = u32> {
        self.nodes.iter().map(|(parent, _)| *parent)
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The table in pre-order, children by the id of their definition. Linear in the contexts,
    /// with an own stack.
    pub(crate) fn finish(&self, definitions: &FinishedDefinitions) -> FinishedContexts {
        let nodes = &self.nodes;
        let row_of = |definition: u32| definitions.rows.get(definition as usize).copied();
        let by_definition = Buckets::new(nodes.len(), definitions.rows.len(), |node| {
            u32::try_from(row_of(nodes.get(node as usize)?.1)?).ok()
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
        let mut rows = vec![0; nodes.len()];
        let mut done: Vec<(ContextId, i32)> = Vec::with_capacity(nodes.len());
        let mut table = ContextsBuilder::default();
        let mut stack = Vec::new();
        push_children(&mut stack, 0);
        while let Some(node) = stack.pop() {
            let (parent, definition) = nodes[node as usize];
            let own = definitions.id(definition);
            let parent = rows.get(parent as usize).copied();
            let above = parent.and_then(|row: i32| done.get(usize::try_from(row).ok()?));
            let (id, depth) = match above {
                Some((above, depth)) => (above.child(own), depth + 1),
                None => (ContextId::root(own), 0),
            };
            rows[node as usize] = row(done.len());
            done.push((id, depth));
            table.push(ContextRow {
                id: id.0,
                parent,
                definition: row_of(definition).unwrap_or(0),
                depth,
            });
            push_children(&mut stack, node as usize + 1);
        }
        FinishedContexts {
            table: table.finish(),
            rows,
        }
    }
}
