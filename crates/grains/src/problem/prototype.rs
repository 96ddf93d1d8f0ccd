//! The prototype's configuration of problems: `type,variable,condition`.

use sheaf_model::ParseError;

use super::Threshold;

/// What the prototype takes for the number of cores, pasted into code that it runs; we know it by
/// sight and run nothing.
const CORES: &str = "length(unique(task_data$cpu_id))";

/// Why a configuration is not understood, with the line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PrototypeError {
    /// A line has not the three fields.
    #[error("line {line} has not the fields `type,variable,condition`")]
    Fields {
        /// Number of the line, from 1.
        line: usize,
    },
    /// A condition is none of ours.
    #[error("line {line}: {error}")]
    Condition {
        /// Number of the line, from 1.
        line: usize,
        /// What is wrong with it.
        error: ParseError,
    },
}

/// Reads a configuration: the name of each problem and its threshold. Comments and empty lines are
/// skipped, and so is the header. Conditions are parsed, never run.
///
/// # Errors
/// The first line that is not understood.
pub fn read_prototype(text: &str) -> Result<Vec<(String, Threshold)>, PrototypeError> {
    let mut thresholds = Vec::new();
    for (line, content) in (1..).zip(text.lines()) {
        let content = content.split('#').next().unwrap_or_default().trim();
        if content.is_empty() || content == "type,variable,condition" {
            continue;
        }
        let mut fields = content
            .splitn(3, ',')
            .map(|field| field.trim().trim_matches('"'));
        let (Some(name), Some(variable), Some(condition)) =
            (fields.next(), fields.next(), fields.next())
        else {
            return Err(PrototypeError::Fields { line });
        };
        let condition = condition.trim().replace(CORES, "cores");
        let threshold = format!("`{variable}` {condition}").parse();
        let threshold = threshold.map_err(|error| PrototypeError::Condition { line, error })?;
        thresholds.push((name.to_owned(), threshold));
    }
    Ok(thresholds)
}
