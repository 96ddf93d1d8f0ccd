//! Which runs a lens or a name means.

use std::collections::BTreeMap;

use sheaf_model::{
    Attributes, Compare, Comparison, Expression, Lens, ParamValue, RunMeta, RunSelector,
};

use crate::Error;
use crate::batches;
use crate::runs::RunEntry;
use sheaf_analysis::did_you_mean;

/// Fields of the run table that expressions can ask for, some of which a run may lack.
const FIELDS: &[&str] = &[
    "run",
    "name",
    "program",
    "format",
    "ranks",
    "workers",
    "grains",
    "contexts",
    "elapsed_ns",
    "is_complete",
    "incomplete",
];

/// Fields that the reader and the store determine. A parameter of such a name, which any file can state, does not
/// replace them: else a file could make its incomplete run count as complete.
const DETERMINED: &[&str] = &[
    "name",
    "format",
    "grains",
    "contexts",
    "elapsed_ns",
    "is_complete",
    "incomplete",
];

/// Whether no parameter of this name can be selected, since a field of the run table has it.
pub(crate) fn is_determined(name: &str) -> bool {
    DETERMINED.contains(&name)
}

/// Attributes of a run that expressions can ask for: its parameters, and the fields of the run
/// table under their names. Of the same name, fields of [`DETERMINED`] precede parameters, and parameters precede others.
pub(crate) struct RunAttributes<'a>(pub(crate) &'a RunEntry);

impl Attributes for RunAttributes<'_> {
    fn attribute(&self, name: &str) -> Option<ParamValue> {
        let RunEntry {
            meta,
            grains,
            contexts,
            ..
        } = self.0;
        if let Some(value) = meta.params.get(name)
            && !is_determined(name)
        {
            return Some(value.clone());
        }
        let number = |value: i64| ParamValue::Number(value as f64);
        match name {
            "run" => Some(ParamValue::Text(meta.id.to_string())),
            "name" => Some(ParamValue::Text(meta.name.clone())),
            "program" => Some(ParamValue::Text(meta.program.clone())),
            "format" => Some(ParamValue::Text(meta.format.clone())),
            "ranks" => Some(number(meta.ranks)),
            "workers" => meta.workers.map(number),
            "grains" => grains.map(number),
            "contexts" => Some(number(*contexts)),
            "elapsed_ns" => elapsed_ns(meta).map(number),
            "is_complete" => Some(ParamValue::Boolean(meta.is_complete)),
            "incomplete" => Some(ParamValue::Boolean(!meta.is_complete)),
            name if name.starts_with('@') => {
                let runs = self.0.batches.get(name)?;
                Some(ParamValue::Boolean(runs.contains(&meta.id)))
            }
            _ => None,
        }
    }
}

/// Elapsed time when its unit is nanoseconds.
pub(crate) fn elapsed_ns(meta: &RunMeta) -> Option<i64> {
    meta.elapsed
        .filter(|_| meta.time_unit == sheaf_model::TimeUnit::Nanoseconds)
}

/// The runs that an expression selects; all without one.
pub(crate) fn by_expression<'a>(
    runs: &'a [RunEntry],
    expression: Option<&Expression>,
) -> Result<Vec<&'a RunEntry>, Error> {
    if runs.is_empty() {
        return Err(Error::EmptyStore);
    }
    let Some(expression) = expression else {
        return Ok(runs.iter().collect());
    };
    selected(runs.iter(), expression)
}

/// The runs that a lens selects, if the runs that it compares exist.
pub(crate) fn compared<'a>(
    lens: &Lens,
    entries: &'a [RunEntry],
) -> Result<Vec<&'a RunEntry>, Error> {
    let all: Vec<&RunEntry> = entries.iter().collect();
    match &lens.compare {
        Compare::None => {}
        Compare::Target(run) => drop(side(&all, run)?),
        Compare::Diff { a, b } => {
            side(&all, a)?;
            side(&all, b)?;
        }
    }
    by_expression(entries, lens.runs.as_ref())
}

