//! Reads the functions that debug information describes.
//!
//! The definition of a method refers to its declaration in the class, and code refers to the
//! function that it is an instance of. Lines and names are taken from what is referred to where
//! they are missing. Declarations themselves are not functions: they contain no code.

use std::collections::BTreeMap;

use gimli::{AttributeValue, Reader, UnitOffset};

use super::functions::Function;
use super::names;
use super::ranges::Ranges;

/// References that are followed from one entry to another.
const MAX_REFERENCES: usize = 4;

/// Entries that are looked at around outlined code.
const MAX_DEPTH: usize = 64;

/// Functions, and pairs of symbols of outlined code and of the function that contains it.
type Found = (Vec<Function>, Vec<(String, String)>);

/// Reads the functions of all units, as far as they can be read.
pub(super) fn read<R: Reader>(dwarf: &gimli::Dwarf<R>, ranges: &Ranges) -> Found {
    let mut found = Found::default();
    let mut entries = Vec::new();
    let mut num_charged = 0;
    let mut units = dwarf.units();
    while let Ok(Some(header)) = units.next() {
        if ranges.fault().is_some() {
            break;
        }
        if let Ok(unit) = dwarf.unit(header) {
            entries.clear();
            // Entries before a fault are good.
            let _ = read_entries(&unit, ranges, &mut num_charged, &mut entries);
            let mut described = Described {
                dwarf,
                unit: &unit,
                entries: &entries,
                mangled: BTreeMap::new(),
            };
            described.find_mangled(ranges);
            described.add_functions(ranges, &mut found);
        }
    }
    found
}

/// A function, or a type that is declared inside one.
struct Entry<R: Reader> {
    offset: UnitOffset<R::Offset>,
    is_function: bool,
    is_declaration: bool,
    file: Option<u64>,
    line: Option<u32>,
    linkage_name: Option<AttributeValue<R>>,
    name: Option<AttributeValue<R>>,
    /// The entry that it is an instance or the definition of.
    refers_to: Option<UnitOffset<R::Offset>>,
    /// Position of the innermost entry around it.
    parent: Option<usize>,
}

impl<R: Reader> Entry<R> {
    fn new(
        entry: &gimli::DebuggingInformationEntry<R>,
        is_function: bool,
        parent: Option<usize>,
    ) -> Self {
        let mut found = Self {
            offset: entry.offset(),
            is_function,
            is_declaration: false,
            file: None,
            line: None,
            linkage_name: None,
            name: None,
            refers_to: None,
            parent,
        };
        for attribute in entry.attrs() {
            match (attribute.name(), attribute.value()) {
                (gimli::DW_AT_declaration, _) => found.is_declaration = true,
                (gimli::DW_AT_decl_file, AttributeValue::FileIndex(index)) => {
                    found.file = Some(index);
                }
                (gimli::DW_AT_decl_file, value) => found.file = value.udata_value(),
                (gimli::DW_AT_decl_line, value) => {
                    let line = value.udata_value();
                    found.line = line.and_then(|line| u32::try_from(line).ok());
                }
                (gimli::DW_AT_linkage_name, value) => found.linkage_name = Some(value),
                (gimli::DW_AT_name, value) => found.name = Some(value),
                (
                    gimli::DW_AT_specification | gimli::DW_AT_abstract_origin,
                    AttributeValue::UnitRef(offset),
                ) => found.refers_to = Some(offset),
                _ => {}
            }
        }
        found
    }
}

