//! Tables of predictions.

use super::{OF_RUN, RATIO, SHARE, Table, Tabular, columns, option, some};
use crate::{CheckedPrediction, Prediction, Priority, WhatFirst, WhatIf, WhatIfCheck};

columns! {
    pub(super) fn predictions<'a>(row: Prediction) {
        Text run: "Run id" = some(&row.run);
        Text name: "Run name" = some(&row.name);
        Count workers: "Workers; absent if unlimited" = row.workers;
        Number predicted [OF_RUN]: "Predicted elapsed time: mean of the schedules" = Some(row.predicted);
        Integer min [OF_RUN]: "Shortest schedule; `from` in text" = Some(row.min);
        Integer max [OF_RUN]: "Longest schedule; `to` in text" = Some(row.max);
        Integer lower [OF_RUN]: "max(span, work / workers)" = Some(row.lower);
        Integer upper [OF_RUN]: "work / workers + span" = row.upper;
        Number unchanged [OF_RUN]: "Predicted elapsed time on as many workers without the changes" = Some(row.unchanged);
        Number gain [OF_RUN]: "`unchanged` minus `predicted`" = Some(row.gain);
        Integer work [OF_RUN]: "Work after the changes" = Some(row.work);
        Integer span [OF_RUN]: "Span after the changes" = Some(row.span);
        Number inflation [RATIO]: "Work with as many workers before the changes, by the work as recorded; absent if it was not carried over" = row.inflation;
        Number parallelism [RATIO]: "Work by span" = row.parallelism;
        Integer recorded [OF_RUN]: "Elapsed time as recorded, if the run had as many workers" = row.recorded;
    }
}

columns! {
    pub(super) fn priorities<'a>(row: Priority) {
        Count workers: "Workers" = Some(row.workers);
        Text definition: "Name of the definition" = some(&row.definition);
        Text site: "Source file and line" = option(row.site.as_deref());
        Integer work [OF_RUN]: "Its work" = Some(row.work);
        Integer critical [OF_RUN]: "Its work on the critical path" = Some(row.critical);
        Number gain_10 [OF_RUN]: "Gain in elapsed time if its work falls by 10 %" = Some(row.gain_10);
        Number gain_25 [OF_RUN]: "Gain if its work falls by 25 %" = Some(row.gain_25);
        Number gain_50 [OF_RUN]: "Gain if its work falls by 50 %" = Some(row.gain_50);
        Number gain_parallel [OF_RUN]: "Gain if its work is divided among all workers perfectly" = Some(row.gain_parallel);
        Number share_50 [SHARE]: "`gain_50` by the predicted time without changes" = row.share_50;
        Number unchanged [OF_RUN]: "Predicted time without changes" = Some(row.unchanged);
        Text uncertain: "Whether schedules of some seeds are no shorter with 50 % less, and `reason` does not say why" = some(if row.is_uncertain { "yes" } else { "no" });
        Text reason: "Why it gains nothing, if so" = option(row.reason.as_deref());
    }
}

columns! {
    pub(super) fn checks<'a>(row: CheckedPrediction) {
        Text run: "Id of the run that the prediction is made from" = some(&row.run);
        Text name: "Name of that run" = some(&row.name);
        Count from: "Workers of that run" = Some(row.from);
        Count workers: "Workers of the prediction" = Some(row.workers);
        Number predicted [OF_RUN]: "Predicted elapsed time" = Some(row.predicted);
        Number recorded [OF_RUN]: "Median of the recorded elapsed times" = Some(row.recorded);
        Count runs: "Recorded runs with as many workers" = Some(row.runs);
        Number error [SHARE]: "`predicted` / `recorded` minus 1" = Some(row.error);
        Truth counts: "Whether it counts: runs with more workers than processors do not" = Some(row.counts);
    }
}

impl Tabular for WhatIf {
    fn table(&self) -> Table<'_> {
        Table::new(self.rows.as_slice(), predictions())
    }
}

impl Tabular for WhatFirst {
    fn table(&self) -> Table<'_> {
        Table::new(self.rows.as_slice(), priorities())
    }
}

impl Tabular for WhatIfCheck {
    fn table(&self) -> Table<'_> {
        Table::new(self.rows.as_slice(), checks())
    }
}
