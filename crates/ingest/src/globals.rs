//! Metadata of a run from the parameters that Caliper and Adiak record of it.

use std::collections::BTreeMap;

use sheaf_model::{ParamValue, RunMeta};

use crate::Format;
use crate::program_name::named;

/// Names that we use for what sources call otherwise, best first.
const KNOWN: [(&str, &[&str]); 4] = [
    ("ranks", &["jobsize", "mpi.world.size", "numranks"]),
    ("threads", &["omp.num_threads", "omp_num_threads"]),
    ("compiler", &["Compiler Name", "compiler_name"]),
    ("host", &["hostname"]),
];

/// Parameters by their raw names.
pub(crate) type Params = BTreeMap<String, ParamValue>;

/// Metadata of a run; `input` is the name of its file, without folders.
pub(crate) fn meta(mut params: Params, input: &str, format: Format) -> RunMeta {
    let program = program(&params);
    for (name, others) in KNOWN {
        let known = others.iter().find_map(|other| params.get(*other)).cloned();
        if let (None, Some(value)) = (params.get(name), known) {
            params.insert(name.to_owned(), value);
        }
    }
    let started = params.get("launchdate").and_then(started);
    if let (None, Some(started)) = (params.get("started"), started) {
        params.insert("started".to_owned(), started);
    }
    let mut meta = named(program.as_deref(), input, format);
    if let Some(ParamValue::Number(ranks)) = params.get("ranks")
        && *ranks >= 1.0
        && *ranks <= f64::from(i32::MAX)
    {
        // In range, and without a fraction where a source counts ranks.
        meta.ranks = format!("{ranks:.0}").parse().unwrap_or(1);
    }
    meta.params = params;
    meta
}

/// The program's file name: of its path, else of the command line's first word.
fn program(params: &Params) -> Option<String> {
    let text = |name: &str| match params.get(name) {
        Some(ParamValue::Text(text)) => Some(text.as_str()),
        _ => None,
    };
    let first_word = text("cmdline").map(|line| {
        let line = line.trim_start_matches(['[', '(']);
        line.split([',', ' ', ']', ')']).next().unwrap_or(line)
    });
    [text("executablepath"), first_word, text("executable")]
        .into_iter()
        .flatten()
        .map(|path| file_name(path.trim()))
        .find(|name| !name.is_empty())
        .map(str::to_owned)
}

fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Seconds since 1970 as a point in time.
fn started(value: &ParamValue) -> Option<ParamValue> {
    let ParamValue::Number(seconds) = value else {
        return None;
    };
    let seconds: i64 = format!("{seconds:.0}").parse().ok()?;
    let nanos = seconds
        .checked_mul(1_000_000_000)
        .filter(|&nanos| nanos > 0)?;
    Some(ParamValue::Time(nanos))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(entries: &[(&str, ParamValue)], input: &str) -> String {
        let entries = entries.iter().cloned();
        let params = entries
            .map(|(name, value)| (name.to_owned(), value))
            .collect();
        let meta = meta(params, input, Format::Caliper);
        let params: Vec<String> = (meta.params.iter())
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        format!("{} {} {}", meta.program, meta.ranks, params.join(" "))
    }

    #[test]
    fn parameters_are_typed_and_known_by_our_names() {
        let number = |text: &str| ParamValue::Number(text.parse().unwrap());
        let entries = [
            ("jobsize", number("27")),
            ("launchdate", number("1616614379")),
            ("cmdline", ParamValue::infer("[/usr/bin/lulesh2.0,-s,30]")),
        ];
        assert_eq!(
            text(&entries, "x.cali"),
            "lulesh2.0 27 cmdline=[/usr/bin/lulesh2.0,-s,30] jobsize=27 launchdate=1616614379 \
             ranks=27 started=1616614379000000000"
        );
    }

    #[test]
    fn absurd_parameters_are_kept_but_not_believed() {
        let absurd = [
            ("jobsize", ParamValue::Number(1e300)),
            ("launchdate", ParamValue::Number(1e300)),
            ("executablepath", ParamValue::Text("/".into())),
        ];
        assert!(text(&absurd, "a.b.cali").starts_with("a 1 "));
        assert_eq!(text(&[], ".cali"), ".cali 1 ");
    }
}
