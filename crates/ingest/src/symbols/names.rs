//! Function names: what the compiler appends is taken off, so that equal functions have equal
//! names over compilers and optimisation levels.

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

/// Whether the symbol names code that the compiler moved out of the function that contains it
/// in the source: regions, tasks and their entry points.
pub(super) fn is_outlined(symbol: &str) -> bool {
    symbol.starts_with('.')
        || ["omp_outlined", "_omp_fn", "omp_task_entry"]
            .iter()
            .any(|part| symbol.contains(part))
}

/// The symbol without what the compiler appended; `None` when nothing is left.
pub(super) fn without_suffix(symbol: &str) -> Option<&str> {
    let is_suffix = |rest: &str| {
        let rest = rest.trim_start_matches('.');
        rest.starts_with(|first: char| first.is_ascii_digit())
            || SUFFIXES.iter().any(|suffix| rest.starts_with(suffix))
    };
    let dots = symbol.match_indices('.').map(|(at, _)| at);
    let cut = dots
        .filter(|&at| symbol.get(at + 1..).is_some_and(is_suffix))
        .min();
    let name = symbol.get(..cut.unwrap_or(symbol.len())).unwrap_or(symbol);
    (!name.is_empty()).then_some(name)
}

/// A demangled name without parameters, for people: `sort<int>(int*, long)` is `sort<int>`.
pub(crate) fn without_parameters(name: &str) -> &str {
    let mut depth = 0_i32;
    for (at, letter) in name.char_indices() {
        match letter {
            '<' => depth += 1,
            '>' => depth -= 1,
            '(' if depth == 0 && at > 0 && !name.ends_with("operator()") => {
                let is_anonymous = name.get(at..).is_some_and(|rest| rest.starts_with("(anon"));
                if !is_anonymous {
                    return name.get(..at).unwrap_or(name);
                }
            }
            _ => {}
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compilers_suffixes_go() {
        for (symbol, name) in [
            ("fib", Some("fib")),
            ("fib._omp_fn.0", Some("fib")),
            ("main.omp_outlined_debug__", Some("main")),
            (".omp_task_entry..17", None),
            ("_Z4sortPi.omp_outlined.3", Some("_Z4sortPi")),
            ("merge.constprop.0.isra.0", Some("merge")),
            ("scale.12", Some("scale")),
        ] {
            assert_eq!(without_suffix(symbol), name, "{symbol}");
        }
    }

    #[test]
    fn parameters_go() {
        assert_eq!(without_parameters("sort<int>(int*, long)"), "sort<int>");
        assert_eq!(
            without_parameters("apply<void (int)>(int)"),
            "apply<void (int)>"
        );
        assert_eq!(without_parameters("main"), "main");
    }
}
