//! The metadata tree of a record stream: attributes, call paths and what else the records state.

use std::collections::HashMap;

use super::attribute::{Attribute, Role, Sort, Traits};
use super::number;

/// Attributes that the format itself knows, by their ids in files.
const NAME: u64 = 8;
const TYPE: u64 = 9;
const PROPERTIES: u64 = 10;

/// Nodes that files need not write: id, attribute, text.
const PREDEFINED: [(u64, u64, &str); 12] = [
    (0, TYPE, "usr"),
    (1, TYPE, "int"),
    (2, TYPE, "uint"),
    (3, TYPE, "string"),
    (4, TYPE, "addr"),
    (5, TYPE, "double"),
    (6, TYPE, "bool"),
    (7, TYPE, "type"),
    (11, TYPE, "ptr"),
    (NAME, NAME, "cali.attribute.name"),
    (TYPE, NAME, "cali.attribute.type"),
    (PROPERTIES, NAME, "cali.attribute.prop"),
];

/// Ids below this are looked up without hashing.
const DENSE_IDS: usize = 1 << 20;

/// Number of a node in the order of definition.
pub(super) type NodeNumber = u32;

/// No node.
pub(super) const NONE: NodeNumber = u32::MAX;

struct Node {
    /// Number of the attribute that the text is a value of.
    attribute: u32,
    text: (usize, u32),
    parent: NodeNumber,
    /// The nearest node of the call path, itself included.
    path: NodeNumber,
    /// Number of what the nodes up to the root state besides the path.
    scope: u32,
    /// Number of the attribute that this node defines.
    defines: u32,
    traits: Traits,
}

/// What a record is of, besides its path and values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Scope {
    pub(super) channel: NodeNumber,
    pub(super) rank: Option<i64>,
    pub(super) thread: Option<i64>,
    pub(super) window: Option<i64>,
    /// Frame of what a device did, below the path.
    pub(super) activity: NodeNumber,
    pub(super) kernel: NodeNumber,
    /// Function and module of a sample, in place of the last frame.
    pub(super) function: NodeNumber,
    pub(super) module: NodeNumber,
}

impl Scope {
    pub(super) const EMPTY: Self = Self {
        channel: NONE,
        rank: None,
        thread: None,
        window: None,
        activity: NONE,
        kernel: NONE,
        function: NONE,
        module: NONE,
    };

    /// What `self` states and, where it states nothing, `other`.
    pub(super) fn or(self, other: Self) -> Self {
        let node = |own, other| if own == NONE { other } else { own };
        Self {
            channel: node(self.channel, other.channel),
            rank: self.rank.or(other.rank),
            thread: self.thread.or(other.thread),
            window: self.window.or(other.window),
            activity: node(self.activity, other.activity),
            kernel: node(self.kernel, other.kernel),
            function: node(self.function, other.function),
            module: node(self.module, other.module),
        }
    }

    /// Adds what a value states; `node` is the node that holds it, if one does.
    pub(super) fn set(&mut self, role: Role, text: &[u8], node: NodeNumber) {
        match role {
            Role::Channel => self.channel = node,
            Role::Rank => self.rank = number::integer(text).or(self.rank),
            Role::Thread => self.thread = number::integer(text).or(self.thread),
            Role::Window => self.window = number::integer(text).or(self.window),
            Role::CuptiActivity | Role::RocmActivity => self.activity = node,
            Role::CuptiKernel | Role::RocmKernel => self.kernel = node,
            Role::SampledFunction => self.function = node,
            Role::SampledModule => self.module = node,
            Role::Path | Role::Metric | Role::Other => {}
        }
    }
}

/// A node as a record defines it.
pub(super) struct Definition<'a> {
    pub(super) id: u64,
    pub(super) attribute: u64,
    pub(super) text: &'a str,
    pub(super) parent: Option<u64>,
}

/// Why a node is not defined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unusable {
    Attribute,
    Parent,
}

/// The tree as far as it is read. Every question is answered in constant time, however deep the
/// tree is: nodes carry what their ancestors state.
pub(super) struct Tree {
    nodes: Vec<Node>,
    texts: String,
    scopes: Vec<Scope>,
    attributes: Vec<Attribute>,
    dense: Vec<NodeNumber>,
    sparse: HashMap<u64, NodeNumber>,
    /// Nodes of values that were given inline, by attribute and text.
    inline: HashMap<(u32, String), NodeNumber>,
    metric_names: MetricNames,
}

