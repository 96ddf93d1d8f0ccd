//! Which contexts make which site, and which site lies below which.

use std::collections::{BinaryHeap, HashMap};
use std::hash::{BuildHasherDefault, DefaultHasher};

use sheaf_model::ContextId;

use crate::groups::GroupId;
use crate::selection::Selection;
use crate::tree::{EnsembleTree, NONE, Visit};

/// Sites in pre-order, and the site of each node of the tree.
pub(super) struct Forest {
    pub(super) sites: Vec<Place>,
    /// Site of each node; `NONE` for nodes that are in none.
    pub(super) site_of: Vec<u32>,
    /// Sites without parent.
    pub(super) roots: usize,
}

/// One site.
#[derive(Clone)]
pub(super) struct Place {
    /// Id of its context; of several contexts that of their path below the group.
    pub(super) id: ContextId,
    pub(super) parent: Option<usize>,
    pub(super) depth: u32,
    /// The first of its nodes.
    pub(super) node: usize,
}

impl Forest {
    pub(super) fn new(tree: &EnsembleTree, selection: &Selection) -> Self {
        match selection.id {
            GroupId::Definition(_) | GroupId::Context(_) => Self::below(tree, selection),
            GroupId::Labelled { .. } | GroupId::Others(_) => Self::inside(tree, selection),
        }
    }

    /// A site for each context of the group, below the nearest one above it in the group.
    fn inside(tree: &EnsembleTree, selection: &Selection) -> Self {
        let mut forest = Self::empty(tree.len());
        let mut open: Vec<usize> = Vec::new();
        tree.walk(|visit| match visit {
            Visit::Enter(node) if selection.is_in[node] => {
                let parent = open.last().copied();
                open.push(forest.push(tree.id(node), parent, node));
            }
            Visit::Leave(node) if selection.is_in[node] => {
                open.pop();
            }
            Visit::Enter(_) | Visit::Leave(_) => {}
        });
        forest
    }

    /// A site for each distinct path below the outermost contexts of the group.
    fn below(tree: &EnsembleTree, selection: &Selection) -> Self {
        let mut forest = Self::empty(tree.len());
        let mut paths: Vec<ContextId> = Vec::new();
        let mut known: HashMap<ContextId, usize, BuildHasherDefault<DefaultHasher>> =
            HashMap::default();
        for &top in &selection.outermost {
            for node in top..tree.end(top) {
                let definition = tree.definition(node).id;
                let caller = tree.parent(node).filter(|_| node > top);
                let parent = caller.map(|caller| forest.site_of[caller] as usize);
                let path = match parent {
                    Some(parent) => paths[parent].child(definition),
                    None => ContextId::root(definition),
                };
                if let Some(&site) = known.get(&path) {
                    forest.sites[site].id = path;
                    forest.site_of[node] = index(site);
                } else {
                    let site = forest.push(tree.id(node), parent, node);
                    known.insert(path, site);
                    paths.push(path);
                }
            }
        }
        forest.into_pre_order(|_| true)
    }

    fn empty(nodes: usize) -> Self {
        Self {
            sites: Vec::new(),
            site_of: vec![NONE; nodes],
            roots: 0,
        }
    }

    fn push(&mut self, id: ContextId, parent: Option<usize>, node: usize) -> usize {
        let site = self.sites.len();
        let depth = parent.map_or(0, |parent| self.sites[parent].depth + 1);
        self.roots += usize::from(parent.is_none());
        self.site_of[node] = index(site);
        self.sites.push(Place {
            id,
            parent,
            depth,
            node,
        });
        site
    }

    /// Keeps the `most` heaviest sites that hang together; returns how many are left out. A site
    /// is kept only with its parent.
    pub(super) fn cut(self, weights: &[f64], most: usize) -> (Self, u64) {
        let omitted = self.sites.len().saturating_sub(most) as u64;
        if omitted == 0 {
            return (self, 0);
        }
        let children = self.children();
        let mut is_kept = vec![false; self.sites.len()];
        let candidate = |site: usize| (TotalOrder(weights[site]), std::cmp::Reverse(site));
        let roots = (0..self.sites.len()).filter(|&site| self.sites[site].parent.is_none());
        let mut heap: BinaryHeap<_> = roots.map(candidate).collect();
        for _ in 0..most {
            let Some((_, std::cmp::Reverse(site))) = heap.pop() else {
                break;
            };
            is_kept[site] = true;
            heap.extend(children[site].iter().map(|&child| candidate(child)));
        }
        (self.into_pre_order(|site| is_kept[site]), omitted)
    }

    fn children(&self) -> Vec<Vec<usize>> {
        let mut children = vec![Vec::new(); self.sites.len()];
        for (site, place) in self.sites.iter().enumerate() {
            if let Some(parent) = place.parent {
                children[parent].push(site);
            }
        }
        children
    }

    /// The sites that are kept, each followed by what is below it; siblings in their order.
    fn into_pre_order(self, is_kept: impl Fn(usize) -> bool) -> Self {
        let children = self.children();
        let is_root = |&site: &usize| self.sites[site].parent.is_none();
        let mut stack: Vec<usize> = (0..self.sites.len()).filter(is_root).collect();
        stack.reverse();
        let mut place = vec![NONE; self.sites.len()];
        let mut sites: Vec<Place> = Vec::new();
        let mut roots = 0;
        while let Some(site) = stack.pop() {
            if !is_kept(site) {
                continue;
            }
            place[site] = index(sites.len());
            let old = &self.sites[site];
            roots += usize::from(old.parent.is_none());
            let parent = old.parent.map(|parent| place[parent] as usize);
            sites.push(Place {
                parent,
                ..old.clone()
            });
            stack.extend(children[site].iter().rev());
        }
        let moved = |&site: &u32| place.get(site as usize).copied().unwrap_or(NONE);
        let site_of = self.site_of.iter().map(moved).collect();
        Self {
            sites,
            site_of,
            roots,
        }
    }
}

fn index(site: usize) -> u32 {
    u32::try_from(site).unwrap_or(NONE - 1)
}

/// Floats in their total order.
#[derive(PartialEq)]
struct TotalOrder(f64);

impl Eq for TotalOrder {}

impl PartialOrd for TotalOrder {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for TotalOrder {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}
