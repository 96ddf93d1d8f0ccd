//! The known word that somebody meant who wrote an unknown one.

/// Words longer than this are not compared: it takes time in the square.
const MAX_CHARS: usize = 64;

/// `; did you mean …?` with the known words nearest to `word`, or nothing.
pub fn did_you_mean<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> String {
    match nearest(word, known).as_slice() {
        [] => String::new(),
        [only] => format!("; did you mean `{only}`?"),
        [others @ .., last] => {
            let others: Vec<String> = others.iter().map(|word| format!("`{word}`")).collect();
            format!("; did you mean {} or `{last}`?", others.join(", "))
        }
    }
}

/// At most three known words that differ from `word` in few places, or that one of them begins
/// with the other; the nearest first, then by name.
fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let folded = fold(word);
    let allowed = (num_chars(&folded) / 3).clamp(1, 3);
    let mut found: Vec<(usize, &str)> = known
        .filter_map(|candidate| {
            let other = fold(candidate);
            let is_part = num_chars(&folded) >= 3 && other.starts_with(&folded)
                || num_chars(&other) >= 3 && folded.starts_with(&other);
            let distance = strsim::osa_distance(&folded, &other);
            let longer = num_chars(&folded).max(num_chars(&other));
            let is_near = distance <= allowed && distance < longer;
            (is_near || is_part).then_some((distance, candidate))
        })
        .collect();
    found.sort_unstable();
    found.dedup();
    found.into_iter().take(3).map(|(_, word)| word).collect()
}

fn num_chars(text: &str) -> usize {
    text.chars().count()
}

/// Without case and separators, which are mistaken most.
fn fold(word: &str) -> String {
    let chars = word.chars().filter(|c| c.is_alphanumeric());
    chars.flat_map(char::to_lowercase).take(MAX_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(word: &str, expected: &str) {
        let known = [
            "threads",
            "thread_limit",
            "host",
            "OMP_PROC_BIND",
            "version",
            "x",
        ];
        assert_eq!(did_you_mean(word, known.into_iter()), expected, "{word}");
    }

    #[test]
    fn near_words_are_suggested() {
        check("thraeds", "; did you mean `threads`?");
        check("thread", "; did you mean `threads` or `thread_limit`?");
        check("omp-proc-bind", "; did you mean `OMP_PROC_BIND`?");
        check("vers", "; did you mean `version`?");
        check("y", "");
        check("compiler", "");
        check(&"t".repeat(100_000), "");
    }
}
