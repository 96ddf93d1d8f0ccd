//! Origin of the inputs of an import, and the source of a run that follows from it.

use std::path::PathBuf;

use sheaf_model::{RECORDED, RunSource};

use super::files::Item;

/// Origin of the inputs of an import.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Origin {
    /// The user named them.
    #[default]
    Named,
    /// They were sent, and are below this folder under the names that their sender gave them.
    Received(PathBuf),
    /// They are the traces of a command that was recorded just now.
    Recorded,
}

impl Origin {
    /// The source of a run that was read from some of the items.
    pub(super) fn source_of(&self, items: &[Item], inputs: &[usize]) -> RunSource {
        let items: Vec<&Item> = inputs.iter().filter_map(|&at| items.get(at)).collect();
        let first = items.iter().map(|item| &item.names.file).min();
        let file = match self {
            Self::Recorded => RECORDED.to_owned(),
            Self::Named | Self::Received(_) => first.cloned().unwrap_or_default(),
        };
        RunSource {
            file,
            files: items.len() as u64,
            bytes: items.iter().map(|item| item.source.len()).sum(),
            reader: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }
}
