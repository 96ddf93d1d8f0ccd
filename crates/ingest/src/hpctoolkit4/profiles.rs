//! `profile.db`: the values of every rank and thread, by context.

mod locations;

use std::collections::{BTreeMap, HashMap};

use sheaf_model::{ParamValue, Progress, Report};

use super::bytes::{DatabaseFault, Records, View};
use super::cct::Fingerprint;
use super::contexts::Tree;
use super::meta::Meta;
use crate::hpctoolkit::scopes::Rule;
use crate::profile::{LocationIdx, Profile};
use locations::{Locations, Tuple};

/// Section of the profiles.
const PROFILES: u64 = 0;

/// Bytes of a value: number of the metric, float.
const VALUE: u64 = 10;

/// Bytes of an index of contexts: id, number of its first value.
const INDEX: u64 = 12;

/// Flag of the profile that sums up the others.
const IS_SUMMARY: u32 = 1;

/// The context that is the whole program.
const PROGRAM: u32 = 0;

/// Relative difference of sums that are the same but for the order of summation.
const ROUNDING: f64 = 1e-9;

/// A profile's record.
struct Record {
    at: u64,
    number: u32,
    values: Records,
    indices: Records,
    tuple: u64,
    is_summary: bool,
}

/// Values of one profile in file order: context, number of the metric, value.
type Values = Vec<(u32, u16, f64)>;

/// What is collected while profiles are read.
pub(super) struct ProfileReader<'a> {
    meta: &'a mut Meta,
    profile: &'a mut Profile,
    report: &'a mut Report,
    /// Sums over profiles by context and number of the metric.
    sums: HashMap<(u32, u16), f64>,
    stated: Values,
    held: Fingerprint,
}

impl<'a> ProfileReader<'a> {
    pub(super) fn new(
        meta: &'a mut Meta,
        profile: &'a mut Profile,
        report: &'a mut Report,
    ) -> Self {
        Self {
            meta,
            profile,
            report,
            sums: HashMap::new(),
            stated: Vec::new(),
            held: Fingerprint::default(),
        }
    }

    /// Adds every profile; one that cannot be read is skipped and the run is not complete.
    pub(super) fn read(
        &mut self,
        view: View<'_>,
        progress: &Progress,
    ) -> Result<(), DatabaseFault> {
        let at = view.section(PROFILES)?;
        let count = u64::from(view.u32(at + 8)?);
        let stride = u64::from(view.u8(at + 0xc)?);
        let records = view.records(view.u64(at)?, count, stride, 0x2c)?;
        let mut locations = Locations::default();
        let mut readable = Vec::new();
        // Values of different profiles do not share bytes.
        let mut budget = view.len();
        for (number, at) in (0_u32..).zip(records.iter()) {
            let record = record(view, at, number).and_then(|record| {
                let size = record.values.count() * VALUE + record.indices.count() * INDEX;
                budget = budget
                    .checked_sub(size)
                    .ok_or_else(|| DatabaseFault::new(at, "profiles share values"))?;
                let tuple = Tuple::read(view, record.tuple, &self.meta.id_kinds)?;
                Ok((record, tuple))
            });
            match record {
                Ok(record) => readable.push(record),
                Err(fault) => self.skip(at, fault)?,
            }
        }
        let tuples = readable.iter().filter(|(record, _)| !record.is_summary);
        locations.place(tuples.map(|(_, tuple)| tuple), self.report);
        for (record, tuple) in &readable {
            progress.check()?;
            match values(view, record) {
                Ok(values) if record.is_summary => self.stated = values,
                Ok(values) => self.add(record, &locations, tuple, values),
                Err(fault) => self.skip(record.at, fault)?,
            }
        }
        self.describe(&locations);
        Ok(())
    }

    fn skip(&mut self, at: u64, fault: DatabaseFault) -> Result<(), DatabaseFault> {
        let DatabaseFault::Malformed { byte, reason } = fault else {
            return Err(fault);
        };
        let first = || Some(format!("profile at byte {at}: {reason}, at byte {byte}"));
        self.report.add("skipped_profiles", 1, first);
        let meta = self.profile.meta();
        if meta.is_complete {
            meta.is_complete = false;
            meta.warnings
                .push("profiles of some ranks or threads could not be read".to_owned());
        }
        Ok(())
    }

