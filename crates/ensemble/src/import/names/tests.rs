//! Names of sources and runs by where files are.

use super::*;

/// A file that was named, or found below a folder that was named: `folder//file`.
fn place(text: &str) -> Place {
    let (root, path) = match text.split_once("//") {
        Some((root, rest)) => (Some(root), format!("{root}/{rest}")),
        None => (None, text.to_owned()),
    };
    let parts = parts(Path::new(&path), None);
    let above = root.map(|root| parts_above(Path::new(root), None));
    let own = above.map_or(1, |above| parts.len() - above);
    let last = parts.last().unwrap();
    Place {
        own,
        stem: program_name(last).to_owned(),
        is_shared: last.contains(".csv"),
        parts,
    }
}

/// Each place with the name of its source and, if it gets one, of its run.
fn check(places: &[&str], expected: &[&str]) {
    let places: Vec<Place> = places.iter().map(|text| place(text)).collect();
    let names = files(&places).into_iter().zip(runs(&places));
    let found: Vec<String> = names
        .map(|(file, run)| match run {
            Some(run) => format!("{file} {run}"),
            None => file,
        })
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn sources_have_the_folders_that_distinguish_them() {
    check(&["/home/me/a.cali"], &["a.cali"]);
    check(&["../x/a.cali", "./b.cali"], &["a.cali", "b.cali"]);
    check(&["/home/me/exp//a/b.cali"], &["exp/a/b.cali"]);
    check(&[".//a/b.cali"], &["a/b.cali"]);
    check(
        &["/x/one/fib.cali", "/x/two/fib.cali", "/x/lu.cali"],
        &["one/fib.cali one", "two/fib.cali two", "lu.cali"],
    );
    // The same file twice is one.
    check(&["a/x.cali", "a/x.cali"], &["x.cali", "x.cali"]);
}

#[test]
fn runs_are_named_by_the_part_that_differs() {
    check(
        &["exp//run1/profile.json", "exp//run2/profile.json"],
        &["exp/run1/profile.json run1", "exp/run2/profile.json run2"],
    );
    check(
        &["a/out/profile.json", "b/out/trace.json"],
        &["profile.json a", "trace.json b"],
    );
    check(
        &["profile.json", "run2/profile.json"],
        &["profile.json profile", "run2/profile.json run2"],
    );
    check(
        &["a/fib.json", "a/fib.cali"],
        &["fib.json fib.json", "fib.cali fib.cali"],
    );
    check(
        &["a/x/fib.json", "b/x/fib.json", "a/y/fib.json"],
        &["a/x/fib.json a/x", "b/x/fib.json b/x", "y/fib.json a/y"],
    );
    // Names that differ, or are alone, stay.
    check(&["a/fib.json", "a/lu.json"], &["fib.json", "lu.json"]);
    check(&["run1/profile.json"], &["profile.json"]);
}

#[test]
fn files_of_one_run_have_one_name() {
    check(
        &["a/fib.tasks.csv", "a/fib.loops.csv"],
        &["fib.tasks.csv", "fib.loops.csv"],
    );
    check(
        &["a/fib.tasks.csv", "a/fib.loops.csv", "b/fib.tasks.csv"],
        &["a/fib.tasks.csv a", "fib.loops.csv a", "b/fib.tasks.csv b"],
    );
}

#[test]
fn folders_that_the_user_does_not_know_are_never_named() {
    let base = Path::new("/store/tmp/w/files");
    let below = |name: &str| parts(&base.join(name), Some(base));
    assert_eq!(below("a/profile.json"), ["a", "profile.json"]);
    assert_eq!(parts(Path::new("../secret/../a.json"), None), ["a.json"]);
    assert_eq!(parts_above(base, Some(base)), 0);
}
