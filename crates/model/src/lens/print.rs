//! The text form of a lens, without clauses that equal the default.

use std::fmt;

use super::{Clause, Compare, Lens, Operation};

impl Lens {
    /// The clauses of the text form in canonical order, without those that equal the default.
    pub fn clauses(&self) -> Vec<Clause> {
        let default = Self::default();
        let mut clauses = Vec::new();
        let mut add = |keyword, text: String| clauses.push(Clause { keyword, text });
        if let Some(expression) = &self.runs {
            add("where", format!("where {expression}"));
        }
        if !self.by.is_empty() {
            let names: Vec<_> = self.by.iter().map(|name| quote_name(name)).collect();
            add("by", format!("by {}", names.join(", ")));
        }
        if self.level != default.level {
            add("level", format!("level {}", self.level));
        }
        if self.metric != default.metric {
            add("metric", format!("metric {}", quote_name(&self.metric)));
        }
        if self.scope != default.scope {
            add("scope", format!("scope {}", self.scope));
        }
        if self.over != default.over {
            add("over", format!("over {}", self.over));
        }
        if self.hide_below.to_bits() != default.hide_below.to_bits() {
            add("below", format!("below {}", self.hide_below));
        }
        if self.bins != default.bins {
            add("bins", format!("bins {}", self.bins));
        }
        for operation in &self.operations {
            let (keyword, text) = match operation {
                Operation::SplitEntries(name) => ("split", format!("{} entries", quote(name))),
                Operation::SplitCallees(name) => ("split", format!("{} callees", quote(name))),
                Operation::Reveal(name) => ("reveal", quote(name)),
                Operation::Focus(name) => ("focus", quote(name)),
                Operation::Hide(name) => ("hide", quote(name)),
            };
            add(keyword, format!("{keyword} {text}"));
        }
        match &self.compare {
            Compare::None => {}
            Compare::Target(run) => add("target", format!("target {}", quote(&run.0))),
            Compare::Diff { a, b } => {
                add("diff", format!("diff {} to {}", quote(&a.0), quote(&b.0)));
            }
        }
        clauses
    }
}

impl fmt::Display for Lens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, clause) in self.clauses().iter().enumerate() {
            f.write_str(if index == 0 { "" } else { " | " })?;
            f.write_str(&clause.text)?;
        }
        Ok(())
    }
}

fn quote_name(name: &str) -> String {
    let is_plain = !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '/'));
    if is_plain {
        name.to_owned()
    } else {
        quote(name)
    }
}

fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
