//! Explains why a launch left no trace, with one thing to do about it.

use std::path::Path;

use super::launch::Ending;
use super::libraries::{Linkage, Vendor};
use super::program::Program;
use super::runtime::Runtime;
use crate::failure::{Exit, Failure};

/// What is known after a launch that left no trace.
#[derive(Debug, Clone)]
pub(crate) struct Evidence<'a> {
    /// What was launched.
    pub(crate) program: &'a Program,
    /// The runtime chosen for it.
    pub(crate) runtime: &'a Runtime,
    /// The recorder.
    pub(crate) recorder: &'a Path,
    /// How the program ended.
    pub(crate) ending: Ending,
    /// What the OpenMP runtime wrote about tools; absent when no runtime started.
    pub(crate) tool_log: Option<&'a str>,
}

/// The most likely reason: messages of the runtime come first, then how the program ended,
/// then how it is linked.
pub(crate) fn nothing_recorded(evidence: &Evidence<'_>) -> Failure {
    let name = evidence.program.name();
    let refused = evidence.tool_log.and_then(|log| refusal(log, evidence));
    if let Some((reason, hint)) = refused {
        return nothing(
            &format!("the OpenMP runtime of `{name}` did not load the recorder: {reason}"),
            hint,
        );
    }
    if !evidence.ending.is_success() {
        return failed_early(evidence);
    }
    if evidence.tool_log.is_some() {
        return nothing(
            &format!("the recorder was loaded into `{name}` but wrote no trace"),
            "see what it says above, and check that its folder has space (`--keep-traces DIR`)",
        );
    }
    by_linkage(&name, evidence)
}

fn nothing(message: &str, hint: &str) -> Failure {
    Failure::new(Exit::Refused, format!("nothing was recorded: {message}")).with_hint(hint)
}

fn failed_early(evidence: &Evidence<'_>) -> Failure {
    let program = evidence.program;
    let hint = match evidence.ending {
        Ending::Exit(127) => {
            "127 is a shell's status for a program that it did not find: check the paths in the command"
        }
        Ending::Exit(126) => "126 is a shell's status for a program that it could not execute",
        Ending::TimedOut => "give it more time with `--timeout SECONDS`",
        Ending::Interrupted => {
            "the runs that had ended are in the store; `--resume` records the others"
        }
        Ending::Exit(_) | Ending::Signal(_) => {
            "run it without `grainsheaf record` to see whether it fails there too"
        }
    };
    // `mpirun` may not even have started the program. A signal ends what a wrapper became.
    let is_of_wrapper = program.is_wrapped() && matches!(evidence.ending, Ending::Exit(_));
    let (failed, whose) = if is_of_wrapper {
        (
            program.started_name(),
            format!("the OpenMP runtime of `{}`", program.name()),
        )
    } else {
        (program.name(), "its OpenMP runtime".to_owned())
    };
    let ended = evidence.ending.tell();
    nothing(&format!("`{failed}` {ended} before {whose} started"), hint)
}

fn by_linkage(name: &str, evidence: &Evidence<'_>) -> Failure {
    match &evidence.program.linkage {
        Linkage::Static => nothing(
            &format!("`{name}` is linked statically, and the recorder cannot be loaded into it"),
            "link it dynamically, at least to the OpenMP runtime",
        ),
        Linkage::NoOpenMp => nothing(
            &format!("`{name}` is not linked to an OpenMP runtime"),
            "compile and link it with `-fopenmp`; behind a wrapper, name the OpenMP program on the command line",
        ),
        Linkage::OpenMp {
            vendor: Vendor::Gnu,
            library,
        } if evidence.runtime.preload.is_none() => nothing(
            &format!(
                "`{name}` runs on GNU's OpenMP runtime ({library}), which has no tools interface"
            ),
            "put LLVM's under it with `--runtime llvm` or `--runtime PATH`",
        ),
        Linkage::OpenMp { library, .. } => nothing(
            &format!(
                "`{name}` is linked to OpenMP ({library}), but no runtime looked for the recorder: the program \
                 reached no OpenMP construct, or its environment was cleaned on the way"
            ),
            "check its arguments, and what starts it (`env -i`, `sudo`); a runtime older than LLVM 13 has no tools \
             interface either",
        ),
        Linkage::Unknown => nothing(
            &format!("no OpenMP runtime with a tools interface started in what `{name}` ran"),
            "name the OpenMP program itself, or put LLVM's runtime under everything with `--runtime llvm`",
        ),
    }
}

