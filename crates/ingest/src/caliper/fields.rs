//! Lines of a record stream, cut into fields without copying.

use std::borrow::Cow;

/// Where a value lies in its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Span {
    start: u32,
    end: u32,
}

impl Span {
    /// The bytes as they are written, escapes included.
    pub(super) fn raw(self, line: &[u8]) -> &[u8] {
        line.get(self.start as usize..self.end as usize)
            .unwrap_or_default()
    }

    /// The value, without escapes.
    pub(super) fn value(self, line: &[u8]) -> Cow<'_, [u8]> {
        let raw = self.raw(line);
        if memchr::memchr(b'\\', raw).is_none() {
            return Cow::Borrowed(raw);
        }
        let mut value = Vec::with_capacity(raw.len());
        let mut bytes = raw.iter();
        while let Some(&byte) = bytes.next() {
            match byte {
                b'\\' => match bytes.next() {
                    Some(b'n') => value.push(b'\n'),
                    Some(&other) => value.push(other),
                    None => {}
                },
                other => value.push(other),
            }
        }
        Cow::Owned(value)
    }
}

/// What a record is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Kind {
    Node,
    Snapshot,
    Globals,
    #[default]
    Unknown,
}

/// The fields of one record, reused from line to line.
#[derive(Debug, Default)]
pub(super) struct Record {
    pub(super) kind: Kind,
    pub(super) id: Option<Span>,
    pub(super) parent: Option<Span>,
    pub(super) attr: Vec<Span>,
    pub(super) data: Vec<Span>,
    pub(super) refs: Vec<Span>,
}

/// The field that values belong to.
#[derive(Clone, Copy)]
enum Field {
    /// The next piece is a key.
    Key,
    Record,
    Id,
    Parent,
    Attr,
    Data,
    Ref,
    Other,
}

impl Record {
    /// Cuts a line, which must be shorter than 4 GiB. An empty value is a value.
    pub(super) fn scan(&mut self, line: &[u8]) {
        self.kind = Kind::Unknown;
        (self.id, self.parent) = (None, None);
        self.attr.clear();
        self.data.clear();
        self.refs.clear();
        let mut field = Field::Key;
        let mut start = 0;
        loop {
            let end = end_of_value(line, start);
            let span = Span {
                start: narrow(start),
                end: narrow(end),
            };
            match field {
                Field::Key => field = Field::of(span.raw(line)),
                Field::Record => self.kind = Kind::of(span.raw(line)),
                Field::Id => self.id = Some(span),
                Field::Parent => self.parent = Some(span),
                Field::Attr => self.attr.push(span),
                Field::Data => self.data.push(span),
                Field::Ref => self.refs.push(span),
                Field::Other => {}
            }
            match line.get(end) {
                Some(b'=') => {}
                Some(_) => field = Field::Key,
                None => return,
            }
            start = end + 1;
        }
    }
}

impl Field {
    fn of(key: &[u8]) -> Self {
        match key {
            b"__rec" => Self::Record,
            b"id" => Self::Id,
            b"parent" => Self::Parent,
            b"attr" => Self::Attr,
            b"data" => Self::Data,
            b"ref" => Self::Ref,
            _ => Self::Other,
        }
    }
}

impl Kind {
    fn of(value: &[u8]) -> Self {
        match value {
            b"node" => Self::Node,
            b"ctx" => Self::Snapshot,
            b"globals" => Self::Globals,
            _ => Self::Unknown,
        }
    }
}

/// Position of the separator that ends the value which begins at `at`, or the line's end.
fn end_of_value(line: &[u8], mut at: usize) -> usize {
    loop {
        let rest = line.get(at..).unwrap_or_default();
        let found = rest
            .iter()
            .position(|byte| matches!(byte, b',' | b'=' | b'\\'));
        match found {
            None => return line.len(),
            Some(place) if rest.get(place) == Some(&b'\\') => at += place + 2,
            Some(place) => return at + place,
        }
    }
}

fn narrow(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(line: &str) -> String {
        let mut record = Record::default();
        record.scan(line.as_bytes());
        let show =
            |span: &Span| String::from_utf8(span.value(line.as_bytes()).into_owned()).unwrap();
        let list = |spans: &[Span]| spans.iter().map(show).collect::<Vec<_>>();
        format!(
            "{:?} {:?} {:?} {:?} {:?} {:?}",
            record.kind,
            record.id.as_ref().map(show),
            record.parent.as_ref().map(show),
            list(&record.attr),
            list(&record.data),
            list(&record.refs)
        )
    }

    #[test]
    fn separators_count_unless_escaped() {
        let line = r"__rec=node,id=5,attr=8,data=a\,b\=c\\d\ne\f,parent=3";
        let expected = "Node Some(\"5\") Some(\"3\") [\"8\"] [\"a,b=c\\\\d\\nef\"] []";
        assert_eq!(text(line), expected);
    }

    #[test]
    fn empty_values_are_values_and_order_is_free() {
        assert_eq!(
            text("ref=7=,data=1==3=,attr=1=2=3=4,__rec=ctx"),
            r#"Snapshot None None ["1", "2", "3", "4"] ["1", "", "3", ""] ["7", ""]"#
        );
        assert_eq!(
            text("__rec=node,id=1,data="),
            r#"Node Some("1") None [] [""] []"#
        );
    }

    #[test]
    fn anything_is_cut_somehow() {
        for line in ["", ",", "=", "\\", "a\\", "__rec", "__rec=,=,", "id=\\"] {
            assert!(text(line).starts_with("Unknown"), "{line}");
        }
    }
}
