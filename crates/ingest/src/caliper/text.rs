//! The stream of text records, `.cali`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::BufRead;

use sheaf_model::{ParamValue, Report, RunMeta};

use super::attribute::Role;
use super::fields::{Kind, Record, Span};
use super::groups::{Group, Groups, Snapshot};
use super::number;
use super::tree::{Definition, NONE, NodeNumber, Scope, Tree, Unusable};
use crate::globals::{self, Params};
use crate::reader::{Context, Read, Reader, Reads};
use crate::{Error, Format, Input, limits, lossy};

/// Runs of one file at most.
const MAX_RUNS: usize = 50_000;

/// Bytes of what is repeated in each run of a file, parameters and names of metrics, at most.
const MAX_REPEATED: usize = 1 << 30;

pub(crate) const READER: Reader = Reader {
    format: Format::Caliper,
    recognises,
    reads: Reads::File(read_caliper_stream),
};

fn recognises(start: &[u8]) -> bool {
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
    let first = start.iter().position(|byte| !byte.is_ascii_whitespace());
    first.is_some_and(|first| {
        start
            .get(first..)
            .unwrap_or_default()
            .starts_with(b"__rec=")
    })
}

fn read_caliper_stream(input: &Input<'_>, context: Context<'_>) -> Result<Vec<Read>, Error> {
    let mut stream = input.open(context.progress)?;
    let mut records = Records::new();
    let mut carried: Vec<u8> = Vec::new();
    loop {
        let chunk = stream.fill_buf()?;
        if chunk.is_empty() {
            break;
        }
        let len = chunk.len();
        let mut rest = chunk;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            let (line, after) = rest.split_at(end);
            rest = after.get(1..).unwrap_or_default();
            if carried.is_empty() {
                records.line(line)?;
            } else {
                carried.extend_from_slice(line);
                records.line(&carried)?;
                carried.clear();
            }
        }
        carried.extend_from_slice(rest);
        let limit = usize::try_from(limits::RECORD).unwrap_or(usize::MAX);
        limits::check_len("a record", carried.len(), limit, || records.at())?;
        stream.consume(len);
    }
    records.is_cut = !carried.trim_ascii().is_empty();
    records.finish(input.file_name())
}

/// Everything read so far.
struct Records {
    tree: Tree,
    groups: Groups,
    globals: Vec<(String, ParamValue)>,
    /// Nodes whose text is among the globals.
    is_global: Vec<bool>,
    report: Report,
    record: Record,
    snapshot: Snapshot,
    line: u64,
    with_rank: u64,
    without_rank: u64,
    /// Bytes of metrics' names over all profiles.
    name_bytes: usize,
    /// Whether the last record is cut off.
    is_cut: bool,
}

impl Records {
    fn new() -> Self {
        Self {
            tree: Tree::new(),
            groups: Groups::default(),
            globals: Vec::new(),
            is_global: Vec::new(),
            report: Report::default(),
            record: Record::default(),
            snapshot: Snapshot::default(),
            line: 0,
            with_rank: 0,
            without_rank: 0,
            name_bytes: 0,
            is_cut: false,
        }
    }

    fn at(&self) -> String {
        format!("line {}", self.line)
    }

    fn tell(&mut self, kind: &str, count: u64) {
        let line = self.line;
        self.report
            .add(kind, count, || Some(format!("line {line}")));
    }

    fn line(&mut self, line: &[u8]) -> Result<(), Error> {
        self.line += 1;
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() {
            return Ok(());
        }
        let mut record = std::mem::take(&mut self.record);
        record.scan(line);
        match record.kind {
            Kind::Node => self.node(&record, line),
            Kind::Snapshot => self.snapshot(&record, line)?,
            Kind::Globals => self.globals(&record, line),
            Kind::Unknown => self.tell("skipped_records_of_unknown_kind", 1),
        }
        self.record = record;
        Ok(())
    }

