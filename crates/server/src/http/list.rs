//! Lists in parameters: distinct values, up to a maximum.

use super::error::ApiError;

/// Maximum number of values of a list.
const MAX_VALUES: usize = 64;

/// The distinct values of the list `text` of the parameter `name`, in the order of their first
/// occurrence, without empty ones.
///
/// # Errors
/// If there are more than [`MAX_VALUES`].
pub(super) fn values(name: &str, text: &str, separator: char) -> Result<Vec<String>, ApiError> {
    let given = text.split(separator).map(str::trim);
    let given = given.filter(|value| !value.is_empty());
    unique(name, given.map(str::to_owned))
}

/// The distinct values of a list separated by commas.
pub(super) fn names(name: &str, text: &str) -> Result<Vec<String>, ApiError> {
    values(name, text, ',')
}

/// The distinct values of a parsed list.
pub(super) fn unique<T: PartialEq>(
    name: &str,
    given: impl IntoIterator<Item = T>,
) -> Result<Vec<T>, ApiError> {
    let mut values = Vec::new();
    for value in given {
        if values.contains(&value) {
            continue;
        }
        if values.len() >= MAX_VALUES {
            return Err(ApiError::bad_request(format!(
                "`{name}` lists more than `{MAX_VALUES}` different values; ask several questions"
            )));
        }
        values.push(value);
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_unique_and_bounded() {
        let read = |text: &str| names("fit", text).map_err(|fault| fault.message().to_owned());
        assert_eq!(read(" b, a,,b ,a").unwrap(), ["b", "a"]);
        assert_eq!(read("").unwrap(), [""; 0]);
        assert_eq!(read(&"a,".repeat(10_000)).unwrap(), ["a"]);
        let many: Vec<_> = (0..65).map(|number| number.to_string()).collect();
        assert_eq!(read(&many[1..].join(",")).unwrap().len(), 64);
        let message = "`fit` lists more than `64` different values; ask several questions";
        assert_eq!(read(&many.join(",")).unwrap_err(), message);
    }
}
