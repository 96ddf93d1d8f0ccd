//! Where runs lie: places by what they do and by their parameters, directions, notes.

use std::fmt::Write as _;

use sheaf_answers::{Picture, Projection};

use super::selection::Selection;
use super::similar::measure;
use super::table::{Layout, Table};
use super::text::{counted, plain};
use super::{limited, more, notes, or_absent};
use sheaf_answers::text::{number, percent};

/// Number of directions that are shown.
const ARROWS: usize = 10;

/// The whole projection; at most `limit` runs, 0 for all.
pub(crate) fn projection(answer: &Projection, limit: usize, layout: Layout) -> String {
    let runs = counted(answer.runs.len() as u64, "run", "runs");
    let mut text = format!("{runs} by {}\n\nPictures\n", measure(answer.measure));
    let parameters = if answer.used.is_empty() {
        "parameters".to_owned()
    } else {
        plain(&format!("parameters ({})", answer.used.join(", ")))
    };
    let mut pictures = Table::default()
        .name("by")
        .number("dimensions")
        .number("fit")
        .number("stress")
        .number("clusters")
        .number("silhouette");
    pictures.row(picture("behaviour", &answer.behaviour));
    pictures.row(picture(&parameters, &answer.parameters));
    text.push_str(&pictures.render(layout, "  "));
    if let Some(agreement) = answer.agreement {
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "  clusters agree by {} (adjusted Rand index: 1 the same, 0 as by chance); seed {}",
            rounded(agreement),
            answer.seed
        );
    }
    let _ = write!(text, "\nRuns\n{}", places(answer, limit, layout));
    if !answer.arrows.is_empty() {
        let _ = write!(
            text,
            "\nDirections of behaviour\n{}",
            arrows(answer, layout)
        );
    }
    text.push_str(&notes(&answer.notes, layout));
    text
}

fn picture(name: &str, picture: &Picture) -> [String; 6] {
    [
        name.to_owned(),
        picture.dimensions.to_string(),
        or_absent(picture.fit, percent),
        or_absent(picture.stress, rounded),
        picture.clusters.to_string(),
        or_absent(picture.silhouette, number),
    ]
}

/// Three decimals, enough for coordinates and correlations.
fn rounded(value: f64) -> String {
    let text = format!("{value:.3}");
    if text == "-0.000" {
        "0.000".to_owned()
    } else {
        text.replace('-', "−")
    }
}

fn places(answer: &Projection, limit: usize, layout: Layout) -> String {
    let number_from_1 = |cluster: f64| format!("{:.0}", cluster + 1.0);
    let table = Selection::of(answer, "")
        .id("run")
        .name("name")
        .column("x")
        .written(rounded)
        .column("y")
        .written(rounded)
        .column("cluster")
        .written(number_from_1)
        .columns("parameters_x as params x")
        .written(rounded)
        .columns("parameters_y as params y")
        .written(rounded)
        .columns("parameters_cluster as params cluster")
        .written(number_from_1)
        .first(limit);
    let shown = limited(answer.runs.len(), limit);
    table.render(layout, "  ") + &more(answer.runs.len(), shown, "more run", "more runs")
}

fn arrows(answer: &Projection, layout: Layout) -> String {
    let mut table = Table::default().name("parameter").number("x").number("y");
    for arrow in answer.arrows.iter().take(ARROWS) {
        let name = match &arrow.value {
            Some(value) => format!("{} = {value}", arrow.parameter),
            None => arrow.parameter.clone(),
        };
        table.row([name, rounded(arrow.x), rounded(arrow.y)]);
    }
    table.render(layout, "  ")
}
