//! The causes that end an answer about a difference.

use sheaf_ensemble::BriefExplanation;

use super::explain::headline;
use super::table::Layout;
use super::text::plain;
use super::wrapped;

/// Causes that an ending has.
const CAUSES: usize = 3;

/// The end of an answer: the difference of elapsed times, and its largest causes in words. Empty if there is none.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ending {
    lines: Vec<String>,
}

impl Ending {
    /// The largest causes of an explanation.
    pub(crate) fn of(explanation: &BriefExplanation) -> Self {
        let answer = match explanation {
            BriefExplanation::Impossible => return Self::default(),
            BriefExplanation::TooLarge => {
                let hint = "the runs are large: `grainsheaf explain` computes the causes";
                return Self {
                    lines: vec![hint.to_owned()],
                };
            }
            BriefExplanation::Explained(answer) => answer,
        };
        let Some(view) = answer.views.first() else {
            return Self::default();
        };
        let is_cause = |sentence: &String| answer.causes.iter().any(|it| it.text == *sentence);
        // A sentence that is no cause says why none is certain, and is shown as well.
        let prefaces = answer.sentences.iter().filter(|it| !is_cause(it)).count();
        let sentences = answer.sentences.iter().take(prefaces + CAUSES).cloned();
        Self {
            lines: [headline(view, &answer.unit)]
                .into_iter()
                .chain(sentences)
                .collect(),
        }
    }

    /// The ending as a part of a text under a title, with an empty line before it.
    pub(super) fn text(&self, title: &str, layout: Layout) -> String {
        if self.lines.is_empty() {
            return String::new();
        }
        let lines = self.lines.iter();
        let lines = lines.map(|line| wrapped(line, ["  ", "    "], layout.width));
        format!("\n{}\n{}", plain(title), lines.collect::<String>())
    }

    /// Its lines.
    pub(super) fn lines(&self) -> &[String] {
        &self.lines
    }
}
