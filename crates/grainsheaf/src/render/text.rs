//! Text that came from traces and users, made fit for a terminal.

pub(crate) use sheaf_answers::text::counted;
use sheaf_model::visible;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// Columns that a text takes on a terminal.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// The text without characters that change the terminal, break a table, or are not seen.
pub(crate) fn plain(text: &str) -> String {
    visible(text).into_owned()
}

/// The text in at most `limit` columns, with its middle replaced by `…`: beginning and end distinguish
/// similar names.
pub(crate) fn shortened(text: &str, limit: usize) -> String {
    if width(text) <= limit {
        return text.to_owned();
    }
    let room = limit.saturating_sub(1);
    let head = taken(text.chars(), room.div_ceil(2));
    let tail: Vec<char> = taken(text.chars().rev(), room / 2);
    let mut short: String = head.into_iter().collect();
    short.push('…');
    short.extend(tail.into_iter().rev());
    short
}

fn taken(characters: impl Iterator<Item = char>, room: usize) -> Vec<char> {
    let mut used = 0;
    characters
        .take_while(|character| {
            used += character.width().unwrap_or(0);
            used <= room
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_lose_their_middle() {
        assert_eq!(shortened("short", 5), "short");
        assert_eq!(shortened("merge_sort_parallel", 9), "merg…llel");
        assert_eq!(shortened("merge_sort_parallel", 8), "merg…lel");
        assert_eq!(shortened("漢字漢字漢字", 7), "漢…字");
        assert_eq!(shortened("abc", 0), "…");
    }

    #[test]
    fn control_characters_are_written_out() {
        assert_eq!(plain("a\u{1b}[31mb\n"), "a\\u{1b}[31mb\\n");
        assert_eq!(plain("naïve"), "naïve");
    }
}
