//! Parameters of a recorded run: program, version, machine, batch system.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};

use sheaf_model::ParamValue;

use super::program::Program;
use super::runtime::Runtime;

/// Parameters of every run of a sweep; what the user gave wins over what was found. Variables of
/// OpenMP and batch systems are in the trace itself, and so under their own names in the run.
pub(crate) fn gather(
    command: &[OsString],
    program: &Program,
    runtime: &Runtime,
    environment: &[(String, String)],
    given: &[(String, String)],
) -> BTreeMap<String, ParamValue> {
    let mut params = BTreeMap::new();
    let mut text = |name: &str, value: Option<String>| {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            params.insert(name.to_owned(), ParamValue::Text(value));
        }
    };
    text("command", Some(command_line(command)));
    text("runtime", runtime.name.clone());
    text(
        "compiler_runtime",
        runtime
            .name
            .clone()
            .filter(|name| name.starts_with("gnu-on-")),
    );
    text("host", read("/proc/sys/kernel/hostname"));
    text(
        "cpu",
        cpu_model(&std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default()),
    );
    text(
        "governor",
        read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
    );
    text("kernel", read("/proc/sys/kernel/osrelease"));
    // A program that is installed was built elsewhere; what is worked on is then here.
    let real = program.path.canonicalize().ok();
    let version = real.as_deref().and_then(Path::parent).and_then(version);
    let version = version.or_else(|| self::version(Path::new(".")));
    if let Some(version) = version {
        text("commit", Some(version.commit));
        text("branch", version.branch);
        params.insert("dirty".to_owned(), ParamValue::Boolean(version.is_dirty));
    }
    let mut number = |name: &str, value: Option<usize>| {
        if let Some(value) = value.filter(|value| *value > 0) {
            params.insert(name.to_owned(), ParamValue::Number(value as f64));
        }
    };
    // Those that the program itself may use are in the trace, as `cores`.
    let online = std::fs::read_to_string("/sys/devices/system/cpu/online");
    number(
        "machine_cores",
        online.ok().and_then(|text| count_listed(&text)),
    );
    number(
        "numa_nodes",
        numa_nodes(Path::new("/sys/devices/system/node")),
    );
    for (name, value) in environment {
        params.insert(format!("env.{name}"), ParamValue::infer(value));
    }
    for (name, value) in given {
        params.insert(name.clone(), ParamValue::infer(value));
    }
    params
}

/// The command as a shell would take it.
pub(crate) fn command_line(command: &[OsString]) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./=:,+@%^".contains(c);
    let quoted = command.iter().map(|word| {
        let word = word.to_string_lossy();
        if !word.is_empty() && word.chars().all(is_plain) {
            word.into_owned()
        } else {
            format!("'{}'", word.replace('\'', "'\\''"))
        }
    });
    quoted.collect::<Vec<_>>().join(" ")
}

fn read(path: &str) -> Option<String> {
    std::fs::read_to_string(path)
        .ok()
        .map(|text| text.trim().to_owned())
}

/// The model name, which other machines than x86 call otherwise or leave out.
fn cpu_model(text: &str) -> Option<String> {
    ["model name", "Model", "cpu model", "cpu"]
        .iter()
        .find_map(|key| {
            text.lines().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                (name.trim() == *key).then(|| value.trim().to_owned())
            })
        })
}

/// How many numbers a list such as `0-3,8` holds; `None` if it is none.
fn count_listed(text: &str) -> Option<usize> {
    let ranges = text.trim().split(',').map(|range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
        last.checked_sub(first)?.checked_add(1)
    });
    ranges.sum()
}

/// Number of NUMA nodes; `None` if the system does not report it.
fn numa_nodes(folder: &Path) -> Option<usize> {
    let entries = std::fs::read_dir(folder).ok()?.flatten();
    let is_node = |name: &str| {
        let number = name.strip_prefix("node").unwrap_or_default();
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    };
    let nodes = entries.filter(|entry| entry.file_name().to_str().is_some_and(is_node));
    Some(nodes.count())
}

/// Version of the source that a program's folder belongs to.
struct Version {
    commit: String,
    /// None is checked out in the middle of a rebase, and on many build servers.
    branch: Option<String>,
    is_dirty: bool,
}

fn version(folder: &Path) -> Option<Version> {
    let commit = git(folder, &["rev-parse", "--short=12", "HEAD"])?;
    let status = git(folder, &["status", "--porcelain", "--untracked-files=no"])?;
    let branch = git(folder, &["symbolic-ref", "--short", "--quiet", "HEAD"]);
    Some(Version {
        commit,
        branch,
        is_dirty: !status.is_empty(),
    })
}

/// The output of git; nothing if it is not installed or the folder is not a checkout.
fn git(folder: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(arguments)
        // `status` must not write to the index of somebody's checkout.
        .env("GIT_OPTIONAL_LOCKS", "0")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_quoted_for_a_shell() {
        let words = ["./sort", "4 194", "it's", ""].map(OsString::from);
        assert_eq!(command_line(&words), r"./sort '4 194' 'it'\''s' ''");
    }

    #[test]
    fn listed_numbers_are_counted() {
        assert_eq!(count_listed("0-3,8\n"), Some(5));
        assert_eq!(count_listed("0"), Some(1));
        assert_eq!(count_listed("3-1"), None);
        assert_eq!(count_listed(""), None);
    }

    #[test]
    fn versions_have_branch_and_state() {
        let folder = tempfile::tempdir().unwrap();
        let run = |words: &[&str]| {
            let identity = ["-c", "user.name=n", "-c", "user.email=e@localhost"];
            let words: Vec<&str> = identity.iter().chain(words).copied().collect();
            git(folder.path(), &words).unwrap()
        };
        assert!(version(folder.path()).is_none());
        run(&["init", "--quiet", "--initial-branch=mine"]);
        assert!(version(folder.path()).is_none(), "nothing is committed");
        std::fs::write(folder.path().join("a"), "1").unwrap();
        run(&["add", "a"]);
        run(&["commit", "--quiet", "--message=m"]);
        let found = version(folder.path()).unwrap();
        assert_eq!(
            (found.branch.as_deref(), found.is_dirty),
            (Some("mine"), false)
        );
        assert_eq!(found.commit.len(), 12);
        std::fs::write(folder.path().join("a"), "2").unwrap();
        run(&["checkout", "--quiet", "--detach"]);
        let found = version(folder.path()).unwrap();
        assert_eq!((found.branch, found.is_dirty), (None, true));
    }

    #[test]
    fn nodes_of_memory_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["node0", "node11", "nodes", "possible"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        assert_eq!(numa_nodes(folder.path()), Some(2));
        assert_eq!(numa_nodes(Path::new("/nowhere")), None);
    }

    #[test]
    fn processors_are_named() {
        let text = "processor\t: 0\nmodel name\t: Fast CPU @ 3 GHz\n";
        assert_eq!(cpu_model(text).as_deref(), Some("Fast CPU @ 3 GHz"));
        assert_eq!(cpu_model("processor : 0\n"), None);
    }
}
