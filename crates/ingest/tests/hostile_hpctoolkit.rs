//! HPCToolkit databases that mean harm, or lack something.
#![allow(clippy::unwrap_used, reason = "a test may stop")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use sheaf_ingest::{Input, NoModules, ReadOutcome, Run, Symbols, read};
use sheaf_model::Progress;

const DEPTH: usize = 1_000_000;
const RANK_0: &str = "1.my-solver-000000-000-007f0101-4711-0.metric-db";

/// Files by name.
type Files = BTreeMap<String, Vec<u8>>;

fn sample(folder: &str) -> Files {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/samples");
    let entries = std::fs::read_dir(samples.join(folder)).unwrap();
    entries
        .map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read(path).unwrap())
        })
        .collect()
}

fn one(name: &str, content: impl Into<Vec<u8>>) -> Files {
    Files::from([(name.to_owned(), content.into())])
}

fn read_all(files: &Files) -> ReadOutcome {
    let inputs: Vec<Input<'_>> = files
        .iter()
        .map(|(name, bytes)| Input::new(name, bytes))
        .collect();
    let reading = read(&inputs, &Symbols::new(NoModules), &Progress::silent()).unwrap();
    for run in &reading.runs {
        run.tables.validate().unwrap();
    }
    let in_runs: usize = reading.runs.iter().map(|run| run.inputs.len()).sum();
    let all = in_runs + reading.refused.len();
    assert_eq!(all, files.len(), "each file is in a run or refused, once");
    reading
}

fn read_one(files: &Files) -> Run {
    let mut reading = read_all(files);
    assert_eq!(reading.runs.len(), 1, "{:?}", reading.refused);
    reading.runs.remove(0)
}

/// The texts of all refusals.
fn refusals(reading: &ReadOutcome) -> String {
    let texts = reading.refused.iter().map(|(_, error)| error.to_string());
    texts.collect::<Vec<_>>().join("\n")
}

fn names(run: &Run) -> Vec<String> {
    let definitions = run.tables.summary.definitions.rows();
    definitions.map(|definition| definition.name).collect()
}

fn max_depth(run: &Run) -> i32 {
    let contexts = run.tables.summary.contexts.rows();
    contexts.map(|context| context.depth).max().unwrap()
}

/// An experiment without files of ranks, with these lines before its root and in its tree.
fn experiment(before: &str, tree: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?>\n<!DOCTYPE HPCToolkitExperiment [\n{before}]>\n\
         <HPCToolkitExperiment version=\"2.1\"><Header n=\"app\"/><SecCallPathProfile i=\"0\" n=\"app\">\
         <SecHeader><MetricTable><Metric i=\"1\" n=\"CPUTIME (usec):Sum (I)\" t=\"inclusive\"/>\
         </MetricTable></SecHeader><SecCallPathProfileData>{tree}</SecCallPathProfileData>\
         </SecCallPathProfile></HPCToolkitExperiment>\n"
    )
}

#[test]
fn entities_are_not_expanded() {
    let mut before = "<!ENTITY lol0 \"lol\">\n".to_owned();
    for level in 1..=9 {
        let ten = format!("&lol{};", level - 1).repeat(10);
        writeln!(before, "<!ENTITY lol{level} \"{ten}\">").unwrap();
    }
    before.push_str("<!ENTITY file SYSTEM \"file:///etc/hostname\">\n");
    let tree = "<PF i=\"2\" n=\"&lol9;\"><M n=\"1\" v=\"1\"/></PF><PF i=\"3\" n=\"&file;\"/>";
    let run = read_one(&one("experiment.xml", experiment(&before, tree)));
    let mut names = names(&run);
    names.sort();
    assert_eq!(names, ["&file;", "&lol9;"]);
}

#[test]
fn a_million_levels_of_xml_are_read() {
    let tree = format!(
        "<PF i=\"1\" n=\"f\" l=\"1\">{}<M n=\"1\" v=\"5\"/>{}</PF>",
        "<L l=\"2\">".repeat(DEPTH),
        "</L>".repeat(DEPTH)
    );
    let run = read_one(&one("experiment.xml", experiment("", &tree)));
    assert_eq!(max_depth(&run), i32::try_from(DEPTH).unwrap());
    assert_eq!(run.tables.summary.values.len(), 1);
    // Outside of the tree, and never closed.
    let open = format!("<HPCToolkitExperiment>{}", "<Info>".repeat(DEPTH));
    let reading = read_all(&one("experiment.xml", open));
    assert!(
        refusals(&reading).contains("ends before its call path profile"),
        "{}",
        refusals(&reading)
    );
}

