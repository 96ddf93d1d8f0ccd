//! The tree, the metrics and the metadata of `experiment.xml`.

mod columns;
mod tables;
mod tree;

use std::collections::HashSet;

use sheaf_model::{ParamValue, Report};

use super::xml::{Element, Elements, Step};
use super::{FORMAT, metric_db::Rank};
use crate::hpctoolkit::frames::{self, ProcedureIdx, Procedures};
use crate::hpctoolkit::metrics::MetricNames;
use crate::hpctoolkit::scopes::{NONE, Scopes};
use crate::profile::{NodeIdx, Profile};
use crate::reader::Context;
use crate::{Error, Input};
pub(super) use columns::{Column, Sort};
use tables::{Table, Tables, TextIdx};

/// The one way in which values propagate to the scope around.
pub(super) const LEXICAL: u16 = 1;

/// A metric of the experiment, in the file itself or in those of the ranks.
#[derive(Debug, Clone, Default)]
struct Declared {
    id: u32,
    name: String,
    sort: String,
    units: Option<String>,
    /// Its column in the files of the ranks.
    column: Option<usize>,
}

/// A value that the experiment gives for all ranks together, printed with six digits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Summary {
    /// [`NONE`] for the program.
    pub(super) scope: u32,
    pub(super) metric: u32,
    pub(super) value: f64,
}

/// What is read of an experiment besides its nodes, which go to the profile.
pub(super) struct Experiment {
    pub(super) report: Report,
    pub(super) procedures: Procedures,
    pub(super) scopes: Scopes,
    /// Id of each scope, from 1; 0 where it has none.
    pub(super) ids: Vec<u32>,
    /// Metrics in the files of the ranks; none where all values are in the experiment itself.
    pub(super) columns: Vec<Column>,
    pub(super) summaries: Vec<Summary>,
    /// Metrics of the summaries.
    pub(super) inlined: Vec<Column>,
    /// Ranks and threads that values were read of.
    pub(super) ranks: Vec<Rank>,
}

impl Experiment {
    /// Reads the document as a stream and adds its tree to `profile`.
    pub(super) fn read(
        input: &Input<'_>,
        context: Context<'_>,
        profile: &mut Profile,
    ) -> Result<Self, Error> {
        let mut elements = Elements::new(input.open(context.progress)?);
        let mut builder = Builder::default();
        loop {
            let place = elements.position();
            match elements.next()? {
                Step::Open(element, is_closed) => {
                    builder.open(profile, &element, place);
                    if is_closed {
                        builder.stack.pop();
                    }
                }
                Step::Close => {
                    builder.stack.pop();
                }
                Step::End if builder.stack.is_empty() && builder.has_data => break,
                Step::End => {
                    let reason = "the document ends before its call path profile does";
                    return Err(Error::malformed(FORMAT, format!("byte {place}"), reason));
                }
            }
        }
        Ok(builder.finish())
    }

    /// Fills in the run's metadata.
    pub(super) fn finish(self, profile: &mut Profile) -> Report {
        let mut report = self.report;
        report.add("read_contexts", self.scopes.len() as u64, || None);
        let meta = profile.meta();
        let of_rank = |rank: i32| {
            let ranks = self.ranks.iter();
            ranks
                .filter(|other| other.rank == rank && !other.is_stream())
                .count()
        };
        let numbers: HashSet<i32> = self.ranks.iter().map(|rank| rank.rank).collect();
        let threads = numbers.iter().map(|rank| of_rank(*rank)).max();
        let streams = self.ranks.iter().filter(|rank| rank.is_stream()).count();
        let counts = [
            ("ranks", Some(numbers.len())),
            ("threads", threads),
            ("gpu_streams", Some(streams)),
        ];
        for (name, count) in counts {
            if let Some(count) = count.filter(|count| *count > 0) {
                let count = ParamValue::Number(count as f64);
                meta.params.insert(name.to_owned(), count);
            }
        }
        report
    }
}

/// What is around the element at hand.
#[derive(Clone, Copy)]
enum Around {
    Document,
    Header,
    /// The metric of this number.
    Metric(usize),
    /// A part that is not read.
    Skipped,
    Data(Enclosing),
}

/// What an element of the tree is in.
#[derive(Clone, Copy)]
struct Enclosing {
    scope: u32,
    node: Option<NodeIdx>,
    procedure: Option<ProcedureIdx>,
    file: TextIdx,
    module: TextIdx,
}

