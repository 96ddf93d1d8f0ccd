//! Stable identifiers: the same program, definition or path has the same id in every run and store.
//!
//! All ids are BLAKE3 hashes of length-prefixed fields under a domain key, cut to 128 bits (64 for
//! grain paths), so that runs unify without talking to each other.

use std::fmt;
use std::str::FromStr;

use crate::Error;

macro_rules! wide_id {
    ($(#[$doc:meta])* $name:ident, $kind:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub [u8; 16]);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self)
            }
        }

        impl FromStr for $name {
            type Err = Error;

            fn from_str(text: &str) -> Result<Self, Error> {
                parse_hex(text).map(Self).ok_or_else(|| Error::Id {
                    kind: $kind,
                    text: text.to_owned(),
                })
            }
        }
    };
}

wide_id! {
    /// Content hash of a run's normalised tables: equal content is the same run.
    RunId, "run"
}
wide_id! {
    /// Identity of a construct in the source across runs, builds and machines.
    DefinitionId, "definition"
}
wide_id! {
    /// Identity of a path of definitions from the root (a calling context).
    ContextId, "context"
}

wide_id! {
    /// Identity of a structure: of a tree of groups by what its nodes are, wherever it stands.
    StructureId, "structure"
}

impl DefinitionId {
    /// Identifies a construct by its kind, its normalised function and its ordinal among the
    /// constructs of that kind in the function. Lines and addresses are attributes, not identity.
    pub fn new(kind: &str, function: &str, ordinal: u32) -> Self {
        Self(wide_hash(
            b"definition",
            &[kind.as_bytes(), function.as_bytes(), &ordinal.to_le_bytes()],
        ))
    }
}

impl ContextId {
    /// The context of a root definition.
    pub fn root(definition: DefinitionId) -> Self {
        Self(wide_hash(b"context", &[&definition.0]))
    }

    /// The context reached from this one by entering `definition`.
    #[must_use]
    pub fn child(self, definition: DefinitionId) -> Self {
        Self(wide_hash(b"context", &[&self.0, &definition.0]))
    }
}

impl StructureId {
    /// What a node is by itself: its kind and, where it has one, its definition.
    pub fn label(kind: &str, definition: Option<DefinitionId>) -> Self {
        let definition = definition.as_ref();
        let definition = definition.map_or([].as_slice(), |definition| definition.0.as_slice());
        Self(wide_hash(
            b"structure label",
            &[kind.as_bytes(), definition],
        ))
    }
}

/// What counts when two structures are compared.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum StructureForm {
    /// The children and their numbers, regardless of their order: the canonical form of Aho,
    /// Hopcroft and Ullman (1974).
    Unordered,
    /// The children in their order.
    Ordered,
    /// Which children there are: equal ones count as one or more.
    Shape,
}

/// Makes ids of structures from the labels of their roots and the ids of their children.
#[derive(Clone, Debug)]
pub struct StructureHasher {
    form: StructureForm,
    bytes: Vec<u8>,
    /// Bytes of the domain.
    start: usize,
    /// Children, sorted unless their order counts.
    children: Vec<u128>,
}

impl StructureHasher {
    /// For structures of one form.
    pub fn new(form: StructureForm) -> Self {
        let domain: &[u8] = match form {
            StructureForm::Unordered => b"structure",
            StructureForm::Ordered => b"structure ordered",
            StructureForm::Shape => b"structure shape",
        };
        let mut bytes = (domain.len() as u64).to_le_bytes().to_vec();
        bytes.extend_from_slice(domain);
        Self {
            form,
            start: bytes.len(),
            bytes,
            children: Vec::new(),
        }
    }

