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

/// Beginning of the symbol of code that can be offloaded.
const OFFLOADED: &str = "__omp_offloading_";

/// Whether the symbol names code that the compiler moved out of the function that contains it
/// in the source: regions, tasks and their entry points.
pub(super) fn is_outlined(symbol: &str) -> bool {
    symbol.starts_with('.')
        || symbol.starts_with(OFFLOADED)
        || ["omp_outlined", "_omp_fn", "omp_task_entry"]
            .iter()
            .any(|part| symbol.contains(part))
}

/// Whether the symbol is that of a function of the C++ standard library or of its implementation.
pub(super) fn is_of_library(symbol: &str) -> bool {
    ["_ZNS", "_ZNKS", "_ZSt", "_ZN9__gnu_cxx", "_ZNK9__gnu_cxx"]
        .iter()
        .any(|start| symbol.starts_with(start))
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
    let name = origin_of_offloaded(name).unwrap_or(name);
    (!name.is_empty()).then_some(name)
}

/// The function in `__omp_offloading_DEVICE_INODE_FUNCTION_lLINE`. Device and inode are those of
/// the source file, so they change with each copy of it.
fn origin_of_offloaded(symbol: &str) -> Option<&str> {
    let mut rest = symbol.strip_prefix(OFFLOADED)?;
    for _ in 0..2 {
        let (number, behind) = rest.split_once('_')?;
        if !number.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return None;
        }
        rest = behind;
    }
    let is_line = |at: usize| {
        let digit = rest.as_bytes().get(at + 2);
        digit.is_some_and(u8::is_ascii_digit)
    };
    let mut ends = rest.rmatch_indices("_l").map(|(at, _)| at);
    rest.get(..ends.find(|&at| is_line(at))?)
}

/// The name of the function of the source that a symbol stands for, demangled.
///
/// Functions inside functions (methods of local classes) and lambdas have the name in the source
/// only: GCC states no other, and clang numbers unnamed classes differently at each optimisation
/// level.
pub(super) fn function_name(symbol: &str, language: Option<gimli::DwLang>) -> Option<String> {
    let symbol = without_suffix(symbol)?;
    let name = addr2line::demangle_auto(symbol.into(), language);
    let (before, last) = split_last_part(&name);
    let class = before.trim_end_matches("::");
    let is_in_lambda = class.ends_with('}') && class.contains("{lambda(")
        || class.rsplit("::").next()?.starts_with("$_");
    Some(
        if name != symbol && (symbol.starts_with("_ZZ") || is_in_lambda) {
            without_parameters(last).to_owned()
        } else {
            name.into_owned()
        },
    )
}

/// Whether a symbol of C++ is that of a function with this name in the source, without what surrounds it.
///
/// Compilers write arguments of templates differently: `work<long int>` of one is `work<long>` of the other.
pub(super) fn is_mangled_name(symbol: &str, name: &str) -> bool {
    if !symbol.starts_with("_Z") {
        return false;
    }
    let demangled = addr2line::demangle_auto(symbol.into(), Some(gimli::DW_LANG_C_plus_plus));
    let (_, last) = split_last_part(without_parameters(&demangled));
    if name.starts_with("operator") {
        return last == name;
    }
    let before_arguments = |name: &str| name.find('<').filter(|&at| at > 0).unwrap_or(name.len());
    let last = last.get(..before_arguments(last)).unwrap_or_default();
    // The result of a template stands in front.
    let last = last.rsplit(' ').next();
    last == name.get(..before_arguments(name))
}

/// Splits a name after the last `::` outside of brackets.
fn split_last_part(name: &str) -> (&str, &str) {
    let mut depth = 0_i32;
    let mut start = 0;
    for (at, letter) in name.char_indices() {
        match letter {
            '<' | '>' if is_of_operator(name.get(..at).unwrap_or_default()) => {}
            '<' | '(' | '{' | '[' => depth += 1,
            '>' | ')' | '}' | ']' => depth -= 1,
            ':' if depth == 0 && name.get(..at).is_some_and(|name| name.ends_with(':')) => {
                start = at + 1;
            }
            _ => {}
        }
    }
    name.split_at_checked(start).unwrap_or(("", name))
}

/// Whether a sign after this text is part of the name of an operator: `operator<<`, `operator->`.
fn is_of_operator(before: &str) -> bool {
    before
        .trim_end_matches(['<', '>', '-', '='])
        .ends_with("operator")
}

/// A demangled name without parameters, for people: `sort<int>(int*, long)` is `sort<int>`.
pub(crate) fn without_parameters(name: &str) -> &str {
    let mut depth = 0_i32;
    for (at, letter) in name.char_indices() {
        match letter {
            '<' | '>' if is_of_operator(name.get(..at).unwrap_or_default()) => {}
            '<' => depth += 1,
            '>' => depth -= 1,
            '(' if depth == 0 && at > 0 => {
                let (before, rest) = name.split_at(at);
                let is_call_operator = before.ends_with("operator") && rest.starts_with("()");
                if !is_call_operator && !rest.starts_with("(anon") {
                    return before;
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
    fn symbols_are_those_of_names_in_the_source() {
        for (symbol, name, is_one) in [
            ("_ZN3appL5relaxEi", "relax", true),
            ("_ZL5plaini", "plain", true),
            ("_ZN12_GLOBAL__N_15tanonIlEEvT_", "tanon<long int>", true),
            ("_ZN3appL5relaxEi", "rel", false),
            ("_ZNK3appclEv", "operator()", true),
            (
                "_Z5applyIZ4mainEUliE0_EviT_",
                "apply<main()::<lambda(int)> >",
                true,
            ),
            ("_Z5firstIiEPiT_", "first<int>", true),
            ("main", "main", false),
        ] {
            assert_eq!(is_mangled_name(symbol, name), is_one, "{symbol} {name}");
        }
    }

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
            ("__omp_offloading_fe00_9d896e_main_l9", Some("main")),
            ("__omp_offloading_fe00_9d896e_main_l9_debug__", Some("main")),
            (
                "__omp_offloading_10_2_a_l3_b_l20_1.omp_outlined",
                Some("a_l3_b"),
            ),
            (
                "__omp_offloading_fe00_9d896e__ZN1A3runEv_l9",
                Some("_ZN1A3runEv"),
            ),
            ("__omp_offloading_other", Some("__omp_offloading_other")),
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
        assert_eq!(
            without_parameters("operator()<int>(int)"),
            "operator()<int>"
        );
        assert_eq!(
            without_parameters("A::operator()(int) const"),
            "A::operator()"
        );
    }

    #[test]
    fn functions_inside_functions_have_short_names() {
        for (symbol, name) in [
            ("main.omp_outlined", "main"),
            ("_ZZ4mainENK3$_0clEi.omp_outlined_debug__", "operator()"),
            ("_ZZ4mainENKUliE_clEi._omp_fn.0", "operator()"),
            ("_ZZ4mainENKUlT_E_clIiEEDaS_", "operator()<int>"),
            ("_ZZ4mainEN2Op5applyEd", "apply"),
            ("_ZZ3runiEN2OpltERKS_", "operator<"),
            ("_ZN5Outer5laterEv", "Outer::later()"),
            ("_ZNK3$_1clEi", "operator()"),
            ("_ZNK3topMUliE_clEi", "operator()"),
            ("_ZZ", "_ZZ"),
        ] {
            let found = function_name(symbol, None);
            assert_eq!(found.as_deref(), Some(name), "{symbol}");
        }
    }
}
