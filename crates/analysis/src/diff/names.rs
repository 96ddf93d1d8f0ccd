//! Names without what compilers and builds add to them.

/// Beginnings of what compilers append to a symbol after a dot.
const SUFFIXES: &[&str] = &[
    "omp_",
    "_omp_fn",
    "constprop",
    "isra",
    "part",
    "cold",
    "llvm",
    "extracted",
    "clone",
    "lto_priv",
];

/// The name without clone suffixes, numbers of outlined functions and lambdas, addresses, and the folders of
/// files: equal for the same function in builds by other compilers, flags and places. Never fails; a name
/// of nothing else stays as it is.
pub(super) fn normalised(name: &str) -> String {
    let name = without_suffix(name);
    let mut text = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(first) = rest.chars().next() {
        let is_word = text.chars().next_back().is_some_and(char::is_alphanumeric);
        let digits = |text: &str| text.chars().take_while(char::is_ascii_digit).count();
        if let Some(address) = rest.strip_prefix("0x").filter(|_| !is_word) {
            let length = address.chars().take_while(char::is_ascii_hexdigit).count();
            text.push_str("0x");
            rest = address.get(length..).unwrap_or_default();
        } else if let Some(counter) = is_counter(&text)
            .then_some(rest)
            .filter(|rest| digits(rest) > 0)
        {
            rest = counter.get(digits(counter)..).unwrap_or_default();
        } else if first == '/' {
            // What was a folder so far is cut, back to where the path began.
            let start = text
                .rfind(|letter: char| !(letter.is_alphanumeric() || "._-+~@".contains(letter)))
                .map_or(0, |at| {
                    at + text
                        .get(at..)
                        .and_then(|t| t.chars().next())
                        .map_or(1, char::len_utf8)
                });
            text.truncate(start);
            rest = rest.get(1..).unwrap_or_default();
        } else {
            text.push(first);
            rest = rest.get(first.len_utf8()..).unwrap_or_default();
        }
    }
    if text.is_empty() {
        name.to_owned()
    } else {
        text
    }
}

/// Whether a number that follows counts lambdas or unnamed types.
fn is_counter(text: &str) -> bool {
    ["lambda", ")#", "unnamed#", "$_", "{lambda#"]
        .iter()
        .any(|end| text.ends_with(end))
}

fn without_suffix(name: &str) -> &str {
    let is_suffix = |rest: &str| {
        let rest = rest.trim_start_matches('.');
        let is_number = !rest.is_empty() && rest.chars().all(|letter| letter.is_ascii_digit());
        is_number || SUFFIXES.iter().any(|suffix| rest.starts_with(suffix))
    };
    let dots = name.match_indices('.').map(|(at, _)| at);
    let cut = dots
        .filter(|&at| at > 0 && name.get(at + 1..).is_some_and(is_suffix))
        .min();
    name.get(..cut.unwrap_or(name.len())).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::normalised;

    #[test]
    fn what_builds_add_goes() {
        for (name, expected) in [
            ("sort", "sort"),
            ("sort.constprop.0.isra.1", "sort"),
            ("main._omp_fn.12", "main"),
            ("main.omp_outlined.3", "main"),
            (".omp_outlined.", ".omp_outlined."),
            ("merge.12", "merge"),
            ("v1.2 of it", "v1.2 of it"),
            (
                "run::{lambda(int)#2}::operator()",
                "run::{lambda(int)#}::operator()",
            ),
            ("main::$_12::run", "main::$_::run"),
            ("f'lambda3'", "f'lambda'"),
            ("[unknown 0x7f3a21]", "[unknown 0x]"),
            ("/home/a/build-1/src/sort.c:12", "sort.c:12"),
            ("loop in ../src/sort.c:12", "loop in sort.c:12"),
            ("fix0x2", "fix0x2"),
            ("räder/größe", "größe"),
            ("", ""),
        ] {
            assert_eq!(normalised(name), expected, "{name}");
        }
    }
}
