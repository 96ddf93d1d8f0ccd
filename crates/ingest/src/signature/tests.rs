//! Guesses for files of other tools.

use super::*;

#[test]
fn unrecognised_files_get_a_guess_and_a_command() {
    let files: [(&str, &[u8], &str); 8] = [
        (
            "perf.data",
            b"PERFILE2\0\0",
            "`perf script -i perf.data | gprof2dot",
        ),
        (
            "a.json.xz",
            b"\xfd7zXZ\0\0",
            "`xz -dc a.json.xz | grainsheaf add -`",
        ),
        (
            "gmon.out",
            b"gmon\x01",
            "`gprof PROGRAM gmon.out > gmon.out.txt`",
        ),
        (
            "out.txt",
            b"main;solve 12\nmain;halo 3\n",
            "`gprof2dot -f collapse",
        ),
        (
            "my file",
            b"PERFILE2\0\0",
            "`perf script -i FILE | gprof2dot",
        ),
        ("traces.otf2", b"anything", "pipit.Trace.from_otf2"),
        ("a.out", b"\x7fELF\x02", "`grainsheaf record -- ./a.out`"),
        ("x.tar", &[0; 300], ""),
    ];
    for (name, start, command) in files {
        let guess = guess(start, name).map(|guess| guess.to_string());
        let guess = guess.unwrap_or_default();
        assert!(guess.contains(command), "{name}: {guess}");
    }
    let mut archive = vec![b'a'; 512];
    archive[257..262].copy_from_slice(b"ustar");
    let advice = guess(&archive, "x.tar").unwrap().advice;
    assert!(advice.contains("tar -xf x.tar"), "{advice}");
    assert_eq!(guess(b"something else", "notes.txt"), None);
}

#[test]
fn signatures_are_many_and_each_says_what_to_do() {
    assert!(SIGNATURES.len() >= 40, "{}", SIGNATURES.len());
    let mut names: Vec<&str> = SIGNATURES.iter().map(|it| it.what).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), SIGNATURES.len());
    for signature in SIGNATURES {
        assert!(!signature.marks.is_empty() && signature.advice.len() > 10);
    }
}
