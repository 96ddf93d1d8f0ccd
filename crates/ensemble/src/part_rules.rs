//! `notes/parts.toml` of a store: which functions are calls of MPI, and which read or write files, whatever their names
//! are. People write it.

use std::path::Path;

use sheaf_model::{PartRules, ProgramPart};

use crate::notes::Notes;
use crate::{Ensemble, Error, patterns};

/// The note that holds the rules.
pub(crate) const NAME: &str = "parts.toml";

impl Ensemble {
    /// Rules of the store about parts of programs.
    ///
    /// # Errors
    /// If the note cannot be read or understood; the message names the line.
    pub fn part_rules(&self) -> Result<PartRules, Error> {
        let notes = Notes::of(self.path());
        match notes.read(NAME)? {
            Some(text) => parse(&text, &notes.path(NAME)),
            None => Ok(PartRules::default()),
        }
    }
}

fn parse(text: &str, path: &Path) -> Result<PartRules, Error> {
    let parts = [ProgramPart::Mpi, ProgramPart::Io, ProgramPart::Computation];
    let lists = patterns::parse(text, path, parts.map(ProgramPart::as_str))?;
    let mut rules = PartRules::default();
    for (part, patterns) in parts.into_iter().zip(lists) {
        for pattern in patterns {
            rules.add(part, pattern);
        }
    }
    Ok(rules)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_moves_functions_to_parts() {
        let text = "mpi = ['exchange_*']\ncomputation = ['MPI_Wtime']\n";
        let rules = parse(text, Path::new("p")).unwrap();
        let names = ["exchange_halo", "MPI_Wtime", "MPI_Send", "fwrite", "solve"];
        assert_eq!(
            names.map(|name| rules.part(name).as_str()),
            ["mpi", "computation", "mpi", "io", "computation"]
        );
    }

    #[test]
    fn mistakes_are_reported_with_their_line() {
        let error = parse("\nfiles = ['save']\n", Path::new("p")).unwrap_err();
        assert_eq!(
            error.reason_alone(),
            "unknown key `files`; keys are `mpi`, `io` and `computation` at line 2, column 1; mend the line, or remove \
             the file"
        );
    }
}
