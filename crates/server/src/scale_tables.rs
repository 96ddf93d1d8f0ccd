//! The tables of a scaling study, column by column, for comma-separated values and Arrow alike.

use sheaf_api::{OutOfOrder, Scale, ScaleLoss, ScaleModel, ScalePoint, ScaleTable};

/// A column of numbers, and how a row has it.
type Numbers<T> = (&'static str, fn(&T) -> Option<f64>);

/// Values of a column.
pub(crate) enum Column {
    Text(Vec<Option<String>>),
    Number(Vec<Option<f64>>),
    Truth(Vec<Option<bool>>),
}

/// Named columns of equal length.
pub(crate) struct Columns<'a> {
    answer: &'a Scale,
    pub(crate) columns: Vec<(&'static str, Column)>,
}

/// One table of an answer.
pub(crate) fn columns(answer: &Scale, table: ScaleTable) -> Columns<'_> {
    let mut columns = Columns {
        answer,
        columns: Vec::new(),
    };
    match table {
        ScaleTable::Points => columns.points(),
        ScaleTable::Models => columns.models(),
        ScaleTable::Loss => columns.loss(),
        ScaleTable::OutOfOrder => columns.out_of_order(),
    }
    columns
}

/// Paths as tables have them.
fn path(path: &[String]) -> Option<String> {
    (!path.is_empty()).then(|| path.join(" / "))
}

