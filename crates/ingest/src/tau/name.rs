//! Names of functions, with the places that TAU puts after them.

/// A step of a call path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Step<'a> {
    pub(super) name: &'a str,
    /// Source file as recorded.
    pub(super) file: Option<&'a str>,
    /// Line and column.
    pub(super) place: Option<(i32, i32)>,
}

impl<'a> Step<'a> {
    /// Reads `name`, `name [{file} {line,column}-{line,column}]`, `name [{file} {line}]`.
    pub(super) fn parse(text: &'a str) -> Self {
        let text = text.trim();
        let plain = Self {
            name: text,
            file: None,
            place: None,
        };
        let found = text.strip_suffix("}]").and_then(|rest| {
            let (name, rest) = rest.rsplit_once("[{")?;
            let (file, place) = rest.split_once('}')?;
            let place = place.trim_start().strip_prefix('{')?;
            let mut numbers = place.split([',', '}', '-']);
            let line = numbers.next()?.trim().parse().ok()?;
            let column = numbers.next().and_then(|column| column.trim().parse().ok());
            Some(Self {
                name: name.trim_end(),
                file: Some(file),
                place: Some((line, column.unwrap_or(0))),
            })
        });
        found.filter(|step| !step.name.is_empty()).unwrap_or(plain)
    }

    /// The source file without folders.
    pub(super) fn file_name(&self) -> Option<&'a str> {
        let name = self.file?.rsplit(['/', '\\']).next();
        name.filter(|name| !name.is_empty())
    }

    /// Whether it stands for a sampled line, which is not a construct of its own.
    pub(super) fn is_sample(&self) -> bool {
        self.name.starts_with("[SAMPLE]")
    }
}

/// Steps of a call path, from the root.
pub(super) fn steps(path: &str) -> impl Iterator<Item = &str> {
    path.split(" => ").map(str::trim)
}
