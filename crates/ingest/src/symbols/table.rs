//! The functions of a module as the linker knows them.

use object::{Object, ObjectSymbol, SymbolKind};

use super::ranges::{Elf, Ranges};

/// A function.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Symbol {
    /// Where it begins.
    pub(super) address: u64,
    pub(super) name: String,
    /// 0 if it is unknown.
    len: u64,
}

/// The functions of a module, ascending.
#[derive(Debug, Default)]
pub(super) struct SymbolTable {
    list: Vec<Symbol>,
}

impl SymbolTable {
    /// Reads the functions of a file; absent if their names are more than the bounds allow.
    pub(super) fn read(file: &Elf<'_>, ranges: &Ranges) -> Option<Self> {
        let functions = file
            .symbols()
            .chain(file.dynamic_symbols())
            .filter(|symbol| symbol.is_definition() && symbol.kind() == SymbolKind::Text);
        let mut list = Vec::new();
        for symbol in functions {
            let Ok(name) = symbol.name() else { continue };
            if !ranges.charge_name(name.len()) {
                return None;
            }
            list.push(Symbol {
                address: symbol.address(),
                name: name.to_owned(),
                len: symbol.size(),
            });
        }
        list.sort();
        Some(Self { list })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Symbol> {
        self.list.iter()
    }

    /// The function around an address.
    pub(super) fn around(&self, address: u64) -> Option<&Symbol> {
        let behind = self
            .list
            .partition_point(|symbol| symbol.address <= address);
        let symbol = self.list.get(behind.checked_sub(1)?)?;
        // Functions without a name can follow.
        let is_inside = symbol.len == 0 || address - symbol.address < symbol.len;
        is_inside.then_some(symbol)
    }

    /// Where the function around an address begins.
    pub(super) fn start_around(&self, address: u64) -> Option<u64> {
        Some(self.around(address)?.address)
    }
}