impl Columns<'_> {
    fn text<T>(&mut self, name: &'static str, rows: &[T], of: impl Fn(&T) -> Option<String>) {
        let values = rows.iter().map(of).collect();
        self.columns.push((name, Column::Text(values)));
    }

    fn number<T>(&mut self, name: &'static str, rows: &[T], of: impl Fn(&T) -> Option<f64>) {
        let values = rows.iter().map(of).collect();
        self.columns.push((name, Column::Number(values)));
    }

    fn truth<T>(&mut self, name: &'static str, rows: &[T], of: impl Fn(&T) -> Option<bool>) {
        let values = rows.iter().map(of).collect();
        self.columns.push((name, Column::Truth(values)));
    }

    fn series<T>(&mut self, rows: &[T], of: impl Fn(&T) -> u32) {
        let series = &self.answer.series;
        let name = |row: &T| Some(series.get(of(row) as usize)?.name.clone());
        let names = rows.iter().map(name).collect();
        self.columns.push(("series", Column::Text(names)));
    }

    fn points(&mut self) {
        let rows = &self.answer.points;
        self.series(rows, |row| row.series);
        self.number("p", rows, |row| Some(row.p));
        self.number("runs", rows, |row| Some(row.runs.len() as f64));
        self.text("run", rows, |row| Some(row.run.clone()));
        self.number("workers", rows, |row| row.workers.map(|it| it as f64));
        self.truth("oversubscribed", rows, |row| Some(row.oversubscribed));
        self.number("needs_runs", rows, |row| row.needs_runs.map(|it| it as f64));
        self.number("value", rows, |row| Some(row.value));
        self.number("value_low", rows, |row| row.interval.map(|ends| ends[0]));
        self.number("value_high", rows, |row| row.interval.map(|ends| ends[1]));
        self.number("speedup", rows, |row| row.speedup);
        let interval = |row: &ScalePoint| row.speedup_interval;
        self.number("speedup_low", rows, |row| interval(row).map(|ends| ends[0]));
        self.number("speedup_high", rows, |row| {
            interval(row).map(|ends| ends[1])
        });
        self.text("speedup_interval_by", rows, |row| {
            row.speedup_interval_by.clone()
        });
        let numbers: [Numbers<ScalePoint>; 20] = [
            ("efficiency", |row| row.efficiency),
            ("karp_flatt", |row| row.karp_flatt),
            ("weak_efficiency", |row| row.weak_efficiency),
            ("scaled_speedup", |row| row.scaled_speedup),
            ("scaled_speedup_low", |row| {
                row.scaled_speedup_interval.map(|ends| ends[0])
            }),
            ("scaled_speedup_high", |row| {
                row.scaled_speedup_interval.map(|ends| ends[1])
            }),
            ("gustafson", |row| row.gustafson),
            ("utilisation", |row| row.utilisation),
            ("work", |row| row.work),
            ("inflation", |row| row.inflation),
            ("span", |row| row.span),
            ("parallelism", |row| row.parallelism),
            ("lower_bound", |row| row.lower_bound),
            ("upper_bound", |row| row.upper_bound),
            ("upper_bound_inflated", |row| row.upper_bound_inflated),
            ("load_balance", |row| row.load_balance),
            ("communication_efficiency", |row| {
                row.communication_efficiency
            }),
            ("parallel_efficiency", |row| row.parallel_efficiency),
            ("computation_scaling", |row| row.computation_scaling),
            ("global_efficiency", |row| row.global_efficiency),
        ];
        for (name, of) in numbers {
            self.number(name, rows, of);
        }
        self.text("bound", rows, |row| row.bound.clone());
    }

    fn models(&mut self) {
        let rows = &self.answer.models;
        self.series(rows, |row| row.series);
        self.text("path", rows, |row| path(&row.path));
        self.text("group", rows, |row| row.group.clone());
        self.text("law", rows, |row| Some(row.law.clone()));
        self.text("formula", rows, |row| row.formula.clone());
        self.text("parameters", rows, |row| {
            let parameters = row.parameters.iter();
            let texts = parameters.filter_map(|it| Some(format!("{}={}", it.name, it.value?)));
            Some(texts.collect::<Vec<_>>().join(" "))
        });
        let numbers: [Numbers<ScaleModel>; 7] = [
            ("points", |row| Some(row.points as f64)),
            ("r_squared", |row| row.r_squared),
            ("smape", |row| row.smape),
            ("rss", |row| row.rss),
            ("rss_left_out", |row| row.rss_left_out),
            ("greatest_error", |row| row.greatest_error),
            ("greatest_error_at", |row| row.greatest_error_at),
        ];
        for (name, of) in numbers {
            self.number(name, rows, of);
        }
        self.text("flags", rows, |row| Some(row.flags.join(" ")));
        self.text("reason", rows, |row| row.reason.clone());
    }

    fn loss(&mut self) {
        let rows = &self.answer.loss;
        self.series(rows, |row| row.series);
        self.number("p", rows, |row| Some(row.p));
        self.text("run", rows, |row| Some(row.run.clone()));
        self.text("reference_run", rows, |row| Some(row.reference_run.clone()));
        self.text("path", rows, |row| path(&row.path));
        self.text("group", rows, |row| row.group.clone());
        let numbers: [Numbers<ScaleLoss>; 11] = [
            ("workers", |row| Some(row.workers as f64)),
            ("area", |row| Some(row.area)),
            ("ideal", |row| Some(row.ideal)),
            ("inflation", |row| Some(row.inflation)),
            ("overhead", |row| row.overhead),
            ("idle", |row| row.idle),
            ("unexplained", |row| row.unexplained),
            ("inflation_ratio", |row| row.inflation_ratio),
            ("inflation_low", |row| {
                row.inflation_interval.map(|ends| ends[0])
            }),
            ("inflation_high", |row| {
                row.inflation_interval.map(|ends| ends[1])
            }),
            ("ready", |row| row.ready),
        ];
        for (name, of) in numbers {
            self.number(name, rows, of);
        }
    }

    fn out_of_order(&mut self) {
        type Row<'a> = (&'a OutOfOrder, &'a sheaf_api::Culprit);
        let rows: Vec<Row<'_>> = self
            .answer
            .out_of_order
            .iter()
            .flat_map(|found| found.culprits.iter().map(move |culprit| (found, culprit)))
            .collect();
        self.series(&rows, |row| row.0.series);
        self.number("from", &rows, |row| Some(row.0.p[0]));
        self.number("to", &rows, |row| Some(row.0.p[1]));
        self.text("from_run", &rows, |row| Some(row.0.runs[0].clone()));
        self.text("to_run", &rows, |row| Some(row.0.runs[1].clone()));
        self.text("suspect", &rows, |row| row.0.suspect.clone());
        self.truth("certain", &rows, |row| row.0.certain);
        self.number("from_value", &rows, |row| Some(row.0.values[0]));
        self.number("to_value", &rows, |row| Some(row.0.values[1]));
        self.text("path", &rows, |row| path(&row.1.path));
        self.number("delta", &rows, |row| Some(row.1.delta));
        self.number("share", &rows, |row| Some(row.1.share));
    }
}
