//! Parameters that the user gives: on the command line and in a file.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;
use sheaf_ensemble::Sidecar;
use sheaf_model::ParamValue;

use crate::failure::Failure;

/// Parameters of the command line, typed by their form.
pub(crate) fn given(params: &[(String, String)]) -> BTreeMap<String, ParamValue> {
    let typed = |(name, value): &(String, String)| (name.clone(), ParamValue::infer(value));
    params.iter().map(typed).collect()
}

/// A description from a file: TOML in the format of grainsheaf.toml (`.toml`), else parameters only.
///
/// # Errors
/// When the file cannot be read or understood.
pub(crate) fn read(path: &Path) -> Result<Sidecar, Failure> {
    if path.extension().is_some_and(|end| end == "toml") {
        return Ok(Sidecar::read(path)?);
    }
    let shown = path.display();
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::file("cannot read parameters", &error, path))?;
    let params = parse(&text).map_err(|reason| {
        Failure::usage(format!("cannot understand parameters: {reason}: {shown}")).with_hint(
            "write a JSON object of numbers, texts and booleans, lines `NAME = VALUE`, or TOML in \
             a file that ends in `.toml`",
        )
    })?;
    Ok(Sidecar::of_params(params))
}

fn parse(text: &str) -> Result<BTreeMap<String, ParamValue>, String> {
    // Editors may write a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim_start().starts_with('{') {
        parse_object(text)
    } else {
        parse_lines(text)
    }
}

fn parse_object(text: &str) -> Result<BTreeMap<String, ParamValue>, String> {
    let object: serde_json::Map<String, Value> =
        serde_json::from_str(text).map_err(|error| error.to_string())?;
    let mut params = BTreeMap::new();
    for (name, value) in object {
        let value = match value {
            Value::Null => continue,
            Value::Bool(value) => ParamValue::Boolean(value),
            Value::Number(number) => match number.as_f64().filter(|number| number.is_finite()) {
                Some(number) => ParamValue::Number(number),
                None => return Err(format!("the number of `{name}` does not fit into 64 bits")),
            },
            Value::String(text) => ParamValue::Text(text),
            Value::Array(_) | Value::Object(_) => {
                return Err(format!("`{name}` is neither number, text nor boolean"));
            }
        };
        params.insert(name, value);
    }
    Ok(params)
}

fn parse_lines(text: &str) -> Result<BTreeMap<String, ParamValue>, String> {
    let mut params = BTreeMap::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let Some((name, value)) = line.split_once('=') else {
            return Err(format!("line {} has no `=`", index + 1));
        };
        params.insert(name.trim().to_owned(), ParamValue::infer(value.trim()));
    }
    Ok(params)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_objects_or_lines() {
        let expected = BTreeMap::from([
            ("a".to_owned(), ParamValue::Number(1.5)),
            ("b".to_owned(), ParamValue::Text("x y".into())),
            ("c".to_owned(), ParamValue::Boolean(true)),
        ]);
        assert_eq!(
            parse(r#"{"a": 1.5, "b": "x y", "c": true, "d": null}"#),
            Ok(expected.clone())
        );
        assert_eq!(
            parse("# comment\na = 1.5\n\nb=x y\nc = true\n"),
            Ok(expected.clone())
        );
        for text in [
            r#"{"a": 1.5, "b": "x y", "c": true}"#,
            "a = 1.5\nb = x y\nc = true",
        ] {
            assert_eq!(parse(&format!("\u{feff}{text}")), Ok(expected.clone()));
        }
        assert_eq!(parse("a"), Err("line 1 has no `=`".into()));
        assert_eq!(
            parse(r#"{"a": []}"#),
            Err("`a` is neither number, text nor boolean".into())
        );
    }

    #[test]
    fn files_are_read_by_their_ending() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        let lines = read(&file("params", "a = 1\nb = two\n")).unwrap();
        let expected = [
            ("a".into(), ParamValue::Number(1.0)),
            ("b".into(), ParamValue::Text("two".into())),
        ];
        assert_eq!(lines, Sidecar::of_params(expected.into()));
        assert!(read(&file("d.toml", "[params]\na = 1\n")).is_ok());
        let failure = read(&file("e.toml", "a = 1\n")).unwrap_err();
        assert!(
            failure
                .message
                .starts_with("unknown key `a` at line 1, column 1")
        );
        assert_eq!(failure.exit, crate::failure::Exit::Usage);
        assert!(read(Path::new("/nowhere")).is_err());
    }
}
