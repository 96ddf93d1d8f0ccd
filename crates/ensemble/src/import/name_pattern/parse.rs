//! Parser of name patterns.

use std::str::FromStr;

use sheaf_model::ParseError;

use super::{FieldType, NamePattern, Piece};

/// Longer than any name with its folders; matching takes time in the length.
const MAX_CHARS: usize = 1_000;

impl FromStr for NamePattern {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let parser = Parser {
            text,
            chars: text.chars().collect(),
            at: 0,
            names: Vec::new(),
        };
        let levels = parser.levels()?;
        let text = text.to_owned();
        Ok(Self { text, levels })
    }
}

struct Parser<'a> {
    text: &'a str,
    chars: Vec<char>,
    at: usize,
    /// Names of fields so far.
    names: Vec<String>,
}

impl Parser<'_> {
    fn levels(mut self) -> Result<Vec<Vec<Piece>>, ParseError> {
        if self.chars.len() > MAX_CHARS {
            return Err(self.error(MAX_CHARS, "a pattern has at most 1000 characters"));
        }
        let mut levels = vec![Vec::new()];
        while let Some(&c) = self.chars.get(self.at) {
            let start = self.at;
            self.at += 1;
            let is_twice = self.chars.get(self.at) == Some(&c);
            let Some(level) = levels.last_mut() else {
                break;
            };
            match c {
                '/' if level.is_empty() => {
                    return Err(self.error(start, "a folder's name is missing before `/`"));
                }
                '/' => levels.push(Vec::new()),
                '{' | '}' if is_twice => {
                    self.at += 1;
                    push(level, c);
                }
                '{' if matches!(level.last(), Some(Piece::Field(..))) => {
                    let reason = "two fields need some text between them";
                    return Err(self.error(start, reason));
                }
                '{' => level.push(self.field(start)?),
                '}' => {
                    let reason = "`}` closes nothing; write `}}` for the sign itself";
                    return Err(self.error(start, reason));
                }
                c => push(level, c),
            }
        }
        if levels.last().is_none_or(Vec::is_empty) {
            return Err(self.error(self.at, "the file's name is missing"));
        }
        if self.names.is_empty() {
            return Err(self.error(0, "no field has a name, such as `{threads:int}`,"));
        }
        Ok(levels)
    }

    /// A field whose `{` is at `start`, up to its `}`.
    fn field(&mut self, start: usize) -> Result<Piece, ParseError> {
        let rest = self.chars.get(self.at..).unwrap_or_default();
        let is_end = |c: &char| matches!(c, '}' | '{' | '/');
        let Some(len) = rest
            .iter()
            .position(is_end)
            .filter(|&at| rest.get(at) == Some(&'}'))
        else {
            let reason = "`{` is not closed; write `{{` for the sign itself";
            return Err(self.error(start, reason));
        };
        let inner: String = rest.iter().take(len).collect();
        let (name, kind) = match inner.split_once(':') {
            Some((name, kind)) => (name, Some(kind)),
            None => (inner.as_str(), None),
        };
        let name = self.name(name)?;
        let named = |kind: &str| {
            let known = FieldType::NAMED.iter();
            known
                .clone()
                .find(|(text, _)| *text == kind)
                .map(|known| known.1)
        };
        let field = match kind {
            None => FieldType::Inferred,
            Some(kind) => named(kind).ok_or_else(|| {
                let known = FieldType::NAMED.map(|(text, _)| text).join(", ");
                let at = self.at + len - kind.chars().count();
                self.error(
                    at,
                    &format!("`{kind}` is no type of field (known: {known})"),
                )
            })?,
        };
        self.at += len + 1;
        Ok(Piece::Field(name, field))
    }

    /// The name of a field that begins here; `None` for one that is skipped.
    fn name(&mut self, name: &str) -> Result<Option<String>, ParseError> {
        if matches!(name, "" | "_") {
            return Ok(None);
        }
        let is_fit = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-');
        let begins = |c: char| c.is_alphabetic() || c == '_';
        if !name.starts_with(begins) || !name.chars().all(is_fit) {
            let reason = format!(
                "`{name}` is no name of a parameter (letters, digits, `_`, `.` and `-`, a letter first)"
            );
            return Err(self.error(self.at, &reason));
        }
        if self.names.iter().any(|known| known == name) {
            return Err(self.error(self.at, &format!("`{name}` is there twice")));
        }
        self.names.push(name.to_owned());
        Ok(Some(name.to_owned()))
    }

    fn error(&self, at: usize, reason: &str) -> ParseError {
        ParseError {
            reason: reason.to_owned(),
            position: at + 1,
            text: self.text.to_owned(),
        }
    }
}

fn push(level: &mut Vec<Piece>, c: char) {
    if let Some(Piece::Literal(text)) = level.last_mut() {
        text.push(c);
    } else {
        level.push(Piece::Literal(c.to_string()));
    }
}
