//! Frames and metrics as Hatchet knows them, put into a profile.

use std::collections::{HashMap, HashSet};

use sheaf_model::{MetricKind, Report, Unit};

use crate::json_tree::{Item, Value as Json};
use crate::measure::{MetricSpec, Value, snake_case};
use crate::profile::{Frame, LocationIdx, MetricIdx, NodeIdx, Profile};

/// A profile with what is known of Hatchet's names.
pub(super) struct Nodes {
    pub(super) profile: Profile,
    /// Nodes that the source holds.
    pub(super) count: u64,
    metrics: HashMap<String, MetricIdx>,
    metric_names: HashSet<String>,
}

impl Nodes {
    pub(super) fn new(profile: Profile) -> Self {
        Self {
            profile,
            count: 0,
            metrics: HashMap::new(),
            metric_names: HashSet::new(),
        }
    }

    /// The node of a frame below `parent`. All keys of a frame form its identity: a statement has
    /// no name but its place, so even a line counts where Hatchet states that it does; folders of
    /// absolute paths do not. `name` is the name of frames that have none.
    pub(super) fn node(
        &mut self,
        parent: Option<NodeIdx>,
        frame: Option<Item<'_, '_>>,
        name: Option<&str>,
        report: &mut Report,
    ) -> NodeIdx {
        let text_of = |key: &str| frame.and_then(|frame| frame.get(key)?.as_text());
        let mut others: Vec<(&str, String)> = frame
            .into_iter()
            .flat_map(Item::members)
            .filter(|(key, _)| !matches!(*key, "name" | "type"))
            .map(|(key, value)| (key, text(value)))
            .collect();
        others.sort();
        let mut identity: String = text_of("name").unwrap_or_default().to_owned();
        for (key, value) in &others {
            identity.extend(["\u{1f}", key, "=", value]);
        }
        let shown = text_of("name").or(name).filter(|name| !name.is_empty());
        if shown.is_none() {
            report.add("repaired_names", 1, || Some(format!("node {}", self.count)));
        }
        let joined = others.iter().map(|(_, value)| value.as_str());
        let fallback = joined.collect::<Vec<_>>().join(":");
        let kind = text_of("type").filter(|kind| !matches!(*kind, "" | "None"));
        let line = frame.and_then(|frame| frame.get("line")?.as_i64());
        let definition = self.profile.definition(Frame {
            kind: kind.unwrap_or("node"),
            name: shown.unwrap_or(if fallback.is_empty() {
                "(no name)"
            } else {
                &fallback
            }),
            identity: (!others.is_empty()).then_some(identity.as_str()),
            file: text_of("file"),
            line: line
                .and_then(|line| i32::try_from(line).ok())
                .filter(|line| *line > 0),
            module: text_of("module").map(file_name),
        });
        self.profile.node(parent, definition)
    }

    /// Adds a value; what is not a number is not a metric.
    pub(super) fn add(
        &mut self,
        node: NodeIdx,
        location: LocationIdx,
        metric: &str,
        is_inclusive: bool,
        value: Item<'_, '_>,
    ) {
        let Some(number) = value.as_number() else {
            return;
        };
        let value = match number.parse() {
            Ok(integer) => Value::Integer(integer),
            Err(_) => Value::Float(number.parse().unwrap_or(f64::NAN)),
        };
        let metric = self.metric(metric, is_inclusive);
        self.profile.add(node, metric, location, value);
    }

    fn metric(&mut self, source: &str, is_inclusive: bool) -> MetricIdx {
        if let Some(metric) = self.metrics.get(source) {
            return *metric;
        }
        let plain = match snake_case(source, "") {
            empty if empty.is_empty() => "metric".to_owned(),
            plain => plain,
        };
        let mut name = plain.clone();
        let mut number = 1;
        while !self.metric_names.insert(name.clone()) {
            number += 1;
            name = format!("{plain}_{number}");
        }
        let kind = if is_inclusive {
            MetricKind::Inclusive
        } else {
            MetricKind::Additive
        };
        let spec = MetricSpec::new(&name, Unit::Unknown, kind, source);
        let metric = self.profile.metric(spec);
        self.metrics.insert(source.to_owned(), metric);
        metric
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// A frame's value as text.
fn text(value: Item<'_, '_>) -> String {
    match value.value() {
        Json::Text(text) if text.starts_with('/') => file_name(text).to_owned(),
        Json::Text(text) => text.to_string(),
        Json::Number(number) => (*number).to_owned(),
        Json::Boolean(boolean) => boolean.to_string(),
        Json::Null => "None".to_owned(),
        Json::Array | Json::Object => {
            let parts = value
                .elements()
                .chain(value.members().map(|(_, value)| value));
            let parts = parts.map(|part| part.as_text().or(part.as_number()).unwrap_or("…"));
            parts.collect::<Vec<_>>().join(", ")
        }
    }
}