#[test]
fn a_million_attributes_are_read() {
    let attributes: String = (0..200_000).fold(String::new(), |mut text, number| {
        write!(text, " a{number}=\"\"").unwrap();
        text
    });
    let tree = format!("<PF i=\"1\"{attributes} n=\"f\"><M n=\"1\" v=\"5\"/></PF>");
    let run = read_one(&one("experiment.xml", experiment("", &tree)));
    assert_eq!(names(&run), ["f"]);
}

#[test]
fn names_may_be_anything() {
    let long = "x".repeat(3 << 20);
    let tree = format!(
        "<PF i=\"1\" n=\"a&#10;b&lt;/script&gt;&quot;\"><PF i=\"1\" n=\"{long}\"/><PF n=\"\"/></PF>"
    );
    let run = read_one(&one("experiment.xml", experiment("", &tree)));
    let mut lengths: Vec<(usize, bool)> = names(&run)
        .iter()
        .map(|name| (name.len(), name.contains('\n')))
        .collect();
    lengths.sort_unstable();
    assert_eq!(lengths, [(9, false), (13, true), (64 << 10, false)]);
    assert_eq!(run.report.count("skipped_ids"), 2);
    let invalid = experiment("", "<PF i=\"1\" n=\"@\"/>").replace('@', "\u{1}");
    let mut invalid = invalid.into_bytes();
    let place = invalid.iter().position(|byte| *byte == 1).unwrap();
    invalid[place] = 0xff;
    let reading = read_all(&one("experiment.xml", invalid));
    assert_eq!(reading.refused.len(), 1);
}

#[test]
fn shapes_that_the_format_does_not_have_are_read() {
    let tree = "<S l=\"4\"><M n=\"1\" v=\"2\"/></S><L l=\"0\"/><C l=\"x\"><PF n=\"f\" l=\"7-9\"/></C>\
                <odd/><M n=\"1\" v=\"nan\"/><M n=\"1\"/>";
    let run = read_one(&one("experiment.xml", experiment("", tree)));
    assert_eq!(run.report.count("skipped_elements"), 1);
    assert_eq!(run.report.count("skipped_summary_values"), 1);
    assert_eq!(run.tables.summary.values.len(), 1);
    let lines: Vec<Option<i32>> = run
        .tables
        .summary
        .definitions
        .rows()
        .map(|definition| definition.line)
        .collect();
    assert!(lines.contains(&Some(7)), "{lines:?}");
}

#[test]
fn counters_of_files_of_ranks_must_fit() {
    let counters: [(i32, i32); 6] = [
        (i32::MAX, i32::MAX),
        (-1, 4),
        (31, -4),
        (1 << 30, 1),
        (0, 0),
        (30, 4),
    ];
    for (rows, columns) in counters {
        let mut files = sample("hpctoolkit-3/ranks");
        let file = files.get_mut(RANK_0).unwrap();
        file[24..28].copy_from_slice(&rows.to_be_bytes());
        file[28..32].copy_from_slice(&columns.to_be_bytes());
        let reading = read_all(&files);
        let text = refusals(&reading);
        assert!(text.contains("do not hold the nodes"), "{text}");
        // The other ranks are there, and the run says that it is not whole.
        let meta = &reading.runs[0].tables.summary.meta;
        assert!(!meta.is_complete);
        assert_eq!(reading.runs[0].inputs.len(), files.len() - 1);
    }
}

#[test]
fn numbers_that_are_none_are_skipped() {
    let mut files = sample("hpctoolkit-3/ranks");
    let file = files.get_mut(RANK_0).unwrap();
    let row = 32 + 8 * 4 * 4;
    for (at, value) in [f64::NAN, f64::INFINITY, -0.0].into_iter().enumerate() {
        let at = row + 8 * at;
        file[at..at + 8].copy_from_slice(&value.to_be_bytes());
    }
    let run = read_one(&files);
    assert_eq!(run.report.count("skipped_unusable_values"), 2);
    assert!(!run.tables.summary.meta.is_complete);
}

