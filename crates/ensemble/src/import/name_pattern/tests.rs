//! Patterns on names: what is read, what does not match, what is refused.

use proptest::prelude::*;

use super::*;

#[track_caller]
fn check(pattern: &str, path: &str, expected: &str) {
    let pattern: NamePattern = pattern.parse().unwrap();
    let shown = match pattern.read(Path::new(path)) {
        None => "no match".to_owned(),
        Some(params) => {
            let one = |(name, value): (&String, &ParamValue)| {
                format!("{name}={}:{value}", value.type_name())
            };
            params.iter().map(one).collect::<Vec<_>>().join(" ")
        }
    };
    assert_eq!(shown, expected, "{pattern} on {path}");
}

#[track_caller]
fn check_error(pattern: &str, expected: &str) {
    let error = pattern.parse::<NamePattern>().unwrap_err();
    assert_eq!(error.to_string(), format!("{expected} of `{pattern}`"));
}

#[test]
fn fields_are_typed() {
    check(
        "run-{threads:int}-{rep}.cali",
        "run-08-3.cali",
        "rep=number:3 threads=number:8",
    );
    check("{v}.dag", "1.20.dag", "v=text:1.20");
    check("{v:float}.dag", "1.20.dag", "v=number:1.2");
    check("{v:text}.dag", "8.dag", "v=text:8");
    check("{n:float}.x", "1e6.x", "n=number:1000000");
    check("{n:float}.x", "inf.x", "no match");
    check("{n:int}.x", "-4.x", "n=number:-4");
    check("{n:int}.x", "4.5.x", "no match");
    check("{n:int}.x", "9007199254740993.x", "no match");
    check("{on:bool}.x", "YES.x", "on=boolean:true");
    check("{on:bool}.x", "maybe.x", "no match");
    check(
        "r-{t:time}.x",
        "r-20240131-120000.x",
        "t=time:1706702400000000000",
    );
    check("r-{t:time}.x", "r-20240199.x", "no match");
}

#[test]
fn whole_names_match_compressed_or_not() {
    check("{p}.cali", "a.cali.gz", "p=text:a");
    check("{p}.cali", "a.cali.zst", "p=text:a");
    check("{p}.cali", "a.cali.bz2", "no match");
    check("{p}.{end}", "a.cali.gz", "end=text:cali.gz p=text:a");
    check("{p}.cali", "x-a.cali-old", "no match");
    check("{p}.cali", ".cali", "no match");
    check("{p}.cali", "/", "no match");
}

#[test]
fn fields_take_as_little_as_the_rest_allows() {
    check(
        "{program}_{rep:int}.cali",
        "my_prog_01.cali",
        "program=text:my_prog rep=number:1",
    );
    check("{a}-{b}.x", "1-2-3.x", "a=number:1 b=text:2-3");
    check("{a}aa{b}", "xaaaay", "a=text:x b=text:aay");
    check("{}-{n:int}-{_}.x", "a-b-7-c-d.x", "n=number:7");
    check("{}-{_:int}-{n}.x", "a-b-7-c.x", "n=text:c");
}

#[test]
fn folders_count_from_the_end() {
    let pattern = "{compiler}/{opt}/{program}_{rep:int}.cali";
    check(
        pattern,
        "/data/gcc/O3/lu_02.cali",
        "compiler=text:gcc opt=text:O3 program=text:lu rep=number:2",
    );
    check(
        pattern,
        "./gcc/./O3/lu_2.cali",
        "compiler=text:gcc opt=text:O3 program=text:lu rep=number:2",
    );
    check(pattern, "O3/lu_02.cali", "no match");
    check("{a}/x", "é/x", "a=text:é");
}

#[test]
fn signs_are_written_twice() {
    check("{{{a}}}.x", "{7}.x", "a=number:7");
    check("a}}{n:int}", "a}3", "n=number:3");
}