/// Collects the entries of a unit, ascending by offset.
fn read_entries<R: Reader>(
    unit: &gimli::Unit<R>,
    ranges: &Ranges,
    num_charged: &mut usize,
    entries: &mut Vec<Entry<R>>,
) -> gimli::Result<()> {
    // Depths and positions of the entries around the current one.
    let mut around: Vec<(isize, usize)> = Vec::new();
    let mut cursor = unit.entries();
    while let Some(entry) = cursor.next_dfs()? {
        while around
            .last()
            .is_some_and(|(depth, _)| *depth >= entry.depth())
        {
            around.pop();
        }
        let is_function = entry.tag() == gimli::DW_TAG_subprogram;
        let is_type =
            [gimli::DW_TAG_class_type, gimli::DW_TAG_structure_type].contains(&entry.tag());
        if !is_function && (!is_type || around.is_empty()) {
            continue;
        }
        // The memory for entries is used again for the next unit.
        if entries.len() == *num_charged {
            *num_charged += 1;
            if !ranges.charge_name(size_of::<Entry<R>>()) {
                break;
            }
        }
        let parent = around.last().map(|(_, position)| *position);
        around.push((entry.depth(), entries.len()));
        entries.push(Entry::new(entry, is_function, parent));
    }
    Ok(())
}

/// A unit and its entries.
struct Described<'a, R: Reader> {
    dwarf: &'a gimli::Dwarf<R>,
    unit: &'a gimli::Unit<R>,
    entries: &'a [Entry<R>],
    /// Symbols of functions that GCC describes by their names only, by offset of the entry.
    mangled: BTreeMap<UnitOffset<R::Offset>, String>,
}

impl<'a, R: Reader> Described<'a, R> {
    /// GCC states no symbols of static functions and of those in unnamed namespaces. The symbols of their outlined code
    /// begin with them.
    fn find_mangled(&mut self, ranges: &Ranges) {
        for entry in self.entries {
            let Some(outer) = entry.parent.and_then(|parent| self.entries.get(parent)) else {
                continue;
            };
            let is_bare = outer.is_function && self.linkage_name(outer).is_none();
            if !is_bare || !entry.is_function || self.mangled.contains_key(&outer.offset) {
                continue;
            }
            let [code, name] = [entry, outer].map(|entry| self.written_name(entry));
            let symbol = code.filter(|code| names::is_outlined(code));
            let symbol = symbol.as_deref().and_then(names::without_suffix);
            if let Some((symbol, name)) = symbol.zip(name)
                && names::is_mangled_name(symbol, &name)
            {
                if !ranges.charge_name(symbol.len()) {
                    return;
                }
                self.mangled.insert(outer.offset, symbol.to_owned());
            }
        }
    }

    fn mangled(&self, entry: &'a Entry<R>) -> Option<&String> {
        let mut chain = self.chain(entry);
        chain.find_map(|entry| self.mangled.get(&entry.offset))
    }

    fn linkage_name(&self, entry: &'a Entry<R>) -> Option<AttributeValue<R>> {
        self.chain(entry)
            .find_map(|entry| entry.linkage_name.clone())
    }

    /// The symbol if it is stated, else the name.
    fn written_name(&self, entry: &'a Entry<R>) -> Option<String> {
        let name = || self.chain(entry).find_map(|entry| entry.name.clone());
        self.text(self.linkage_name(entry).or_else(name)?)
    }

    fn add_functions(&self, ranges: &Ranges, (functions, origins): &mut Found) {
        let language = self.language();
        for entry in self.entries {
            let has_line = self.with_line(entry).is_some();
            // Most functions of other languages than C, C++ and Fortran end here.
            if entry.is_declaration || !entry.is_function || (!has_line && entry.parent.is_none()) {
                continue;
            }
            let Some(symbol) = self.symbol(entry) else {
                continue;
            };
            // A name that is written once can be the name of many functions.
            let mut is_allowed = true;
            if names::is_outlined(&symbol) {
                if let Some(origin) = self.origin(entry) {
                    is_allowed = ranges.charge_name(symbol.len() + origin.len());
                    origins.push((symbol, origin));
                }
            } else if let (Some((file, line)), Some(name)) =
                (self.place(entry), names::function_name(&symbol, language))
            {
                is_allowed = ranges.charge_name(file.len() + name.len() + symbol.len());
                functions.push(Function {
                    file,
                    line,
                    name,
                    symbol,
                    is_local: self.is_local(entry),
                    bare: self.mangled(entry).and_then(|_| self.written_name(entry)),
                });
            }
            if !is_allowed {
                return;
            }
        }
    }

