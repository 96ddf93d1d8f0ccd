//! A gate as a comment on a pull request, in GitHub's and GitLab's Markdown.

use std::fmt::Write as _;

use sheaf_answers::{Gate, GateGroup, GateLine, GateState, Reason};

use super::super::diff::{shift, totals};
use super::super::notes::with_hints;
use super::super::{Ending, plain, values};
use super::{LEGEND, columns, limits, of_run, outcome, pairs, power};
use sheaf_answers::text::count;

/// Groups that a table shows: comments have a bound of 65,536 characters.
const SHOWN: usize = 50;
/// Characters of a name that are shown.
const NAME: usize = 200;

/// The report. Names stand in code, where nothing in them is markup, a mention or a reference.
pub(crate) fn gate_markdown(answer: &Gate, ending: &Ending) -> String {
    let diff = &answer.diff;
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = writeln!(
        text,
        "### Performance gate: {}\n",
        outcome(answer.outcome).0
    );
    let _ = writeln!(text, "{}.\n", prose(&Reason::joined(&answer.reasons)));
    text.push_str("| | baseline | candidate |\n|---|---|---|\n");
    let _ = writeln!(
        text,
        "| selection | {} | {} |",
        code(&diff.a.name),
        code(&diff.b.name)
    );
    let runs = |side: &sheaf_answers::Side| count(side.runs.len() as u64);
    let _ = writeln!(text, "| runs | {} | {} |", runs(&diff.a), runs(&diff.b));
    text.push('\n');
    text.push_str(&environment(answer));
    let _ = writeln!(
        text,
        "Total of {}, means over runs: {}.\n",
        code(&diff.metric),
        prose(&totals(diff))
    );
    for whole in of_run(answer) {
        let _ = writeln!(text, "{}.\n", prose(&whole));
    }
    if let Some(change) = &answer.structure_change {
        let _ = writeln!(text, "**Structure**: {}.\n", prose(change.text()));
    }
    for (state, title) in [
        (GateState::Failed, "Failed"),
        (GateState::Undecided, "Undecided"),
    ] {
        if let Some((_, table)) = table(answer, |group| group.state == state) {
            let _ = write!(text, "**{title}**\n\n{table}\n");
        }
    }
    text.push_str(&not_failed(answer));
    let _ = writeln!(
        text,
        "{}; {}.",
        prose(&limits(answer)),
        prose(&power(answer))
    );
    let _ = writeln!(text, "\n{}.", legend(answer));
    if let [headline, causes @ ..] = ending.lines() {
        let _ = writeln!(text, "\n**Causes**: {}\n", prose(headline));
        for cause in causes {
            let _ = writeln!(text, "- {}", prose(cause));
        }
    }
    for note in with_hints(&diff.notes) {
        let _ = writeln!(text, "\n> {}", prose(&note));
    }
    text
}

/// Groups that neither failed nor are undecided, folded.
fn not_failed(answer: &Gate) -> String {
    let is_rest =
        |group: &GateGroup| !matches!(group.state, GateState::Failed | GateState::Undecided);
    let mut rest = answer.groups.iter().filter(|group| is_rest(group));
    let title = if rest.any(|group| group.state != GateState::NotAsked) {
        "Not failed"
    } else {
        "Not asked"
    };
    table(answer, is_rest).map_or_else(String::new, |(rows, table)| {
        let rows = count(rows as u64);
        format!("<details><summary>{title}: {rows}</summary>\n\n{table}\n</details>\n\n")
    })
}

/// What the columns of groups are.
fn legend(answer: &Gate) -> String {
    let legend = LEGEND.replace("A, B", "Baseline, candidate");
    let legend = legend.replace("B / A", "candidate / baseline");
    let mut legend = prose(&legend);
    if pairs(answer).any(|(_, row)| shift(row, &answer.diff.unit).is_some()) {
        legend.push_str(
            "; where not all values are positive, change is the typical difference of runs, candidate − baseline",
        );
    }
    legend
}

