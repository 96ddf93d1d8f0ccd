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

/// The name without what is between angle brackets behind identifiers: equal for all instances of a template. Brackets
/// of operators and around unnamed things stay, as do those that do not close.
pub(super) fn without_template_arguments(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(first) = rest.chars().next() {
        let is_behind_name = text
            .chars()
            .next_back()
            .is_some_and(|c| c.is_alphanumeric() || c == '_');
        let is_operator = text.ends_with("operator");
        let end = (first == '<' && is_behind_name && !is_operator)
            .then(|| end_of_arguments(rest))
            .flatten();
        let length = end.unwrap_or_else(|| {
            text.push(first);
            first.len_utf8()
        });
        rest = rest.get(length..).unwrap_or_default();
    }
    text
}

/// The demangled name without its parameters and what follows these: `sort<int>(int*, long)` is `sort<int>`. Text
/// in round brackets at the beginning, as an anonymous namespace, stays, as do the brackets of `operator()`.
pub(super) fn without_parameters(name: &str) -> &str {
    let mut depth = 0_usize;
    for (at, letter) in name.char_indices() {
        match letter {
            _ if is_of_operator(name, at) => {}
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            '(' if depth == 0 && at > 0 => {
                let (before, rest) = name.split_at(at);
                let is_call_operator = before.ends_with("operator") && rest.starts_with("()");
                let is_anonymous = rest.starts_with("(anon");
                if !is_call_operator && !is_anonymous {
                    return before;
                }
            }
            _ => {}
        }
    }
    name
}

/// Whether an angle bracket is part of the name of an operator: `operator<<`, `operator->`.
fn is_of_operator(name: &str, at: usize) -> bool {
    let (before, rest) = name.split_at(at);
    let signs = before.trim_end_matches(['<', '>', '-', '=']);
    rest.starts_with(['<', '>']) && signs.ends_with("operator")
}

/// Bytes up to where the bracket closes that the text begins with.
fn end_of_arguments(text: &str) -> Option<usize> {
    let (mut angles, mut rounds) = (0_usize, 0_usize);
    let mut before = ' ';
    for (at, letter) in text.char_indices() {
        match letter {
            '(' => rounds += 1,
            ')' => rounds = rounds.checked_sub(1)?,
            // In round brackets signs may compare.
            '<' if rounds == 0 => angles += 1,
            '>' if rounds == 0 && before != '-' => {
                angles -= 1;
                if angles == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
        before = letter;
    }
    None
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
    use super::{normalised, without_parameters, without_template_arguments};

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

    #[test]
    fn parameters_go() {
        for (name, expected) in [
            ("sort", "sort"),
            ("sort<int>(int*, long)", "sort<int>"),
            ("apply<void (int)>(int)", "apply<void (int)>"),
            ("A::operator()(int) const", "A::operator()"),
            ("(anonymous namespace)::f(int)", "(anonymous namespace)::f"),
            (
                "ns::(anonymous namespace)::f(int)",
                "ns::(anonymous namespace)::f",
            ),
            ("operator<<(A&, B<int>)", "operator<<"),
            ("A<int>::operator->() const", "A<int>::operator->"),
            ("", ""),
        ] {
            assert_eq!(without_parameters(name), expected, "{name}");
        }
    }

    #[test]
    fn arguments_of_templates_go() {
        for (name, expected) in [
            ("sort", "sort"),
            ("sort<int>", "sort"),
            (
                "ns::sort<std::vector<int, A<int>>, (3 > 2)>::run<4>(T<1>)",
                "ns::sort::run(T)",
            ),
            ("operator<", "operator<"),
            ("operator<<", "operator<<"),
            ("A<int>::operator<=", "A::operator<="),
            ("f<decltype(x->y)>", "f"),
            ("<unnamed>::f", "<unnamed>::f"),
            ("<T as Trait>::f", "<T as Trait>::f"),
            ("a < b", "a < b"),
            ("f<int", "f<int"),
            ("f<)>", "f<)>"),
            ("größe<ä>", "größe"),
            ("", ""),
        ] {
            assert_eq!(without_template_arguments(name), expected, "{name}");
        }
    }
}
