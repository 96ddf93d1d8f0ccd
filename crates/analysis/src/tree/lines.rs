//! Lines in names of definitions. A definition is not its line, so that runs may have it under names that differ in
//! nothing else: together they are `sort:100|107 (task)`, and one after the other `sort:100→107 (task)`.

/// Maximum number of lines in a name; of more, the first and the last.
const MAX_LINES: usize = 3;

/// The name with the lines of all; absent unless the names differ, and in one line each.
pub(crate) fn all_lines(names: &[&str]) -> Option<String> {
    let [first, _, ..] = names else {
        return None;
    };
    let (head, _, tail) = around_lines(first)?;
    let line = |name: &&str| {
        let (other_head, line, other_tail) = around_lines(name)?;
        let is_same = (head, tail) == (other_head, other_tail);
        line.parse::<u64>().ok().filter(|_| is_same)
    };
    let mut lines: Vec<u64> = names.iter().map(line).collect::<Option<_>>()?;
    lines.sort_unstable();
    let text = match lines.as_slice() {
        [least, .., greatest] if lines.len() > MAX_LINES => format!("{least}|…|{greatest}"),
        all => all.iter().map(u64::to_string).collect::<Vec<_>>().join("|"),
    };
    Some(format!("{head}:{text}{tail}"))
}

/// The parts of a name around its last number behind a colon, or the numbers there that stand for several runs.
pub fn around_lines(name: &str) -> Option<(&str, &str, &str)> {
    let mut colons = name.rmatch_indices(':').map(|(at, _)| at);
    colons.find_map(|at| {
        let (head, rest) = (name.get(..at)?, name.get(at + 1..)?);
        let is_of_lines = |letter: char| letter.is_ascii_digit() || matches!(letter, '|' | '…');
        let end = rest
            .find(|letter| !is_of_lines(letter))
            .unwrap_or(rest.len());
        let lines = rest.get(..end)?;
        let begins = lines.starts_with(|letter: char| letter.is_ascii_digit());
        (begins && lines.ends_with(|letter: char| letter.is_ascii_digit())).then_some((
            head,
            lines,
            rest.get(end..)?,
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_differ_in_their_line_are_one_with_all_lines() {
        let cases: [(&[&str], Option<&str>); 9] = [
            (&[], None),
            (&["sort:7 (task)"], None),
            (
                &["sort:100 (task)", "sort:7 (task)"],
                Some("sort:7|100 (task)"),
            ),
            (&["a.c:1", "a.c:2", "a.c:3"], Some("a.c:1|2|3")),
            (&["a:1", "a:2", "a:3", "a:4"], Some("a:1|…|4")),
            (&["sort:7 (task)", "sort:7 (loop)"], None),
            (&["sort:7 (task)", "order:7 (task)"], None),
            (&["sort (task)", "sort:7 (task)"], None),
            (&["std::sort", "std::order"], None),
        ];
        for (names, expected) in cases {
            assert_eq!(all_lines(names).as_deref(), expected, "{names:?}");
        }
    }

    #[test]
    fn lines_are_the_last_number_behind_a_colon() {
        let cases = [
            ("sort:7 (task)", Some(("sort", "7", " (task)"))),
            ("sort:7|12 (task)", Some(("sort", "7|12", " (task)"))),
            ("sort:7|…|12", Some(("sort", "7|…|12", ""))),
            ("f:1:2 (x)", Some(("f:1", "2", " (x)"))),
            ("std::sort", None),
            ("a:|b", None),
            ("", None),
        ];
        for (name, expected) in cases {
            assert_eq!(around_lines(name), expected, "{name}");
        }
    }
}