    fn add(&mut self, record: &Record, locations: &Locations, tuple: &Tuple, values: Values) {
        let (rank, thread) = locations.get(tuple);
        let location = self.profile.location(rank, thread);
        let mut by_metric: BTreeMap<u16, Vec<(u32, f64)>> = BTreeMap::new();
        let mut of_program = Vec::new();
        for (context, metric, value) in values {
            self.held.add(record.number, context, metric, value);
            if !value.is_finite() {
                let first = || Some(format!("context {context} of profile {}", record.number));
                self.report.add("skipped_unusable_values", 1, first);
                continue;
            }
            *self.sums.entry((context, metric)).or_insert(0.0) += value;
            match self.meta.tree.scope_of.get(&context) {
                Some(scope) => by_metric.entry(metric).or_default().push((*scope, value)),
                None if context == PROGRAM => of_program.push((metric, value)),
                None => {
                    let first = || Some(format!("context {context} of profile {}", record.number));
                    let kind = "skipped_values_of_unknown_contexts";
                    self.report.add(kind, 1, first);
                }
            }
        }
        self.report.add("read_profiles", 1, || None);
        for (metric, value) in of_program {
            let given = by_metric.get(&metric).map_or(&[][..], Vec::as_slice);
            self.check_program(record.number, metric, value, given);
        }
        for (number, mut given) in by_metric {
            given.sort_by_key(|(scope, _)| *scope);
            self.add_metric(number, &given, location);
        }
    }

    /// Notes values of the whole program that the outermost contexts do not add up to: they have
    /// no place in the tree.
    fn check_program(&mut self, profile: u32, metric: u16, value: f64, given: &[(u32, f64)]) {
        let rule = self.meta.metrics.get(&metric).map(|metric| metric.rule);
        let scopes = &self.meta.tree.scopes;
        let outermost = given
            .iter()
            .filter(|(scope, _)| scopes.is_outermost(*scope));
        let sum: f64 = outermost.map(|(_, value)| value).sum();
        if rule != Some(Rule::Inclusive) || !is_close(sum, value) {
            let first = || {
                Some(format!(
                    "profile {profile}, metric {metric}: {value} for {sum}"
                ))
            };
            self.report.add("skipped_values_of_the_program", 1, first);
        }
    }

    fn add_metric(&mut self, number: u16, given: &[(u32, f64)], location: LocationIdx) {
        let Some(metric) = self.meta.metrics.get(&number) else {
            let count = given.len() as u64;
            let first = || Some(format!("metric {number}"));
            let kind = "skipped_values_of_unknown_metrics";
            self.report.add(kind, count, first);
            return;
        };
        let to = (&metric.metric, location);
        let Tree {
            procedures, scopes, ..
        } = &mut self.meta.tree;
        let num_values = scopes.add(self.profile, procedures, given, metric.rule, to);
        self.report.add("read_values", num_values, || None);
    }

    fn describe(&mut self, locations: &Locations) {
        let counts = [
            ("ranks", locations.num_ranks()),
            ("threads", locations.num_threads()),
            ("nodes", locations.num_nodes()),
            ("gpu_streams", locations.num_streams()),
        ];
        for (name, count) in counts {
            if count > 0 {
                let count = ParamValue::Number(count as f64);
                let params = &mut self.profile.meta().params;
                params.insert(name.to_owned(), count);
            }
        }
    }

    /// Compares what the file states of all profiles with the sums over them. The statements are
    /// not used.
    pub(super) fn finish(self) -> Fingerprint {
        for (context, metric, value) in &self.stated {
            let Some(number) = self.meta.sums.get(metric) else {
                continue;
            };
            let sum = self.sums.get(&(*context, *number)).copied().unwrap_or(0.0);
            if is_close(sum, *value) {
                self.report.add("read_equal_summaries", 1, || None);
            } else {
                let first = || Some(format!("context {context}: {value} for {sum}"));
                self.report.add("repaired_summaries", 1, first);
            }
        }
        self.held
    }
}

fn is_close(a: f64, b: f64) -> bool {
    (a - b).abs() <= a.abs().max(b.abs()) * ROUNDING
}

fn record(view: View<'_>, at: u64, number: u32) -> Result<Record, DatabaseFault> {
    let num_values = view.u64(at)?;
    let num_indices = u64::from(view.u32(at + 0x10)?);
    Ok(Record {
        at,
        number,
        values: view.records(view.u64(at + 8)?, num_values, VALUE, VALUE)?,
        indices: view.records(view.u64(at + 0x18)?, num_indices, INDEX, INDEX)?,
        tuple: view.u64(at + 0x20)?,
        is_summary: view.u32(at + 0x28)? & IS_SUMMARY != 0,
    })
}

/// The values of a profile. Each context's begin where those of the one before end.
fn values(view: View<'_>, record: &Record) -> Result<Values, DatabaseFault> {
    let mut values = Vec::new();
    let mut indices = record.indices.iter().peekable();
    let mut before = 0;
    while let Some(index) = indices.next() {
        let context = view.u32(index)?;
        let begin = view.u64(index + 4)?;
        let end = match indices.peek() {
            Some(next) => view.u64(next + 4)?,
            None => record.values.count(),
        };
        if begin < before || end < begin || end > record.values.count() {
            return Err(DatabaseFault::new(index, "values of contexts overlap"));
        }
        before = end;
        for number in begin..end {
            let Some(value) = record.values.get(number) else {
                break;
            };
            values.push((context, view.u16(value)?, view.f64(value + 2)?));
        }
    }
    Ok(values)
}
