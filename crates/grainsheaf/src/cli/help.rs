//! Help texts, wrapped to the width of the terminal.

use clap::{Command, CommandFactory as _};

use super::Cli;

/// The command line, with paragraphs of help wrapped at the width of the terminal instead of as in the source.
pub(crate) fn command() -> Command {
    let command = reflowed(Cli::command());
    let names: Vec<String> = command
        .get_subcommands()
        .map(|sub| sub.get_name().to_owned())
        .collect();
    names.into_iter().fold(command, |command, name| {
        command.mut_subcommand(name, reflowed)
    })
}

fn reflowed(command: Command) -> Command {
    match command.get_after_long_help().map(ToString::to_string) {
        Some(text) => command.after_long_help(paragraphs(&text)),
        None => command,
    }
}

/// Joins the lines of paragraphs; indented lines, such as examples, stay as they are.
fn paragraphs(text: &str) -> String {
    let is_prose = |line: &str| !line.is_empty() && !line.starts_with(' ');
    let mut joined = String::with_capacity(text.len());
    let mut is_after_prose = false;
    for (number, line) in text.lines().enumerate() {
        if is_after_prose && is_prose(line) {
            joined.push(' ');
        } else if number > 0 {
            joined.push('\n');
        }
        joined.push_str(line);
        is_after_prose = is_prose(line);
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_are_joined_and_lists_are_not() {
        let text = "Files are read by\ncontent. Versions\nare ordered so:\n  --order git\n  --order list\nOthers fail.\n\nExamples:\n  a\n  b";
        let expected = "Files are read by content. Versions are ordered so:\n  --order git\n  --order list\nOthers fail.\n\nExamples:\n  a\n  b";
        assert_eq!(paragraphs(text), expected);
        assert_eq!(paragraphs(""), "");
    }

    #[test]
    fn every_help_is_reflowed() {
        let mut command = command();
        command.build();
        let add = command.find_subcommand("add").unwrap();
        let help = add.get_after_long_help().unwrap().to_string();
        assert!(help.contains("does not stop the others;"), "{help}");
        assert!(help.contains("\n  [params]\n"), "{help}");
    }
}
