//! Answers as JSON for the script of a report, limited in size.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use sheaf_answers::{Runs, Sankey, text};

use super::Material;
use crate::render::counted;

const SCHEMA: &str = "report/1";
/// Bytes of the rows of one answer.
const MAX_BYTES: usize = 6 << 20;
/// Values of single runs in a picture.
const MAX_VALUES: usize = 250_000;

/// Answers by name, and the pictures that are drawn of them.
#[derive(Debug)]
pub(super) struct Content {
    lens: String,
    runs: Runs,
    answers: Map<String, Value>,
    pictures: Vec<Value>,
    cuts: Vec<String>,
}

impl Content {
    /// A report with this lens about these runs.
    ///
    /// # Errors
    /// When an answer has no JSON.
    pub(super) fn of(lens: &str, material: Material) -> serde_json::Result<Self> {
        let mut content = Self {
            lens: lens.to_owned(),
            answers: Map::new(),
            pictures: Vec::new(),
            cuts: Vec::new(),
            runs: material.runs,
        };
        let runs = serde_json::to_value(&content.runs)?;
        content.add("runs", runs);
        content.cut_rows("runs", "/runs", "runs");
        content.add_sankey(material.sankey)?;
        content.add("mapping", serde_json::to_value(material.mapping)?);
        Ok(content)
    }

    fn add_sankey(&mut self, mut sankey: Sankey) -> serde_json::Result<()> {
        let arrays = 2 * sankey.nodes.len() + sankey.edges.len();
        let values = arrays.saturating_mul(sankey.runs.len());
        let is_partial = values > MAX_VALUES;
        if is_partial {
            for node in &mut sankey.nodes {
                node.inclusive_by_run.clear();
                node.exclusive_by_run.clear();
            }
            for edge in &mut sankey.edges {
                edge.inclusive_by_run.clear();
            }
            self.cuts.push(format!(
                "values of single runs in the Sankey: {} of {}; its distributions are of all runs",
                counted(values as u64, "value", "values"),
                counted(sankey.runs.len() as u64, "run", "runs"),
            ));
        }
        let mut answer = serde_json::to_value(&sankey)?;
        if is_partial && let Some(fields) = answer.as_object_mut() {
            fields.insert("isPartial".to_owned(), Value::Bool(true));
        }
        self.add("sankey", answer);
        Ok(())
    }

    /// Adds an answer.
    pub(super) fn add(&mut self, name: &str, answer: Value) {
        self.answers.insert(name.to_owned(), answer);
    }

    /// Keeps the first rows of a list of an answer, as many as have room; states how many were left out.
    pub(super) fn cut_rows(&mut self, name: &str, list: &str, what: &str) {
        let rows = self
            .answers
            .get_mut(name)
            .and_then(|answer| answer.pointer_mut(list))
            .and_then(Value::as_array_mut);
        let Some(rows) = rows else { return };
        let mut bytes = 0;
        let kept = rows
            .iter()
            .take_while(|row| {
                bytes += row.to_string().len();
                bytes <= MAX_BYTES
            })
            .count();
        if kept < rows.len() {
            self.cuts.push(format!(
                "{what} of the pictures: {} of {}",
                text::count((rows.len() - kept) as u64),
                text::count(rows.len() as u64)
            ));
            rows.truncate(kept);
        }
    }

    /// Adds a picture: a view, and for each of its answers the place of one here. Settings are texts, as in an
    /// address.
    pub(super) fn picture<'a>(
        &mut self,
        view: &str,
        answers: impl IntoIterator<Item = (&'a str, &'a str)>,
        settings: impl IntoIterator<Item = (&'a str, String)>,
    ) {
        let answers: Map<String, Value> = answers
            .into_iter()
            .map(|(name, place)| (name.to_owned(), Value::from(place)))
            .collect();
        let settings: Map<String, Value> = settings
            .into_iter()
            .map(|(name, text)| (name.to_owned(), Value::from(text)))
            .collect();
        self.pictures
            .push(json!({"view": view, "answers": answers, "settings": settings}));
    }

    pub(super) fn runs(&self) -> &Runs {
        &self.runs
    }

    pub(super) fn lens(&self) -> &str {
        &self.lens
    }

    /// Sentences on what was left out to limit the size of the file.
    pub(super) fn cuts(&self) -> &[String] {
        &self.cuts
    }

    /// Versions of this program and of the answers.
    pub(super) fn versions(&self) -> String {
        let schemas = self.answers.values();
        let schemas = schemas.filter_map(|answer| answer.get("schema").and_then(Value::as_str));
        let schemas: BTreeSet<&str> = schemas.collect();
        let schemas = schemas.into_iter().collect::<Vec<_>>().join(", ");
        format!(
            "grainsheaf {}; {SCHEMA} of {schemas}",
            env!("CARGO_PKG_VERSION")
        )
    }

    /// For the script, which `ReportContent` of the frontend describes.
    pub(super) fn to_json(&self) -> String {
        json!({
            "schema": SCHEMA,
            "lens": self.lens,
            "answers": self.answers,
            "pictures": self.pictures,
        })
        .to_string()
    }
}