#[test]
fn exclusive_values_that_are_more_than_inclusive_ones_are_told() {
    let mut files = sample("hpctoolkit-3/ranks");
    let file = files.get_mut(RANK_0).unwrap();
    // The second column of the row of `main`, whose id is 5.
    let at = 32 + 8 * (4 * 4 + 1);
    file[at..at + 8].copy_from_slice(&1e9_f64.to_be_bytes());
    let run = read_one(&files);
    assert_eq!(run.report.count("read_exclusive_totals_that_differ"), 1);
    assert_eq!(run.report.count("repaired_summaries"), 1);
}

#[test]
fn members_that_lack_or_are_too_many_are_told() {
    let whole = sample("hpctoolkit-3/ranks");
    let without = |name: &str| {
        let mut files = whole.clone();
        files.retain(|file, _| !file.contains(name));
        refusals(&read_all(&files))
    };
    assert!(without("experiment").contains("lacks `experiment.xml`"));
    assert!(without("metric-db").contains("lacks `*.metric-db`"));
    let missing_rank = {
        let mut files = whole.clone();
        files.remove(RANK_0);
        read_one(&files)
    };
    assert!(missing_rank.report.count("repaired_summaries") > 0);
    assert!(!missing_rank.tables.summary.meta.is_complete);

    let mut files = whole.clone();
    files.insert("other.xml".to_owned(), files["experiment.xml"].clone());
    files.insert("renamed.metric-db".to_owned(), files[RANK_0].clone());
    let reading = read_all(&files);
    assert_eq!(reading.runs.len(), 1);
    let text = refusals(&reading);
    assert!(text.contains("is in the same folder"), "{text}");
    assert!(text.contains("does not contain rank and thread"), "{text}");

    let whole = sample("hpctoolkit-4/ranks");
    for name in ["meta.db", "profile.db", "cct.db"] {
        let mut files = whole.clone();
        files.remove(name);
        let text = refusals(&read_all(&files));
        assert!(text.contains(&format!("lacks `{name}`")), "{text}");
    }
}

#[test]
fn a_tree_that_breaks_off_refuses_the_database() {
    let mut files = sample("hpctoolkit-3/ranks");
    let tree = files.get_mut("experiment.xml").unwrap();
    tree.truncate(tree.len() * 3 / 4);
    let reading = read_all(&files);
    assert!(reading.runs.is_empty());
    let text = refusals(&reading);
    assert!(text.contains("`experiment.xml` of the same database is not usable"));
}

#[test]
fn databases_of_several_folders_are_several_runs() {
    let mut files = Files::new();
    let folders = [
        ("a", "hpctoolkit-3/ranks"),
        ("b/c", "hpctoolkit-4/ranks"),
        ("b", "hpctoolkit-3/without-ranks"),
        ("d", "hpctoolkit-4/ranks"),
    ];
    for (folder, of) in folders {
        for (name, content) in sample(of) {
            files.insert(format!("{folder}/{name}"), content);
        }
    }
    let reading = read_all(&files);
    assert_eq!(reading.runs.len(), 4);
    assert_eq!(reading.refused.len(), 0);
}

/// A member of a database of version 4 that can be changed in place.
struct Member<'a>(&'a mut Vec<u8>);

impl Member<'_> {
    fn get(&self, at: u64) -> u64 {
        let at = usize::try_from(at).unwrap();
        u64::from_le_bytes(self.0[at..at + 8].try_into().unwrap())
    }

    fn set(&mut self, at: u64, value: u64) {
        let at = usize::try_from(at).unwrap();
        self.0[at..at + 8].copy_from_slice(&value.to_le_bytes());
    }

    fn section(&self, number: u64) -> u64 {
        self.get(24 + 16 * number)
    }
}

