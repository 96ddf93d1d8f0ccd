//! Graphs that gprof2dot writes for Graphviz.
//!
//! A caller graph, as gprof's: functions are root contexts, arcs are contexts of two functions
//! with metrics of their own. All times are percentages of a total that the file does not state.

mod dot;
mod label;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::HashMap;

use sheaf_model::{MetricKind, Report, RunMeta, Unit};

use crate::measure::{MetricSpec, Value};
use crate::profile::{DefinitionIdx, Frame, LocationIdx, NodeIdx, Profile};
use crate::program_name::named_after;
use crate::reader::{Context, Read, Reader, Reads};
use crate::{Error, Format, Input, limits};
use dot::{Scanner, Statement};
use label::Label;

/// Graphs of gprof2dot.
pub(crate) const READER: Reader = Reader {
    format: Format::Gprof2Dot,
    recognises,
    reads: Reads::File(read_gprof2dot),
};

/// A directed graph with self times in brackets in its labels.
fn recognises(start: &[u8]) -> bool {
    let text = String::from_utf8_lossy(start);
    let rest = text.trim_start().strip_prefix("digraph");
    rest.is_some_and(|rest| {
        let has_time = rest.contains("%)\\n") || rest.contains("%)\"");
        rest.trim_start().starts_with('{') && rest.contains("label=\"") && has_time
    })
}

fn read_gprof2dot(input: &Input<'_>, context: Context<'_>) -> Result<Vec<Read>, Error> {
    let bytes = input.whole(Format::Gprof2Dot, context.progress)?;
    let text = String::from_utf8_lossy(&bytes);
    let mut report = Report::default();
    report.add(
        "repaired_text",
        u64::from(matches!(text, Cow::Owned(_))),
        || None,
    );
    let mut building = Building::new(meta(input));
    let (mut nodes, mut arcs) = (Vec::new(), Vec::new());
    let mut scanner = Scanner::new(&text);
    while let Some(statement) = scanner.next() {
        context.progress.check()?;
        check(&statement, nodes.len() + arcs.len())?;
        match statement {
            Statement::Node { id, label } => nodes.push((id, label)),
            Statement::Edge { from, to, label } => arcs.push((from, to, label)),
        }
    }
    if !scanner.is_complete() {
        report.add("repaired_unfinished_graph", 1, || None);
        building.profile.meta().is_complete = false;
    }
    if nodes.is_empty() && arcs.is_empty() {
        return Err(Error::Empty {
            format: Format::Gprof2Dot,
        });
    }
    building.functions(nodes, &mut report);
    report.add("read_functions", building.functions.len() as u64, || None);
    report.add("read_arcs", arcs.len() as u64, || None);
    for (from, to, label) in arcs {
        building.arc(&from, &to, label, &mut report);
    }
    let tables = building.profile.finish(&mut report)?;
    Ok(vec![(tables, report)])
}

/// Refuses a name or label that is too long.
fn check(statement: &Statement<'_>, number: usize) -> Result<(), Error> {
    let (names, label) = match statement {
        Statement::Node { id, label } => (id.len(), label),
        Statement::Edge { from, to, label } => (from.len().max(to.len()), label),
    };
    let len = names.max(label.map_or(0, str::len));
    limits::check_len("a label", len, limits::LINE, || {
        format!("statement {number}")
    })
}

fn meta(input: &Input<'_>) -> RunMeta {
    let mut meta = named_after(input.file_name(), Format::Gprof2Dot);
    let lacks = [
        (
            "paths",
            "gprof2dot draws callers, not call paths; a context of two functions is an arc",
        ),
        (
            "totals",
            "gprof2dot prints percentages of a total that it does not print",
        ),
        (
            "contexts",
            "gprof2dot leaves out functions and arcs below a threshold, 0.5 % and 0.1 % by default",
        ),
    ];
    let lacks = lacks.map(|(what, why)| (what.to_owned(), why.to_owned()));
    meta.lacks.extend(lacks);
    meta
}

