//! Similarity of names.

use std::collections::BTreeSet;

/// Minimum similarity of alike names.
pub(super) const ALIKE: f64 = 0.7;
/// Minimum similarity if the position and the sub-tree agree as well.
pub(super) const RATHER_ALIKE: f64 = 0.5;

/// Maximum number of letters that are compared.
const MAX_LETTERS: usize = 128;

/// Similarity of two names, 0..1: the larger of two measures. One is 1 − edits / letters of the longer name
/// (Levenshtein); the other is the share of common words (Jaccard). A word ends before a digit, a capital or a
/// sign. Only the first 128 letters are compared.
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

/// The letters of a name that are compared.
fn beginning(name: &str) -> &str {
    let end = name.char_indices().nth(MAX_LETTERS);
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
