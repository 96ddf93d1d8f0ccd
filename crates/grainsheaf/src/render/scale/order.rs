//! Runs out of order, and the groups that made them so.

use std::fmt::Write as _;

use sheaf_answers::OutOfOrder;

use super::super::table::{Table, Tone};
use super::super::text::plain;
use super::super::{path, short_id};
use super::{Part, amount, unit_name};
use sheaf_answers::text::{Scale, change, percent, quantity};

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
    let units = Scale::of(unit, found.culprits.iter().map(|culprit| culprit.delta));
    let mut table = Table::default()
        .name("group")
        .number(units.header("change"))
        .number("share of the inversion");
    let made = found
        .culprits
        .iter()
        .filter(|culprit| culprit.share > 0.0)
        .take(part.limit);
    let against = found
        .culprits
        .iter()
        .rev()
        .filter(|culprit| culprit.share < 0.0);
    let against = against.take(part.limit.min(3));
    for culprit in made.chain(against) {
        let tone = if culprit.share > 0.0 {
            Tone::Notable
        } else {
            Tone::Faint
        };
        table.toned_row([
            (path(&culprit.path), tone),
            (units.show_signed(culprit.delta), tone),
            (percent(culprit.share), tone),
        ]);
    }
    text + &table.render(part.layout, "    ")
}
