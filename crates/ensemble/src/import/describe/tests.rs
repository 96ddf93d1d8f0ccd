//! Which of several sayings holds, and what they come to.

use std::fs;

use sheaf_ingest::Parentage;

use super::*;

/// A folder `runs/gcc` with descriptions in both and nothing else.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new(outer: &str, inner: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("runs/gcc")).unwrap();
        for (name, text) in [("runs", outer), ("runs/gcc", inner)] {
            if !text.is_empty() {
                fs::write(folder.path().join(name).join("grainsheaf.toml"), text).unwrap();
            }
        }
        Self(folder)
    }

    fn of(&self, file: &str, root: &str, options: &AddOptions) -> Result<Description, Error> {
        let (path, root) = (self.0.path().join(file), self.0.path().join(root));
        of_file(&path, &root, options, &mut Sidecars::default())
    }

    fn params(&self, file: &str, root: &str, options: &AddOptions) -> String {
        shown(&self.of(file, root, options).unwrap().params)
    }
}

fn shown(params: &BTreeMap<String, ParamValue>) -> String {
    let one = |(name, value): (&String, &ParamValue)| format!("{name}={value}");
    params.iter().map(one).collect::<Vec<_>>().join(" ")
}

fn options(params: &[(&str, &str)], patterns: &[&str]) -> AddOptions {
    let param = |(name, text): &(&str, &str)| ((*name).to_owned(), ParamValue::infer(text));
    AddOptions {
        params: params.iter().map(param).collect(),
        params_from: patterns.iter().map(|text| text.parse().unwrap()).collect(),
        ..AddOptions::default()
    }
}

#[test]
fn what_is_nearer_wins() {
    let outer = "
        params-from = '{a}-{b}-{c}-{d}-{e}-{f}.x'
        [params]
        b = 'outer'
        c = 'outer'
        d = 'outer'
        e = 'outer'
        f = 'outer'
        [[files]]
        match = '*.x'
        params = { c = 'outer section', d = 'outer section', e = 'outer section', f = 'outer section' }
    ";
    let inner = "
        [params]
        d = 'inner'
        e = 'inner'
        f = 'inner'
        [[files]]
        match = '*.y'
        params = { f = 'other file' }
        [[files]]
        match = ['*.z', '*.x']
        params = { e = 'inner section', f = 'inner section' }
    ";
    let folder = Folder::new(outer, inner);
    let given = options(&[("f", "given")], &["{g}-{a}-{}.x"]);
    assert_eq!(
        folder.params("runs/gcc/1-2-3-4-5-6.x", "runs", &given),
        "a=1 b=outer c=outer section d=inner e=inner section f=given g=1"
    );
    let file = Sidecar::parse("[params]\nf = 1\ne = 'file'", "f.toml".as_ref()).unwrap();
    let with_file = AddOptions {
        params_file: Some(file),
        ..given
    };
    assert_eq!(
        folder.params("runs/gcc/1-2-3-4-5-6.x", "runs/gcc", &with_file),
        "a=2 d=inner e=file f=given g=1"
    );
}

#[test]
fn folders_above_the_named_one_say_nothing() {
    let folder = Folder::new("params = { a = 1 }", "");
    let none = AddOptions::default();
    assert_eq!(folder.params("runs/gcc/x", "runs", &none), "a=1");
    assert_eq!(folder.params("runs/gcc/x", "runs/gcc", &none), "");
    // A database is described from inside as well.
    let folder = Folder::new("params = { a = 1 }", "params = { b = 2 }");
    assert_eq!(folder.params("runs/gcc", "runs", &none), "a=1 b=2");
}

#[test]
fn hints_come_from_keys_and_from_parameters() {
    let outer = "clock-hz = 2.5e9\nworkers = 4\n[[files]]\nmatch = '*.json'\nparentage = 'nesting'";
    let folder = Folder::new(outer, "");
    let hints = |file: &str, options: &AddOptions| folder.of(file, "runs", options).unwrap().hints;
    let found = hints("runs/a.dag", &AddOptions::default());
    assert_eq!(
        (found.clock_hz, found.workers, found.parentage),
        (Some(2.5e9), Some(4), Parentage::Recorded)
    );
    let given = options(
        &[("clock_hz", "3000000000"), ("workers", "many")],
        &["{}-w{workers:int}.dag"],
    );
    let found = hints("runs/a-w16.dag", &given);
    assert_eq!((found.clock_hz, found.workers), (Some(3e9), Some(4)));
    assert_eq!(hints("runs/a.json", &given).parentage, Parentage::Nesting);

    let described = of_content("a-w16.dag", &given);
    assert_eq!(described.hints.workers, Some(16));
    assert_eq!(described.findings.count("skipped_hints"), 1);
    assert_eq!(
        described.findings.findings[0].first.as_deref(),
        Some("workers=many")
    );
}

#[test]
fn names_that_do_not_match_are_found() {
    let given = options(&[], &["{a}.x", "{b}-{c}.y"]);
    let report = of_content("1.y", &given).findings;
    assert_eq!(report.count("skipped_name_patterns"), 2);
    assert_eq!(report.findings[0].first.as_deref(), Some("{a}.x"));
    // One that fits is enough.
    assert_eq!(of_content("1.x", &given).findings, Report::default());
}

#[test]
fn descriptions_that_are_wrong_refuse_the_file() {
    let folder = Folder::new("", "[params]\nversion = 1\n[[files]]\nmatc = '*'\n");
    let error = folder
        .of("runs/gcc/x", "runs", &AddOptions::default())
        .unwrap_err();
    let expected = format!(
        "unknown key `matc`; did you mean `match`? at line 4, column 1: {}",
        folder.0.path().join("runs/gcc/grainsheaf.toml").display()
    );
    assert_eq!(error.to_string(), expected);
}

#[test]
fn a_description_goes_into_the_metadata() {
    let mut meta = RunMeta::new("lu", "trace");
    meta.params.insert("a".into(), ParamValue::Number(1.0));
    meta.params.insert("b".into(), ParamValue::Number(1.0));
    let text = "reference-elapsed-ns = 7\ncomplete = false\n[params]\na = 2\n\
                [[files]]\nmatch = 'x'\nname = 'nightly'\n";
    let folder = Folder::new(text, "");
    folder
        .of("runs/x", "runs", &AddOptions::default())
        .unwrap()
        .apply(&mut meta);
    assert_eq!(shown(&meta.params), "a=2 b=1");
    assert_eq!(
        (
            meta.name.as_str(),
            meta.reference_elapsed_ns,
            meta.is_complete
        ),
        ("nightly", Some(7), false)
    );
    of_content("x", &AddOptions::default()).apply(&mut meta);
    assert_eq!(
        (
            meta.name.as_str(),
            meta.reference_elapsed_ns,
            meta.is_complete
        ),
        ("nightly", Some(7), false)
    );
}
