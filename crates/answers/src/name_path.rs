//! Paths of names that rows of one answer share.

use std::fmt;
use std::sync::Arc;

use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};

/// Row of the name around an outermost one.
const NONE: u32 = u32::MAX;

/// Two quotes and a comma.
const AROUND_NAME: u64 = 3;

/// Names with the one around each, so that a path is one number.
#[derive(Debug)]
struct NameTable {
    /// Row of the name around each; [`u32::MAX`] for outermost ones. Stands before it.
    parents: Vec<u32>,
    names: Vec<Arc<str>>,
    /// Bytes of the names on the path to each, as JSON writes them.
    bytes: Vec<u64>,
    /// Names around each.
    depths: Vec<u32>,
}

/// Names from the outermost group, shared with the other rows of the answer: a row of any depth costs 16 bytes, and
/// its names are put together when asked for.
#[derive(Clone)]
pub struct NamePath {
    table: Arc<NameTable>,
    row: u32,
}

/// All paths of an answer.
#[derive(Debug, Clone)]
pub struct NamePaths(Arc<NameTable>);

impl NamePaths {
    /// A path of one name each.
    pub fn of_names(names: impl ExactSizeIterator<Item = Arc<str>>) -> Self {
        Self::new(vec![NONE; names.len()], names)
    }

    /// Names, each with the row of the one around it, which stands before it; `u32::MAX` for outermost ones. Linear.
    pub fn new(parents: Vec<u32>, names: impl Iterator<Item = Arc<str>>) -> Self {
        let names: Vec<Arc<str>> = names.collect();
        let mut bytes: Vec<u64> = Vec::with_capacity(names.len());
        let mut depths: Vec<u32> = Vec::with_capacity(names.len());
        for (name, &parent) in names.iter().zip(&parents) {
            let around = bytes.get(parent as usize).copied().unwrap_or(0);
            bytes.push(around + name.len() as u64 + AROUND_NAME);
            let depth = depths.get(parent as usize);
            depths.push(depth.map_or(0, |depth| depth.saturating_add(1)));
        }
        Self(Arc::new(NameTable {
            parents,
            names,
            bytes,
            depths,
        }))
    }

    /// The path to a row, which must be one of the table.
    pub fn to(&self, row: usize) -> NamePath {
        NamePath {
            table: Arc::clone(&self.0),
            row: u32::try_from(row).unwrap_or(NONE),
        }
    }
}

impl NamePath {
    /// The names, outermost first.
    pub fn names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        let mut row = self.row as usize;
        while let Some(name) = self.table.names.get(row) {
            names.push(name.as_ref());
            row = self.table.parents[row] as usize;
        }
        names.reverse();
        names
    }

    /// The innermost names, `most` at most, outermost first, and the number of names around them. Costs nothing for the
    /// others.
    pub fn innermost(&self, most: usize) -> (u32, Vec<&str>) {
        let mut names = Vec::new();
        let mut row = self.row as usize;
        while let Some(name) = self.table.names.get(row).filter(|_| names.len() < most) {
            names.push(name.as_ref());
            row = self.table.parents[row] as usize;
        }
        names.reverse();
        let depth = self.table.depths.get(row);
        (depth.map_or(0, |depth| depth.saturating_add(1)), names)
    }

    /// Bytes of all names together, with the quotes and the comma that JSON puts around each; costs nothing.
    pub fn num_bytes(&self) -> u64 {
        let bytes = self.table.bytes.get(self.row as usize);
        bytes.copied().unwrap_or(0)
    }
}

impl fmt::Debug for NamePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}

impl From<Vec<String>> for NamePath {
    fn from(names: Vec<String>) -> Self {
        let rows = 0..u32::try_from(names.len()).unwrap_or(NONE);
        let parents = rows.map(|row| row.checked_sub(1).unwrap_or(NONE));
        let last = names.len().wrapping_sub(1);
        NamePaths::new(parents.collect(), names.into_iter().map(Arc::from)).to(last)
    }
}

impl Serialize for NamePath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.names())
    }
}

impl<'de> Deserialize<'de> for NamePath {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Vec::<String>::deserialize(deserializer)?.into())
    }
}

impl PartialEq for NamePath {
    fn eq(&self, other: &Self) -> bool {
        (Arc::ptr_eq(&self.table, &other.table) && self.row == other.row)
            || self.names() == other.names()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_the_names_around_it() {
        let names = ["main", "solve", "dot", "write"].map(Arc::from);
        let paths = NamePaths::new(vec![NONE, 0, 1, 0], names.into_iter());
        let check = |row: usize, expected: &[&str]| {
            let path = paths.to(row);
            assert_eq!(path.names(), expected);
            assert_eq!(format!("{path:?}"), format!("{expected:?}"));
            let written = expected.concat().len() + 3 * expected.len();
            assert_eq!(path.num_bytes(), written as u64);
        };
        check(0, &["main"]);
        assert_eq!(paths.to(2).innermost(2), (1, vec!["solve", "dot"]));
        assert_eq!(paths.to(2).innermost(9), (0, vec!["main", "solve", "dot"]));
        check(2, &["main", "solve", "dot"]);
        check(3, &["main", "write"]);
        assert_ne!(paths.to(2), paths.to(3));
        let single = NamePaths::of_names([Arc::from("main")].into_iter());
        assert_eq!(single.to(0), paths.to(0));
        let read: NamePath = serde_json::from_str(r#"["main","solve"]"#).unwrap();
        assert_eq!(read, paths.to(1));
        assert_eq!(serde_json::to_string(&read).unwrap(), r#"["main","solve"]"#);
        assert!(NamePath::from(Vec::new()).names().is_empty());
    }

    #[test]
    fn a_deep_chain_takes_memory_for_its_names_alone() {
        const DEPTH: u32 = 100_000;
        let parents = (0..DEPTH).map(|row| row.checked_sub(1).unwrap_or(NONE));
        let name: Arc<str> = Arc::from("f");
        let names = (0..DEPTH).map(|_| Arc::clone(&name));
        let paths = NamePaths::new(parents.collect(), names);
        let rows: Vec<NamePath> = (0..DEPTH as usize).map(|row| paths.to(row)).collect();
        let last = rows.last().unwrap();
        assert_eq!(last.names().len(), DEPTH as usize);
        assert_eq!(last.num_bytes(), 4 * u64::from(DEPTH));
    }
}