#[derive(Default)]
struct Builder {
    report: Report,
    tables: Tables,
    procedures: Procedures,
    scopes: Scopes,
    ids: Vec<u32>,
    taken_ids: HashSet<u32>,
    metrics: Vec<Declared>,
    rank_metrics: Vec<Declared>,
    summaries: Vec<Summary>,
    names: MetricNames,
    stack: Vec<Around>,
    has_data: bool,
    num_sections: u32,
}

impl Builder {
    fn open(&mut self, profile: &mut Profile, element: &Element, place: u64) {
        let around = self.stack.last().copied().unwrap_or(Around::Document);
        let inner = match around {
            Around::Skipped => Around::Skipped,
            Around::Data(enclosing) => {
                Around::Data(self.open_in_tree(profile, element, enclosing, place))
            }
            Around::Document | Around::Header | Around::Metric(_) => {
                self.open_outside(profile, element, around, place)
            }
        };
        self.stack.push(inner);
    }

    fn open_outside(
        &mut self,
        profile: &mut Profile,
        element: &Element,
        around: Around,
        place: u64,
    ) -> Around {
        match element.name() {
            "HPCToolkitExperiment" => {
                if let Some(version) = element.text("version") {
                    let version = ParamValue::Text(version);
                    let params = &mut profile.meta().params;
                    params.insert("database_version".to_owned(), version);
                }
            }
            "Header" => {
                let name = element.text("n").filter(|name| !name.is_empty());
                if let Some(name) = name {
                    let meta = profile.meta();
                    frames::base_name(&name).clone_into(&mut meta.program);
                    meta.lacks.remove("program");
                    meta.params
                        .insert("title".to_owned(), ParamValue::Text(name));
                }
                return Around::Header;
            }
            "NV" => self.name_and_value(profile, element, around),
            "Metric" => {
                self.metrics.push(declared(element));
                return Around::Metric(self.metrics.len() - 1);
            }
            "MetricDB" => self.rank_metrics.push(declared(element)),
            "LoadModule" => self.tables.insert(Table::Module, element),
            "File" => self.tables.insert(Table::File, element),
            "Procedure" => self.tables.insert(Table::Procedure, element),
            "SecFlatProfile" => {
                let first = || Some(format!("byte {place}"));
                self.report.add("skipped_flat_profiles", 1, first);
                return Around::Skipped;
            }
            "SecCallPathProfile" => {
                self.num_sections += 1;
                if self.num_sections > 1 {
                    let first = || Some(format!("byte {place}"));
                    self.report.add("skipped_call_path_profiles", 1, first);
                    return Around::Skipped;
                }
            }
            "SecCallPathProfileData" => {
                self.has_data = true;
                return Around::Data(Enclosing {
                    scope: NONE,
                    node: None,
                    procedure: None,
                    file: TextIdx::default(),
                    module: TextIdx::default(),
                });
            }
            _ => {}
        }
        around
    }

    /// A pair of an `Info`: of the header, or of a metric.
    fn name_and_value(&mut self, profile: &mut Profile, element: &Element, around: Around) {
        let (Some(name), Some(value)) = (element.text("n"), element.text("v")) else {
            return;
        };
        match around {
            Around::Header if !name.is_empty() => {
                let value = ParamValue::infer(&value);
                profile.meta().params.entry(name).or_insert(value);
            }
            Around::Metric(number) if name == "units" => {
                if let Some(metric) = self.metrics.get_mut(number) {
                    metric.units = Some(value);
                }
            }
            _ => {}
        }
    }

    fn finish(mut self) -> Experiment {
        let columns = self.columns();
        let inlined = if columns.is_empty() {
            self.inlined()
        } else {
            Vec::new()
        };
        Experiment {
            report: self.report,
            procedures: self.procedures,
            scopes: self.scopes,
            ids: self.ids,
            columns,
            summaries: self.summaries,
            inlined,
            ranks: Vec::new(),
        }
    }
}

fn declared(element: &Element) -> Declared {
    Declared {
        id: element.number("i").unwrap_or(0),
        name: element.text("n").unwrap_or_default(),
        sort: element.text("t").unwrap_or_default(),
        units: None,
        column: (element.number("db-id").or_else(|| element.number("i"))).map(|id| id as usize),
    }
}
