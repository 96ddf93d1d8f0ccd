//! Descriptions: what they say, which files they are about, what is refused.

use proptest::prelude::*;

use super::*;
use crate::AddOptions;

fn parse(text: &str) -> Result<Sidecar, Error> {
    Sidecar::parse(text, Path::new("/d/grainsheaf.toml"))
}

#[track_caller]
fn check_error(text: &str, expected: &str) {
    let error = parse(text).unwrap_err().to_string();
    assert_eq!(error, format!("{expected}: /d/grainsheaf.toml"));
}

#[test]
fn values_are_typed() {
    let text = "
        [params]
        number = 8
        hex = 0xff
        real = -1.5e3
        text = '8'
        truth = true
        day = 2024-01-31
        instant = 2024-01-31T13:00:00+01:00
        \"with blank\" = ''
    ";
    let general = parse(text).unwrap().general;
    let shown: Vec<_> = general
        .params
        .iter()
        .map(|(name, value)| format!("{name} {}: {value}", value.type_name()))
        .collect();
    assert_eq!(
        shown,
        [
            "day time: 1706659200000000000",
            "hex number: 255",
            "instant time: 1706702400000000000",
            "number number: 8",
            "real number: -1500",
            "text text: 8",
            "truth boolean: true",
            "with blank text: ",
        ]
    );
}

#[test]
fn sections_are_about_files_that_match() {
    let text = "
        [[files]]
        match = '*.cali'
        name = '1'
        [[files]]
        match = 'gcc/*.cali'
        name = '2'
        [[files]]
        match = ['**/O3/*', '[ab].dag']
        name = '3'
    ";
    let sidecar = parse(text).unwrap();
    let sections = |path: &str| {
        let names = sidecar
            .of(Path::new(path))
            .filter_map(|said| said.name.clone());
        names.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(sections("/d/x.cali"), "1");
    assert_eq!(sections("/d/gcc/x.cali"), "1 2");
    assert_eq!(sections("/d/gcc/O3/x.cali"), "1 3");
    assert_eq!(sections("/d/a.dag"), "3");
    assert_eq!(sections("/d/ab.dag"), "");
    // A description that was named is not beside the files.
    assert_eq!(sections("/elsewhere/x.cali"), "1");
}

#[test]
fn mistakes_have_a_place() {
    check_error("a = 1", "unknown key `a` at line 1, column 1");
    check_error(
        "\n param = 1",
        "unknown key `param`; did you mean `params` or `params-from`? at line 2, column 2",
    );
    check_error(
        "clock_hz = 1",
        "unknown key `clock_hz`; did you mean `clock-hz`? at line 1, column 1",
    );
    check_error(
        "name = 'a'",
        "`name` belongs into a section `[[files]]` at line 1, column 1",
    );
    check_error(
        "[files]",
        "`files` has sections: write `[[files]]` at line 1, column 1",
    );
    check_error(
        "params = 1",
        "`params` is a table: write `[params]` at line 1, column 10",
    );
    check_error(
        "[params]\na = [1]",
        "`a` is neither number, text, boolean nor time at line 2, column 5",
    );
    check_error(
        "[params]\na = nan",
        "`nan` is no finite number at line 2, column 5",
    );
    check_error(
        "[params]\na = 9007199254740993",
        "`9007199254740993` is too large for an exact number; quote it at line 2, column 5",
    );
    check_error(
        "[params]\na = 12:00:00",
        "`12:00:00` is no point in time without a date at line 2, column 5",
    );
    check_error(
        "[params]\na = 9999-01-01",
        "`9999-01-01` is not between the years 1678 and 2261 at line 2, column 5",
    );
    check_error(
        "clock-hz = 0",
        "`clock-hz` is a number greater than 0 at line 1, column 12",
    );
    check_error(
        "workers = 1.5",
        "`workers` is a whole number of at least 1 at line 1, column 11",
    );
    check_error(
        "complete = 1",
        "`complete` is true or false at line 1, column 12",
    );
    check_error(
        "parentage = 'x'",
        "`x` is no parentage (known: recorded, nesting) at line 1, column 13",
    );
    check_error(
        "[[files]]\nname = 'a'",
        "the section says of no file; give it `match = \"*\"` at line 1, column 1",
    );
    check_error(
        "[[files]]\nmatch = 'a/**b'",
        "no file pattern: recursive wildcards must form a single path component at line 2, column 9",
    );
    check_error(
        "params-from = ['{a}.x', '{b}{c}']",
        "two fields need some text between them at character 4 of `{b}{c}` at line 1, column 25",
    );
    check_error(
        "params-from = 1",
        "`params-from` is a text or a list of texts at line 1, column 15",
    );
    check_error(
        "task-graph = '../x'",
        "`../x` is not in the folder of this description at line 1, column 14",
    );
    check_error(
        "task-graph = '/etc/passwd'",
        "`/etc/passwd` is not in the folder of this description at line 1, column 14",
    );
    let error = parse("[params]\na = 'é' b").unwrap_err().to_string();
    assert!(error.contains("at line 2, column 9"), "{error}");
    let error = parse("[params]\na = 1\na = 2").unwrap_err().to_string();
    assert!(error.contains("at line 3, column 1"), "{error}");
}

#[test]
fn files_beside_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(SIDECAR);
    std::fs::write(folder.path().join("w.dot"), "digraph {}").unwrap();
    std::fs::write(&path, "task-graph = 'w.dot'").unwrap();
    let mut sidecars = Sidecars::default();
    let read = sidecars.in_folder(folder.path()).unwrap().unwrap();
    assert_eq!(read.general.task_graph.as_deref(), Some("digraph {}"));
    // Each is read once, and there may be none.
    std::fs::remove_file(&path).unwrap();
    assert_eq!(sidecars.in_folder(folder.path()).unwrap(), Some(read));
    assert_eq!(Sidecars::default().in_folder(folder.path()).unwrap(), None);
    std::fs::write(&path, "task-graph = 'v.dot'").unwrap();
    let error = Sidecar::read(&path).unwrap_err().to_string();
    assert!(error.starts_with("cannot read "), "{error}");
}

