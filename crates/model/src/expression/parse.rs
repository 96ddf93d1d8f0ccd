//! Parser of expressions: recursive descent with a bound on nesting.

use std::str::FromStr;

use super::{Comparison, Expression, ParseError};
use crate::ParamValue;

/// Deeper nesting than any person writes; a bound keeps hostile input off the stack.
const MAX_DEPTH: usize = 64;

const KEYWORDS: &[&str] = &["and", "or", "not", "in", "like", "exists"];

/// Attributes that are true or false of every run and may stand alone: `incomplete` is `incomplete == true`.
const CLAIMS: &[&str] = &["incomplete", "is_complete"];

/// Whether `name` can be written without backquotes.
pub(super) fn is_plain_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '@')
        && name.chars().all(is_name_char)
        && !KEYWORDS.contains(&name)
}

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | ':' | '@' | '/' | '+')
}

impl FromStr for Expression {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let mut parser = Parser {
            text,
            chars: text.chars().collect(),
            at: 0,
        };
        let expression = parser.either(0)?;
        parser.skip_blanks();
        if parser.at < parser.chars.len() {
            return Err(parser.error("expected `and`, `or` or the end"));
        }
        Ok(expression)
    }
}

struct Parser<'a> {
    text: &'a str,
    chars: Vec<char>,
    at: usize,
}

