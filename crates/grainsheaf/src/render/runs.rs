//! The table of runs.

use std::fmt::Write as _;

use sheaf_answers::{Parameter, ParameterType, Run, Runs};
use sheaf_model::ParameterRole;

use super::selection::Selection;
use super::table::{Kind, Layout, Table, Tone};
use super::text::{counted, plain};
use super::value;

/// Columns of parameters, so that a table of runs stays a table.
const MAX_PARAMETERS: usize = 6;

/// Names of parameters without a column that are listed.
const MAX_HIDDEN: usize = 12;

/// Parameters that repeat others in more words, or differ in every run.
const BOOKKEEPING: &[&str] = &[
    "OMP_NUM_THREADS",
    "OMP_TOOL",
    "OMP_TOOL_LIBRARIES",
    "clock",
    "command",
    "commit",
    "compiler_flags",
    "compiler_runtime",
    "counters",
    "executable",
    "recorder",
    "runtime_hash",
    "runtime_library",
    "runtime_version",
    "started",
    "working_directory",
];

/// The program of a run; a parameter of this name has it if the source does not.
const PROGRAM: &str = "program";

/// Which parameters have columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Columns {
    /// Those that distinguish the runs, as many as fit a table.
    Telling,
    /// All that differ.
    Varying,
    /// These.
    Named(Vec<String>),
}

/// The runs with the parameters that distinguish them, followed by parameters that all runs share.
pub(crate) fn runs(answer: &Runs, columns: &Columns, layout: Layout) -> String {
    if answer.runs.is_empty() {
        return "no runs\n".to_owned();
    }
    let chosen = chosen(answer, columns);
    let mut text = runs_table(answer, &chosen, answer.runs.len()).render(layout, "");
    let _ = writeln!(text, "{}", counted(answer.runs.len() as u64, "run", "runs"));
    text.push_str(&types(&chosen));
    text.push_str(&hidden(answer, &chosen));
    text.push_str(&constants(answer, &chosen, layout));
    text
}

/// The first `limit` runs with the parameters that distinguish all of them.
pub(super) fn telling_table(answer: &Runs, limit: usize) -> Table {
    runs_table(answer, &chosen(answer, &Columns::Telling), limit)
}

fn runs_table(answer: &Runs, chosen: &[&Parameter], limit: usize) -> Table {
    let runs = &answer.runs;
    let mut table = Selection::of(answer, "")
        .id("run")
        .name("name")
        .made_name("program", |row| {
            let program = runs[row].params.get(PROGRAM).map(value);
            program.unwrap_or_else(|| runs[row].program.clone())
        });
    for parameter in chosen {
        let kind = match parameter.kind {
            ParameterType::Number => Kind::Number,
            _ => Kind::Name,
        };
        table = table
            .column(&format!("params.{}", parameter.name))
            .headed(&parameter.name)
            .kind(kind);
    }
    let is_of_ranks = runs.iter().any(|run| run.ranks > 1);
    let has_parameter = (answer.parameters.iter()).any(|parameter| parameter.name == "ranks");
    table
        .column("ranks")
        .when(is_of_ranks && !has_parameter)
        .column("grains")
        .if_any()
        .column("contexts")
        .column("elapsed_ns")
        .if_any()
        .verdict("", |row| state(&runs[row]))
        .first(limit)
}

fn chosen<'a>(answer: &'a Runs, columns: &Columns) -> Vec<&'a Parameter> {
    let varying = answer
        .parameters
        .iter()
        .filter(|parameter| parameter.varies);
    let mut chosen: Vec<&Parameter> = match columns {
        Columns::Varying => varying.collect(),
        Columns::Telling => varying
            .filter(|parameter| match parameter.role {
                Some(role) => role != ParameterRole::Incidental,
                None => !BOOKKEEPING.contains(&parameter.name.as_str()),
            })
            .take(MAX_PARAMETERS)
            .collect(),
        Columns::Named(names) => {
            let of = |name: &String| answer.parameters.iter().find(|known| known.name == *name);
            names.iter().filter_map(of).collect()
        }
    };
    // A parameter of this name is the program's, which has a column of its own.
    chosen.retain(|parameter| parameter.name != PROGRAM);
    chosen
}

/// The types of columns that are not evidently numbers.
fn types(chosen: &[&Parameter]) -> String {
    if chosen.is_empty() {
        return String::new();
    }
    let one = |parameter: &&Parameter| format!("{} {}", plain(&parameter.name), parameter.kind);
    let list: Vec<String> = chosen.iter().map(one).collect();
    format!("types: {}\n", list.join(", "))
}

fn has(chosen: &[&Parameter], parameter: &Parameter) -> bool {
    chosen.iter().any(|known| known.name == parameter.name)
}

/// The names of parameters that differ and have no column.
fn hidden(answer: &Runs, chosen: &[&Parameter]) -> String {
    let is_hidden = |parameter: &&Parameter| {
        parameter.varies && parameter.name != PROGRAM && !has(chosen, parameter)
    };
    let hidden = answer.parameters.iter().filter(is_hidden);
    let names: Vec<String> = hidden.map(|parameter| plain(&parameter.name)).collect();
    if names.is_empty() {
        return String::new();
    }
    let count = counted(
        names.len() as u64,
        "more parameter varies",
        "more parameters vary",
    );
    let listed = names.get(..MAX_HIDDEN).unwrap_or(&names).join(", ");
    let more = if names.len() > MAX_HIDDEN {
        ", …"
    } else {
        ""
    };
    format!("{count}: {listed}{more}; `--columns NAMES` or `--columns all` shows them\n")
}

