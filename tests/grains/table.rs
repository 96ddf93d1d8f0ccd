//! Tables of other tools, as texts by column.

use std::collections::HashMap;
use std::io::Read as _;
use std::path::Path;

use sheaf_grains::grain_metric::Evaluation;
use sheaf_ingest::Input;
use sheaf_model::Progress;

/// A CSV file, compressed or not, whose quoted fields hold no line ends.
pub(crate) struct Table {
    columns: HashMap<String, Vec<String>>,
}

impl Table {
    pub(crate) fn read(path: &Path) -> Self {
        let bytes = std::fs::read(path).unwrap();
        let name = path.display().to_string();
        let mut text = String::new();
        let input = Input::new(&name, &bytes);
        let mut content = input.open(&Progress::silent()).unwrap();
        content.read_to_string(&mut text).unwrap();
        let mut lines = text.lines().map(fields);
        let names = lines.next().unwrap();
        let mut columns: HashMap<String, Vec<String>> = HashMap::new();
        for line in lines {
            assert_eq!(line.len(), names.len(), "{name}");
            for (name, field) in names.iter().zip(line) {
                columns.entry(name.clone()).or_default().push(field);
            }
        }
        Self { columns }
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.columns.contains_key(name)
    }

    pub(crate) fn texts(&self, name: &str) -> &[String] {
        &self.columns[name]
    }

    /// Numbers of a column; `NA` is none.
    pub(crate) fn numbers(&self, name: &str) -> Vec<Option<f64>> {
        let texts = self.texts(name).iter();
        texts
            .map(|text| (text != "NA").then(|| text.parse().unwrap()))
            .collect()
    }

    /// A column by the number of the task.
    pub(crate) fn by_task(&self, name: &str) -> HashMap<u64, Option<f64>> {
        let tasks = self.texts("task").iter().map(|text| text.parse().unwrap());
        tasks.zip(self.numbers(name)).collect()
    }
}

fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut is_quoted = false;
    for c in line.chars() {
        match c {
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => fields.push(String::new()),
            c => fields.last_mut().unwrap().push(c),
        }
    }
    fields
}

/// Number of the task of each grain.
pub(crate) fn tasks(evaluation: &Evaluation<'_>) -> Vec<u64> {
    let tasks = evaluation.evaluate_by_name("task").unwrap();
    (0..tasks.values.len())
        .map(|row| u64::try_from(tasks.values.integer(row).unwrap()).unwrap())
        .collect()
}