/// The runtime's own reason, taken from its log, with advice.
fn refusal(log: &str, evidence: &Evidence<'_>) -> Option<(String, &'static str)> {
    if log.contains("using the OMPT interface") && !log.contains("not using the OMPT interface") {
        let found = "Search for OMP tool in current address space... Success";
        // A tool that is part of the program wins over every library that is named.
        // The recorder itself is found there if it was loaded before the libraries.
        let is_other = log.contains(found) && !evidence.program.has_wrapped_calls;
        return is_other.then(|| {
            let reason = "another tool in the program has taken the tools interface".to_owned();
            (
                reason,
                "build the program without it (Archer, Score-P, TAU, …)",
            )
        });
    }
    let recorder = evidence.recorder.to_string_lossy();
    let line = log.lines().find(|line| {
        line.contains(recorder.as_ref()) && (line.contains("Failed") || line.contains("not using"))
    });
    if let Some(line) = line {
        let reason = line
            .split_once("Failed: ")
            .map_or(line, |(_, reason)| reason);
        return Some((
            reason.trim().to_owned(),
            "check GRAINSHEAF_RECORDER and that the file fits this machine",
        ));
    }
    log.contains("No OMP tool loaded").then(|| {
        let reason = log
            .lines()
            .map(str::trim)
            .rfind(|line| !line.is_empty() && !line.starts_with("---"));
        let hint = "unset OMP_TOOL and OMP_TOOL_LIBRARIES where a wrapper sets them";
        (reason.unwrap_or("no tool loaded").to_owned(), hint)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(linkage: Linkage, ending: Ending, log: Option<&str>, expected: &str) {
        let program = Program {
            started: "/p/sort".into(),
            path: "/p/sort".into(),
            linkage,
            has_wrapped_calls: false,
        };
        let evidence = Evidence {
            program: &program,
            runtime: &Runtime::default(),
            recorder: Path::new("/lib/rec.so"),
            ending,
            tool_log: log,
        };
        let failure = nothing_recorded(&evidence);
        assert_eq!(failure.exit, Exit::Refused);
        assert!(failure.hint.is_some());
        assert_eq!(failure.message, format!("nothing was recorded: {expected}"));
    }

    fn llvm() -> Linkage {
        Linkage::OpenMp {
            vendor: Vendor::Llvm,
            library: "libomp.so.5".into(),
        }
    }

    #[test]
    fn linkage_tells_why_no_runtime_started() {
        let done = Ending::Exit(0);
        check(
            Linkage::Static,
            done,
            None,
            "`sort` is linked statically, and the recorder cannot be loaded into it",
        );
        check(
            Linkage::NoOpenMp,
            done,
            None,
            "`sort` is not linked to an OpenMP runtime",
        );
        check(
            Linkage::OpenMp {
                vendor: Vendor::Gnu,
                library: "libgomp.so.1".into(),
            },
            done,
            None,
            "`sort` runs on GNU's OpenMP runtime (libgomp.so.1), which has no tools interface",
        );
        check(
            llvm(),
            done,
            None,
            "`sort` is linked to OpenMP (libomp.so.5), but no runtime looked for the recorder: the program reached no \
             OpenMP construct, or its environment was cleaned on the way",
        );
        check(
            Linkage::Unknown,
            done,
            None,
            "no OpenMP runtime with a tools interface started in what `sort` ran",
        );
    }

    #[test]
    fn endings_tell_why_it_came_to_nothing() {
        let expected = "`sort` was killed by signal 11 (SIGSEGV) before its OpenMP runtime started";
        check(llvm(), Ending::Signal(11), None, expected);
        let expected = "`sort` ended with status 139, which stands for signal 11 (SIGSEGV) before its OpenMP \
                        runtime started";
        check(llvm(), Ending::Exit(139), None, expected);
    }

    #[test]
    fn wrappers_are_not_taken_for_the_program() {
        let program = Program {
            started: "/usr/bin/mpirun".into(),
            path: "/p/sort".into(),
            linkage: llvm(),
            has_wrapped_calls: true,
        };
        let failure = nothing_recorded(&Evidence {
            program: &program,
            runtime: &Runtime::default(),
            recorder: Path::new("/lib/rec.so"),
            ending: Ending::Exit(1),
            tool_log: None,
        });
        let expected = "nothing was recorded: `mpirun` ended with status 1 before the OpenMP runtime of `sort` started";
        assert_eq!(failure.message, expected);
    }

    #[test]
    fn the_runtime_is_quoted() {
        let log = "\
Searching tool libraries...
OMP_TOOL_LIBRARIES = /lib/rec.so
Opening /lib/rec.so... Failed: /lib/rec.so: wrong ELF class: ELFCLASS32
...searching tool libraries failed. Using archer tool.
Opening libarcher.so... No OMP tool loaded.
";
        let expected = "the OpenMP runtime of `sort` did not load the recorder: /lib/rec.so: wrong ELF class: ELFCLASS32";
        check(llvm(), Ending::Exit(0), Some(log), expected);
        let log = "\
Search for OMP tool in current address space... Success.
Tool was started and is using the OMPT interface.
";
        let expected = "the OpenMP runtime of `sort` did not load the recorder: another tool in the program has \
                        taken the tools interface";
        check(llvm(), Ending::Exit(0), Some(log), expected);
        let log = "Tool was started and is using the OMPT interface.\n";
        check(
            llvm(),
            Ending::Exit(0),
            Some(log),
            "the recorder was loaded into `sort` but wrote no trace",
        );
    }
}