    fn node(&mut self, record: &Record, line: &[u8]) {
        let id = |span: Option<&Span>| span.and_then(|span| id(span.raw(line)));
        let (Some(number), Some(attribute)) = (id(record.id.as_ref()), id(record.attr.first()))
        else {
            return self.tell("skipped_nodes", 1);
        };
        let parent = match record.parent.as_ref() {
            None => None,
            Some(span) => match self::id(span.raw(line)) {
                Some(parent) => Some(parent),
                None => return self.tell("skipped_nodes", 1),
            },
        };
        let value = record.data.first().map(|span| span.value(line));
        let text = self.text(value.as_deref().unwrap_or_default());
        let defined = self.tree.define(&Definition {
            id: number,
            attribute,
            text: &text,
            parent,
        });
        match defined {
            Ok(()) => {}
            Err(Unusable::Attribute) => self.tell("skipped_nodes_of_unknown_attributes", 1),
            Err(Unusable::Parent) => self.tell("skipped_nodes_of_unknown_parents", 1),
        }
    }

    /// Names are text, whatever bytes they have.
    fn text<'a>(&mut self, value: &'a [u8]) -> Cow<'a, str> {
        let text = lossy::decode(value);
        if matches!(text, Cow::Owned(_)) {
            self.tell("repaired_texts", 1);
        }
        text
    }

    fn snapshot(&mut self, record: &Record, line: &[u8]) -> Result<(), Error> {
        let mut scope = Scope::EMPTY;
        self.snapshot.paths.clear();
        self.snapshot.values.clear();
        for span in &record.refs {
            let Some(node) = id(span.raw(line)).and_then(|id| self.tree.node(id)) else {
                self.tell("skipped_records_of_unknown_nodes", 1);
                return Ok(());
            };
            self.refer(node, &mut scope);
        }
        if record.attr.len() != record.data.len() {
            self.tell("repaired_uneven_records", 1);
        }
        for (attribute, value) in record.attr.iter().zip(&record.data) {
            self.value(attribute.raw(line), *value, line, &mut scope);
        }
        if scope.rank.is_some() {
            self.with_rank += 1;
        } else {
            self.without_rank += 1;
        }
        let met = self.groups.add(&self.tree, &scope, &self.snapshot);
        self.name_bytes += met.name_bytes;
        self.tell("read_records_outside_regions", u64::from(met.is_outside));
        self.tell("skipped_second_paths", met.second_paths);
        let impossible = u64::from(met.has_impossible_place);
        self.tell("skipped_records_of_impossible_ranks", impossible);
        if self.groups.len() > MAX_RUNS || self.name_bytes > MAX_REPEATED {
            return Err(self.too_many_runs());
        }
        Ok(())
    }

    fn too_many_runs(&self) -> Error {
        let reason = format!(
            "{} channels and iterations are too many; record with longer intervals",
            self.groups.len()
        );
        Error::malformed(Format::Caliper, self.at(), reason)
    }

    /// What a reference states; later references state it better.
    fn refer(&mut self, node: NodeNumber, scope: &mut Scope) {
        *scope = self.tree.scope(node).or(*scope);
        let path = self.tree.path(node);
        if path != NONE {
            self.snapshot.paths.push(path);
        }
    }

    fn value(&mut self, attribute: &[u8], value: Span, line: &[u8], scope: &mut Scope) {
        let number = id(attribute).and_then(|id| self.tree.attribute_of(id));
        let Some((number, known)) = number.and_then(|at| Some((at, self.tree.attribute(at)?)))
        else {
            return self.tell("skipped_values_of_unknown_attributes", 1);
        };
        let role = known.role;
        match role {
            Role::Other => return,
            Role::Metric | Role::Window => match known.value(value.raw(line)) {
                Some(value) => self.snapshot.values.push((number, value)),
                None if value.raw(line).is_empty() => return self.tell("skipped_empty_values", 1),
                None => return self.tell("skipped_values", 1),
            },
            _ => {}
        }
        match role {
            Role::Rank | Role::Thread | Role::Window => scope.set(role, value.raw(line), NONE),
            Role::Metric | Role::Other => {}
            _ => {
                let value = value.value(line);
                let text = self.text(&value);
                let node = self.tree.inline(number, &text);
                self.refer(node, scope);
            }
        }
    }

    /// Every value from the nodes up to their roots; a node counts once.
    fn globals(&mut self, record: &Record, line: &[u8]) {
        for span in &record.refs {
            let Some(mut node) = id(span.raw(line)).and_then(|id| self.tree.node(id)) else {
                self.tell("skipped_parameters", 1);
                continue;
            };
            while node != NONE {
                let at = node as usize;
                if self.is_global.len() <= at {
                    self.is_global.resize(at + 1, false);
                }
                if std::mem::replace(&mut self.is_global[at], true) {
                    break;
                }
                if let Some(attribute) = self.tree.attribute_at(node) {
                    let value = attribute.sort.param(self.tree.text(node));
                    self.globals.push((attribute.name.clone(), value));
                }
                node = self.tree.parent(node);
            }
        }
        for (attribute, value) in record.attr.iter().zip(&record.data) {
            let value = value.value(line);
            let text = self.text(&value);
            let number = id(attribute.raw(line)).and_then(|id| self.tree.attribute_of(id));
            match number.and_then(|number| self.tree.attribute(number)) {
                Some(known) => {
                    let value = known.sort.param(&text);
                    self.globals.push((known.name.clone(), value));
                }
                None => self.tell("skipped_parameters", 1),
            }
        }
    }

    /// The runs: of each channel that is a profile, one per window of time.
    fn finish(mut self, file_name: &str) -> Result<Vec<Read>, Error> {
        self.line += 1;
        self.tell("skipped_unfinished_records", u64::from(self.is_cut));
        if self.with_rank > 0 {
            self.tell("repaired_records_without_rank", self.without_rank);
        }
        let mut params: Params = BTreeMap::new();
        for (name, value) in self.globals {
            params.entry(name).or_insert(value);
        }
        let weight: usize = params
            .iter()
            .map(|(name, value)| name.len() + value.to_string().len() + 64)
            .sum();
        if self.groups.len().saturating_mul(weight) > MAX_REPEATED && self.groups.len() > 1 {
            let runs = self.groups.len();
            let reason =
                format!("{runs} iterations with {weight} bytes of parameters are too many");
            return Err(Error::malformed(Format::Caliper, "the end", reason));
        }
        let has_profile = self.groups.has_profile_channel;
        let (channels, mut groups) = self.groups.finish();
        let channel_of = |number: Option<u32>| channels.get(number? as usize);
        groups.retain(|(channel, _, group)| {
            let is_other = has_profile && channel.is_some();
            let count = if is_other { group.num_records } else { 0 };
            let first = || channel_of(*channel).map(|name| format!("channel {name}"));
            (self.report).add("skipped_records_of_other_channels", count, first);
            !is_other
        });
        groups.retain(|(.., group)| group.num_values > 0);
        let mut meta = globals::meta(params, file_name, Format::Caliper);
        // Values of a lost node would be missing without a trace.
        let num_lost = self.report.count("skipped_records_of_unknown_nodes");
        meta.is_complete = !self.is_cut && num_lost == 0;
        let mut runs = Vec::with_capacity(groups.len());
        let last = groups.len().saturating_sub(1);
        for (at, (channel, window, mut group)) in groups.into_iter().enumerate() {
            let mut own = if at == last {
                std::mem::replace(&mut meta, RunMeta::new("", ""))
            } else {
                meta.clone()
            };
            if let Some(channel) = channel_of(channel) {
                let channel = ParamValue::Text(channel.clone());
                own.params.insert("spot.channel".to_owned(), channel);
            }
            if let Some(first) = window {
                let first = ParamValue::Number(first as f64);
                own.params.insert("iteration".to_owned(), first);
            }
            *group.profile.meta() = own;
            runs.push(finish(group, &self.report)?);
        }
        Ok(runs)
    }
}

fn finish(group: Group, report: &Report) -> Result<Read, Error> {
    let mut own = Report::default();
    own.add("read_records", group.num_records, || None);
    let num_used = group.num_values - group.profile.num_left_out();
    own.add("read_values", num_used, || None);
    own.merge(report);
    let tables = group.profile.finish(&mut own)?;
    Ok((tables, own))
}

fn id(text: &[u8]) -> Option<u64> {
    number::integer(text).and_then(|id| u64::try_from(id).ok())
}
