//! What is recorded of a run besides its trace: program, version, machine, batch system.

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
    let folder = program.path.canonicalize().ok();
    let version = folder.as_deref().and_then(Path::parent).and_then(version);
    text(
        "commit",
        version.as_ref().map(|version| version.commit.clone()),
    );
    if let Some(version) = version {
        params.insert("dirty".to_owned(), ParamValue::Boolean(version.is_dirty));
    }
    if let Ok(cores) = std::thread::available_parallelism() {
        params.insert("cores".to_owned(), ParamValue::Number(cores.get() as f64));
    }
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

/// Version of the source that a program's folder belongs to.
struct Version {
    commit: String,
    is_dirty: bool,
}

fn version(folder: &Path) -> Option<Version> {
    let commit = git(folder, &["rev-parse", "--short=12", "HEAD"])?;
    let status = git(folder, &["status", "--porcelain", "--untracked-files=no"])?;
    Some(Version {
        commit,
        is_dirty: !status.is_empty(),
    })
}

/// What git says; nothing when it is not installed or the folder is no checkout.
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
    fn processors_are_named() {
        let text = "processor\t: 0\nmodel name\t: Fast CPU @ 3 GHz\n";
        assert_eq!(cpu_model(text).as_deref(), Some("Fast CPU @ 3 GHz"));
        assert_eq!(cpu_model("processor : 0\n"), None);
    }
}