/// What all runs have alike.
fn constants(answer: &Runs, chosen: &[&Parameter], layout: Layout) -> String {
    let is_constant = |parameter: &&Parameter| {
        !parameter.varies && parameter.name != PROGRAM && !has(chosen, parameter)
    };
    let mut table = Table::default().word("").word("").name("");
    let mut is_empty = true;
    for parameter in answer.parameters.iter().filter(is_constant) {
        let shown = parameter.values.first().map(value).unwrap_or_default();
        table.row([parameter.name.clone(), parameter.kind.to_string(), shown]);
        is_empty = false;
    }
    if is_empty {
        return String::new();
    }
    let heading = if answer.runs.len() == 1 {
        "Parameters"
    } else {
        "The same in all runs"
    };
    format!("\n{heading}\n{}", table.render(layout, "  "))
}

fn state(run: &Run) -> (String, Tone) {
    if !run.is_complete {
        ("! incomplete".to_owned(), Tone::Notable)
    } else if run.warnings.is_empty() {
        (String::new(), Tone::Plain)
    } else {
        (
            format!(
                "! {}",
                counted(run.warnings.len() as u64, "warning", "warnings")
            ),
            Tone::Notable,
        )
    }
}

#[cfg(test)]
pub(super) mod tests {
    use sheaf_answers::ParamValue;

    use super::*;

    pub(in super::super) fn run(digit: char, threads: f64) -> Run {
        Run {
            run: digit.to_string().repeat(32),
            name: format!("sort-t{threads}-r1"),
            program: "sort".into(),
            format: "trace".into(),
            params: [
                ("threads".to_owned(), ParamValue::Number(threads)),
                ("host".to_owned(), ParamValue::Text("node1".into())),
            ]
            .into(),
            grains: Some(12_345),
            contexts: 7,
            elapsed_ns: Some(1_234_567_890),
            reference_elapsed_ns: Some(1_200_000_000),
            workers: Some(4),
            ranks: 1,
            is_complete: true,
            metrics: vec!["work_ns".into()],
            total: None,
            warnings: Vec::new(),
            source: None,
        }
    }

    fn parameter(name: &str, varies: bool) -> Parameter {
        Parameter {
            name: name.into(),
            kind: ParameterType::Number,
            values: vec![ParamValue::Text("node1".into())],
            distinct: 2,
            runs: 2,
            varies,
            role: None,
        }
    }

    #[test]
    fn runs_show_what_tells_them_apart() {
        let mut incomplete = run('b', 8.0);
        incomplete.is_complete = false;
        incomplete.elapsed_ns = None;
        let answer = Runs {
            schema: "runs/1".into(),
            runs: vec![run('a', 4.0), incomplete],
            parameters: vec![
                parameter("started", true),
                parameter("threads", true),
                parameter("host", false),
            ],
            metrics: Vec::new(),
            metric: None,
            cohorts: Vec::new(),
        };
        let expected = "\
run       name        program  threads  grains  contexts  elapsed (s)
aaaaaaaa  sort-t4-r1  sort           4  12\u{202f}345         7         1.23
bbbbbbbb  sort-t8-r1  sort           8  12\u{202f}345         7            –  ! incomplete
2 runs
types: threads number
1 more parameter varies: started; `--columns NAMES` or `--columns all` shows them

The same in all runs
  host  number  node1
";
        assert_eq!(
            runs(&answer, &Columns::Telling, Layout::default()),
            expected
        );
        let mut profiles = answer.clone();
        for (run, ranks) in profiles.runs.iter_mut().zip([8, 27]) {
            (run.ranks, run.grains, run.elapsed_ns) = (ranks, None, None);
        }
        let shown = runs(&profiles, &Columns::Telling, Layout::default());
        let expected = "\
run       name        program  threads  ranks  contexts
aaaaaaaa  sort-t4-r1  sort           4      8         7
bbbbbbbb  sort-t8-r1  sort           8     27         7  ! incomplete
";
        assert!(shown.starts_with(expected), "{shown}");
        let mut changed = answer.clone();
        changed.parameters[0].role = Some(ParameterRole::Configuration);
        changed.parameters[1].role = Some(ParameterRole::Incidental);
        let shown = runs(&changed, &Columns::Telling, Layout::default());
        assert!(shown.contains("types: started number\n"), "{shown}");
        let named = Columns::Named(vec!["host".into(), "threads".into()]);
        let shown = runs(&answer, &named, Layout::default());
        let expected = "\
run       name        program   host  threads  grains  contexts  elapsed (s)
aaaaaaaa  sort-t4-r1  sort     node1        4  12\u{202f}345         7         1.23
";
        assert!(shown.starts_with(expected), "{shown}");
        assert!(!shown.contains("The same"), "{shown}");
    }
}