impl Tree {
    pub(super) fn new() -> Self {
        let mut tree = Self {
            nodes: Vec::new(),
            texts: String::new(),
            scopes: vec![Scope::EMPTY],
            attributes: Vec::new(),
            dense: Vec::new(),
            sparse: HashMap::new(),
            inline: HashMap::new(),
            metric_names: MetricNames::default(),
        };
        for (id, attribute, text) in PREDEFINED {
            let parent = match id {
                NAME => Some(3),
                TYPE => Some(7),
                PROPERTIES => Some(1),
                _ => None,
            };
            let defined = tree.define(&Definition {
                id,
                attribute,
                text,
                parent,
            });
            debug_assert!(defined.is_ok(), "predefined nodes are in order");
        }
        tree
    }

    /// Adds a node; a further node of the same id takes its place for what comes after.
    pub(super) fn define(&mut self, definition: &Definition<'_>) -> Result<(), Unusable> {
        let parent = match definition.parent {
            None => NONE,
            Some(id) => self.node(id).ok_or(Unusable::Parent)?,
        };
        let role = definition.attribute;
        let attribute = match self.attribute_of(role) {
            Some(attribute) => attribute,
            // These are predefined, in terms of each other.
            None if matches!(role, NAME | TYPE | PROPERTIES) => NONE,
            None => return Err(Unusable::Attribute),
        };
        let number = self.add(attribute, definition.text, parent);
        self.add_traits(number, role, definition.text);
        if role == NAME {
            self.define_attribute(number);
        }
        match usize::try_from(definition.id) {
            Ok(id) if id < DENSE_IDS => {
                if self.dense.len() <= id {
                    self.dense.resize(id + 1, NONE);
                }
                self.dense[id] = number;
            }
            _ => {
                self.sparse.insert(definition.id, number);
            }
        }
        Ok(())
    }

    fn add(&mut self, attribute: u32, text: &str, parent: NodeNumber) -> NodeNumber {
        let number = u32::try_from(self.nodes.len()).unwrap_or(NONE);
        let above = self.nodes.get(parent as usize);
        let (path, scope, traits) = above.map_or((NONE, 0, Traits::default()), |above| {
            (above.path, above.scope, above.traits)
        });
        let mut node = Node {
            attribute,
            text: (self.texts.len(), u32::try_from(text.len()).unwrap_or(0)),
            parent,
            path,
            scope,
            defines: NONE,
            traits,
        };
        self.texts.push_str(text);
        match self
            .attributes
            .get(attribute as usize)
            .map(|known| known.role)
        {
            None | Some(Role::Other | Role::Metric) => {}
            Some(Role::Path) => node.path = number,
            Some(role) => {
                let mut own = self
                    .scopes
                    .get(scope as usize)
                    .copied()
                    .unwrap_or(Scope::EMPTY);
                own.set(role, text.as_bytes(), number);
                node.scope = u32::try_from(self.scopes.len()).unwrap_or(0);
                self.scopes.push(own);
            }
        }
        self.nodes.push(node);
        number
    }

    /// What a node states about attributes that are defined below it.
    fn add_traits(&mut self, number: NodeNumber, attribute: u64, text: &str) {
        let name = match self.nodes.get(number as usize) {
            Some(node) => self.attributes.get(node.attribute as usize),
            None => return,
        };
        let name = name.map_or("", |attribute| attribute.name.as_str());
        let (is_alias, is_unit) = (name == "attribute.alias", name == "attribute.unit");
        let is_iteration = name == "class.iteration" && text == "true";
        let Some(Node { traits, .. }) = self.nodes.get_mut(number as usize) else {
            return;
        };
        match attribute {
            TYPE => traits.sort = Sort::of(text),
            PROPERTIES => traits.properties = text.parse().unwrap_or(0),
            _ if is_alias => traits.alias = Some(number),
            _ if is_unit => traits.unit = Some(number),
            _ => traits.is_iteration |= is_iteration,
        }
    }

    fn define_attribute(&mut self, number: NodeNumber) {
        let Some(node) = self.nodes.get(number as usize) else {
            return;
        };
        let text = |node: Option<u32>| node.map(|node| self.text(node));
        let (alias, unit) = (text(node.traits.alias), text(node.traits.unit));
        let name = self.text(number);
        let mut attribute = Attribute::new(name, &node.traits, alias, unit);
        if let Some(spec) = &mut attribute.spec {
            self.metric_names
                .make_unique(&mut spec.name, &attribute.name);
        }
        let defined = u32::try_from(self.attributes.len()).unwrap_or(NONE);
        self.attributes.push(attribute);
        if let Some(node) = self.nodes.get_mut(number as usize) {
            node.defines = defined;
        }
    }

    /// The node that a value given inline stands for.
    pub(super) fn inline(&mut self, attribute: u32, text: &str) -> NodeNumber {
        if let Some(&node) = self.inline.get(&(attribute, text.to_owned())) {
            return node;
        }
        let node = self.add(attribute, text, NONE);
        self.inline.insert((attribute, text.to_owned()), node);
        node
    }

