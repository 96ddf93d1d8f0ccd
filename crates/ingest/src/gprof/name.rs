//! Names of functions in gprof's tables.

/// A function as gprof prints it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Name<'a> {
    /// The name, which may hold blanks.
    pub(super) text: &'a str,
    /// Number in the call graph; absent in the flat profile.
    pub(super) index: Option<u32>,
    pub(super) cycle: Option<u32>,
    pub(super) file: Option<&'a str>,
    pub(super) line: Option<i32>,
}

impl<'a> Name<'a> {
    /// Reads `name`, `name [3]`, `name (3)`, `name <cycle 1> [3]`, `name (file.c:7 @ 4005d0)`.
    pub(super) fn parse(text: &'a str) -> Self {
        let text = text.trim();
        let (text, index) = numbered(text, " [", "]")
            .or_else(|| numbered(text, " (", ")"))
            .map_or((text, None), |(text, index)| (text, Some(index)));
        let (text, cycle) = numbered(text, " <cycle ", ">")
            .map_or((text, None), |(text, cycle)| (text, Some(cycle)));
        let (text, file, line) = with_line(text)
            .map_or((text, None, None), |(text, file, line)| {
                (text, Some(file), Some(line))
            });
        Self {
            text,
            index,
            cycle,
            file,
            line,
        }
    }

    /// Tells functions of one name apart within a call graph.
    pub(super) fn key(&self) -> (&'a str, Option<u32>) {
        (self.text, self.index)
    }
}

/// Splits a number in brackets off the end.
fn numbered<'a>(text: &'a str, open: &str, close: &str) -> Option<(&'a str, u32)> {
    let (name, number) = text.strip_suffix(close)?.rsplit_once(open)?;
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
    Some((name, number.parse().ok().filter(|_| is_number)?))
}

/// Splits off the place that line-by-line profiles have after the name.
fn with_line(text: &str) -> Option<(&str, &str, i32)> {
    let (rest, address) = text.strip_suffix(')')?.rsplit_once(" @ ")?;
    if !address.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let (name, place) = rest.rsplit_once(" (")?;
    let (file, line) = place.rsplit_once(':')?;
    Some((name, file, line.parse().ok()?))
}
