//! `meta.db`: title, metrics with their scopes, kinds of ids, and the tree.

use std::collections::HashMap;

use sheaf_model::{MetricKind, ParamValue, Report, Unit};

use super::bytes::{DatabaseFault, View};
use super::contexts::{self, Tree};
use super::texts::Texts;
use crate::hpctoolkit::frames;
use crate::hpctoolkit::metrics::{MetricNames, Named};
use crate::hpctoolkit::scopes::Rule;
use crate::profile::Profile;

/// Sections by number.
const GENERAL: u64 = 0;
const ID_NAMES: u64 = 1;
const METRICS: u64 = 2;

/// Number of ways in which values propagate.
const PROPAGATIONS: u8 = 16;

/// How summaries of ranks are combined that are compared: sums.
const SUM: u8 = 0;

/// How a scope relates a value to what is in the context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ScopeType {
    Custom,
    Point,
    Execution,
    Transitive,
    Unknown,
}

impl ScopeType {
    const fn of(code: u8) -> Self {
        match code {
            0 => Self::Custom,
            1 => Self::Point,
            2 => Self::Execution,
            3 => Self::Transitive,
            _ => Self::Unknown,
        }
    }
}

/// A metric in one scope: the values of profiles.
#[derive(Debug, Clone)]
pub(super) struct Propagated {
    pub(super) metric: Named,
    pub(super) rule: Rule,
}

/// What `meta.db` states besides the nodes, which go to the profile.
pub(super) struct Meta {
    /// By the number that values of profiles have.
    pub(super) metrics: HashMap<u16, Propagated>,
    /// Numbers of sums over profiles, by the number of what is summed.
    pub(super) sums: HashMap<u16, u16>,
    /// Names of the kinds of ids, by number.
    pub(super) id_kinds: Vec<String>,
    pub(super) tree: Tree,
}

impl Meta {
    pub(super) fn read(
        view: View<'_>,
        profile: &mut Profile,
        report: &mut Report,
    ) -> Result<Self, DatabaseFault> {
        let mut texts = Texts::new(view);
        general(view, &mut texts, profile)?;
        let mut meta = Self {
            metrics: HashMap::new(),
            sums: HashMap::new(),
            id_kinds: id_kinds(view, &mut texts)?,
            tree: Tree::default(),
        };
        meta.read_metrics(view, &mut texts, report)?;
        meta.tree = contexts::read(view, &mut texts, profile, report)?;
        let num_contexts = meta.tree.scopes.len() as u64;
        report.add("read_contexts", num_contexts, || None);
        report.add("skipped_texts", texts.num_lost(), || None);
        Ok(meta)
    }

    fn read_metrics(
        &mut self,
        view: View<'_>,
        texts: &mut Texts<'_>,
        report: &mut Report,
    ) -> Result<(), DatabaseFault> {
        let at = view.section(METRICS)?;
        let (count, stride) = (view.u32(at + 8)?, view.u8(at + 0xc)?);
        let metrics = view.records(view.u64(at)?, count.into(), stride.into(), 0x1c)?;
        let instance_size = u64::from(view.u8(at + 0xd)?);
        let summary_size = u64::from(view.u8(at + 0xe)?);
        let mut names = MetricNames::default();
        let mut budget = view.len();
        for metric in metrics.iter() {
            let Some(name) = texts.get(view.u64(metric)?).map(str::to_owned) else {
                let first = || Some(format!("byte {metric}"));
                report.add("skipped_metrics", 1, first);
                continue;
            };
            let count = u64::from(view.u16(metric + 0x18)?);
            let instances = view.records(view.u64(metric + 8)?, count, instance_size, 0xa)?;
            let count = u64::from(view.u16(metric + 0x1a)?);
            let summaries = view.records(view.u64(metric + 0x10)?, count, summary_size, 0x14)?;
            let size = instances.count() + summaries.count();
            budget = budget.checked_sub(size).ok_or_else(|| {
                DatabaseFault::new(metric, "metrics have more scopes than the file can hold")
            })?;
            let mut by_scope = HashMap::new();
            for instance in instances.iter() {
                let (scope, number) = (view.u64(instance)?, view.u16(instance + 8)?);
                by_scope.insert(scope, number);
                let propagated = propagated(view, texts, scope, &name, &mut names)?;
                self.metrics.entry(number).or_insert(propagated);
            }
            for summary in summaries.iter() {
                let formula = texts.get(view.u64(summary + 8)?).unwrap_or_default();
                let is_sum = formula == "$$" && view.u8(summary + 0x10)? == SUM;
                if let Some(number) = by_scope.get(&view.u64(summary)?).filter(|_| is_sum) {
                    self.sums.insert(view.u16(summary + 0x12)?, *number);
                }
            }
        }
        Ok(())
    }
}