#[test]
fn deep_nesting_is_refused() {
    let deep = format!("a = {}", "[".repeat(1_000_000));
    assert!(parse(&deep).is_err());
}

fn param() -> impl Strategy<Value = ParamValue> {
    prop_oneof![
        any::<f64>()
            .prop_filter("finite", |number| number.is_finite())
            .prop_map(ParamValue::Number),
        any::<i32>().prop_map(|number| ParamValue::Number(f64::from(number))),
        ".{0,12}".prop_map(ParamValue::Text),
        any::<bool>().prop_map(ParamValue::Boolean),
        any::<i64>().prop_map(ParamValue::Time),
    ]
}

proptest! {
    #[test]
    fn what_is_written_is_read(
        params in proptest::collection::btree_map("[a-z.= \"]{0,4}[a-z]", param(), 0..4),
        name in proptest::option::of(".{0,9}"),
        reference in proptest::option::of(0..=i64::MAX),
        ended_early: bool,
    ) {
        let params: BTreeMap<String, ParamValue> =
            params.into_iter().map(|(name, value)| (name.trim().to_owned(), value)).collect();
        let options = AddOptions {
            params,
            name,
            reference_elapsed_ns: reference,
            ended_early,
            ..AddOptions::default()
        };
        let sidecar = parse(&Sidecar::to_toml(&options)).unwrap();
        let said: Vec<_> = sidecar.of(Path::new("/d/a.trace")).collect();
        prop_assert_eq!(&said[0].params, &options.params);
        prop_assert_eq!(said[0].reference_elapsed_ns, options.reference_elapsed_ns);
        prop_assert_eq!(said[0].is_complete, ended_early.then_some(false));
        prop_assert_eq!(said.get(1).and_then(|said| said.name.as_ref()), options.name.as_ref());
    }

    #[test]
    fn nothing_makes_it_panic(text in "[a-z\\[\\]={}'\" .0-9\n-]{0,60}") {
        let _ = parse(&text);
    }
}
