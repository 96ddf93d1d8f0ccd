//! The table of causes.

use std::borrow::Cow;

use super::{OF_RUN, SHARE, Table, Tabular, columns, high, joined, low, option, some};
use crate::text::associated;
use crate::{Cause, Explanation, Note};
use sheaf_model::ProgramPart;

columns! {
    pub(super) fn explain<'a>(cause: Cause) {
        Text by: "The view: `workers`, `path` or `ranks`; the causes of each add up to the difference" = some(cause.by.as_str());
        Text kind: "Kind of cause" = some(cause.kind.as_str());
        Text path: "Names from the outermost group, joined by ` / `" = joined(&cause.path);
        Text group: "Group id" = option(cause.group.as_deref());
        Text site: "Source file and line" = option(cause.site.as_deref());
        Text part: "Part of the program: `mpi`, `io` or `computation`" = option(cause.part.map(ProgramPart::as_str));
        Number delta [OF_RUN]: "Part of the difference, candidate minus baseline" = Some(cause.delta);
        Number share [SHARE]: "Share of the difference" = cause.share;
        Number ci_low [OF_RUN]: "Lower end of the interval of `delta`" = low(cause.interval);
        Number ci_high [OF_RUN]: "Upper end of the interval of `delta`" = high(cause.interval);
        Number p: "Two-sided p of the exact rank-sum test" = cause.p;
        Number q: "Benjamini-Hochberg q over the causes of the view" = cause.q;
        Text verdict: "Verdict" = some(cause.verdict.as_str());
        Text reason: "Reason of the verdict" = some(cause.reason.text());
        Text lens: "Lens that shows the cause" = option(cause.lens.as_deref());
        Text associated: "Metrics that moved with the cause, and their changes" = associated(&cause.associated).map(Cow::Owned);
        Text structure: "Differences between the structures of the sides that concern the definition" = joined_notes(&cause.structure);
        Text text: "The cause in a sentence" = some(&cause.text);
    }
}

fn joined_notes(notes: &[Note]) -> Option<Cow<'_, str>> {
    let texts: Vec<&str> = notes.iter().map(|note| note.text.as_str()).collect();
    (!texts.is_empty()).then(|| Cow::Owned(texts.join("; ")))
}

impl Tabular for Explanation {
    fn table(&self) -> Table<'_> {
        Table::new(self.causes.as_slice(), explain())
    }
}