    /// The node with this id.
    pub(super) fn node(&self, id: u64) -> Option<NodeNumber> {
        let dense = usize::try_from(id).ok().and_then(|id| self.dense.get(id));
        dense
            .copied()
            .filter(|&node| node != NONE)
            .or_else(|| self.sparse.get(&id).copied())
    }

    /// Number of the attribute with this id.
    pub(super) fn attribute_of(&self, id: u64) -> Option<u32> {
        let node = self.nodes.get(self.node(id)? as usize)?;
        (node.defines != NONE).then_some(node.defines)
    }

    pub(super) fn attribute(&self, number: u32) -> Option<&Attribute> {
        self.attributes.get(number as usize)
    }

    pub(super) fn text(&self, node: NodeNumber) -> &str {
        let text = self.nodes.get(node as usize).map(|node| node.text);
        let (start, len) = text.unwrap_or_default();
        self.texts
            .get(start..start + len as usize)
            .unwrap_or_default()
    }

    /// The attribute that a node's text is a value of.
    pub(super) fn attribute_at(&self, node: NodeNumber) -> Option<&Attribute> {
        self.attribute(self.nodes.get(node as usize)?.attribute)
    }

    pub(super) fn parent(&self, node: NodeNumber) -> NodeNumber {
        self.nodes
            .get(node as usize)
            .map_or(NONE, |node| node.parent)
    }

    /// The nearest node of the call path, itself included.
    pub(super) fn path(&self, node: NodeNumber) -> NodeNumber {
        self.nodes.get(node as usize).map_or(NONE, |node| node.path)
    }

    pub(super) fn scope(&self, node: NodeNumber) -> Scope {
        let scope = self.nodes.get(node as usize).map_or(0, |node| node.scope);
        self.scopes
            .get(scope as usize)
            .copied()
            .unwrap_or(Scope::EMPTY)
    }
}

/// Names of metrics, each for one raw name.
#[derive(Default)]
pub(super) struct MetricNames {
    by_source: HashMap<String, String>,
    /// How many raw names have asked for a name.
    uses: HashMap<String, u32>,
}

impl MetricNames {
    /// Adds a number where another raw name has become the same name.
    pub(super) fn make_unique(&mut self, name: &mut String, source: &str) {
        if let Some(known) = self.by_source.get(source) {
            name.clone_from(known);
            return;
        }
        let base = name.clone();
        loop {
            let uses = self.uses.entry(base.clone()).or_insert(0);
            *uses += 1;
            if *uses == 1 {
                break;
            }
            *name = format!("{base}_{uses}");
            if !self.uses.contains_key(name) {
                self.uses.insert(name.clone(), 1);
                break;
            }
        }
        self.by_source.insert(source.to_owned(), name.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_by_raw_name() {
        let mut names = MetricNames::default();
        let mut unique = |source: &str, name: &str| {
            let mut name = name.to_owned();
            names.make_unique(&mut name, source);
            name
        };
        let found = [
            unique("a#b", "a_b"),
            unique("a.b", "a_b"),
            unique("a#b", "a_b"),
            unique("a_b_2", "a_b_2"),
            unique("a b", "a_b"),
        ];
        assert_eq!(found, ["a_b", "a_b_2", "a_b", "a_b_2_2", "a_b_3"]);
    }

    #[test]
    fn nodes_carry_what_their_ancestors_say() {
        let mut tree = Tree::new();
        let mut define = |id, attribute, text, parent| {
            let parent = Some(parent);
            tree.define(&Definition {
                id,
                attribute,
                text,
                parent,
            })
            .unwrap();
        };
        define(20, PROPERTIES, "276", 3);
        define(21, NAME, "region", 20);
        define(u64::MAX, 21, "main", 3);
        define(23, PROPERTIES, "13", 1);
        define(24, NAME, "mpi.rank", 23);
        define(25, 24, "7", u64::MAX);
        define(26, 21, "inner", 25);
        let (main, inner) = (tree.node(u64::MAX).unwrap(), tree.node(26).unwrap());
        assert_eq!((tree.text(inner), tree.path(inner)), ("inner", inner));
        assert_eq!(tree.path(tree.parent(inner)), main);
        assert_eq!(tree.scope(inner).rank, Some(7));
        assert_eq!(tree.scope(main), Scope::EMPTY);
        let unknown = Definition {
            id: 1,
            attribute: 99,
            text: "",
            parent: None,
        };
        assert_eq!(tree.define(&unknown), Err(Unusable::Attribute));
    }
}
