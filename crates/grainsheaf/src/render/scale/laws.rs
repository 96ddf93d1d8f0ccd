//! Fitted laws: those of the whole, then how groups grow.

use sheaf_answers::{Law, ModelFlag, ScaleModel, ScaleParameter};

use super::super::table::{Layout, Table, Tone};
use super::super::text::width;
use super::super::{more, or_absent, path, wrapped};
use super::{Part, amount, unit_name};
use sheaf_answers::text::{ABSENT, number, percent, quantity};

pub(super) fn laws(part: &Part<'_>) -> String {
    let own = || {
        let models = part.answer.models.iter();
        models.filter(|model| model.series == part.number)
    };
    let whole: Vec<&ScaleModel> = own().filter(|model| model.group.is_none()).collect();
    let groups: Vec<&ScaleModel> = own().filter(|model| model.group.is_some()).collect();
    let unit = unit_name(&part.answer.unit);
    let mut text = String::new();
    if whole.iter().any(|model| model.formula.is_some()) {
        text.push_str("\nLaws\n");
        text.push_str(&of_whole(&whole, unit, part.layout));
    }
    // Fewer points fit anything.
    let chosen: Vec<&ScaleModel> = groups
        .into_iter()
        .filter(|model| model.points >= 5 && model.formula.is_some())
        .collect();
    if !chosen.is_empty() {
        text.push_str("\nGrowth of groups\n");
        let shown = chosen.len().min(part.limit.saturating_mul(2));
        let mut table = Table::default()
            .name("group")
            .word("model")
            .number("error at points left out");
        for model in chosen.iter().take(shown) {
            table.row([path(&model.path), fitted(model, unit), smape(model)]);
        }
        text.push_str(&table.render(part.layout, "  "));
        text.push_str(&more(chosen.len(), shown, "more group", "more groups"));
    }
    text
}

/// A table of the laws; where it does not fit, a paragraph for each, since parameters and warnings that are cut say
/// nothing.
fn of_whole(models: &[&ScaleModel], unit: &str, layout: Layout) -> String {
    let mut table = Table::default()
        .word("law")
        .word("fitted")
        .number("largest error")
        .word("beware");
    for model in models {
        table.toned_row([
            (law(model.law).to_owned(), Tone::Plain),
            (fitted(model, unit), Tone::Plain),
            (error(model), Tone::Plain),
            (warning(model), Tone::Notable),
        ]);
    }
    let whole = table.render(Layout::default(), "  ");
    let widest = whole.lines().map(width).max();
    if layout.width.is_none_or(|limit| widest <= Some(limit)) {
        return table.render(layout, "  ");
    }
    let paragraph = |model: &&ScaleModel| {
        let mut parts = vec![format!("{}: {}", law(model.law), fitted(model, unit))];
        let (error, warning) = (error(model), warning(model));
        if error != ABSENT {
            parts.push(format!("largest error {error}"));
        }
        if !warning.is_empty() {
            parts.push(format!("beware: {warning}"));
        }
        wrapped(&parts.join("; "), ["  ", "    "], layout.width)
    };
    models.iter().map(paragraph).collect()
}

const fn law(law: Law) -> &'static str {
    match law {
        Law::Amdahl => "Amdahl",
        Law::Usl => "USL",
        Law::UslFree => "USL, λ free",
        Law::Gustafson => "Gustafson",
        Law::Log2 => "logarithm",
        Law::Power => "power",
        Law::Pmnf => "normal form",
    }
}

/// The parameters that people ask a law for.
fn fitted(model: &ScaleModel, unit: &str) -> String {
    if let Some(reason) = &model.reason {
        return reason.clone();
    }
    let of = |name: &str| model.parameters.iter().find(|it| it.name == name);
    let shown = |name: &str| or_absent(of(name), |it| parameter(it, number));
    let time = |value: f64| quantity(unit, value);
    let timed = |name: &str| or_absent(of(name), |it| parameter(it, time));
    match model.law {
        Law::Amdahl => format!(
            "serial part {}, speedup at most {}",
            shown("serial_fraction"),
            shown("speedup_limit")
        ),
        Law::Usl | Law::UslFree => format!(
            "contention σ {}, coherency κ {}, peak at {}",
            shown("sigma"),
            shown("kappa"),
            shown("peak")
        ),
        Law::Gustafson => format!("serial part {}", shown("serial_fraction")),
        Law::Log2 => {
            let (sign, slope) =
                of("slope").map_or_else(|| ("+", ABSENT.to_owned()), |it| signed(it, time));
            format!("{} {sign} {slope} · log2(p)", timed("constant"))
        }
        Law::Power => format!("{} · p^{}", timed("coefficient"), shown("exponent")),
        Law::Pmnf => normal_form(model, unit),
    }
}

