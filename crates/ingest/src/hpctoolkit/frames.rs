//! Procedures, and the loops and statements in them, as frames.
//!
//! A procedure is known by its name, its file and its module, both without folders. Loops and
//! statements have no name of their own but a line, and lines move: they are known by their
//! distance from the first line of their procedure, so that code that changes above the procedure
//! spoils no match. Places counted among what was *sampled* would be shifted by every run that
//! samples something else. Where the line of either is not known, or the part is in another file
//! than its procedure (a macro, an inlined header), parts of one kind are one.

use std::collections::HashMap;

use crate::profile::{DefinitionIdx, Frame, Profile};

/// What the sources call code without a name.
const UNNAMED: &str = "<unnamed>";

/// Most bytes of a name; what is longer is cut.
const MAX_NAME: usize = 64 << 10;

/// A number of a procedure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ProcedureIdx(u32);

/// A number of a loop or statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PartIdx(u32);

/// What a frame in a procedure is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Part {
    Loop,
    Statement,
}

impl Part {
    const fn kind(self) -> &'static str {
        match self {
            Self::Loop => "loop",
            Self::Statement => "statement",
        }
    }
}

/// A procedure as a source describes it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Procedure<'a> {
    pub(crate) name: &'a str,
    /// With or without folders; sources write texts such as `<unknown file>` for none.
    pub(crate) file: &'a str,
    pub(crate) module: &'a str,
    pub(crate) line: Option<i32>,
}

struct Known {
    identity: String,
    name: String,
    file: String,
    module: String,
    line: Option<i32>,
    /// By kind, line, and file where it is another.
    parts: HashMap<(Part, Option<i32>, Option<String>), PartIdx>,
}

/// A loop or statement, which is a definition as soon as it is a frame.
struct KnownPart {
    procedure: ProcedureIdx,
    part: Part,
    /// Where it is not the procedure's.
    file: Option<String>,
    line: Option<i32>,
    definition: Option<DefinitionIdx>,
}

/// The procedures of a profile.
#[derive(Default)]
pub(crate) struct Procedures {
    list: Vec<Known>,
    parts: Vec<KnownPart>,
}

impl Procedures {
    /// Adds a procedure; callers keep those they have.
    pub(crate) fn add(&mut self, procedure: Procedure<'_>) -> ProcedureIdx {
        let name = match cut(procedure.name) {
            "" => UNNAMED,
            name => name,
        };
        let (file, module) = (
            base_name(cut(procedure.file)),
            base_name(cut(procedure.module)),
        );
        let at = ProcedureIdx(u32::try_from(self.list.len()).unwrap_or(u32::MAX));
        self.list.push(Known {
            // Neither XML nor NUL-terminated text holds the separator.
            identity: format!("{name}\0{file}\0{module}"),
            name: name.to_owned(),
            file: file.to_owned(),
            module: module.to_owned(),
            line: procedure.line,
            parts: HashMap::new(),
        });
        at
    }

    /// The definition of a procedure as a frame of `kind`.
    pub(crate) fn definition(
        &self,
        profile: &mut Profile,
        procedure: ProcedureIdx,
        kind: &str,
    ) -> Option<DefinitionIdx> {
        let known = self.list.get(procedure.0 as usize)?;
        Some(profile.definition(Frame {
            kind,
            name: &known.name,
            identity: Some(&known.identity),
            file: known_name(&known.file),
            line: known.line,
            module: known_name(&known.module),
        }))
    }

    /// A loop or statement in a procedure; `file` where it is not the procedure's.
    pub(crate) fn part(
        &mut self,
        procedure: ProcedureIdx,
        part: Part,
        file: Option<&str>,
        line: Option<i32>,
    ) -> Option<PartIdx> {
        let known = self.list.get_mut(procedure.0 as usize)?;
        let other_file = file
            .map(|file| base_name(cut(file)))
            .filter(|file| *file != known.file);
        let next = PartIdx(u32::try_from(self.parts.len()).unwrap_or(u32::MAX));
        let file = other_file.map(str::to_owned);
        let at = *known.parts.entry((part, line, file)).or_insert(next);
        if at == next {
            self.parts.push(KnownPart {
                procedure,
                part,
                file: other_file.map(str::to_owned),
                line,
                definition: None,
            });
        }
        Some(at)
    }

