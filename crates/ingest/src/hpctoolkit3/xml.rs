//! `experiment.xml` as a stream of elements. Nothing is expanded: the internal document type is
//! passed over, and entities other than XML's own five stay as they are written.

use std::io::BufRead;

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use super::FORMAT;
use crate::records::{Records, error_of_shared};
use crate::{Error, limits};

/// A step through the document.
pub(super) enum Step {
    /// An element begins; whether it ends at once.
    Open(Element, bool),
    Close,
    End,
}

pub(super) struct Element(BytesStart<'static>);

impl Element {
    pub(super) fn name(&self) -> &str {
        self.0.name().into_inner()
    }

    /// The attribute as text.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        let mut attributes = self.0.attributes();
        let found = attributes
            .with_checks(false)
            .filter_map(Result::ok)
            .find(|attribute| attribute.key.into_inner() == name)?;
        // An entity of the document's own stays as it is written.
        let text = found.normalized_value(XmlVersion::Implicit1_0);
        let text = text.unwrap_or_else(|_| found.value.clone());
        Some(text.into_owned())
    }

    /// The attribute as a whole number: ids, and lines, of which ranges count from their begin.
    pub(super) fn number(&self, name: &str) -> Option<u32> {
        let text = self.text(name)?;
        let digits = text.split('-').next()?;
        digits.parse().ok()
    }
}

/// The elements of a document.
pub(super) struct Elements<R> {
    reader: Reader<Records<R>>,
    buffer: Vec<u8>,
    /// Elements that are open.
    depth: u64,
}

impl<R: BufRead> Elements<R> {
    pub(super) fn new(stream: R) -> Self {
        Self {
            reader: Reader::from_reader(Records::new(stream, "an element", limits::RECORD)),
            buffer: Vec::new(),
            depth: 0,
        }
    }

    /// The byte at which the next element begins.
    pub(super) fn position(&self) -> u64 {
        self.reader.buffer_position()
    }

    pub(super) fn next(&mut self) -> Result<Step, Error> {
        loop {
            self.buffer.clear();
            self.reader.get_mut().begin();
            match self.reader.read_event_into(&mut self.buffer) {
                Ok(Event::Start(start)) => {
                    self.depth += 1;
                    if self.depth > limits::DEPTH {
                        return Err(Error::TooLong {
                            what: "the document",
                            limit: limits::DEPTH,
                            unit: "elements inside each other",
                            at: format!("byte {}", self.position()),
                        });
                    }
                    return Ok(Step::Open(Element(start.into_owned()), false));
                }
                Ok(Event::Empty(start)) => {
                    return Ok(Step::Open(Element(start.into_owned()), true));
                }
                Ok(Event::End(_)) => {
                    self.depth = self.depth.saturating_sub(1);
                    return Ok(Step::Close);
                }
                Ok(Event::Eof) => return Ok(Step::End),
                Ok(_) => {}
                Err(quick_xml::Error::Io(error)) => return Err(error_of_shared(error)),
                Err(error) => {
                    let at = format!("byte {}", self.reader.error_position());
                    return Err(Error::malformed(FORMAT, at, error.to_string()));
                }
            }
        }
    }
}
