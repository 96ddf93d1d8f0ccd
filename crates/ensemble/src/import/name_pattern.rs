//! Patterns that read parameters from the names of files: `run-{threads:int}-{rep}.cali`.

mod matching;
mod parse;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Component, Path};

use sheaf_model::{ParamValue, instant};

/// Integers beyond this have no exact place in a parameter.
const MAX_EXACT: u64 = 1 << 53;

/// Endings of compressed files, which a pattern need not have.
const COMPRESSED: &[&str] = &[".gz", ".zst"];

/// A pattern over the name of a file, and of the folders above it as far as it holds `/`.
///
/// `{name}` reads a parameter whose type the text suggests, as on the command line;
/// `{name:int}`, `float`, `text`, `bool` and `time` say the type, and a text that is not of the
/// type does not match. `{}` and `{_}` skip. A field takes at least one character and as few as
/// the rest of the pattern allows, the first field first. `{{` and `}}` are the signs themselves.
///
/// ```
/// use std::path::Path;
/// use sheaf_ensemble::NamePattern;
/// use sheaf_model::ParamValue;
/// let pattern: NamePattern = "{compiler}/{program}-{threads:int}.cali".parse().unwrap();
/// let params = pattern.read(Path::new("/runs/gcc/lu-cb-08.cali.gz")).unwrap();
/// assert_eq!(params["compiler"], ParamValue::Text("gcc".into()));
/// assert_eq!(params["program"], ParamValue::Text("lu-cb".into()));
/// assert_eq!(params["threads"], ParamValue::Number(8.0));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamePattern {
    text: String,
    /// Pieces of each folder's name, and of the file's last; no two fields are adjacent.
    levels: Vec<Vec<Piece>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Literal(String),
    /// A field; without a name it is skipped.
    Field(Option<String>, FieldType),
}

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FieldType {
    Inferred,
    Int,
    Float,
    Text,
    Bool,
    Time,
}

impl NamePattern {
    /// The parameters that the name at the end of `path` holds; `None` when it does not match.
    /// The ending of a compressed file may be missing in the pattern.
    pub fn read(&self, path: &Path) -> Option<BTreeMap<String, ParamValue>> {
        let mut names: Vec<String> = path.components().filter_map(name_of).collect();
        let names = names.split_off(names.len().checked_sub(self.levels.len())?);
        let (file, folders) = names.split_last()?;
        let (own, above) = self.levels.split_last()?;
        let mut params = BTreeMap::new();
        for (pieces, name) in above.iter().zip(folders) {
            params.append(&mut matching::fields(pieces, name)?);
        }
        let plain = COMPRESSED.iter().find_map(|end| file.strip_suffix(end));
        let of_file = matching::fields(own, file)
            .or_else(|| plain.and_then(|name| matching::fields(own, name)));
        params.append(&mut of_file?);
        Some(params)
    }

    /// Those of `patterns` that match none of `paths`.
    pub fn unmatched<'a>(patterns: &'a [Self], paths: &[&Path]) -> Vec<&'a Self> {
        let fits = |pattern: &Self| paths.iter().any(|path| pattern.read(path).is_some());
        patterns.iter().filter(|pattern| !fits(pattern)).collect()
    }
}

fn name_of(component: Component<'_>) -> Option<String> {
    match component {
        Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
        Component::ParentDir => Some("..".to_owned()),
        Component::CurDir | Component::RootDir | Component::Prefix(_) => None,
    }
}

impl FieldType {
    const NAMED: [(&'static str, Self); 5] = [
        ("int", Self::Int),
        ("float", Self::Float),
        ("text", Self::Text),
        ("bool", Self::Bool),
        ("time", Self::Time),
    ];

    /// The value that `text` stands for; `None` when it is not of this type.
    fn value(self, text: &str) -> Option<ParamValue> {
        match self {
            Self::Inferred => Some(ParamValue::infer(text)),
            Self::Text => Some(ParamValue::Text(text.to_owned())),
            Self::Time => instant::parse(text).map(ParamValue::Time),
            Self::Int => {
                let number = text.parse::<i64>().ok()?;
                (number.unsigned_abs() <= MAX_EXACT).then_some(ParamValue::Number(number as f64))
            }
            Self::Float => {
                let is_number = !text.contains(|c: char| c.is_alphabetic() && !"eE".contains(c));
                let number = text.parse::<f64>().ok()?;
                (is_number && number.is_finite()).then_some(ParamValue::Number(number))
            }
            Self::Bool => match text.to_ascii_lowercase().as_str() {
                "true" | "yes" | "on" | "1" => Some(ParamValue::Boolean(true)),
                "false" | "no" | "off" | "0" => Some(ParamValue::Boolean(false)),
                _ => None,
            },
        }
    }
}

impl fmt::Display for NamePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests;
