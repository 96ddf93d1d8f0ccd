//! How alike two names are.

use std::collections::BTreeSet;

/// From here on names are alike.
pub(super) const ALIKE: f64 = 0.7;
/// From here on they are where the place and all below agree as well.
pub(super) const RATHER_ALIKE: f64 = 0.5;

/// Letters of a name that are looked at.
const MOST_LETTERS: usize = 128;

/// How alike two names are, 0..1: the greater of 1 less the letters to change by the longer name's
/// (Levenshtein), and of the words in common by those of both (Jaccard). Words end where letters become
/// digits, capitals or signs. Looks at the first 128 letters of either.
///
/// ```
/// use sheaf_structure::matching::name_similarity;
/// assert_eq!(name_similarity("copy", "copy"), 1.0);
/// assert_eq!(name_similarity("sort_range", "range_sort"), 1.0);
/// assert!(name_similarity("copy_row", "copy_rows") > 0.8);
/// assert!(name_similarity("copy", "flush") < 0.3);
/// ```
pub fn similarity(a: &str, b: &str) -> f64 {
    letters(a, b).max(words(a, b))
}

fn letters(a: &str, b: &str) -> f64 {
    strsim::normalized_levenshtein(beginning(a), beginning(b))
}

/// The letters of a name that are looked at.
fn beginning(name: &str) -> &str {
    let end = name.char_indices().nth(MOST_LETTERS);
    end.map_or(name, |(end, _)| &name[..end])
}

fn words(a: &str, b: &str) -> f64 {
    let (a, b) = (split(a), split(b));
    let all = a.union(&b).count();
    if all == 0 {
        return 1.0;
    }
    a.intersection(&b).count() as f64 / all as f64
}

fn split(name: &str) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    let mut word = String::new();
    let mut before = ' ';
    for letter in beginning(name).chars() {
        let is_new = !letter.is_alphanumeric()
            || letter.is_numeric() != before.is_numeric()
            || (letter.is_uppercase() && before.is_lowercase());
        if is_new && !word.is_empty() {
            words.insert(std::mem::take(&mut word));
        }
        if letter.is_alphanumeric() {
            word.extend(letter.to_lowercase());
        }
        before = letter;
    }
    if !word.is_empty() {
        words.insert(word);
    }
    words
}
