//! Names of grains, their paths and places in the source.

use sheaf_model::RunSummary;
use sheaf_model::table::GrainKind;

use super::run::kind_name;

/// Definitions of a path that are shown, the innermost ones.
const PATH_LEN: usize = 12;

/// Characters of each that are shown in a path.
const NAME_LEN: usize = 80;

pub(super) struct Names {
    /// Parent and definition of each context.
    contexts: Vec<(Option<i32>, i32)>,
    definitions: Vec<String>,
    /// `file:line` of each definition.
    sources: Vec<Option<String>>,
    kinds: Vec<String>,
}

impl Names {
    pub(super) fn new(summary: &RunSummary) -> Self {
        let contexts = summary.contexts.rows();
        let (definitions, sources) = summary
            .definitions
            .rows()
            .map(|row| {
                let source = row.file.map(|file| match row.line {
                    Some(line) => format!("{file}:{line}"),
                    None => file,
                });
                (row.name, source)
            })
            .unzip();
        Self {
            contexts: contexts.map(|row| (row.parent, row.definition)).collect(),
            definitions,
            sources,
            kinds: summary.definitions.rows().map(|row| row.kind).collect(),
        }
    }

    /// Kind of a context's definition: `task`, `loop`, `bookkeeping`, ….
    pub(super) fn construct(&self, context: i32) -> Option<&str> {
        let (_, definition) = self.context(context)?;
        self.kinds.get(definition).map(String::as_str)
    }

    fn context(&self, context: i32) -> Option<(Option<i32>, usize)> {
        let row = usize::try_from(context).ok()?;
        let (parent, definition) = *self.contexts.get(row)?;
        Some((parent, usize::try_from(definition).ok()?))
    }

    /// Name of a context's definition.
    pub(super) fn definition(&self, context: i32) -> &str {
        let definition = self.context(context).map(|(_, definition)| definition);
        let name = definition.and_then(|definition| self.definitions.get(definition));
        name.map_or("", String::as_str)
    }

    /// Place of a context's definition in the source.
    pub(super) fn source(&self, context: i32) -> Option<&str> {
        let (_, definition) = self.context(context)?;
        self.sources.get(definition)?.as_deref()
    }

    /// The last definitions on the way to a context, for people.
    pub(super) fn path(&self, context: i32) -> String {
        self.last_of_path(context, PATH_LEN, NAME_LEN)
    }

    /// The last definitions on the way to a context, at most `len` of them, each cut to `name_len`
    /// characters, joined by ` / `.
    pub(super) fn last_of_path(&self, context: i32, len: usize, name_len: usize) -> String {
        let mut names = Vec::new();
        let mut next = Some(context);
        while let Some(context) = next {
            if names.len() == len {
                names.push("…".to_owned());
                break;
            }
            names.push(self.definition(context).chars().take(name_len).collect());
            next = self.context(context).and_then(|(parent, _)| parent);
        }
        names.reverse();
        names.join(" / ")
    }

    /// What kind of grain it is.
    pub(super) fn category(kind: i32) -> &'static str {
        GrainKind::from_code(kind).map_or("grain", kind_name)
    }
}

/// What kind of wait it is.
pub(super) fn wait(kind: i32) -> &'static str {
    match kind {
        0 => "taskwait",
        1 => "taskgroup",
        2 => "barrier",
        3 => "implicit barrier",
        4 => "end of region",
        _ => "wait",
    }
}
