//! One run in full.

use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::sync::Arc;

use sheaf_answers::{MessagePair, Run, RunInfo, RunMessages, TableSize};
use sheaf_model::{Lens, Messages, RunMeta, RunSummary, names};

use crate::cache::Tables;
use crate::questions::with_main_metric;
use crate::run_detail::lacks_edges;
use crate::runs::RunEntry;
use crate::runs::table::{metric_names, totals};
use crate::{Error, View, select};

impl View<'_> {
    /// One run as a row of the run table. Reads its summary only.
    ///
    /// # Errors
    /// As for [`View::info`].
    pub fn run(&self, selector: &str) -> Result<Run, Error> {
        let entries = self.entries();
        let all: Vec<&RunEntry> = entries.iter().collect();
        let run = select::one(&all, selector)?;
        Ok(row_of(run, &self.summaries(&[run], Tables::Values)?))
    }

    /// One run in full. Of a run with grains all tables are read; of a call profile its summary.
    ///
    /// # Errors
    /// When the selector names no run or several, or the store cannot be read.
    pub fn info(&self, selector: &str) -> Result<RunInfo, Error> {
        let entries = self.entries();
        let all: Vec<&RunEntry> = entries.iter().collect();
        let run = select::one(&all, selector)?;
        let summaries = self.summaries(&[run], Tables::Values)?;
        let sizes = self.snapshot.table_sizes(run.meta.id)?;
        let fragments = sizes.iter().find(|size| size.name == "fragments");
        let summary = summaries.first();
        let row = row_of(run, &summaries);
        let unit = run.meta.time_unit;
        let total_unit = row.total.and(summary.and_then(total_unit));
        let mut answer = RunInfo {
            schema: "info/1".to_owned(),
            fragments: fragments.map_or(0, |size| size.rows),
            definitions: summary.map_or(0, |it| it.definitions.len() as u64),
            work: summary.and_then(|it| total_work(it)),
            tables: sizes.iter().map(table_size).collect(),
            graph: None,
            edges: None,
            span: None,
            graph_work: None,
            parallelism: None,
            delay: None,
            no_work: None,
            unit,
            units: units(unit.as_str(), total_unit.as_deref()),
            remark: self.remark_on(run.meta.id),
            lacks: run.meta.shown_lacks(),
            messages: (run.meta.messages.as_ref()).map(|it| messages(it, run.meta.elapsed)),
            absent: BTreeMap::new(),
            run: row,
        };
        if run.grains.is_some() {
            self.add_depth(run, &mut answer)?;
        }
        Ok(answer)
    }

    fn add_depth(&self, run: &RunEntry, answer: &mut RunInfo) -> Result<(), Error> {
        let depth = self.depth(run)?;
        let mut absent = |figure: &str, reason: String| {
            answer.absent.insert(figure.to_owned(), reason);
        };
        if answer.work.is_none() {
            absent("work", no_work(&run.meta));
        }
        let work = &depth.tables().grains.work;
        if work.null_count() > 0 && work.null_count() < work.len() {
            let (missing, all) = (work.null_count(), work.len());
            let reason = format!("{missing} of {all} grains have none, and count as nothing");
            absent("work of some grains", reason);
        }
        // Both need the structure. They are made side by side, because walking the graph takes one thread only.
        depth.structure(&self.progress)?;
        let (figures, balance) = std::thread::scope(|scope| {
            let figures = scope.spawn(|| depth.figures(&self.progress));
            let balance = depth.balance(&self.progress);
            let figures = figures.join();
            (
                figures.unwrap_or_else(|panic| resume_unwind(panic)),
                balance,
            )
        });
        match figures? {
            Ok(figures) => {
                if figures.span.is_none() {
                    let edges = lacks_edges(depth.tables()).map(str::to_owned);
                    absent("span", edges.unwrap_or_else(|| no_work(&run.meta)));
                }
                let is_other = figures.span.is_some() && Some(figures.work) != answer.work;
                answer.graph = Some(figures.form);
                answer.edges = Some(figures.edges.clone());
                answer.span = figures.span;
                answer.graph_work = is_other.then_some(figures.work);
                answer.parallelism = figures.parallelism;
            }
            Err(reason) => absent("span", reason.to_owned()),
        }
        match balance? {
            Ok(balance) => {
                answer.delay = balance.delay.clone().ok();
                answer.no_work = balance.no_work.clone().ok();
                if let Err(reason) = &balance.delay {
                    absent("delay", reason.to_string());
                }
            }
            Err(reason) => absent("delay", reason.to_owned()),
        }
        Ok(())
    }
}

