//! Parser of the lens's text form.

use std::str::FromStr;

use super::{Compare, Expression, Lens, Operation, ParseError, RunSelector};

const KEYWORDS: &str =
    "where, by, level, metric, scope, over, below, bins, split, reveal, focus, hide, target, diff";

impl FromStr for Lens {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let mut lens = Self::default();
        for clause in split_clauses(text) {
            lens.apply(clause.text).map_err(|fault| ParseError {
                reason: fault.reason,
                position: clause.start + fault.offset + 1,
                text: text.to_owned(),
            })?;
        }
        Ok(lens)
    }
}

impl Lens {
    fn apply(&mut self, clause: &str) -> Result<(), ClauseFault> {
        let mut words = Words {
            chars: clause.chars().collect(),
            at: 0,
        };
        let keyword = words.next().map(|word| word.text).unwrap_or_default();
        match keyword.as_str() {
            "where" => {
                let rest = words.rest();
                let expression = rest.text.parse::<Expression>();
                self.runs = Some(expression.map_err(|error| ClauseFault {
                    offset: rest.start + error.position - 1,
                    reason: error.reason,
                })?);
                return Ok(());
            }
            "by" => self.by = words.list()?,
            "level" => self.level = words.parsed()?,
            "metric" => self.metric = words.word("the name of a metric")?,
            "scope" => self.scope = words.parsed()?,
            "over" => self.over = words.parsed()?,
            "below" => self.hide_below = words.share()?,
            "bins" => self.bins = words.bins()?,
            "split" => {
                let name = words.word("a group")?;
                let how = words.word("`entries` or `callees`")?;
                self.operations.push(match how.as_str() {
                    "entries" => Operation::SplitEntries(name),
                    "callees" => Operation::SplitCallees(name),
                    _ => return Err(words.fault("expected `entries` or `callees`")),
                });
            }
            "reveal" => self
                .operations
                .push(Operation::Reveal(words.word("a context")?)),
            "focus" => self
                .operations
                .push(Operation::Focus(words.word("a group")?)),
            "hide" => self
                .operations
                .push(Operation::Hide(words.word("a group")?)),
            "target" => self.compare = Compare::Target(RunSelector(words.word("a run")?)),
            "diff" => {
                let a = RunSelector(words.word("a baseline")?);
                if words.word("`to`")? != "to" {
                    return Err(words.fault("expected `to` between baseline and candidate"));
                }
                self.compare = Compare::Diff {
                    a,
                    b: RunSelector(words.word("a candidate")?),
                };
            }
            other => {
                let reason = format!("`{other}` is not a clause; use one of {KEYWORDS}");
                return Err(ClauseFault { offset: 0, reason });
            }
        }
        words.end()
    }
}

struct ClauseFault {
    offset: usize,
    reason: String,
}

struct Piece<'a> {
    start: usize,
    text: &'a str,
}

/// Splits at `|` outside of quotations; blank clauses are left out. Positions are in characters.
fn split_clauses(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut quote = None;
    let mut is_escaped = false;
    let (mut byte, mut character) = (0, 0);
    let mut push = |from: usize, to: usize, start: usize| {
        let piece = &text[from..to];
        let trimmed = piece.trim_start();
        let blanks = piece[..piece.len() - trimmed.len()].chars().count();
        if !trimmed.trim_end().is_empty() {
            pieces.push(Piece {
                start: start + blanks,
                text: trimmed.trim_end(),
            });
        }
    };
    for (count, (at, c)) in text.char_indices().enumerate() {
        match (quote, c) {
            _ if is_escaped => is_escaped = false,
            (Some(_), '\\') => is_escaped = true,
            (Some(open), _) if c == open => quote = None,
            (None, '\'' | '"' | '`') => quote = Some(c),
            (None, '|') => {
                push(byte, at, character);
                byte = at + 1;
                character = count + 1;
            }
            _ => {}
        }
    }
    push(byte, text.len(), character);
    pieces
}

struct Word {
    start: usize,
    text: String,
}

struct Words {
    chars: Vec<char>,
    at: usize,
}

impl Words {
    fn next(&mut self) -> Option<Word> {
        while self.chars.get(self.at).is_some_and(|c| c.is_whitespace()) {
            self.at += 1;
        }
        let start = self.at;
        let first = *self.chars.get(start)?;
        if !matches!(first, '\'' | '"' | '`') {
            let is_end = |c: &char| c.is_whitespace() || *c == ',';
            let length = self.chars[start..]
                .iter()
                .take_while(|c| !is_end(c))
                .count()
                .max(1);
            self.at += length;
            return Some(Word {
                start,
                text: self.chars[start..self.at].iter().collect(),
            });
        }
        self.at += 1;
        let mut text = String::new();
        while let Some(&c) = self.chars.get(self.at) {
            self.at += 1;
            match c {
                _ if c == first => break,
                '\\' => {
                    text.extend(self.chars.get(self.at));
                    self.at += 1;
                }
                _ => text.push(c),
            }
        }
        Some(Word { start, text })
    }

    fn rest(&mut self) -> Word {
        let text = self.chars[self.at.min(self.chars.len())..].iter().collect();
        Word {
            start: self.at,
            text,
        }
    }

    fn word(&mut self, what: &str) -> Result<String, ClauseFault> {
        match self.next() {
            Some(word) if !word.text.is_empty() => Ok(word.text),
            _ => Err(self.fault(&format!("expected {what}"))),
        }
    }

