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
    /// Whether the recorder is a library of this machine.
    pub(crate) can_load: bool,
}

/// The most likely reason: how the program ended, then the recorder, then how the program is linked.
///
/// The runtime's own log would state more. But LLVM's runtime crashes a program that cannot open the file of that log, as
/// under another user, and Intel's frees its name twice.
pub(crate) fn nothing_recorded(evidence: &Evidence<'_>) -> Failure {
    if !evidence.ending.is_success() {
        return failed_early(evidence);
    }
    if !evidence.can_load {
        let recorder = evidence.recorder.display();
        return nothing(
            &format!("{recorder} is not a library for this machine"),
            "check GRAINSHEAF_RECORDER",
        );
    }
    by_linkage(&evidence.program.name(), evidence)
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
        Ending::Exit(_) => {
            "run it without `grainsheaf record` to see whether it ends so there too; if it does, it reached no OpenMP \
             construct, or its environment was cleaned on the way (`env -i`, `sudo`)"
        }
        Ending::Signal(_) => "run it without `grainsheaf record` to see whether it fails there too",
    };
    let failed = program.name_of_ended(evidence.ending);
    let ended = evidence.ending.tell();
    nothing(
        &format!("`{failed}` {ended} before the recorder wrote anything"),
        hint,
    )
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
                "`{name}` is linked to OpenMP ({library}), but no runtime loaded the recorder before the launch ended: \
                 the program reached no OpenMP construct, its environment was cleaned on the way, it has another \
                 tool, or it runs on in the background"
            ),
            "check its arguments, and what starts it (`env -i`, `sudo`); a process that runs on after the launch is \
             not recorded; `--env OMP_TOOL_VERBOSE_INIT=stderr` shows what LLVM's runtime does; one older than LLVM 13 \
             has no tools interface",
        ),
        Linkage::Unknown => nothing(
            &format!("no OpenMP runtime with a tools interface started in what `{name}` ran"),
            "name the OpenMP program itself, or put LLVM's runtime under everything with `--runtime llvm`; a process \
             that runs on after the launch is not recorded",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(linkage: Linkage, ending: Ending, expected: &str) {
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
            can_load: true,
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
            "`sort` is linked statically, and the recorder cannot be loaded into it",
        );
        check(
            Linkage::NoOpenMp,
            done,
            "`sort` is not linked to an OpenMP runtime",
        );
        check(
            Linkage::OpenMp {
                vendor: Vendor::Gnu,
                library: "libgomp.so.1".into(),
            },
            done,
            "`sort` runs on GNU's OpenMP runtime (libgomp.so.1), which has no tools interface",
        );
        check(
            llvm(),
            done,
            "`sort` is linked to OpenMP (libomp.so.5), but no runtime loaded the recorder before the launch ended: the \
             program reached no OpenMP construct, its environment was cleaned on the way, it has another tool, or it \
             runs on in the background",
        );
        check(
            Linkage::Unknown,
            done,
            "no OpenMP runtime with a tools interface started in what `sort` ran",
        );
    }

    #[test]
    fn endings_tell_why_it_came_to_nothing() {
        let expected =
            "`sort` was killed by signal 11 (SIGSEGV) before the recorder wrote anything";
        check(llvm(), Ending::Signal(11), expected);
        let expected = "`sort` ended with status 139, which stands for signal 11 (SIGSEGV) before the recorder \
                        wrote anything";
        check(llvm(), Ending::Exit(139), expected);
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
            can_load: true,
        });
        let expected =
            "nothing was recorded: `mpirun` ended with status 1 before the recorder wrote anything";
        assert_eq!(failure.message, expected);
    }
}
