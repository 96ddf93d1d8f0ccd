//! Each exit status of the table in `grainsheaf --help`, by the real binary.

use std::fs::{self, File, Permissions};
use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use sheaf_answers::{Add, Verify};
use sheaf_tests::{Outcome, built, grainsheaf, run};

use crate::{run_of, sample, sample_store};

/// Runs `grainsheaf --store STORE WORDS…` below a shell script that ends in `exec "$@"`.
fn in_shell(script: &str, store: &Path, words: &[&str]) -> Outcome {
    let output = Command::new("bash")
        .args(["-c", script, "bash"])
        .arg(built("grainsheaf"))
        .arg("--store")
        .arg(store)
        .args(words)
        .env_remove("GRAINSHEAF_STORE")
        .output()
        .unwrap();
    Outcome {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Takes the store's maintenance lease for a process of another machine, which counts as alive.
fn hold_lease(store: &Path) {
    let folder = store.join("tmp/maintenance");
    fs::create_dir_all(&folder).unwrap();
    let holder = r#"{"token":"0123456789abcdef","pid":1,"host":"elsewhere","started":"1"}"#;
    fs::write(folder.join("lease.json"), holder).unwrap();
}

/// Starts a command that waits for the store, and returns once it says so.
fn start_waiting(store: &Path, words: &[&str]) -> Child {
    let mut child = grainsheaf(store)
        .args(words)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut stderr = BufReader::new(child.stderr.as_mut().unwrap());
    stderr.read_line(&mut line).unwrap();
    assert!(line.contains("waiting for another process"), "{line}");
    child
}

/// Commands that print something, one for each way to print it.
fn printing(store: &Path) -> Vec<Vec<String>> {
    let profile = run_of(store, "cprofile");
    let graph = run_of(store, "taskflow");
    let commands = [
        "runs".to_owned(),
        "runs --json".to_owned(),
        "runs --csv".to_owned(),
        format!("info {profile}"),
        format!("grains {graph} --arrow"),
        format!("grains {graph} --csv"),
        format!("tree {graph} --text"),
        format!("stats --where run={profile}"),
        format!("diff {profile} {profile} --json"),
        format!("export {profile} --as csv"),
        format!("export {graph} --as csv"),
        "verify".to_owned(),
        "compact".to_owned(),
        "match".to_owned(),
        "completions bash".to_owned(),
        "--help".to_owned(),
        "stats --help".to_owned(),
        "--version".to_owned(),
        "help runs".to_owned(),
    ];
    let words = |line: &String| line.split(' ').map(str::to_owned).collect();
    commands.iter().map(words).collect()
}

#[test]
fn standard_output_that_cannot_be_written_is_status_7() {
    let (_folder, store) = sample_store();
    for words in printing(&store) {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        for (script, reason) in [
            ("exec \"$@\" > /dev/full", "No space left"),
            ("exec \"$@\" >&-", "closed"),
            ("exec \"$@\" 1< /dev/null", "closed or not open for writing"),
        ] {
            let outcome = in_shell(script, &store, &words).expect_code(7);
            let printed = outcome.stderr;
            assert!(
                printed.contains("cannot write to standard output") && printed.contains(reason),
                "{script} {words:?}: {printed}"
            );
        }
    }
}

#[test]
fn a_reader_that_goes_away_ends_a_command_quietly() {
    let (_folder, store) = sample_store();
    for words in printing(&store) {
        let mut child = grainsheaf(&store)
            .args(&words)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let mut printed = String::new();
        child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut printed)
            .unwrap();
        assert_eq!(
            child.wait().unwrap().code(),
            Some(0),
            "{words:?}: {printed}"
        );
        assert_eq!(printed, "", "{words:?}");
    }
}

#[test]
fn standard_error_that_cannot_be_written_changes_no_status() {
    let (_folder, store) = sample_store();
    for script in ["exec \"$@\" 2> /dev/full", "exec \"$@\" 2>&-"] {
        in_shell(script, &store, &["-vv", "runs"]).expect_code(0);
        in_shell(script, &store, &["info", "nobody"]).expect_code(2);
        in_shell(script, &store, &["runs", "--nonsense"]).expect_code(2);
    }
}

#[test]
fn usage_and_refused_inputs_are_no_other_status() {
    let (folder, store) = sample_store();
    let none = folder.path().join("none");
    run(&none, ["runs"]).expect_code(2);
    run(&store, ["info", "nobody"]).expect_code(2);
    let broken = folder.path().join("broken.json");
    fs::write(&broken, "no profile").unwrap();
    run(&store, ["add".as_ref(), broken.as_os_str()]).expect_code(3);
}

#[test]
fn a_busy_store_is_status_6() {
    let (_folder, store) = sample_store();
    hold_lease(&store);
    let id = run_of(&store, "cprofile");
    for words in [&["compact"][..], &["remove", &id]] {
        let outcome = run(&store, words).expect_code(6);
        assert!(
            outcome.stderr.contains("maintained by"),
            "{}",
            outcome.stderr
        );
        assert!(
            outcome.stderr.contains("`--wait SECONDS`"),
            "{}",
            outcome.stderr
        );
        let start = Instant::now();
        run(&store, [words, &["--wait", "0.3"]].concat()).expect_code(6);
        assert!(start.elapsed().as_secs_f64() >= 0.3);
    }
    run(&store, ["compact", "--wait", "-1"]).expect_code(2);
    run(&store, ["verify"]).expect_code(0);
}

#[test]
fn a_command_waits_until_the_store_is_free() {
    let (_folder, store) = sample_store();
    hold_lease(&store);
    let mut child = start_waiting(&store, &["compact", "--wait", "600"]);
    fs::remove_dir_all(store.join("tmp/maintenance")).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn an_interrupt_ends_the_wait_with_130() {
    let (_folder, store) = sample_store();
    hold_lease(&store);
    let mut child = start_waiting(&store, &["compact", "--wait", "600"]);
    let pid = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &pid])
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

#[test]
fn no_space_is_status_7() {
    let (folder, store) = sample_store();
    let file = sample("cprofile/profile.pstats").display().to_string();
    let other = folder.path().join("other");
    // A file may not grow: as with a quota, every write fails.
    let limited = in_shell("ulimit -f 0; exec \"$@\"", &other, &["add", &file]);
    let limited = limited.expect_code(7);
    assert!(
        limited.stderr.contains("File too large"),
        "{}",
        limited.stderr
    );
    let script = "ulimit -f 1; exec \"$@\"";
    in_shell(script, &store, &["compact"]).expect_code(7);
    // A file system of 16 kB, where this user may mount one.
    let disk = folder.path().join("disk");
    fs::create_dir(&disk).unwrap();
    let mount = format!(
        "unshare --mount bash -c 'mount -t tmpfs -o size=16k none {0} && exec \"$@\"' bash",
        disk.display()
    );
    let probe = Command::new("bash")
        .args(["-c", &format!("{mount} true")])
        .output();
    if !probe.unwrap().status.success() {
        eprintln!("no full disk was tried: this user may not mount a file system");
        return;
    }
    let script = format!("exec {mount} \"$@\"");
    let full = in_shell(&script, &disk.join("store"), &["add", &file]).expect_code(7);
    assert!(full.stderr.contains("No space left"), "{}", full.stderr);
}

#[test]
fn no_permission_is_status_7() {
    let (folder, store) = sample_store();
    fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
    let user = Command::new("id").arg("-u").output().unwrap().stdout;
    let is_root = String::from_utf8_lossy(&user).trim() == "0";
    // The superuser may do everything, so another user tries.
    let script = if is_root {
        "exec setpriv --reuid=65534 --regid=65534 --clear-groups \"$@\""
    } else {
        "exec \"$@\""
    };
    let file = sample("taskflow/escaped.json").display().to_string();
    let id = run_of(&store, "cprofile");
    for entry in ["", "segments", "tmp", "notes"] {
        let path = store.join(entry);
        if path.exists() {
            fs::set_permissions(path, Permissions::from_mode(0o555)).unwrap();
        }
    }
    for words in [&["add", &file][..], &["compact"], &["remove", &id]] {
        let outcome = in_shell(script, &store, words).expect_code(7);
        assert!(outcome.stderr.contains("ermission"), "{}", outcome.stderr);
    }
    in_shell(script, &store, &["runs"]).expect_code(0);
    let to = store.join("out.csv").display().to_string();
    in_shell(script, &store, &["export", &id, "--as", "csv", "-o", &to]).expect_code(7);
    let secret = folder.path().join("secret");
    fs::write(&secret, "{}").unwrap();
    fs::set_permissions(&secret, Permissions::from_mode(0o0)).unwrap();
    let secret = secret.display().to_string();
    in_shell(script, &store, &["add", &file, "--params", &secret]).expect_code(7);
    fs::set_permissions(&store, Permissions::from_mode(0o0)).unwrap();
    in_shell(script, &store, &["runs"]).expect_code(7);
    in_shell(script, &store, &["verify"]).expect_code(7);
    fs::set_permissions(&store, Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn damage_is_status_8() {
    let (_folder, store) = sample_store();
    let segments = fs::read_dir(store.join("segments")).unwrap();
    let segment = segments.map(|it| it.unwrap().path()).min().unwrap();
    let flip = |name: &str| {
        let path = segment.join(name);
        let mut bytes = fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(path, bytes).unwrap();
    };
    flip("contexts.parquet");
    let found: Verify = run(&store, ["verify", "--json"]).expect_code(8).read();
    assert!(!found.ok);
    run(&store, ["compact"]).expect_code(8);
    flip("contexts.parquet");
    run(&store, ["verify"]).expect_code(0);
    flip("manifest.json");
    let outcome = run(&store, ["runs"]).expect_code(8);
    assert!(
        outcome.stderr.contains("grainsheaf verify"),
        "{}",
        outcome.stderr
    );
    File::create(segment.join("manifest.json")).unwrap();
    run(&store, ["stats"]).expect_code(8);
    fs::write(store.join("store.json"), "{").unwrap();
    let outcome = run(&store, ["runs"]).expect_code(8);
    assert!(
        outcome.stderr.contains("`store.json` is damaged"),
        "{}",
        outcome.stderr
    );
}

/// Inputs that take more memory than there is are refused before it is used up, and the limit is named.
#[test]
fn inputs_beyond_the_memory_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let path = folder.path().join("events.json");
    let script = format!(
        "(printf '{{\"traceEvents\":['; yes '{{\"ph\":\"B\",\"ts\":1,\"pid\":1,\"tid\":1,\"name\":\"n\"}},' | head -c 150M) > {}",
        path.display()
    );
    let made = Command::new("bash").args(["-c", &script]).status().unwrap();
    assert!(made.success());
    let limit = "ulimit -v 1000000; exec \"$@\"";
    let refused = in_shell(limit, &store, &["add", path.to_str().unwrap()]).expect_code(3);
    let text = refused.stdout + &refused.stderr;
    assert!(text.contains("with the memory that is free"), "{text}");
    let endless = "ulimit -v 1000000; exec \"$@\" < /dev/zero";
    let refused = in_shell(endless, &store, &["add", "-"]).expect_code(3);
    assert!(
        refused
            .stderr
            .contains("a quarter of the memory that is free"),
        "{}",
        refused.stderr
    );
}

/// Inputs that fit into the memory one at a time are read one at a time.
#[test]
fn large_inputs_are_read_alone() {
    let folder = tempfile::tempdir().unwrap();
    let event = r#"{"ph":"X","ts":1,"dur":1,"pid":1,"tid":1,"name":"n"}"#;
    let inputs = folder.path().join("inputs");
    fs::create_dir(&inputs).unwrap();
    for number in 0..3 {
        // Alone, each may take 16 times its size: 480 MB of about 900 MB.
        let events = vec![event; (30 << 20) / event.len() + number].join(",");
        let content = format!("{{\"traceEvents\":[{events}]}}");
        fs::write(inputs.join(format!("{number}.json")), content).unwrap();
    }
    let script = "export RAYON_NUM_THREADS=2 MALLOC_ARENA_MAX=2; ulimit -v 1200000; exec \"$@\"";
    let store = folder.path().join("store");
    let words = ["add", "--json", inputs.to_str().unwrap()];
    let answer: Add = in_shell(script, &store, &words).expect_code(0).read();
    assert_eq!(answer.files.len(), 3, "{answer:?}");
}

/// `export` and `add` stop at the deadline too, and leave nothing.
#[test]
fn exports_and_imports_end_at_their_deadline() {
    let (folder, store) = sample_store();
    let id = run_of(&store, "cprofile");
    let out = folder.path().join("out.csv");
    let words = [
        "export",
        &id,
        "--as",
        "csv",
        "-o",
        out.to_str().unwrap(),
        "--deadline",
        "0.000001",
    ];
    let stopped = run(&store, words).expect_code(130);
    assert!(
        stopped.stderr.contains("stopped at its deadline"),
        "{}",
        stopped.stderr
    );
    assert!(!out.exists());
    let file = sample("mir/walk.csv").display().to_string();
    let stopped = run(&store, ["add", &file, "--deadline", "0.000001"]).expect_code(130);
    assert!(
        stopped.stderr.contains("stopped at its deadline"),
        "{}",
        stopped.stderr
    );
}

/// A pipe whose reader does not read, one whose writer does not write: the deadline and Ctrl-C end the command.
#[test]
fn pipes_that_stand_still_keep_no_command() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let trace = folder.path().join("deep.json");
    let event = |number: usize, time, phase| {
        format!(r#"{{"ph":"{phase}","ts":{time},"pid":1,"tid":1,"name":"f{number}"}}"#)
    };
    let depth = 2000;
    let begins = (0..depth).map(|number| event(number, number, "B"));
    let ends = (0..depth).rev().zip(depth..);
    let ends = ends.map(|(number, time)| event(number, time, "E"));
    let events: Vec<String> = begins.chain(ends).collect();
    fs::write(
        &trace,
        format!(r#"{{"traceEvents":[{}]}}"#, events.join(",")),
    )
    .unwrap();
    run(&store, ["add", trace.to_str().unwrap()]).expect_code(0);
    let id = run_of(&store, "chrome");

    let began = Instant::now();
    let unread = r#"exec 3> >(exec sleep 20); "$@" >&3; status=$?; kill $!; exit $status"#;
    let export: &[&str] = &["export", &id, "--as", "csv"];
    for words in [export, &["stats", "--level", "context", "--json"]] {
        let words = [words, &["--deadline", "0.3"]].concat();
        let stopped = in_shell(unread, &store, &words).expect_code(130);
        let reason = "stopped at its deadline";
        assert!(stopped.stderr.contains(reason), "{}", stopped.stderr);
    }
    let interrupted = r#"exec 3> >(exec sleep 20); timeout -s INT 1 "$@" >&3; kill $!"#;
    in_shell(interrupted, &store, export);
    let unwritten = r#"exec 3< <(exec sleep 20); "$@" <&3; status=$?; kill $!; exit $status"#;
    let fresh = folder.path().join("fresh");
    in_shell(unwritten, &fresh, &["add", "-", "--deadline", "0.3"]).expect_code(130);
    assert!(!fresh.exists(), "a store was made without inputs");
    assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
}

/// A service that cannot print its address and token ends, as any command whose answer is lost.
#[test]
fn a_service_that_cannot_print_its_address_ends() {
    let (_folder, store) = sample_store();
    let words = ["serve", "--no-token"];
    in_shell(r#"exec "$@" >&-"#, &store, &words).expect_code(7);
    in_shell(r#"exec "$@" >/dev/full"#, &store, &words).expect_code(7);
}

#[test]
fn a_mapping_that_cannot_be_understood_is_damage() {
    let (_folder, store) = sample_store();
    let mapping = store.join("notes/mapping.toml");
    let check = |reason: &str| {
        let words = ["diff", "format = cprofile", "format = taskflow"];
        let shown = run(&store, words).expect_code(8).stderr;
        let is_named = shown.contains("mapping.toml") && shown.contains(reason);
        assert!(is_named, "{shown}");
        fs::remove_file(&mapping).unwrap();
    };
    fs::create_dir_all(store.join("notes")).unwrap();
    fs::write(&mapping, b"\xff").unwrap();
    check("UTF-8");
    fs::write(&mapping, "[[same]]\na = 'f'\n").unwrap();
    check("line 1, column 1; mend the line");
    std::os::unix::fs::symlink("newest.txt", &mapping).unwrap();
    check("links are not followed");
}