impl Parser<'_> {
    fn either(&mut self, depth: usize) -> Result<Expression, ParseError> {
        self.sequence(depth, "or", Self::both, Expression::Or)
    }

    fn both(&mut self, depth: usize) -> Result<Expression, ParseError> {
        self.sequence(depth, "and", Self::term, Expression::And)
    }

    fn sequence(
        &mut self,
        depth: usize,
        word: &str,
        part: fn(&mut Self, usize) -> Result<Expression, ParseError>,
        combine: fn(Vec<Expression>) -> Expression,
    ) -> Result<Expression, ParseError> {
        let first = part(self, depth)?;
        let mut parts = vec![first];
        while self.keyword(word) {
            parts.push(part(self, depth)?);
        }
        if parts.len() > 1 {
            Ok(combine(parts))
        } else {
            Ok(parts.swap_remove(0))
        }
    }

    fn term(&mut self, depth: usize) -> Result<Expression, ParseError> {
        if depth > MAX_DEPTH {
            return Err(self.error("too many nested parentheses"));
        }
        if self.keyword("not") {
            return Ok(Expression::Not(Box::new(self.term(depth + 1)?)));
        }
        if self.keyword("exists") {
            return Ok(Expression::Exists(self.name()?));
        }
        if self.symbol("(") {
            let inner = self.either(depth + 1)?;
            if !self.symbol(")") {
                return Err(self.error("expected `)`"));
            }
            return Ok(inner);
        }
        let attribute = self.name()?;
        if self.keyword("in") {
            return Ok(Expression::In {
                attribute,
                values: self.list()?,
            });
        }
        if self.keyword("like") {
            return Ok(Expression::Like {
                attribute,
                pattern: self.literal()?.to_string(),
            });
        }
        if CLAIMS.contains(&attribute.as_str()) && self.is_end_of_term() {
            return Ok(Expression::Compare {
                attribute,
                comparison: Comparison::Equal,
                value: ParamValue::Boolean(true),
            });
        }
        let comparison = self.comparison()?;
        Ok(Expression::Compare {
            attribute,
            comparison,
            value: self.literal()?,
        })
    }

    /// Whether what follows cannot be a part of the term that was begun.
    fn is_end_of_term(&mut self) -> bool {
        self.skip_blanks();
        let next = self.chars.get(self.at);
        next.is_none_or(|&c| c == ')') || matches!(self.peek_word().as_str(), "and" | "or")
    }

    fn comparison(&mut self) -> Result<Comparison, ParseError> {
        const SYMBOLS: [(&str, Comparison); 7] = [
            ("==", Comparison::Equal),
            ("!=", Comparison::NotEqual),
            ("<=", Comparison::LessOrEqual),
            (">=", Comparison::GreaterOrEqual),
            ("=", Comparison::Equal),
            ("<", Comparison::Less),
            (">", Comparison::Greater),
        ];
        for (symbol, comparison) in SYMBOLS {
            if self.symbol(symbol) {
                return Ok(comparison);
            }
        }
        Err(self.error("expected a comparison, `in` or `like`"))
    }

    fn list(&mut self) -> Result<Vec<ParamValue>, ParseError> {
        if !self.symbol("(") {
            return Err(self.error("expected `(`"));
        }
        let mut values = vec![self.literal()?];
        while self.symbol(",") {
            values.push(self.literal()?);
        }
        if self.symbol(")") {
            Ok(values)
        } else {
            Err(self.error("expected `,` or `)`"))
        }
    }

    fn name(&mut self) -> Result<String, ParseError> {
        self.skip_blanks();
        if self.chars.get(self.at) == Some(&'`') {
            return self.quoted('`');
        }
        let word = self.peek_word();
        if word.is_empty() || KEYWORDS.contains(&word.as_str()) {
            return Err(self.error("expected the name of an attribute"));
        }
        self.at += word.chars().count();
        Ok(word)
    }

    fn literal(&mut self) -> Result<ParamValue, ParseError> {
        self.skip_blanks();
        if let Some(&quote @ ('\'' | '"')) = self.chars.get(self.at) {
            Ok(ParamValue::Text(self.quoted(quote)?))
        } else {
            let word = self.peek_word();
            if word.is_empty() {
                return Err(self.error("expected a value"));
            }
            self.at += word.chars().count();
            Ok(ParamValue::infer(&word))
        }
    }

    fn quoted(&mut self, quote: char) -> Result<String, ParseError> {
        let opening = self.at;
        self.at += 1;
        let mut text = String::new();
        while let Some(&c) = self.chars.get(self.at) {
            self.at += 1;
            match c {
                _ if c == quote => return Ok(text),
                '\\' => {
                    text.extend(self.chars.get(self.at));
                    self.at += 1;
                }
                _ => text.push(c),
            }
        }
        self.at = opening;
        Err(self.error("quotation is not closed"))
    }

    fn keyword(&mut self, word: &str) -> bool {
        self.skip_blanks();
        let found = self.peek_word() == word;
        if found {
            self.at += word.chars().count();
        }
        found
    }

    fn symbol(&mut self, symbol: &str) -> bool {
        self.skip_blanks();
        let found = symbol
            .chars()
            .enumerate()
            .all(|(i, c)| self.chars.get(self.at + i) == Some(&c));
        if found {
            self.at += symbol.chars().count();
        }
        found
    }

    fn peek_word(&self) -> String {
        self.chars[self.at.min(self.chars.len())..]
            .iter()
            .take_while(|&&c| is_name_char(c))
            .collect()
    }

    fn skip_blanks(&mut self) {
        while self.chars.get(self.at).is_some_and(|c| c.is_whitespace()) {
            self.at += 1;
        }
    }

    fn error(&self, reason: &str) -> ParseError {
        ParseError {
            reason: reason.to_owned(),
            position: self.at.min(self.chars.len()) + 1,
            text: self.text.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_error(text: &str, expected: &str) {
        assert_eq!(
            text.parse::<Expression>().unwrap_err().to_string(),
            expected
        );
    }

    #[test]
    fn errors_name_the_position() {
        check_error("", "expected the name of an attribute at character 1 of ``");
        check_error(
            "threads",
            "expected a comparison, `in` or `like` at character 8 of `threads`",
        );
        check_error(
            "a == 1 b",
            "expected `and`, `or` or the end at character 8 of `a == 1 b`",
        );
        check_error("(a == 1", "expected `)` at character 8 of `(a == 1`");
        check_error(
            "a == 'x",
            "quotation is not closed at character 6 of `a == 'x`",
        );
        let deep = "(".repeat(100_000);
        assert!(
            deep.parse::<Expression>()
                .unwrap_err()
                .reason
                .contains("too many")
        );
        let nots = "not ".repeat(100_000);
        assert!(
            nots.parse::<Expression>()
                .unwrap_err()
                .reason
                .contains("too many")
        );
    }
}