/// A side that has the runs of a lens whose parameter `by` is `value`, and that have the `other` values too.
pub(crate) fn having(
    lens: &Lens,
    by: &str,
    value: &ParamValue,
    other: &BTreeMap<String, ParamValue>,
) -> RunSelector {
    let equal = |name: &str, value: &ParamValue| Expression::Compare {
        attribute: name.to_owned(),
        comparison: Comparison::Equal,
        value: value.clone(),
    };
    let mut parts = vec![equal(by, value)];
    parts.extend(other.iter().map(|(name, value)| equal(name, value)));
    match &lens.runs {
        Some(Expression::And(inner)) => parts.extend(inner.iter().cloned()),
        Some(other) => parts.push(other.clone()),
        None => {}
    }
    let expression = if parts.len() == 1 {
        parts.swap_remove(0)
    } else {
        Expression::And(parts)
    };
    RunSelector(expression.to_string())
}

/// The runs for which an expression holds, at least one.
fn selected<'a>(
    runs: impl Iterator<Item = &'a RunEntry> + Clone,
    expression: &Expression,
) -> Result<Vec<&'a RunEntry>, Error> {
    let asked = batches::resolved(expression);
    let named = batches::asked_for(&asked);
    for name in &named {
        members(runs.clone(), name)?;
    }
    let holds = |run: &&RunEntry| asked.selects(&RunAttributes(run));
    let selected: Vec<_> = runs.clone().filter(holds).collect();
    if !selected.is_empty() {
        return Ok(selected);
    }
    for name in expression.compared() {
        let is_known =
            FIELDS.contains(&name) || runs.clone().any(|run| run.meta.params.contains_key(name));
        if !is_known {
            let params = runs.clone().flat_map(|run| run.meta.params.keys());
            let known = params.map(String::as_str).chain(FIELDS.iter().copied());
            return Err(Error::UnknownAttribute {
                name: name.to_owned(),
                position: expression.position_of(name).unwrap_or(1),
                expression: expression.to_string(),
                nearest: did_you_mean(name, known),
            });
        }
    }
    for name in named {
        if members(runs.clone(), &name)?.is_empty() {
            return Err(Error::BatchRemoved { batch: name });
        }
    }
    Err(Error::EmptySelection {
        what: format!("`{expression}`"),
        count: runs.count(),
    })
}

/// Those of `runs` that an import, `@NAME`, brought in.
fn members<'a>(
    runs: impl Iterator<Item = &'a RunEntry> + Clone,
    name: &str,
) -> Result<Vec<&'a RunEntry>, Error> {
    let Some(first) = runs.clone().next() else {
        return Ok(Vec::new());
    };
    let ids = first.batches.find(name)?;
    Ok(runs.filter(|run| ids.contains(&run.meta.id)).collect())
}

/// The runs that a selector `@NAME` means, at least one.
fn batch<'a>(runs: &[&'a RunEntry], name: &str) -> Result<Vec<&'a RunEntry>, Error> {
    let found = members(runs.iter().copied(), name)?;
    if found.is_empty() {
        return Err(Error::BatchRemoved {
            batch: name.to_owned(),
        });
    }
    Ok(found)
}

/// The one run that a selector names: by id, unique beginning of an id, name, `@NAME` of an import of one run, or
/// an expression that holds for one run.
pub(crate) fn one<'a>(runs: &[&'a RunEntry], selector: &str) -> Result<&'a RunEntry, Error> {
    let mut found = named(runs, selector);
    if found.is_empty() && selector.starts_with('@') {
        found = batch(runs, selector)?;
    } else if found.is_empty() && selector.contains(['=', '<', '>']) {
        found = selected(runs.iter().copied(), &expression_of(selector)?)?;
    }
    match found.as_slice() {
        [run] => Ok(run),
        [] => Err(Error::UnknownRun {
            selector: selector.to_owned(),
            nearest: nearest(runs, selector),
        }),
        several => Err(Error::AmbiguousRun {
            selector: selector.to_owned(),
            count: several.len(),
            runs: listed(several),
        }),
    }
}

