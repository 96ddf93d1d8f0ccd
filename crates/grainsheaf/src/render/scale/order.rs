//! Runs out of order, and the groups that made them so.

use std::fmt::Write as _;

use sheaf_answers::OutOfOrder;

use super::super::selection::Selection;
use super::super::table::Tone;
use super::super::text::plain;
use super::super::{path, short_id};
use super::{Part, amount, unit_name};
use sheaf_answers::text::{change, quantity};

pub(super) fn order(part: &Part<'_>) -> String {
    let own = part.answer.out_of_order.iter();
    let own: Vec<&OutOfOrder> = own.filter(|found| found.series == part.number).collect();
    let mut text = String::new();
    if let Some(turn) = part.series.turn {
        let _ = writeln!(
            text,
            "\nTimes go against the trend beyond {} = {}",
            part.answer.by,
            amount(turn)
        );
    }
    if own.is_empty() {
        return text;
    }
    text.push_str("\nOut of order\n");
    for found in own {
        text.push_str(&describe_order(part, found));
        text.push_str(&groups(part, found));
    }
    text
}

fn describe_order(part: &Part<'_>, found: &OutOfOrder) -> String {
    let by = &part.answer.by;
    let unit = unit_name(&part.answer.unit);
    let [a, b] = found.values;
    let verb = if b < a { "less" } else { "more" };
    let doubt = match found.certain {
        Some(true) => "",
        Some(false) => "; within the noise",
        None => "; too few runs to distinguish it from noise",
    };
    let named = |side: usize| {
        let run = short_id(&found.runs[side]);
        format!("{by} = {} ({run})", amount(found.p[side]))
    };
    let mut text = plain(&format!(
        "  {} takes {verb} than {}: {}, {} against {}{doubt}",
        named(1),
        named(0),
        change(b / a - 1.0),
        quantity(unit, b),
        quantity(unit, a),
    ));
    text.push('\n');
    if let Some(suspect) = &found.suspect {
        let side = usize::from(*suspect == found.runs[1]);
        let p = amount(found.p[side]);
        let _ = writeln!(
            text,
            "  {by} = {p} is farther from the curve through the points around them"
        );
    }
    text
}

/// The groups of a pair out of order: those that made it so, then those that went the other way.
fn groups(part: &Part<'_>, found: &OutOfOrder) -> String {
    let culprits = &found.culprits;
    let all = 0..culprits.len();
    let made = all.clone().filter(|&row| culprits[row].share > 0.0);
    let against = all.rev().filter(|&row| culprits[row].share < 0.0);
    let against = against.take(part.limit.min(3));
    let shown: Vec<usize> = made.take(part.limit).chain(against).collect();
    let table = part.answer.table_of_inversions([found]);
    let table = Selection::of_table(table, unit_name(&part.answer.unit))
        .row_toned(move |row| {
            if culprits[row].share > 0.0 {
                Tone::Notable
            } else {
                Tone::Faint
            }
        })
        .made_name("group", move |row| path(&culprits[row].path))
        .columns("delta as change")
        .signed()
        .columns("share as share of the inversion");
    table.table(shown).render(part.layout, "    ")
}
