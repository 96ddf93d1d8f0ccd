//! Names of metrics that state operations, as those of Caliper do, in words.
//!
//! `frontend/views/src/logic/metrics.ts` follows the same rule; `tests/metric-names.json` has the cases that tests of
//! both read.

/// The words of a name such as `avg#inclusive#sum#time.duration`: operations, the outermost first, and a quantity.
///
/// The last operation is that of one rank, and a sum there needs no word. `None` for other names.
///
/// ```
/// use sheaf_answers::text::metric_in_words;
/// let words = metric_in_words("sum#sum#time.duration.ns");
/// assert_eq!(words.as_deref(), Some("time (sum over ranks)"));
/// assert_eq!(metric_in_words("Avg time/rank"), None);
/// ```
pub fn metric_in_words(name: &str) -> Option<String> {
    let (operations, quantity) = name.rsplit_once('#')?;
    let all: Vec<&str> = operations.split('#').collect();
    if !all.iter().all(|one| is_operation(one)) {
        return None;
    }
    let what = match quantity {
        "time.duration" | "time.duration.ns" | "time.duration.us" | "time.duration.s" => {
            "time".to_owned()
        }
        other => spaced(other),
    };
    if what.is_empty() {
        return None;
    }
    let (inclusive, others): (Vec<&str>, Vec<&str>) =
        all.into_iter().partition(|&one| one == "inclusive");
    let mut words: Vec<String> = others.into_iter().map(word).collect();
    let inner = words.pop();
    let outer = words.into_iter().filter(|one| one.as_str() != "any");
    let mut how: Vec<String> = outer.map(|one| format!("{one} over ranks")).collect();
    how.extend(inner.filter(|one| !matches!(one.as_str(), "sum" | "any")));
    let scope = if inclusive.is_empty() {
        ""
    } else {
        ", inclusive"
    };
    let how = if how.is_empty() {
        String::new()
    } else {
        format!(" ({})", how.join(" of "))
    };
    Some(format!("{what}{scope}{how}"))
}

fn is_operation(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| matches!(c, 'a'..='z' | '_'))
}

/// An operation as people call it; others keep their name.
fn word(operation: &str) -> String {
    match operation {
        "avg" => "mean".to_owned(),
        "min" => "minimum".to_owned(),
        "max" => "maximum".to_owned(),
        other => spaced(other),
    }
}

fn spaced(name: &str) -> String {
    let parts = name.split(['_', '.']).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_print_as_on_the_page() {
        let cases: serde_json::Value =
            serde_json::from_str(include_str!("../../../../tests/metric-names.json")).unwrap();
        let cases = cases.as_array().unwrap();
        assert!(!cases.is_empty());
        for case in cases {
            let name = case[0].as_str().unwrap();
            assert_eq!(metric_in_words(name).as_deref(), case[1].as_str(), "{name}");
        }
    }
}
