//! The functions of the source, by file and first line.
//!
//! Optimised code often attributes a construct inside an inlined function to the outlined
//! region around it. The line is right even then, and the function of the source that contains
//! it is the one that begins last before it.

use gimli::{AttributeValue, DwAt, Reader};

use super::names;
use super::ranges::Ranges;

/// First line and name of each function of a file, ascending.
#[derive(Debug, Default)]
pub(super) struct Functions {
    /// Sorted by file, line, name.
    starts: Vec<(String, u32, String)>,
}

impl Functions {
    /// Reads the functions of all units; units that cannot be read are left out. Ends early when
    /// a bound is met, which `ranges` notes.
    pub(super) fn read<R: Reader>(dwarf: &gimli::Dwarf<R>, ranges: &Ranges) -> Self {
        let mut starts = Vec::new();
        let mut units = dwarf.units();
        while let Ok(Some(header)) = units.next() {
            if ranges.fault().is_some() {
                break;
            }
            if let Ok(unit) = dwarf.unit(header) {
                // What was read before a fault is good.
                let _ = read_unit(dwarf, &unit, ranges, &mut starts);
            }
        }
        starts.sort();
        starts.dedup();
        Self { starts }
    }

    /// The function that contains a line. Of several on one line (instances of a template),
    /// `hint` is taken when it is one of them, else the first by name.
    pub(super) fn containing(&self, file: &str, line: u32, hint: &str) -> Option<&str> {
        let behind = self
            .starts
            .partition_point(|(name, start, _)| (name.as_str(), *start) <= (file, line));
        let (found_file, start, _) = self.starts.get(behind.checked_sub(1)?)?;
        if found_file != file {
            return None;
        }
        let first = self
            .starts
            .partition_point(|(name, at, _)| (name.as_str(), *at) < (file, *start));
        let candidates = self.starts.get(first..behind)?;
        let hinted = candidates.iter().find(|(_, _, name)| name == hint);
        hinted
            .or(candidates.first())
            .map(|(_, _, name)| name.as_str())
    }
}

fn read_unit<R: Reader>(
    dwarf: &gimli::Dwarf<R>,
    unit: &gimli::Unit<R>,
    ranges: &Ranges,
    starts: &mut Vec<(String, u32, String)>,
) -> gimli::Result<()> {
    let mut entries = unit.entries();
    let mut language = None;
    while let Some(entry) = entries.next_dfs()? {
        if entry.tag() == gimli::DW_TAG_compile_unit
            && let Some(AttributeValue::Language(value)) = entry.attr_value(gimli::DW_AT_language)
        {
            language = Some(value);
        }
        if entry.tag() != gimli::DW_TAG_subprogram {
            continue;
        }
        let number = |name: DwAt| entry.attr_value(name).and_then(|value| value.udata_value());
        let line = number(gimli::DW_AT_decl_line).and_then(|line| u32::try_from(line).ok());
        let file = match entry.attr_value(gimli::DW_AT_decl_file) {
            Some(AttributeValue::FileIndex(index)) => Some(index),
            other => other.and_then(|value| value.udata_value()),
        };
        let (Some(line), Some(file)) = (line, file) else {
            continue;
        };
        let name = entry
            .attr_value(gimli::DW_AT_linkage_name)
            .or_else(|| entry.attr_value(gimli::DW_AT_name));
        let Some(name) = name.and_then(|name| dwarf.attr_string(unit, name).ok()) else {
            continue;
        };
        let name = name.to_string_lossy()?.into_owned();
        if names::is_outlined(&name) {
            continue;
        }
        if let (Some(file), Some(name)) =
            (file_path(dwarf, unit, file), names::without_suffix(&name))
        {
            let demangled = addr2line::demangle_auto(name.into(), language);
            // A name that is written once can be the name of many functions.
            if !ranges.charge_name(file.len() + demangled.len()) {
                break;
            }
            starts.push((file, line, demangled.into_owned()));
        }
    }
    Ok(())
}

/// The path of a file, put together as `addr2line` does, so that both can be compared.
fn file_path<R: Reader>(
    dwarf: &gimli::Dwarf<R>,
    unit: &gimli::Unit<R>,
    index: u64,
) -> Option<String> {
    let header = unit.line_program.as_ref()?.header();
    let file = header.file(index)?;
    let mut path = match &unit.comp_dir {
        Some(folder) => folder.to_string_lossy().ok()?.into_owned(),
        None => String::new(),
    };
    let text = |value| {
        let text = dwarf.attr_string(unit, value).ok()?;
        Some(text.to_string_lossy().ok()?.into_owned())
    };
    // Folder 0 is that of the compilation.
    if file.directory_index() != 0
        && let Some(folder) = file.directory(header)
    {
        push_path(&mut path, &text(folder)?);
    }
    push_path(&mut path, &text(file.path_name())?);
    Some(path)
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