fn general(
    view: View<'_>,
    texts: &mut Texts<'_>,
    profile: &mut Profile,
) -> Result<(), DatabaseFault> {
    let at = view.section(GENERAL)?;
    let meta = profile.meta();
    if let Some(title) = texts.get(view.u64(at)?).filter(|title| !title.is_empty()) {
        frames::base_name(title).clone_into(&mut meta.program);
        let title = ParamValue::Text(title.to_owned());
        meta.params.insert("title".to_owned(), title);
    }
    if let Some(text) = texts.get(view.u64(at + 8)?).filter(|text| !text.is_empty()) {
        let text = ParamValue::Text(text.to_owned());
        meta.params.insert("description".to_owned(), text);
    }
    let version = ParamValue::Text(view.version()?);
    meta.params.insert("database_version".to_owned(), version);
    Ok(())
}

fn id_kinds(view: View<'_>, texts: &mut Texts<'_>) -> Result<Vec<String>, DatabaseFault> {
    let at = view.section(ID_NAMES)?;
    let names = view.records(view.u64(at)?, view.u8(at + 8)?.into(), 8, 8)?;
    let mut kinds = Vec::new();
    for name in names.iter() {
        let name = texts.get(view.u64(name)?).unwrap_or_default();
        kinds.push(name.to_owned());
    }
    Ok(kinds)
}

/// What becomes of a metric in one of its scopes.
///
/// `execution` values hold all that is below. Transitive values, as those of scope `function`, hold
/// what propagates from contexts in the function. How custom scopes, as `lex_aware`, propagate the
/// file does not state, so their values are never added up.
fn propagated(
    view: View<'_>,
    texts: &mut Texts<'_>,
    scope: u64,
    metric: &str,
    names: &mut MetricNames,
) -> Result<Propagated, DatabaseFault> {
    let scope_name = texts.get(view.u64(scope)?).unwrap_or_default().to_owned();
    let bit = view.u8(scope + 9)?;
    let (rule, kind, word) = match ScopeType::of(view.u8(scope + 8)?) {
        ScopeType::Execution => (Rule::Inclusive, MetricKind::Inclusive, "inclusive"),
        ScopeType::Transitive if bit < PROPAGATIONS => {
            let word = match scope_name.as_str() {
                "function" => "exclusive",
                other => other,
            };
            (Rule::Containing(1 << bit), MetricKind::Additive, word)
        }
        ScopeType::Point => (Rule::AsGiven, MetricKind::Additive, scope_name.as_str()),
        ScopeType::Custom | ScopeType::Transitive | ScopeType::Unknown => {
            (Rule::AsGiven, MetricKind::Intensive, scope_name.as_str())
        }
    };
    let mut spec = names.spec(metric, word, kind, Unit::Unknown);
    spec.source = Some(format!("{metric}:{scope_name}"));
    // Who asks for the metric without a scope means all that was measured.
    let alias = (kind == MetricKind::Inclusive).then(|| metric.to_owned());
    let metric = Named { spec, alias };
    Ok(Propagated { metric, rule })
}