    /// The symbol of the innermost function of the source around outlined code.
    fn origin(&self, entry: &'a Entry<R>) -> Option<String> {
        let outer = |entry: &&'a Entry<R>| self.entries.get(entry.parent?);
        let around = std::iter::successors(outer(&entry), outer).take(MAX_DEPTH);
        let mut functions = around.filter(|entry| entry.is_function);
        functions.find_map(|entry| {
            let symbol = self.symbol(entry)?;
            (!names::is_outlined(&symbol)).then_some(symbol)
        })
    }

    fn language(&self) -> Option<gimli::DwLang> {
        let mut cursor = self.unit.entries();
        let root = cursor.next_dfs().ok()??;
        match root.attr_value(gimli::DW_AT_language) {
            Some(AttributeValue::Language(language)) => Some(language),
            _ => None,
        }
    }

    /// The entry and those that it refers to.
    fn chain(&self, entry: &'a Entry<R>) -> impl Iterator<Item = &'a Entry<R>> + use<'a, R> {
        let entries = self.entries;
        let next = move |entry: &&'a Entry<R>| {
            let offset = entry.refers_to?;
            let found = entries.binary_search_by_key(&offset, |entry| entry.offset);
            entries.get(found.ok()?)
        };
        std::iter::successors(Some(entry), next).take(MAX_REFERENCES)
    }

    /// The symbol, else the name, without what the compiler appended unless it is outlined code.
    fn symbol(&self, entry: &'a Entry<R>) -> Option<String> {
        if let Some(symbol) = self.mangled(entry) {
            return Some(symbol.clone());
        }
        let symbol = self.written_name(entry)?;
        if names::is_outlined(&symbol) {
            return Some(symbol);
        }
        names::without_suffix(&symbol).map(str::to_owned)
    }

    /// The entry that states the first line. The operator of a lambda may have only that of its
    /// class.
    fn with_line(&self, entry: &'a Entry<R>) -> Option<&'a Entry<R>> {
        let entries = self.entries;
        let class = move |entry: &Entry<R>| {
            let parent = entries.get(entry.parent?)?;
            (!parent.is_function).then_some(parent)
        };
        let mut described = self.chain(entry).chain(self.chain(entry).filter_map(class));
        described.find(|entry| entry.line.is_some())
    }

    /// File and first line.
    fn place(&self, entry: &'a Entry<R>) -> Option<(String, u32)> {
        let with_line = self.with_line(entry)?;
        let mut files = std::iter::once(with_line).chain(self.chain(entry));
        let file = files.find_map(|entry| entry.file)?;
        Some((self.file_path(file)?, with_line.line?))
    }

    /// Whether it is defined inside a function.
    fn is_local(&self, entry: &'a Entry<R>) -> bool {
        // Types are collected only inside of functions.
        self.chain(entry).any(|entry| entry.parent.is_some())
    }

    /// The path of a file, put together as `addr2line` does, so that both can be compared.
    fn file_path(&self, index: u64) -> Option<String> {
        let header = self.unit.line_program.as_ref()?.header();
        let file = header.file(index)?;
        let mut path = match &self.unit.comp_dir {
            Some(folder) => folder.to_string_lossy().ok()?.into_owned(),
            None => String::new(),
        };
        // Folder 0 is that of the compilation.
        if file.directory_index() != 0
            && let Some(folder) = file.directory(header)
        {
            push_path(&mut path, &self.text(folder)?);
        }
        push_path(&mut path, &self.text(file.path_name())?);
        Some(path)
    }

    fn text(&self, value: AttributeValue<R>) -> Option<String> {
        let text = self.dwarf.attr_string(self.unit, value).ok()?;
        Some(text.to_string_lossy().ok()?.into_owned())
    }
}

fn push_path(path: &mut String, part: &str) {
    if part.starts_with('/') {
        part.clone_into(path);
        return;
    }
    if !path.is_empty() && !path.ends_with('/') {
        path.push('/');
    }
    path.push_str(part);
}
