//! Labels of nodes and edges.

/// What a label states; parts may be missing.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Label {
    pub(super) module: Option<String>,
    pub(super) name: Option<String>,
    /// Line of a Python function, which stands within its name.
    pub(super) line: Option<i32>,
    pub(super) total_percent: Option<f64>,
    pub(super) self_percent: Option<f64>,
    pub(super) calls: Option<i64>,
}

impl Label {
    /// Reads `[[process] module] name total% (self%) [calls×]`, from its end: how many lines
    /// there are depends on what was profiled.
    pub(super) fn parse(label: &str) -> Self {
        let mut lines = lines(label);
        let calls = take(&mut lines, calls);
        let self_percent = take(&mut lines, |line| {
            percent(line.strip_prefix('(')?.strip_suffix(')')?)
        });
        let total_percent = take(&mut lines, percent);
        let name = lines.pop();
        let line = name.as_deref().and_then(python).map(|(_, line, _)| line);
        Self {
            name,
            line,
            module: lines.pop(),
            total_percent,
            self_percent,
            calls,
        }
    }

    /// What identifies the function: a name alone does not, functions without symbols are named
    /// by their addresses. `id` stands for a missing name.
    pub(super) fn identity(&self, id: &str) -> String {
        let name = self.name.as_deref().unwrap_or(id);
        match (python(name), &self.module) {
            (Some((module, _, name)), _) => format!("{module}:{name}"),
            (None, Some(module)) => format!("{module}\u{1f}{name}"),
            (None, None) => name.to_owned(),
        }
    }

    /// Puts functions that differ in their line alone next to each other.
    pub(super) fn key(&self) -> (String, Option<i32>) {
        (self.identity(""), self.line)
    }

    /// Reads `[x%] [calls×]`.
    pub(super) fn parse_arc(label: &str) -> Self {
        let mut lines = lines(label);
        let calls = take(&mut lines, calls);
        Self {
            total_percent: take(&mut lines, percent),
            calls,
            ..Self::default()
        }
    }
}

/// Splits the `module:line:name` of functions of Python.
fn python(name: &str) -> Option<(&str, i32, &str)> {
    let (module, rest) = name.split_once(':')?;
    let (line, name) = rest.split_once(':')?;
    let is_line = !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit());
    let line = line.parse().ok().filter(|line| is_line && *line > 0)?;
    Some((module, line, name))
}

/// Takes the last line if it is of a form.
fn take<T>(lines: &mut Vec<String>, form: impl Fn(&str) -> Option<T>) -> Option<T> {
    let found = form(lines.last()?.trim())?;
    lines.pop();
    Some(found)
}

/// `12×`; the sign may have been lost in another encoding.
fn calls(line: &str) -> Option<i64> {
    let digits = line.strip_suffix(['\u{d7}', char::REPLACEMENT_CHARACTER])?;
    let digits = digits.trim_end_matches(char::REPLACEMENT_CHARACTER);
    digits.parse().ok()
}

fn percent(line: &str) -> Option<f64> {
    line.strip_suffix('%')?.parse().ok()
}

/// Lines of a label, whose breaks and quotes are escaped.
fn lines(label: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut chars = label.chars();
    while let Some(mut c) = chars.next() {
        if c == '\\' {
            match chars.next() {
                Some('n' | 'l' | 'r') => {
                    lines.push(String::new());
                    continue;
                }
                Some('t') => c = '\t',
                Some(escaped) => c = escaped,
                None => {}
            }
        }
        if let Some(line) = lines.last_mut() {
            line.push(c);
        }
    }
    lines
}

/// The text that an escaped one stands for.
pub(super) fn plain(text: &str) -> String {
    lines(text).join("\n")
}