/// The formula with numbers for people.
fn normal_form(model: &ScaleModel, unit: &str) -> String {
    let value = |name: &str| {
        let found = model.parameters.iter().find(|it| it.name == name);
        found.and_then(|it| it.value)
    };
    let constant = or_absent(value("constant"), |it| quantity(unit, it));
    let Some(factor) = value("factor") else {
        return format!("constant, {constant}");
    };
    let formula = model.formula.as_deref().unwrap_or_default();
    let term = formula.splitn(5, ' ').nth(4).unwrap_or_default();
    let term = term.replace('*', "·");
    let sign = if factor < 0.0 { "−" } else { "+" };
    format!(
        "{constant} {sign} {} · {term}",
        quantity(unit, factor.abs())
    )
}

fn parameter(parameter: &ScaleParameter, show: impl Fn(f64) -> String) -> String {
    let Some(value) = parameter.value else {
        return "∞".to_owned();
    };
    match parameter.interval {
        Some([low, high]) => format!("{} ({} … {})", show(value), show(low), show(high)),
        None => show(value),
    }
}

/// A term as what is added, or taken away where it is negative; its interval likewise.
fn signed(term: &ScaleParameter, show: impl Fn(f64) -> String) -> (&'static str, String) {
    if term.value.is_none_or(|value| value >= 0.0) {
        return ("+", parameter(term, show));
    }
    let taken = ScaleParameter {
        name: term.name.clone(),
        value: term.value.map(|value| -value),
        interval: term.interval.map(|[low, high]| [-high, -low]),
    };
    ("−", parameter(&taken, show))
}

fn error(model: &ScaleModel) -> String {
    match (model.greatest_error, model.greatest_error_at) {
        (Some(error), Some(p)) => format!("{} at {}", percent(error), amount(p)),
        _ => ABSENT.to_owned(),
    }
}

fn smape(model: &ScaleModel) -> String {
    let smape = model.smape.map(|smape| percent(smape / 100.0));
    smape.unwrap_or_else(|| ABSENT.to_owned())
}

fn warning(model: &ScaleModel) -> String {
    let words = model.flags.iter().map(|flag| match flag {
        ModelFlag::Clamped => "part below 0 set to 0",
        ModelFlag::Superlinear => "superlinear",
        ModelFlag::NoSpeedup => "no speedup",
        ModelFlag::FewPoints => "fewer than 6 points",
        ModelFlag::Underdetermined if model.law == Law::Pmnf => "fewer than 5 points prove nothing",
        ModelFlag::Underdetermined => "2 points fit anything",
        ModelFlag::Oversubscribed => "more workers than processors",
        ModelFlag::NotWeakScaling => "not weak scaling",
    });
    words.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_logarithm(slope: f64, interval: Option<[f64; 2]>) -> ScaleModel {
        let parameter = |name: &str, value, interval| ScaleParameter {
            name: name.to_owned(),
            value: Some(value),
            interval,
        };
        ScaleModel {
            series: 0,
            path: Vec::new(),
            group: None,
            law: Law::Log2,
            formula: None,
            parameters: vec![
                parameter("constant", 243e6, None),
                parameter("slope", slope, interval),
            ],
            points: 4,
            r_squared: None,
            smape: None,
            rss: None,
            rss_left_out: None,
            greatest_error: None,
            greatest_error_at: None,
            flags: Vec::new(),
            reason: None,
        }
    }

    fn logarithm(slope: f64, interval: Option<[f64; 2]>) -> String {
        fitted(&of_logarithm(slope, interval), "ns")
    }

    #[test]
    fn laws_are_whole_however_narrow_the_terminal_is() {
        let model = ScaleModel {
            greatest_error: Some(0.129),
            greatest_error_at: Some(2.0),
            flags: vec![ModelFlag::Oversubscribed],
            ..of_logarithm(22.1e6, None)
        };
        let of_width = |width| {
            let layout = Layout {
                width,
                has_colour: false,
            };
            of_whole(&[&model], "ns", layout)
        };
        let table = of_width(None);
        assert!(table.starts_with("  law        fitted"), "{table}");
        assert_eq!(of_width(Some(100)), table);
        assert_eq!(
            of_width(Some(50)),
            "  logarithm: 243 ms + 22.1 ms · log2(p); largest\n    error 12.9 % at 2; beware: more workers than\n    processors\n"
        );
    }

    #[test]
    fn a_falling_logarithm_is_a_difference() {
        assert_eq!(logarithm(22.1e6, None), "243 ms + 22.1 ms · log2(p)");
        assert_eq!(logarithm(-22.1e6, None), "243 ms − 22.1 ms · log2(p)");
        assert_eq!(
            logarithm(-22.1e6, Some([-30e6, 5e6])),
            "243 ms − 22.1 ms (−5.00 ms … 30.0 ms) · log2(p)"
        );
    }
}
