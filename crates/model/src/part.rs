//! Parts of a program, by the names of its functions.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

use crate::launch::longest;
use crate::metric::text_enum;

/// Part of a program that a function belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProgramPart {
    /// Calls of MPI.
    Mpi,
    /// Calls that read or write files.
    Io,
    /// Everything else.
    Computation,
}

text_enum!(ProgramPart, "part of a program", Mpi => "mpi", Io => "io", Computation => "computation");

/// Beginnings of names of functions of MPI.
const MPI_PREFIXES: [&str; 6] = ["MPI_", "PMPI_", "mpi_", "pmpi_", "MPIR_", "MPID_"];

/// Functions that read or write files, without prefixes such as `__libc_`.
const IO: [&str; 24] = [
    "read",
    "write",
    "pread",
    "pwrite",
    "pread64",
    "pwrite64",
    "readv",
    "writev",
    "open",
    "open64",
    "openat",
    "close",
    "fopen",
    "fopen64",
    "fclose",
    "fread",
    "fwrite",
    "fsync",
    "fdatasync",
    "fflush",
    "lseek",
    "mmap",
    "fprintf",
    "fscanf",
];
/// Prefixes of libraries that read or write files.
const IO_PREFIXES: [&str; 5] = ["H5", "nc_", "adios2_", "MPI_File_", "PMPI_File_"];

/// Rules of a store about parts of programs. A name that no pattern fits belongs to its usual part.
///
/// A pattern is a name, or the beginning of names and a `*`. Upper and lower case matter. If several patterns fit a name,
/// the longest counts.
///
/// ```
/// use sheaf_model::{PartRules, ProgramPart};
/// let mut rules = PartRules::default();
/// assert_eq!(rules.part("MPI_Send"), ProgramPart::Mpi);
/// assert_eq!(rules.part("__libc_read"), ProgramPart::Io);
/// assert_eq!(rules.part("exchange_halo"), ProgramPart::Computation);
/// rules.add(ProgramPart::Mpi, "exchange_*");
/// rules.add(ProgramPart::Computation, "MPI_Wtime");
/// assert_eq!(rules.part("exchange_halo"), ProgramPart::Mpi);
/// assert_eq!(rules.part("MPI_Wtime"), ProgramPart::Computation);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PartRules {
    patterns: BTreeMap<ProgramPart, BTreeSet<String>>,
}

impl PartRules {
    /// Adds a pattern.
    pub fn add(&mut self, part: ProgramPart, pattern: impl Into<String>) {
        self.patterns
            .entry(part)
            .or_default()
            .insert(pattern.into());
    }

    /// The part that a function belongs to. If two patterns are equally long, the first part counts.
    pub fn part(&self, name: &str) -> ProgramPart {
        self.stated(name).unwrap_or_else(|| usual_part(name))
    }

    /// Whether a function communicates: a pattern puts it into MPI, or it is a function of MPI by its usual name.
    ///
    /// Functions of MPI that read and write files communicate too, although their part is I/O.
    pub fn is_message_passing(&self, name: &str) -> bool {
        let is_usual = || MPI_PREFIXES.iter().any(|prefix| name.starts_with(prefix));
        self.stated(name)
            .map_or_else(is_usual, |part| part == ProgramPart::Mpi)
    }

    /// The part that a pattern states.
    fn stated(&self, name: &str) -> Option<ProgramPart> {
        let fitting = ProgramPart::ALL.iter().rev().filter_map(|&part| {
            let patterns = self.patterns.get(&part)?;
            Some((longest(patterns, name)?, part))
        });
        let fitting = fitting.max_by_key(|(length, _)| *length);
        fitting.map(|(_, part)| part)
    }
}

/// The part that a function belongs to by its usual name.
fn usual_part(name: &str) -> ProgramPart {
    let bare = name.trim_start_matches('_');
    let bare = bare.strip_prefix("libc_").unwrap_or(bare);
    let starts = |prefix: &&str| name.starts_with(prefix);
    if IO.contains(&bare) || IO_PREFIXES.iter().any(starts) {
        ProgramPart::Io
    } else if MPI_PREFIXES.iter().any(starts) {
        ProgramPart::Mpi
    } else {
        ProgramPart::Computation
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_pattern_counts_and_names_beat_prefixes() {
        let mut rules = PartRules::default();
        rules.add(ProgramPart::Io, "save*");
        rules.add(ProgramPart::Mpi, "save_to_*");
        rules.add(ProgramPart::Computation, "save_to_array");
        let parts = ["save_file", "save_to_rank", "save_to_array", "Save_file"];
        assert_eq!(
            parts.map(|name| rules.part(name).as_str()),
            ["io", "mpi", "computation", "computation"]
        );
        // Of equally long patterns the first part counts.
        rules.add(ProgramPart::Io, "save_to_*");
        assert_eq!(rules.part("save_to_rank"), ProgramPart::Mpi);
    }

    #[test]
    fn files_of_mpi_are_io_and_communicate() {
        let mut rules = PartRules::default();
        let file = "MPI_File_write_all";
        assert_eq!(rules.part(file), ProgramPart::Io);
        assert!(rules.is_message_passing(file) && rules.is_message_passing("PMPI_Send"));
        assert!(!rules.is_message_passing("fwrite"));
        rules.add(ProgramPart::Io, "MPI_File_*");
        rules.add(ProgramPart::Mpi, "exchange_*");
        assert!(!rules.is_message_passing(file) && rules.is_message_passing("exchange_halo"));
    }
}