#[test]
fn mistakes_have_a_place() {
    check_error(
        "a{b}{c}.x",
        "two fields need some text between them at character 5",
    );
    check_error(
        "{a",
        "`{` is not closed; write `{{` for the sign itself at character 1",
    );
    check_error(
        "{a/b}",
        "`{` is not closed; write `{{` for the sign itself at character 1",
    );
    check_error(
        "é}{a}",
        "`}` closes nothing; write `}}` for the sign itself at character 2",
    );
    check_error(
        "{n:integer}.x",
        "`integer` is no type of field (known: int, float, text, bool, time) at character 4",
    );
    check_error("{n}-{n}", "`n` is there twice at character 6");
    check_error(
        "{a b}",
        "`a b` is no name of a parameter (letters, digits, `_`, `.` and `-`, a letter first) at character 2",
    );
    check_error(
        "/{a}",
        "a folder's name is missing before `/` at character 1",
    );
    check_error(
        "{a}//{b}",
        "a folder's name is missing before `/` at character 5",
    );
    check_error("{a}/", "the file's name is missing at character 5");
    check_error("", "the file's name is missing at character 1");
    check_error(
        "run-{}.x",
        "no field has a name, such as `{threads:int}`, at character 1",
    );
    let long = "x".repeat(2_000);
    check_error(
        &long,
        "a pattern has at most 1000 characters at character 1001",
    );
}

#[test]
fn patterns_that_match_nothing_are_found() {
    let patterns: Vec<NamePattern> = ["{a}.x", "{b}.y"]
        .iter()
        .map(|text| text.parse().unwrap())
        .collect();
    let paths = [Path::new("1.x"), Path::new("2.x")];
    let unmatched = NamePattern::unmatched(&patterns, &paths);
    assert_eq!(
        unmatched
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>(),
        ["{b}.y"]
    );
}

proptest! {
    /// What was put into a name by a pattern comes out again.
    #[test]
    fn names_are_read_back(threads in 0_i32..100_000, program in "[a-z]{1,8}", version in "[a-z0-9.]{1,9}") {
        let pattern: NamePattern = "{version:text}/{program:text}-{threads:int}.cali".parse().unwrap();
        // A name of dots alone is a folder's own or its parent's.
        prop_assume!(!version.trim_matches('.').is_empty());
        let path = format!("runs/{version}/{program}-{threads}.cali");
        let params = pattern.read(Path::new(&path)).unwrap();
        prop_assert_eq!(&params["threads"], &ParamValue::Number(f64::from(threads)));
        prop_assert_eq!(&params["program"], &ParamValue::Text(program));
        prop_assert_eq!(&params["version"], &ParamValue::Text(version));
    }

    /// A match accounts for every character: literals and fields make up the name again.
    #[test]
    fn a_match_is_the_whole_name(name in "[ab-]{1,12}") {
        let pattern: NamePattern = "{x:text}-{y:text}".parse().unwrap();
        match pattern.read(Path::new(&name)) {
            Some(params) => prop_assert_eq!(format!("{}-{}", params["x"], params["y"]), name),
            None => prop_assert!(!name.get(1..name.len() - 1).is_some_and(|inner| inner.contains('-'))),
        }
    }

    #[test]
    fn nothing_makes_it_panic(pattern in "[a{}:/_int]{0,30}", path in ".{0,30}") {
        if let Ok(pattern) = pattern.parse::<NamePattern>() {
            prop_assert_eq!(pattern.to_string().parse::<NamePattern>(), Ok(pattern.clone()));
            let _ = pattern.read(Path::new(&path));
        }
    }
}

#[test]
fn the_worst_name_takes_no_time() {
    let pattern: NamePattern = "{a:float}1{b:float}1{c:float}1{d:float}x".parse().unwrap();
    let start = std::time::Instant::now();
    assert_eq!(pattern.read(Path::new(&"1".repeat(255))), None);
    assert_eq!(pattern.read(Path::new(&"1".repeat(100_000))), None);
    assert!(start.elapsed().as_secs() < 5);
}
