//! Answers as JSON that is shown to people too.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::Formatter;
use sheaf_model::visible_json;

/// Writes an answer as JSON and ends the line, piece by piece. Characters that cannot be seen are escapes, which mean
/// the same.
///
/// # Errors
/// Those of `out`.
pub fn write(answer: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    write_part(answer, out)?;
    out.write_all(b"\n")
}

/// The same without the end of the line.
pub(crate) fn write_part(answer: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    answer.serialize(&mut Serializer::with_formatter(out, VisibleNames))?;
    Ok(())
}

struct VisibleNames;

impl Formatter for VisibleNames {
    fn write_string_fragment<W: Write + ?Sized>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        writer.write_all(visible_json(fragment).as_bytes())
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn characters_that_cannot_be_seen_are_escapes() {
        let mut out = Vec::new();
        super::write(&["a\u{202e}\n", "b"], &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "[\"a\\u202e\\n\",\"b\"]\n");
    }
}