fn environment(answer: &Gate) -> String {
    let changes = &answer.diff.environment;
    if changes.is_empty() {
        return "**Environment**: no parameter differs.\n\n".to_owned();
    }
    let mut text =
        "**Environment**\n\n| parameter | baseline | candidate |\n|---|---|---|\n".to_owned();
    for change in changes {
        let [a, b] = [&change.a, &change.b].map(|side| code(&values(side)));
        let _ = writeln!(text, "| {} | {a} | {b} |", code(&change.parameter));
    }
    text.push('\n');
    text
}

/// Number and table of some groups; nothing if there are none.
fn table(answer: &Gate, is_shown: impl Fn(&GateGroup) -> bool) -> Option<(usize, String)> {
    let lines = &answer.lines();
    let is_own = |row: &usize| matches!(lines[*row], GateLine::Group(group, _) if is_shown(group));
    let rows: Vec<usize> = (0..lines.len()).filter(is_own).collect();
    let columns = columns(answer, lines, ["baseline", "candidate"]);
    let table = columns.table(rows.iter().copied().take(SHOWN));
    let mut text = table.markdown(code);
    if rows.len() > SHOWN {
        let _ = writeln!(text, "\n… and {} more", count((rows.len() - SHOWN) as u64));
    }
    (!rows.is_empty()).then_some((rows.len(), text))
}

/// A text in code in a table: its bars are escaped.
fn code(text: &str) -> String {
    span(text).replace('|', "\\|")
}

/// A text in code: fenced by more backticks than it holds, on one line.
fn span(text: &str) -> String {
    let mut shown: String = plain(text).chars().take(NAME).collect();
    if shown.chars().count() < plain(text).chars().count() {
        shown.push('…');
    }
    if shown.trim().is_empty() {
        return "(no name)".to_owned();
    }
    let longest = shown.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let space = if shown.starts_with('`') || shown.ends_with('`') {
        " "
    } else {
        ""
    };
    format!("{fence}{space}{shown}{space}{fence}")
}

/// A sentence of ours in which names stand between backticks: these are code, and nothing else is markup.
fn prose(text: &str) -> String {
    let mut parts: Vec<&str> = text.split('`').collect();
    // A backtick without its pair is no mark.
    let rest = if parts.len().is_multiple_of(2) {
        parts.pop()
    } else {
        None
    };
    let of_part = |(at, part): (usize, &&str)| match at % 2 {
        0 => escaped(part),
        _ => span(part),
    };
    let mut text: String = parts.iter().enumerate().map(of_part).collect();
    if let Some(rest) = rest {
        text.push_str("\\`");
        text.push_str(&escaped(rest));
    }
    text
}

/// A text in which nothing is markup.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    // An invisible space keeps addresses from being links.
    let text = plain(text)
        .replace("://", ":\u{200b}//")
        .replace("www.", "www\u{200b}.");
    for character in text.chars() {
        match character {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            // An invisible joint keeps these from being mentions and references.
            '@' | '#' => escaped.extend([character, '\u{200b}']),
            '\\' | '`' | '*' | '_' | '[' | ']' | '~' | '|' | '!' => {
                escaped.extend(['\\', character]);
            }
            _ => escaped.push(character),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::prose;

    #[test]
    fn names_between_backticks_are_code_and_nothing_else_is_markup() {
        let cases = [
            (
                "grains of `sort_range (task)` take *long*",
                "grains of `sort_range (task)` take \\*long\\*",
            ),
            ("`a|b <@who>` and <b>", "`a|b <@who>` and &lt;b&gt;"),
            ("a name with one ` in it", "a name with one \\` in it"),
            ("`a` and ` <b>", "`a` and \\` &lt;b&gt;"),
            ("`` empty", "(no name) empty"),
            ("see http://a.example", "see http:\u{200b}//a.example"),
        ];
        for (text, expected) in cases {
            assert_eq!(prose(text), expected);
        }
    }
}
