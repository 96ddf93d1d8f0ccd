//! Groups: what one node or row of an answer stands for, and which contexts count for it.

mod level;
mod operations;
mod resolve;

use std::fmt;
use std::sync::Arc;

use sheaf_answers::{GroupedBy, NamePaths, Note};
use sheaf_model::{ContextId, DefinitionId, Lens, Level};

use crate::error::Error;
use crate::tree::EnsembleTree;

/// By what contexts are grouped above definitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Label {
    /// Library or executable.
    Module,
    /// Source file, where all are in one module.
    File,
    /// Beginning of the name up to the first separator, where all are in one file.
    NamePrefix,
}

/// Identity of a group: the same in every run, store and order of import. Its text is what lens
/// operations and other questions take.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GroupId {
    /// `m:libm.so`, `f:sort.c`, `p:MPI`; with `@` and the id of a definition for the part of it
    /// that is entered again, through that definition, further down the same path.
    Labelled {
        /// By what it is grouped.
        label: Label,
        /// Name of the module or file; empty for code of none.
        name: Arc<str>,
        /// The definition through which it is entered again.
        entry: Option<DefinitionId>,
    },
    /// Id of the definition.
    Definition(DefinitionId),
    /// Id of the context.
    Context(ContextId),
    /// `others:2`: groups of a level of the super graph that are below the lens's share.
    Others(u32),
}

impl fmt::Display for GroupId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Labelled { label, name, entry } => {
                let letter = match label {
                    Label::Module => 'm',
                    Label::File => 'f',
                    Label::NamePrefix => 'p',
                };
                write!(f, "{letter}:{name}")?;
                entry.map_or(Ok(()), |entry| write!(f, "@{entry}"))
            }
            Self::Definition(id) => id.fmt(f),
            Self::Context(id) => id.fmt(f),
            Self::Others(level) => write!(f, "others:{level}"),
        }
    }
}

/// One group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Identity.
    pub id: GroupId,
    /// Name for people.
    pub name: Arc<str>,
    /// Index into [`EnsembleTree::definitions`] of its definition, when it has just one.
    pub definition: Option<usize>,
    /// Node of the first of its contexts, in the order of the tree.
    pub first_node: usize,
    /// Whether the lens shows it; a focus hides what is not on a path through it.
    pub is_visible: bool,
    /// Whether it holds values outside of every region: excluded from shares, and never left
    /// out for being small.
    pub is_outside: bool,
}

/// What becomes of a module that is entered again further down the same path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reentry {
    /// It is a separate group, labelled with the function: for pictures of flow.
    Separate,
    /// It is the same group: for tables.
    Merged,
}

/// The groups that a lens forms of the contexts of an ensemble.
///
/// Every context counts for exactly one group, so exclusive values over groups add up to the
/// total. Groups stand in the order of their first context in the tree.
#[derive(Debug, Clone)]
pub struct Grouping {
    /// The groups.
    pub groups: Vec<Group>,
    /// Group of each node of the tree.
    pub group_of: Vec<u32>,
    /// Whether each node lies on a path through every focused group.
    pub(crate) is_on_path: Vec<bool>,
    /// The kind of thing that each group represents.
    pub grouped_by: GroupedBy,
    /// Things that a reader of the answer must know.
    pub notes: Vec<Note>,
}

impl Grouping {
    /// Groups the contexts of `tree` at the level of `lens`, then applies its operations in order.
    ///
    /// At level module, contexts whose definition has no module belong to that of their caller;
    /// where all are in one module, files take the place of modules, and name prefixes that of
    /// files where all are in one. Takes time linear in the nodes per operation.
    ///
    /// # Errors
    /// [`Error::UnknownGroup`], [`Error::UnknownContext`] and [`Error::Ambiguous`] for operations
    /// that name what is not there.
    pub fn new(tree: &EnsembleTree, lens: &Lens, reentry: Reentry) -> Result<Self, Error> {
        let mut grouping = match lens.level {
            Level::Module => level::by_label(tree, reentry),
            Level::Definition => level::by_definition(tree),
            Level::Context => level::by_context(tree),
        };
        for operation in &lens.operations {
            grouping.apply(tree, operation)?;
        }
        grouping.compact(tree);
        Ok(grouping)
    }

    /// Number of groups.
    pub fn len(&self) -> usize {
        self.groups.len()
    }

    /// Whether there are no groups.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// The name of each group as a path of its own.
    pub(crate) fn names(&self) -> NamePaths {
        NamePaths::of_names(self.groups.iter().map(|group| Arc::clone(&group.name)))
    }

    /// Group of a node of the tree.
    pub fn group_of(&self, node: usize) -> usize {
        self.group_of[node] as usize
    }

    /// Number of the group with an id or an unambiguous name; a group that is one context also
    /// has the path of names that leads there, `main/solve/dot`.
    ///
    /// # Errors
    /// [`Error::UnknownGroup`] and [`Error::Ambiguous`].
    pub fn find(&self, tree: &EnsembleTree, id_or_name: &str) -> Result<usize, Error> {
        let found = resolve::group(tree, &self.groups, id_or_name);
        if !matches!(found, Err(Error::UnknownGroup { .. })) {
            return found;
        }
        let Ok(node) = resolve::context(tree, id_or_name) else {
            return found;
        };
        let group = self.group_of(node);
        let is_alone = self.groups[group].id == GroupId::Context(tree.id(node));
        if is_alone { Ok(group) } else { found }
    }

    /// Leaves out groups without contexts and puts the others in order of their first context.
    fn compact(&mut self, tree: &EnsembleTree) {
        const UNSEEN: u32 = u32::MAX;
        let nodes = tree.len();
        let mut place = vec![UNSEEN; self.groups.len()];
        let mut order: Vec<usize> = Vec::new();
        let mut first_nodes = Vec::new();
        for node in 0..nodes {
            let group = self.group_of[node] as usize;
            if place[group] == UNSEEN {
                place[group] = u32::try_from(order.len()).unwrap_or(UNSEEN);
                order.push(group);
                first_nodes.push(node);
            }
            self.group_of[node] = place[group];
        }
        self.groups = order
            .into_iter()
            .zip(first_nodes)
            .map(|(group, first_node)| Group {
                first_node,
                is_visible: false,
                is_outside: false,
                ..self.groups[group].clone()
            })
            .collect();
        for node in 0..nodes {
            self.groups[self.group_of[node] as usize].is_visible |= self.is_on_path[node];
        }
        for group in &mut self.groups {
            group.is_outside = tree.is_outside(group.first_node);
        }
    }
}