/// Runs that a message lists.
const LISTED_RUNS: usize = 3;

/// The first runs by name, with beginnings of their ids.
fn listed(runs: &[&RunEntry]) -> String {
    let one = |run: &&RunEntry| {
        let id: String = run.meta.id.to_string().chars().take(8).collect();
        format!("`{}` ({id})", run.meta.name)
    };
    let first: Vec<String> = runs.iter().take(LISTED_RUNS).map(one).collect();
    let more = if runs.len() > LISTED_RUNS {
        ", …"
    } else {
        ""
    };
    first.join(", ") + more
}

/// The runs that a selector names: one by id, beginning of an id or name, or those that an
/// expression selects.
pub(crate) fn side<'a>(
    runs: &[&'a RunEntry],
    selector: &RunSelector,
) -> Result<Vec<&'a RunEntry>, Error> {
    let text = selector.0.trim();
    let found = named(runs, text);
    if !found.is_empty() {
        return Ok(found);
    }
    if text.starts_with('@') && !text.contains(char::is_whitespace) {
        return batch(runs, text);
    }
    let expression = expression_of(text);
    // A plain word, unless it is an expression as `incomplete` is, is a name that nobody has.
    let is_word = !text.contains(|c: char| c.is_whitespace() || "=<>!()".contains(c));
    if is_word && expression.is_err() {
        return one(runs, text).map(|run| vec![run]);
    }
    selected(runs.iter().copied(), &expression?)
}

fn expression_of(text: &str) -> Result<Expression, Error> {
    text.parse().map_err(|source| Error::Expression {
        selector: text.to_owned(),
        source,
    })
}

fn named<'a>(runs: &[&'a RunEntry], selector: &str) -> Vec<&'a RunEntry> {
    let by_name: Vec<_> = runs
        .iter()
        .copied()
        .filter(|run| run.meta.name == selector)
        .collect();
    if !by_name.is_empty() {
        return by_name;
    }
    let is_id = !selector.is_empty() && selector.chars().all(|c| c.is_ascii_hexdigit());
    let begins = |run: &&RunEntry| {
        run.meta
            .id
            .to_string()
            .starts_with(&selector.to_lowercase())
    };
    if is_id {
        runs.iter().copied().filter(begins).collect()
    } else {
        Vec::new()
    }
}

