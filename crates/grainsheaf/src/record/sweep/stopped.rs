//! Traces that the recorder could not extend, and why.

use std::path::Path;

use crate::failure::{Exit, Failure};

/// What a run's warning of a trace that could not be extended contains, before the error number.
const REFUSED: &str = "the trace folder refused space (operating system error ";

/// A warning of a run, with the cause in place of its error number if that is known.
pub(super) fn explain(warning: &str) -> String {
    let parts = warning.split_once(REFUSED).and_then(|(before, rest)| {
        let (number, _) = rest.split_once(')')?;
        Some((before, cause(number.parse().ok()?)?))
    });
    parts.map_or_else(
        || warning.to_owned(),
        |(before, cause)| format!("{before}{cause}"),
    )
}

/// The reason for a trace without events that could not be extended.
pub(super) fn of_error(number: i32) -> String {
    let other = || format!("{REFUSED}{number})");
    let cause = cause(number).map_or_else(other, str::to_owned);
    format!("recording stopped before the first event: {cause}")
}

/// Failure of a launch whose traces are all empty files.
pub(super) fn without_content(folder: &Path) -> Failure {
    let folder = folder.display();
    let message =
        format!("nothing was recorded: the recorder could not write to its file in {folder}");
    Failure::new(Exit::Refused, message).with_hint(
        "its message above has the error; `File too large` comes from a limit (`ulimit -f`)",
    )
}

fn cause(number: i32) -> Option<&'static str> {
    match number {
        libc::EBADF => Some("the program closed the recorder's file, which cannot be opened again"),
        libc::EFBIG => Some("the limit on the size of files (`ulimit -f`) was reached"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_numbers_are_explained() {
        let warning = |number: i32| {
            format!(
                "recording stopped early on 2 threads: the trace folder refused space (operating system error {number}); \
                 free space or set another folder"
            )
        };
        let closed = "recording stopped early on 2 threads: the program closed the recorder's file, which cannot be \
                      opened again";
        assert_eq!(explain(&warning(9)), closed);
        assert_eq!(explain(&warning(28)), warning(28));
        assert!(of_error(27).ends_with("the limit on the size of files (`ulimit -f`) was reached"));
        assert!(
            of_error(28).ends_with("the trace folder refused space (operating system error 28)")
        );
    }
}
