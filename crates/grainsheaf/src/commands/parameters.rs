//! Parameters that the user gives: on the command line and in a file.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;
use sheaf_model::ParamValue;

use crate::failure::Failure;

/// Parameters of the file, then those of the command line, which win.
///
/// # Errors
/// When the file cannot be read or understood.
pub(crate) fn gather(
    file: Option<&Path>,
    given: &[(String, String)],
) -> Result<BTreeMap<String, ParamValue>, Failure> {
    let mut params = match file {
        Some(path) => read(path)?,
        None => BTreeMap::new(),
    };
    params.extend(
        given
            .iter()
            .map(|(name, value)| (name.clone(), ParamValue::infer(value))),
    );
    Ok(params)
}

fn read(path: &Path) -> Result<BTreeMap<String, ParamValue>, Failure> {
    let shown = path.display();
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::usage(format!("cannot read parameters: {error}: {shown}")))?;
    parse(&text).map_err(|reason| {
        Failure::usage(format!("cannot understand parameters: {reason}: {shown}")).with_hint(
            "write a JSON object of numbers, texts and booleans, or lines `NAME = VALUE`",
        )
    })
}

fn parse(text: &str) -> Result<BTreeMap<String, ParamValue>, String> {
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
                None => return Err(format!("`{name}` is no number that fits")),
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
            Ok(expected)
        );
        assert_eq!(parse("a"), Err("line 1 has no `=`".into()));
        assert_eq!(
            parse(r#"{"a": []}"#),
            Err("`a` is neither number, text nor boolean".into())
        );
    }

    #[test]
    fn the_command_line_wins() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("params");
        std::fs::write(&file, "a = 1\nb = 2\n").unwrap();
        let params = gather(Some(&file), &[("b".into(), "three".into())]).unwrap();
        assert_eq!(params["a"], ParamValue::Number(1.0));
        assert_eq!(params["b"], ParamValue::Text("three".into()));
        assert!(gather(Some(Path::new("/nowhere")), &[]).is_err());
    }
}