/// `; did you mean …` for the run whose name begins like the selector.
fn nearest(runs: &[&RunEntry], selector: &str) -> String {
    let common = |name: &str| {
        name.chars()
            .zip(selector.chars())
            .take_while(|(a, b)| a.eq_ignore_ascii_case(b))
            .count()
    };
    let best = runs
        .iter()
        .map(|run| run.meta.name.as_str())
        .max_by_key(|name| common(name));
    match best {
        Some(name) if common(name) >= 3 => format!("; did you mean `{name}`?"),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::Caller;
    use crate::batches::Batches;

    #[test]
    fn an_expression_names_the_one_run_for_which_it_holds() {
        let store = tempfile::tempdir().unwrap();
        let entry = |name: &str, threads: f64| {
            let mut meta = RunMeta::new(name, "trace");
            meta.params
                .insert("threads".to_owned(), ParamValue::Number(threads));
            RunEntry {
                meta: Arc::new(meta),
                grains: None,
                contexts: 0,
                batches: Arc::new(Batches::new(store.path().to_owned(), Caller::default())),
            }
        };
        let runs = [entry("lu", 1.0), entry("lu", 8.0), entry("a = b", 8.0)];
        let all: Vec<&RunEntry> = runs.iter().collect();
        let check = |selector: &str, expected: &str| {
            let message = match one(&all, selector) {
                Ok(run) => format!("{} {}", run.meta.name, run.meta.params["threads"]),
                Err(error) => error.to_string(),
            };
            assert!(message.starts_with(expected), "{selector}: {message}");
        };
        check("threads = 1", "lu 1");
        check("a = b", "a = b 8");
        check(
            "threads = 8",
            "`threads = 8` names 2 runs, and one is needed: `lu` (00000000), `a = b` (00000000); use a run id",
        );
        check("threads > 8", "`threads > 8` selects none of 3 runs");
        check("run = @new", "`@new` means the runs of the last import");
        check("threads", "no run `threads`");
        let chosen = |text: &str| side(&all, &RunSelector(text.to_owned()));
        assert_eq!(chosen("is_complete").unwrap().len(), 3);
        let error = chosen("incomplete").unwrap_err().to_string();
        assert!(
            error.starts_with("`incomplete == true` selects none"),
            "{error}"
        );
        let error = chosen("threads").unwrap_err().to_string();
        assert!(error.starts_with("no run `threads`"), "{error}");
    }

    #[test]
    fn parameters_do_not_replace_what_readers_determine() {
        let store = tempfile::tempdir().unwrap();
        let mut meta = RunMeta::new("lu", "chrome");
        meta.is_complete = false;
        for (name, value) in [
            ("is_complete", "true"),
            ("incomplete", "false"),
            ("format", "v2"),
            ("name", "other"),
            ("grains", "7"),
            ("elapsed_ns", "7"),
            ("ranks", "7"),
        ] {
            meta.params
                .insert(name.to_owned(), ParamValue::infer(value));
        }
        let runs = [RunEntry {
            meta: Arc::new(meta),
            grains: Some(3),
            contexts: 0,
            batches: Arc::new(Batches::new(store.path().to_owned(), Caller::default())),
        }];
        let selects = |text: &str| by_expression(&runs, Some(&text.parse().unwrap())).is_ok();
        for text in [
            "incomplete",
            "is_complete = false",
            "format = chrome",
            "name = lu",
            "grains = 3",
            "ranks = 7",
        ] {
            assert!(selects(text), "{text}");
        }
        for text in ["is_complete", "format = v2", "elapsed_ns = 7"] {
            assert!(!selects(text), "{text}");
        }
    }

    #[test]
    fn what_no_run_has_is_named() {
        let store = tempfile::tempdir().unwrap();
        let mut meta = RunMeta::new("lu", "trace");
        meta.params
            .insert("threads".to_owned(), ParamValue::Number(8.0));
        let runs = [RunEntry {
            meta: Arc::new(meta),
            grains: None,
            contexts: 0,
            batches: Arc::new(Batches::new(store.path().to_owned(), Caller::default())),
        }];
        let check = |text: &str, expected: &str| {
            let expression: Expression = text.parse().unwrap();
            let message = match by_expression(&runs, Some(&expression)) {
                Ok(found) => format!("{} runs", found.len()),
                Err(error) => error.to_string(),
            };
            assert_eq!(message, expected, "{text}");
        };
        check("threads = 8", "1 runs");
        check("threads = 8 or gpu = 1", "1 runs");
        check("not exists gpu", "1 runs");
        check("threads = 9", "`threads == 9` selects none of 1 runs");
        check(
            "run = @new",
            "`@new` means the runs of the last import, and this store holds no note of one; name the runs",
        );
        check("exists gpu", "`exists gpu` selects none of 1 runs");
        check("elapsed_ns > 1", "`elapsed_ns > 1` selects none of 1 runs");
        check(
            "threads = 8 and not thraeds = 8",
            "no run has `thraeds` at character 23 of `threads == 8 and not (thraeds == 8)`; did you \
             mean `threads`?",
        );
        check("gpu = 1", "no run has `gpu` at character 1 of `gpu == 1`");
    }
}
