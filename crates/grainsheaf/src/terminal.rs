//! What the two output streams can show.

use std::io::IsTerminal;

use crate::cli::{Colour, Global};
use crate::render::Layout;

/// Width and colours for standard output. Piped output is never shortened.
pub(crate) fn layout(global: &Global) -> Layout {
    let is_terminal = std::io::stdout().is_terminal();
    let columns = std::env::var("COLUMNS")
        .ok()
        .and_then(|text| text.parse::<usize>().ok());
    let measured = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    let width = if is_terminal {
        columns.or_else(measured)
    } else {
        None
    };
    Layout {
        width: width.filter(|columns| *columns > 0),
        has_colour: has_colour(global.color, is_terminal),
    }
}

/// Whether standard error takes colours.
pub(crate) fn has_colour_on_stderr(colour: Colour) -> bool {
    has_colour(colour, std::io::stderr().is_terminal())
}

/// Whether progress can be drawn on standard error.
pub(crate) fn shows_progress(global: &Global) -> bool {
    !global.quiet && std::io::stderr().is_terminal()
}

fn has_colour(colour: Colour, is_terminal: bool) -> bool {
    match colour {
        Colour::Always => true,
        Colour::Never => false,
        // https://no-color.org: any non-empty value.
        Colour::Auto => {
            let is_refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
            is_terminal && !is_refused && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
        }
    }
}