    /// Id of the structure below a node: one call per node, children first. n log n in the children,
    /// linear where their order counts.
    pub fn id(
        &mut self,
        label: StructureId,
        children: impl IntoIterator<Item = StructureId>,
    ) -> StructureId {
        let ids = children.into_iter().map(|id| u128::from_be_bytes(id.0));
        self.children.clear();
        self.children.extend(ids);
        if self.form != StructureForm::Ordered {
            self.children.sort_unstable();
        }
        self.bytes.truncate(self.start);
        self.bytes.extend_from_slice(&label.0);
        for equal in self.children.chunk_by(|a, b| a == b) {
            let Some(id) = equal.first() else { continue };
            self.bytes.extend_from_slice(&id.to_be_bytes());
            if self.form != StructureForm::Shape {
                let count = equal.len() as u64;
                self.bytes.extend_from_slice(&count.to_le_bytes());
            }
        }
        let mut id = [0; 16];
        let hash = blake3::hash(&self.bytes);
        id.copy_from_slice(hash.as_bytes().split_at(16).0);
        StructureId(id)
    }
}

/// Schedule-independent key of a grain: a 64-bit hash of its path enumeration from the root.
///
/// Two of n distinct paths collide with probability below n²/2⁶⁵: 5·10⁻⁷ for four million grains.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PathKey(pub i64);

impl PathKey {
    /// Key of the root of all paths.
    pub const ROOT: Self = Self(0);

    /// Key of the child reached from this path by a definition and the numbers that distinguish it from other
    /// children of that definition. [`PathKey::step`] defines these numbers for grains.
    #[must_use]
    pub fn child(self, definition: DefinitionId, step: &[i64]) -> Self {
        let mut hasher = hasher(b"grain path");
        hasher.update(&self.0.to_le_bytes());
        hasher.update(&definition.0);
        for number in step {
            hasher.update(&number.to_le_bytes());
        }
        let mut bytes = [0; 8];
        hasher.finalize_xof().fill(&mut bytes);
        Self(i64::from_le_bytes(bytes))
    }
}

fn hasher(domain: &[u8]) -> blake3::Hasher {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&(domain.len() as u64).to_le_bytes());
    hasher.update(domain);
    hasher
}

fn wide_hash(domain: &[u8], fields: &[&[u8]]) -> [u8; 16] {
    let mut hasher = hasher(domain);
    for field in fields {
        hasher.update(&(field.len() as u64).to_le_bytes());
        hasher.update(field);
    }
    let mut bytes = [0; 16];
    hasher.finalize_xof().fill(&mut bytes);
    bytes
}

fn parse_hex(text: &str) -> Option<[u8; 16]> {
    if text.len() != 32 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    u128::from_str_radix(text, 16).ok().map(u128::to_be_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_stable() {
        let fib = DefinitionId::new("task", "fib", 0);
        let text = [
            fib.to_string(),
            ContextId::root(fib).to_string(),
            ContextId::root(fib).child(fib).to_string(),
            PathKey::ROOT.child(fib, &[1, 2]).0.to_string(),
            structure(StructureForm::Unordered).to_string(),
            structure(StructureForm::Ordered).to_string(),
            structure(StructureForm::Shape).to_string(),
        ]
        .join("\n");
        assert_eq!(fib, fib.to_string().parse().unwrap());
        // Stored stores depend on these bytes: a change here is a change of the store format.
        assert_eq!(text, include_str!("../tests/golden/ids.txt").trim_end());
    }

    /// A linear group of a task and, twice each in turn, two others.
    fn structure(form: StructureForm) -> StructureId {
        let mut hasher = StructureHasher::new(form);
        let mut leaf = |name: &str| {
            let definition = DefinitionId::new("task", name, 0);
            hasher.id(StructureId::label("grain", Some(definition)), [])
        };
        let children = ["fib", "a", "b", "a", "b"].map(&mut leaf);
        hasher.id(StructureId::label("linear", None), children)
    }

    #[test]
    fn fields_do_not_run_together() {
        assert_ne!(
            DefinitionId::new("ab", "c", 0),
            DefinitionId::new("a", "bc", 0)
        );
    }

    #[test]
    fn wrong_text_is_refused() {
        let error = "abc".parse::<RunId>().unwrap_err().to_string();
        assert_eq!(
            error,
            "`abc` is not a run id: expected 32 hexadecimal digits"
        );
    }
}