fn table_size(size: &sheaf_store::TableSize) -> TableSize {
    TableSize {
        name: size.name.to_owned(),
        rows: size.rows,
        bytes: size.bytes,
    }
}

fn messages(messages: &Messages, elapsed: Option<i64>) -> RunMessages {
    let ideal = messages.ideal_elapsed;
    let both = ideal.zip(elapsed).filter(|(_, elapsed)| *elapsed > 0);
    let pairs = messages.pairs.iter().map(|pair| MessagePair {
        from: pair.from,
        to: pair.to,
        messages: pair.messages,
        bytes: pair.bytes,
    });
    RunMessages {
        ideal_elapsed: ideal,
        transfer_efficiency: both.map(|(ideal, elapsed)| ideal as f64 / elapsed as f64),
        calls: messages.calls,
        kept_calls: messages.kept_calls,
        messages: messages.messages,
        unmatched: messages.unmatched,
        pairs: pairs.collect(),
    }
}

/// The unit of every figure: times have that of the run, `total` that of its metric.
fn units(time: &str, total: Option<&str>) -> BTreeMap<String, String> {
    const FIGURES: [(&str, &str); 4] = [
        (
            "count",
            "grains contexts definitions fragments edges workers ranks calls kept_calls messages unmatched",
        ),
        ("ns", "elapsed_ns reference_elapsed_ns"),
        ("ratio", "parallelism transfer_efficiency"),
        ("bytes", "bytes"),
    ];
    let times = (time, "work span graph_work delay no_work ideal_elapsed");
    let mut units = BTreeMap::new();
    for (unit, names) in FIGURES.into_iter().chain([times]) {
        let names = names.split(' ');
        units.extend(names.map(|name| (name.to_owned(), unit.to_owned())));
    }
    units.extend(total.map(|unit| ("total".to_owned(), unit.to_owned())));
    units
}

/// The row of a run with its summary.
fn row_of(run: &RunEntry, summaries: &[Arc<RunSummary>]) -> Run {
    let metrics = summaries.first().map(|it| metric_names(&it.metrics));
    let total = totals(&Lens::default(), summaries);
    let times = run.batches.times([run.meta.id].into_iter());
    run.row(
        metrics.unwrap_or_default(),
        total.into_iter().next().flatten(),
        times.into_values().next(),
    )
}

fn no_work(meta: &RunMeta) -> String {
    let reason = meta.lacks.get("work").cloned();
    reason.unwrap_or_else(|| "the source holds no work of grains".to_owned())
}

/// Unit of the main metric of a run, whose total is shown.
fn total_unit(summary: &Arc<RunSummary>) -> Option<String> {
    let lens = Lens::default();
    let lens = with_main_metric(&lens, std::slice::from_ref(summary));
    let in_ticks = lens.metric.strip_suffix("_ns");
    let in_ticks = in_ticks.map(|stem| format!("{stem}_ticks"));
    let named = |name: &str| {
        let mut metrics = summary.metrics.rows();
        metrics.find(|metric| metric.name == name)
    };
    let metric = named(&lens.metric).or_else(|| named(&in_ticks?));
    metric.map(|metric| metric.unit)
}

fn total_work(summary: &RunSummary) -> Option<i64> {
    let metric = summary
        .metrics
        .rows()
        .position(|metric| names::is_work(&metric.name))?;
    let metric = i32::try_from(metric).ok()?;
    let sums = summary
        .totals
        .rows()
        .filter(|row| row.metric == metric)
        .filter_map(|row| row.sum);
    Some(sums.fold(0, i64::saturating_add))
}