    /// The definition of a loop or statement.
    pub(crate) fn definition_of(
        &mut self,
        profile: &mut Profile,
        part: PartIdx,
    ) -> Option<DefinitionIdx> {
        let part = self.parts.get_mut(part.0 as usize)?;
        if let Some(definition) = part.definition {
            return Some(definition);
        }
        let procedure = self.list.get(part.procedure.0 as usize)?;
        let (file, line) = (part.file.as_deref(), part.line);
        let place = match (file, procedure.line, line) {
            (None, Some(first), Some(line)) => {
                format!("{:+}", i64::from(line) - i64::from(first))
            }
            (None, ..) => String::new(),
            (Some(file), ..) => file.to_owned(),
        };
        let shown = file
            .filter(|file| known_name(file).is_some())
            .unwrap_or(&procedure.name);
        let name = line.map_or_else(|| shown.to_owned(), |line| format!("{shown}:{line}"));
        let definition = profile.definition(Frame {
            kind: part.part.kind(),
            name: &name,
            identity: Some(&format!("{}\0{place}", procedure.identity)),
            file: known_name(file.unwrap_or(&procedure.file)),
            line,
            module: known_name(&procedure.module),
        });
        part.definition = Some(definition);
        Some(definition)
    }
}

/// A line as sources give it: 0 where it is not known.
pub(crate) fn line(number: u32) -> Option<i32> {
    i32::try_from(number).ok().filter(|line| *line > 0)
}

/// The part after the last folder.
pub(crate) fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\'])
        .find(|part| !part.is_empty())
        .unwrap_or(path)
}

/// The name of a file or module, unless it is a text that stands for none.
fn known_name(name: &str) -> Option<&str> {
    (!name.is_empty() && !name.starts_with(['<', '['])).then_some(name)
}

fn cut(name: &str) -> &str {
    if name.len() <= MAX_NAME {
        return name;
    }
    let end = (0..=MAX_NAME).rev().find(|end| name.is_char_boundary(*end));
    end.and_then(|end| name.get(..end)).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use sheaf_model::RunMeta;

    use super::Part::{Loop, Statement};
    use super::*;

    #[test]
    fn parts_are_known_by_their_distance_from_the_procedure() {
        let mut profile = Profile::new(RunMeta::new("p", "f"));
        let mut procedures = Procedures::default();
        let mut add = |line| {
            procedures.add(Procedure {
                name: "solve",
                file: "/src/solve.c",
                module: "/bin/app",
                line,
            })
        };
        let (before, moved, unknown) = (add(Some(10)), add(Some(30)), add(None));
        let mut part = |procedure, part, file, line| {
            let part = procedures.part(procedure, part, file, line).unwrap();
            procedures.definition_of(&mut profile, part).unwrap()
        };
        let statement = part(before, Statement, None, Some(15));
        assert_eq!(statement, part(moved, Statement, None, Some(35)));
        assert_eq!(
            statement,
            part(moved, Statement, Some("./x/solve.c"), Some(35))
        );
        assert_ne!(statement, part(moved, Statement, None, Some(36)));
        assert_ne!(statement, part(moved, Loop, None, Some(35)));
        // Nothing distinguishes these but lines.
        let placeless = part(unknown, Statement, None, Some(35));
        assert_eq!(placeless, part(before, Statement, None, None));
        let macros = part(before, Statement, Some("sum.h"), Some(3));
        assert_eq!(macros, part(moved, Statement, Some("sum.h"), Some(4)));
        assert_ne!(macros, placeless);
    }

    #[test]
    fn names_are_cut_at_a_character() {
        let long = "é".repeat(MAX_NAME);
        assert_eq!(cut(&long).len(), MAX_NAME);
        assert_eq!(cut(&long.replacen('é', "e", 1)).len(), MAX_NAME - 1);
        assert_eq!(base_name("/a/b/"), "b");
        assert_eq!(base_name("/"), "/");
    }
}