    fn list(&mut self) -> Result<Vec<String>, ClauseFault> {
        let mut names = vec![self.word("the name of a parameter")?];
        while let Some(word) = self.next() {
            if word.text != "," {
                return Err(ClauseFault {
                    offset: word.start,
                    reason: "expected `,`".to_owned(),
                });
            }
            names.push(self.word("the name of a parameter")?);
        }
        Ok(names)
    }

    fn parsed<T: FromStr<Err = String>>(&mut self) -> Result<T, ClauseFault> {
        let word = self.next().unwrap_or(Word {
            start: self.at,
            text: String::new(),
        });
        word.text.parse().map_err(|reason| ClauseFault {
            offset: word.start,
            reason,
        })
    }

    fn share(&mut self) -> Result<f64, ClauseFault> {
        let word = self.word("a share, such as `1%` or `0.01`")?;
        let share = match word.strip_suffix('%') {
            Some(percent) => percent.parse::<f64>().map(|percent| percent / 100.0),
            None => word.parse::<f64>(),
        };
        match share {
            Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
            _ => Err(self.fault(&format!("`{word}` is not a share between 0 and 1"))),
        }
    }

    fn bins(&mut self) -> Result<u32, ClauseFault> {
        let word = self.word("a number of bins")?;
        match word.parse::<u32>() {
            Ok(bins @ 1..=200) => Ok(bins),
            _ => Err(self.fault(&format!(
                "`{word}` is not a number of bins between 1 and 200"
            ))),
        }
    }

    fn end(&mut self) -> Result<(), ClauseFault> {
        match self.next() {
            None => Ok(()),
            Some(word) => {
                let reason = format!("`{}` is one word too many", word.text);
                Err(ClauseFault {
                    offset: word.start,
                    reason,
                })
            }
        }
    }

    fn fault(&self, reason: &str) -> ClauseFault {
        ClauseFault {
            offset: self.at.min(self.chars.len()),
            reason: reason.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Level, LocationAggregate, Scope};
    use proptest::prelude::*;
    use serde_json::Value;

    fn cases() -> Value {
        serde_json::from_str(include_str!("cases.json")).unwrap()
    }

    fn texts(value: &Value) -> Vec<&str> {
        let texts = value.as_array().into_iter().flatten();
        texts.map(|text| text.as_str().unwrap()).collect()
    }

    fn split(text: &str) -> Vec<&str> {
        split_clauses(text).iter().map(|piece| piece.text).collect()
    }

    #[test]
    fn texts_have_one_canonical_form() {
        for case in cases()["lenses"].as_array().unwrap() {
            let text = case["text"].as_str().unwrap();
            assert_eq!(split(text), texts(&case["clauses"]), "{text}");
            let lens: Lens = text.parse().unwrap();
            let canonical = lens.to_string();
            assert_eq!(canonical, texts(&case["canonical"]).join(" | "), "{text}");
            assert_eq!(canonical.parse::<Lens>().unwrap(), lens);
            let (target, diff) = match &lens.compare {
                Compare::None => (None, vec![]),
                Compare::Target(run) => (Some(run.0.as_str()), vec![]),
                Compare::Diff { a, b } => (None, vec![a.0.as_str(), b.0.as_str()]),
            };
            assert_eq!(target, case["target"].as_str(), "{text}");
            assert_eq!(diff, texts(&case["diff"]), "{text}");
        }
    }

    #[test]
    fn errors_name_the_position() {
        for case in cases()["errors"].as_array().unwrap() {
            let text = case["text"].as_str().unwrap();
            assert_eq!(split(text), texts(&case["clauses"]), "{text}");
            let error = text.parse::<Lens>().unwrap_err().to_string();
            assert_eq!(Some(error.as_str()), case["error"].as_str());
        }
    }

    #[test]
    fn keywords_choices_and_defaults_are_those_of_the_cases() {
        let cases = cases();
        assert_eq!(texts(&cases["keywords"]).join(", "), KEYWORDS);
        let levels: Vec<&str> = Level::ALL.iter().map(|level| level.as_str()).collect();
        assert_eq!(levels, texts(&cases["choices"]["level"]));
        let scopes: Vec<&str> = Scope::ALL.iter().map(|scope| scope.as_str()).collect();
        assert_eq!(scopes, texts(&cases["choices"]["scope"]));
        let overs: Vec<&str> = LocationAggregate::ALL
            .iter()
            .map(|over| over.as_str())
            .collect();
        assert_eq!(overs, texts(&cases["choices"]["over"]));
        let defaults = texts(&cases["defaults"]).join(" | ");
        assert_eq!(defaults.parse::<Lens>().unwrap(), Lens::default());
    }

    proptest! {
        #[test]
        fn any_lens_prints_as_itself(name in ".{1,12}", share in 0.0..=1.0f64, bins in 1u32..=200) {
            let lens = Lens {
                by: vec![name.clone()],
                level: Level::Context,
                metric: name.clone(),
                hide_below: share,
                bins,
                operations: vec![Operation::Hide(name.clone()), Operation::SplitCallees(name.clone())],
                compare: Compare::Target(RunSelector(name)),
                ..Lens::default()
            };
            prop_assert_eq!(lens.to_string().parse::<Lens>().unwrap(), lens);
        }

        #[test]
        fn no_text_panics(text in ".{0,60}") {
            let _ = text.parse::<Lens>();
        }
    }
}
