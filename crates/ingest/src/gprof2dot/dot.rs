//! Statements of a graph in Graphviz's language.

use std::borrow::Cow;

use super::label::plain;

/// What a graph states; attributes of the graph itself are skipped.
#[derive(Debug, PartialEq)]
pub(super) enum Statement<'a> {
    /// A node, with the escaped text of its label.
    Node {
        id: Cow<'a, str>,
        label: Option<&'a str>,
    },
    /// An edge.
    Edge {
        from: Cow<'a, str>,
        to: Cow<'a, str>,
        label: Option<&'a str>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Token<'a> {
    Word(&'a str),
    /// What is between quotes, escaped.
    Quoted(&'a str),
    /// A label in HTML, which is not looked into.
    Html,
    Arrow,
    Sign(u8),
}

/// Goes through a text statement by statement; whatever is none is passed over.
pub(super) struct Scanner<'a> {
    text: &'a str,
    at: usize,
    next: Option<Token<'a>>,
    depth: usize,
    was_open: bool,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let mut scanner = Self {
            text,
            at: 0,
            next: None,
            depth: 0,
            was_open: false,
        };
        scanner.advance();
        scanner
    }

    /// Whether the graph was closed.
    pub(super) fn is_complete(&self) -> bool {
        self.was_open && self.depth == 0
    }

    /// The next statement.
    pub(super) fn next(&mut self) -> Option<Statement<'a>> {
        loop {
            match self.take()? {
                Token::Sign(b'{') => {
                    self.depth += 1;
                    self.was_open = true;
                }
                Token::Sign(b'}') => self.depth = self.depth.saturating_sub(1),
                Token::Word(word) => {
                    if let Some(found) = self.statement(Cow::Borrowed(word), is_keyword(word)) {
                        return Some(found);
                    }
                }
                Token::Quoted(text) => {
                    if let Some(found) = self.statement(Cow::Owned(plain(text)), false) {
                        return Some(found);
                    }
                }
                Token::Html | Token::Arrow | Token::Sign(_) => {}
            }
        }
    }

    /// What begins with `id`.
    fn statement(&mut self, id: Cow<'a, str>, is_keyword: bool) -> Option<Statement<'a>> {
        match self.next {
            Some(Token::Sign(b'=')) => {
                self.advance();
                self.advance();
                None
            }
            Some(Token::Arrow) if !is_keyword => {
                self.advance();
                let to = match self.take()? {
                    Token::Word(word) => Cow::Borrowed(word),
                    Token::Quoted(text) => Cow::Owned(plain(text)),
                    Token::Html | Token::Arrow | Token::Sign(_) => return None,
                };
                let label = self.label();
                Some(Statement::Edge {
                    from: id,
                    to,
                    label,
                })
            }
            Some(Token::Sign(b'[')) => {
                let label = self.label();
                (!is_keyword).then_some(Statement::Node { id, label })
            }
            Some(Token::Sign(b';' | b'}')) if !is_keyword => {
                Some(Statement::Node { id, label: None })
            }
            _ => None,
        }
    }

    /// The label among the attributes that follow.
    fn label(&mut self) -> Option<&'a str> {
        let mut label = None;
        while self.next == Some(Token::Sign(b'[')) {
            self.advance();
            let mut key = None;
            while let Some(token) = self.take() {
                match token {
                    Token::Sign(b']') => break,
                    Token::Sign(b'=') => {
                        let value = self.take();
                        if let (Some("label"), Some(Token::Quoted(text) | Token::Word(text))) =
                            (key, value)
                        {
                            label = Some(text);
                        }
                        key = None;
                    }
                    Token::Word(word) | Token::Quoted(word) => key = Some(word),
                    Token::Html | Token::Arrow | Token::Sign(_) => key = None,
                }
            }
        }
        label
    }

    fn take(&mut self) -> Option<Token<'a>> {
        let token = self.next;
        self.advance();
        token
    }

    fn advance(&mut self) {
        self.next = self.token();
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn token(&mut self) -> Option<Token<'a>> {
        self.skip_blanks();
        let rest = self.rest();
        let first = *rest.as_bytes().first()?;
        if rest.starts_with("->") {
            self.at += 2;
            return Some(Token::Arrow);
        }
        match first {
            b'"' => Some(self.quoted()),
            b'<' => Some(self.html()),
            b'{' | b'}' | b'[' | b']' | b';' | b',' | b'=' | b':' => {
                self.at += 1;
                Some(Token::Sign(first))
            }
            _ => {
                let is_end = |(at, c): &(usize, char)| {
                    let is_arrow = *c == '-' && rest.as_bytes().get(at + 1) == Some(&b'>');
                    c.is_whitespace() || "{}[];,=:\"<".contains(*c) || is_arrow
                };
                let end = rest.char_indices().find(is_end);
                let end = end.map_or(rest.len(), |(at, _)| at);
                self.at += end;
                Some(Token::Word(rest.get(..end).unwrap_or_default()))
            }
        }
    }

    fn skip_blanks(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            let len = if trimmed.starts_with("//") || trimmed.starts_with('#') {
                trimmed.find('\n').unwrap_or(trimmed.len())
            } else if trimmed.starts_with("/*") {
                trimmed.find("*/").map_or(trimmed.len(), |end| end + 2)
            } else {
                return;
            };
            self.at += len;
        }
    }

    fn quoted(&mut self) -> Token<'a> {
        self.at += 1;
        let rest = self.rest();
        let bytes = rest.as_bytes();
        let mut end = 0;
        while let Some(found) = memchr::memchr2(b'"', b'\\', bytes.get(end..).unwrap_or_default()) {
            end += found;
            if bytes.get(end) == Some(&b'"') {
                self.at += end + 1;
                return Token::Quoted(rest.get(..end).unwrap_or_default());
            }
            end = (end + 2).min(bytes.len());
        }
        self.at = self.text.len();
        Token::Quoted(rest)
    }

    fn html(&mut self) -> Token<'a> {
        let mut depth = 0_usize;
        for (at, byte) in self.rest().bytes().enumerate() {
            match byte {
                b'<' => depth += 1,
                b'>' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                self.at += at + 1;
                return Token::Html;
            }
        }
        self.at = self.text.len();
        Token::Html
    }
}

fn is_keyword(word: &str) -> bool {
    let keywords = ["digraph", "graph", "node", "edge", "subgraph", "strict"];
    keywords
        .iter()
        .any(|keyword| word.eq_ignore_ascii_case(keyword))
}
