//! Functions by file, line and name.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use super::marshal::{Value, Values, text};
use crate::profile::{DefinitionIdx, Frame, Profile};
use crate::python_source::{short_path, without_addresses};
use crate::{Error, Format};

/// Bytes of names per byte of the file: references let a short file name the same long text
/// often, and each function has its own copy.
const MAX_NAMES: usize = 64;

/// Names that are free whatever the size of the file.
const FREE_NAMES: usize = 1 << 20;

/// File, line and number of a function.
type Place<'a> = (&'a str, i64, usize);

/// Texts and functions, each once.
#[derive(Default)]
pub(super) struct Functions<'a> {
    texts: Vec<Cow<'a, str>>,
    texts_by_value: HashMap<&'a [u8], u32>,
    texts_by_number: HashMap<u32, u32>,
    /// File, line and name.
    keys: Vec<(u32, i64, u32)>,
    by_key: HashMap<(u32, i64, u32), usize>,
}

impl<'a> Functions<'a> {
    /// The function of a key `(file, line, name)`.
    pub(super) fn of(&mut self, values: &Values<'a>, key: u32) -> Option<usize> {
        let mut parts = values.inside(key);
        let (file, line, name) = (parts.next()?, parts.next()?, parts.next()?);
        let key = (
            self.text(values, file)?,
            values.integer(line)?,
            self.text(values, name)?,
        );
        let fresh = self.keys.len();
        let function = *self.by_key.entry(key).or_insert(fresh);
        if function == fresh {
            self.keys.push(key);
        }
        Some(function)
    }

    fn text(&mut self, values: &Values<'a>, number: u32) -> Option<u32> {
        let (Value::Text(bytes), number) = values.get(number) else {
            return None;
        };
        if let Some(text) = self.texts_by_number.get(&number) {
            return Some(*text);
        }
        let fresh = u32::try_from(self.texts.len()).ok()?;
        let found = *self.texts_by_value.entry(bytes).or_insert(fresh);
        if found == fresh {
            self.texts.push(text(bytes));
        }
        self.texts_by_number.insert(number, found);
        Some(found)
    }

    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    /// Definitions of all functions. Lines do not identify them: functions of one name in one file
    /// are distinguished by their order there, as `#2`.
    ///
    /// # Errors
    /// [`Error::Malformed`] when names are too large for the file they come from.
    pub(super) fn definitions(
        &self,
        profile: &mut Profile,
        file_len: usize,
    ) -> Result<Vec<DefinitionIdx>, Error> {
        let text_of = |text: u32| self.texts.get(text as usize).map_or("", |text| text);
        let keys = || self.keys.iter();
        let size: usize = keys()
            .map(|(file, _, name)| text_of(*file).len() + text_of(*name).len())
            .fold(0, usize::saturating_add);
        if size
            > file_len
                .saturating_mul(MAX_NAMES)
                .saturating_add(FREE_NAMES)
        {
            let reason =
                format!("its names take `{size}` bytes, more than {MAX_NAMES} times its own");
            return Err(Error::malformed(Format::CProfile, "its names", reason));
        }
        let mut alike: BTreeMap<(&str, &str), Vec<Place<'_>>> = BTreeMap::new();
        for (function, (file, line, name)) in keys().enumerate() {
            let (file, name) = (text_of(*file), text_of(*name));
            let places = alike.entry((short_path(file), name)).or_default();
            places.push((file, *line, function));
        }
        let mut definitions = vec![DefinitionIdx(0); self.keys.len()];
        for ((short, name), mut places) in alike {
            places.sort_unstable();
            for (ordinal, (file, line, function)) in (1..).zip(places) {
                let is_source = !matches!(file, "~" | "");
                let plain = without_addresses(name);
                let mut identity = if is_source {
                    format!("{short}:{plain}")
                } else {
                    plain.into_owned()
                };
                if ordinal > 1 {
                    identity = format!("{identity}#{ordinal}");
                }
                let definition = profile.definition(Frame {
                    kind: "function",
                    name,
                    identity: Some(&identity),
                    file: is_source.then_some(short),
                    line: i32::try_from(line).ok().filter(|line| *line > 0),
                    module: None,
                });
                if let Some(place) = definitions.get_mut(function) {
                    *place = definition;
                }
            }
        }
        Ok(definitions)
    }
}
