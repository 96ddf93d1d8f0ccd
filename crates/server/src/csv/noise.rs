//! Noise of repeats.

use sheaf_api::Noise;

use super::{names, option, param, text, write};

/// Groups of all configurations; parameters become columns `cohort.NAME`.
pub fn noise(answer: &Noise) -> String {
    let parameters = names(answer.cohorts.iter().map(|cohort| &cohort.values));
    let mut header: Vec<String> = vec!["path".into(), "group".into()];
    header.extend(parameters.iter().map(|name| format!("cohort.{name}")));
    let fixed = [
        "metric",
        "repeats",
        "runs",
        "median",
        "share",
        "spread",
        "visible",
        "seen",
        "threshold",
    ];
    header.extend(fixed.iter().map(ToString::to_string));
    let rows = answer.cohorts.iter().flat_map(|cohort| {
        let parameters = &parameters;
        cohort.groups.iter().map(move |group| {
            let mut cells = vec![text(&group.path.join(" / ")), group.group.clone()];
            cells.extend(
                parameters
                    .iter()
                    .map(|name| param(cohort.values.get(*name))),
            );
            cells.extend([
                text(&answer.metric),
                cohort.runs.len().to_string(),
                group.runs.to_string(),
                group.median.to_string(),
            ]);
            let numbers = [
                group.share,
                group.spread,
                group.visible,
                group.seen,
                group.threshold,
            ];
            cells.extend(numbers.iter().map(|number| option(number.as_ref())));
            cells
        })
    });
    write(&header, rows)
}