struct Building<'a> {
    profile: Profile,
    location: LocationIdx,
    functions: HashMap<Cow<'a, str>, (DefinitionIdx, NodeIdx)>,
}

impl<'a> Building<'a> {
    fn new(meta: RunMeta) -> Self {
        let mut profile = Profile::new(meta);
        let location = profile.location(0, 0);
        Self {
            profile,
            location,
            functions: HashMap::new(),
        }
    }

    /// Declares functions. Lines do not identify them: functions of one name in one module are
    /// distinguished by their order there, as `#2`.
    fn functions(&mut self, nodes: Vec<(Cow<'a, str>, Option<&str>)>, report: &mut Report) {
        let parsed = nodes.into_iter().map(|(id, label)| {
            let label = label.map(Label::parse).unwrap_or_default();
            (id, label)
        });
        let mut parsed: Vec<(Cow<'a, str>, Label)> = parsed.collect();
        parsed.sort_by_cached_key(|(_, label)| label.key());
        let (mut ordinal, mut before) = (1, Label::default());
        for (id, label) in parsed {
            let is_alike = before.identity(&id) == label.identity(&id);
            ordinal = match (is_alike, before.line == label.line) {
                (false, _) => 1,
                (true, true) => ordinal,
                (true, false) => ordinal + 1,
            };
            self.function(id, &label, ordinal, report);
            before = label;
        }
    }

    fn function(&mut self, id: Cow<'a, str>, label: &Label, ordinal: u32, report: &mut Report) {
        if label.self_percent.is_none() && label.total_percent.is_none() && label.calls.is_none() {
            report.add("repaired_labels", 1, || Some(format!("node {id}")));
        }
        let mut identity = label.identity(&id);
        if ordinal > 1 {
            identity = format!("{identity}#{ordinal}");
        }
        let module = label.module.as_deref();
        let definition = self.profile.definition(Frame {
            kind: "function",
            name: label.name.as_deref().unwrap_or(&id),
            identity: Some(&identity),
            file: None,
            line: label.line,
            module: module.map(|module| module.rsplit('/').next().unwrap_or(module)),
        });
        let node = self.profile.node(None, definition);
        self.percent(
            node,
            "self_percent",
            MetricKind::Additive,
            "(self %)",
            label.self_percent,
        );
        self.percent(
            node,
            "total_percent",
            MetricKind::Inclusive,
            "total %",
            label.total_percent,
        );
        self.count(node, "calls", label.calls);
        if self.functions.insert(id, (definition, node)).is_some() {
            report.add("repaired_repeated_nodes", 1, || label.name.clone());
        }
    }

    fn arc(&mut self, from: &str, to: &str, label: Option<&str>, report: &mut Report) {
        for id in [from, to] {
            if !self.functions.contains_key(id) {
                // An edge declares its ends.
                self.function(Cow::Owned(id.to_owned()), &Label::default(), 1, report);
            }
        }
        let (Some(&(_, caller)), Some(&(definition, _))) =
            (self.functions.get(from), self.functions.get(to))
        else {
            return;
        };
        let node = self.profile.node(Some(caller), definition);
        let label = label.map(Label::parse_arc).unwrap_or_default();
        let percent = label.total_percent;
        self.percent(
            node,
            "arc_total_percent",
            MetricKind::Additive,
            "%",
            percent,
        );
        self.count(node, "arc_calls", label.calls);
    }

    fn percent(
        &mut self,
        node: NodeIdx,
        name: &str,
        kind: MetricKind,
        source: &str,
        value: Option<f64>,
    ) {
        if let Some(value) = value {
            let metric = self
                .profile
                .metric(MetricSpec::new(name, Unit::Ratio, kind, source));
            self.profile
                .add(node, metric, self.location, Value::Float(value));
        }
    }

    fn count(&mut self, node: NodeIdx, name: &str, value: Option<i64>) {
        if let Some(value) = value {
            let spec = MetricSpec::new(name, Unit::Count, MetricKind::Additive, "\u{d7}");
            let metric = self.profile.metric(spec);
            self.profile
                .add(node, metric, self.location, Value::Integer(value));
        }
    }
}