/// Reads the sample after changes to one member.
fn changed(name: &str, change: impl FnOnce(&mut Member<'_>)) -> ReadOutcome {
    let mut files = sample("hpctoolkit-4/ranks");
    change(&mut Member(files.get_mut(name).unwrap()));
    read_all(&files)
}

#[test]
fn circles_and_shared_children_end() {
    let reading = changed("meta.db", |meta| {
        let entry = meta.get(meta.section(3));
        let main = meta.get(entry + 8);
        let first_line = meta.get(main + 8);
        // The first line's children are the entry's: `main` is in itself.
        meta.set(first_line, meta.get(entry));
        meta.set(first_line + 8, main);
    });
    let run = &reading.runs[0];
    assert!(run.report.count("skipped_contexts") > 0);
    let reading = changed("meta.db", |meta| {
        let entry = meta.get(meta.section(3));
        // Both entries have the same children.
        meta.set(entry + 0x28, meta.get(entry));
        meta.set(entry + 0x28 + 8, meta.get(entry + 8));
    });
    assert_eq!(reading.runs[0].report.count("skipped_contexts"), 1);
}

#[test]
fn counts_and_pointers_near_the_end_of_numbers_are_refused() {
    for value in [u64::MAX, u64::MAX - 7, 1 << 63, u64::from(u32::MAX)] {
        let reading = changed("meta.db", |meta| {
            let entry = meta.get(meta.section(3));
            meta.set(entry, value);
        });
        assert_eq!(reading.runs[0].report.count("skipped_contexts"), 1);
        for section in 0..4 {
            let reading = changed("meta.db", |meta| {
                let at = meta.section(section);
                meta.set(at, value);
            });
            let is_general = section == 0;
            assert_eq!(reading.runs.len(), usize::from(is_general));
        }
        let reading = changed("profile.db", |profile| {
            let first = profile.get(profile.section(0)) + 0x30;
            profile.set(first, value);
        });
        assert_eq!(reading.runs[0].report.count("skipped_profiles"), 1);
        assert!(!reading.runs[0].tables.summary.meta.is_complete);
        let reading = changed("cct.db", |cct| {
            let first = cct.get(cct.section(0));
            cct.set(first, value);
        });
        assert_eq!((reading.runs.len(), reading.refused.len()), (1, 1));
    }
}

#[test]
fn sections_may_not_lie_outside_and_may_overlap() {
    for section in 0..4 {
        let reading = changed("meta.db", |meta| meta.set(16 + 16 * section, 1 << 40));
        assert!(refusals(&reading).contains("does not lie in the file"));
        // All sections at one place: read or refused, but ended.
        changed("meta.db", |meta| {
            let at = meta.section(section);
            for other in 0..4 {
                meta.set(16 + 16 * other, 0);
                meta.set(24 + 16 * other, at);
            }
        });
    }
    let reading = changed("profile.db", |profile| profile.0[14] = 5);
    assert!(refusals(&reading).contains("version 5"));
}

#[test]
fn profiles_that_share_values_are_skipped() {
    let reading = changed("profile.db", |profile| {
        let begin = profile.0.len() as u64;
        profile.0.extend(vec![0; 0x30 * 50_000]);
        let len = profile.0.len() as u64;
        for number in 0..50_000 {
            profile.set(begin + 0x30 * number, len / 20);
            profile.set(begin + 0x30 * number + 8, len / 2);
        }
        let at = profile.section(0);
        profile.set(at, begin);
        profile.set(at + 8, 50_000 + (0x30 << 32));
    });
    assert!(reading.runs[0].report.count("skipped_profiles") >= 49_998);
}

#[test]
fn a_member_that_differs_is_told() {
    let reading = changed("cct.db", |cct| {
        let contexts = cct.get(cct.section(0));
        let values = (0..30)
            .map(|number| cct.get(contexts + 0x20 * number + 8))
            .find(|values| *values > 0)
            .unwrap();
        let at = usize::try_from(values).unwrap() + 4;
        cct.0[at] ^= 1;
    });
    let report = &reading.runs[0].report;
    assert_eq!(report.count("skipped_cct_db_that_differs"), 1);
    assert_eq!(report.count("read_values_equal_in_cct_db"), 0);
}

#[test]
fn a_million_levels_of_contexts_are_read() {
    let reading = changed("meta.db", |meta| {
        let entry = meta.get(meta.section(3));
        let begin = meta.0.len().next_multiple_of(8) as u64;
        meta.0.resize(usize::try_from(begin).unwrap(), 0);
        for level in 0..DEPTH as u64 {
            let next = begin + 0x20 * (level + 1);
            let size = if level + 1 < DEPTH as u64 { 0x20 } else { 0 };
            let mut record = [size, next, 1000 + level, 0].map(u64::to_le_bytes);
            // A loop of its own, without words.
            record[2][6] = 1;
            meta.0.extend(record.concat());
        }
        meta.set(entry, 0x20);
        meta.set(entry + 8, begin);
    });
    let run = &reading.runs[0];
    assert_eq!(max_depth(run), i32::try_from(DEPTH).unwrap());
}
