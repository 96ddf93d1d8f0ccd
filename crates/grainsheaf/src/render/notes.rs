//! Notes at the end of an answer, with the options of the command line that help.

use sheaf_answers::{Fact, Note, RenameFact, StatedPair, WhatIfFact};

use super::table::Layout;
use super::wrapped;

/// Notes: on a terminal in lines that fit, further ones indented more.
pub(super) fn notes(notes: &[Note], layout: Layout) -> String {
    if notes.is_empty() {
        return String::new();
    }
    let texts = with_hints(notes);
    let lines = texts
        .iter()
        .map(|text| wrapped(text, ["  ", "    "], layout.width));
    format!("\nNotes\n{}", lines.collect::<String>())
}

/// The texts of notes. If the command line can help, they end with its command or option.
pub(super) fn with_hints(notes: &[Note]) -> Vec<String> {
    let text = |note: &Note| match hint(&note.fact) {
        Some(hint) => format!("{}; {hint}", note.text),
        None => note.text.clone(),
    };
    notes.iter().map(text).collect()
}

fn hint(fact: &Fact) -> Option<String> {
    match fact {
        Fact::Renames(RenameFact::MappingFault { take_back, .. }) => {
            let pair = take_back.as_ref()?;
            Some(format!("`{}` takes it back", forget(pair)))
        }
        Fact::Prediction(WhatIfFact::PredictionsNotChecked { .. }) => {
            Some("`what-if --check` does it".to_owned())
        }
        _ => None,
    }
}

/// The command that takes a statement of the mapping back, quoted for a shell.
fn forget(pair: &StatedPair) -> String {
    let pair = format!("{} = {}", pair.a, pair.b);
    format!(
        "grainsheaf match --forget '{}'",
        pair.replace('\'', "'\\''")
    )
}

#[cfg(test)]
mod tests {
    use sheaf_answers::{HistoryFact, MappingFault, Why};

    use super::*;

    #[test]
    fn notes_hang_on_a_terminal_and_are_whole_in_a_pipe() {
        let hostile = HistoryFact::NotCommits {
            versions: 1,
            of: 2,
            first: "\u{7}".into(),
        };
        let all = [Note::from(Why::SameRuns), Note::from(hostile)];
        let layout = |width| Layout {
            width,
            has_colour: false,
        };
        let piped = notes(&all, layout(None));
        assert!(piped.starts_with("\nNotes\n  both sides are the same runs\n  1 of 2"));
        assert!(piped.ends_with("such as `\\u{7}`\n"), "{piped}");
        assert_eq!(
            notes(&all[..1], layout(Some(18))),
            "\nNotes\n  both sides are\n    the same runs\n"
        );
        assert_eq!(notes(&[], layout(Some(18))), "");
    }

    #[test]
    fn the_command_line_adds_its_own_options() {
        let pair = StatedPair {
            a: "it's".into(),
            b: "g".into(),
            same: true,
        };
        let fault = Note::from(RenameFact::MappingFault {
            fault: MappingFault::OneDefinition {
                stated: pair.clone(),
            },
            take_back: Some(pair),
            in_comparison: false,
        });
        let (runs, grains) = (30, 1000);
        let not_checked = Note::from(WhatIfFact::PredictionsNotChecked { runs, grains });
        let texts = with_hints(&[fault, not_checked]);
        assert_eq!(
            texts,
            [
                "that `it's` is `g` has no effect: they are one definition; `grainsheaf match --forget 'it'\\''s = g'` \
                 takes it back",
                "predictions were not checked: 30 runs with 1\u{202f}000 grains are alike; `what-if --check` does it",
            ]
        );
    }
}
