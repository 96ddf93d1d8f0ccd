//! The known names that a user may have meant by an unknown one.

/// Maximum number of known words that are compared.
const MAX_KNOWN: usize = 10_000;
/// Maximum length of the compared part of a word, because comparing takes quadratic time.
const MAX_CHARS: usize = 64;

/// `; did you mean …?` with the known words nearest to `word`, or nothing.
pub fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    match similar(word, known).as_slice() {
        [] => String::new(),
        [only] => format!("; did you mean `{only}`?"),
        [others @ .., last] => {
            let others: Vec<String> = others.iter().map(|word| format!("`{word}`")).collect();
            format!("; did you mean {} or `{last}`?", others.join(", "))
        }
    }
}

/// The known word nearest to `word`, if one is near.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    similar(word, known).first().map(|&word| word.to_owned())
}

/// At most three of the known words: those that differ from `word` in few letters, and those of which one
/// begins with the other; the nearest first, then by name.
fn similar<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let folded = fold(word);
    let allowed = (num_chars(&folded) / 3).clamp(1, 3);
    let mut found: Vec<(usize, &str)> = known
        .into_iter()
        .take(MAX_KNOWN)
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

/// The word without case and separators, where most mistakes are.
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
