//! Which compiler made an object file, with which options.

use object::Object;

use super::ranges::{Elf, Ranges};

/// Compiler and options: from debug information, which states most, else from the notes that
/// compilers and linkers leave in every file.
pub(super) fn producer(
    file: &Elf<'_>,
    ranges: &Ranges,
    described: Option<String>,
) -> Option<String> {
    let producer = described.or_else(|| of_comment(&text(file, ranges, ".comment")?))?;
    if producer.contains(" -") {
        return Some(producer);
    }
    // Written on request: by GCC `-frecord-gcc-switches`, by clang `-frecord-command-line`.
    let options = text(file, ranges, ".GCC.command.line").and_then(|line| options(&line));
    Some(match options {
        Some(options) => format!("{producer} {options}"),
        None => producer,
    })
}

fn text(file: &Elf<'_>, ranges: &Ranges, section: &str) -> Option<String> {
    let data = ranges.uncompressed(&file.section_by_name(section)?)?;
    Some(String::from_utf8_lossy(&data).into_owned())
}

/// The compiler of a program among those of all that is linked into it: GCC made the start-up code
/// of every program, so another one that is there made the program.
fn of_comment(comment: &str) -> Option<String> {
    let notes = comment.split('\0').map(str::trim);
    let is_compiler = |note: &&str| !note.is_empty() && !note.starts_with("Linker:");
    let mut compilers = notes.filter(is_compiler).peekable();
    let first = compilers.peek().copied();
    let other = compilers.find(|note| !note.starts_with("GCC:"));
    other.or(first).map(str::to_owned)
}

/// The options of the first command line.
fn options(line: &str) -> Option<String> {
    let words = line.split('\0').next()?.trim();
    let start = if words.starts_with('-') {
        0
    } else {
        words.find(" -")? + 1
    };
    words.get(start..).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_name_the_compiler_of_the_program() {
        let check = |comment: &str, expected: Option<&str>| {
            assert_eq!(of_comment(comment).as_deref(), expected, "{comment:?}");
        };
        let gcc = "GCC: (Debian 12.2.0-14) 12.2.0";
        check(&format!("{gcc}\0"), Some(gcc));
        check(
            &format!("{gcc}\0clang version 19.1.7\0"),
            Some("clang version 19.1.7"),
        );
        check(&format!("Linker: LLD 19\0{gcc}\0"), Some(gcc));
        check("\0", None);
    }

    #[test]
    fn options_begin_at_the_first() {
        assert_eq!(options("-O2 -g\0-O3\0").as_deref(), Some("-O2 -g"));
        assert_eq!(
            options("/usr/bin/clang -O2 x.c\0").as_deref(),
            Some("-O2 x.c")
        );
        assert_eq!(options("/usr/bin/clang\0"), None);
    }
}
