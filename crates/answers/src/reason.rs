//! Why something was decided, or cannot be: data that programs read, with a text for people.

mod why;

use std::sync::OnceLock;

use serde::{Deserialize, Serialize, Serializer};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

pub use why::{ChangeCount, CountedGrains, TypicalChange, WhichSide, Why, WidthChange};

/// Why something was decided, or cannot be.
///
/// A gate between the halves of an ensemble makes many reasons that nobody reads, so the text is made when it is asked
/// for.
#[derive(Debug, Clone, Deserialize)]
#[serde(from = "WrittenReason")]
pub struct Reason {
    /// The code, with its values.
    pub why: Why,
    text: OnceLock<String>,
}

/// A reason in JSON.
#[derive(Deserialize, ToSchema)]
#[schema(description = "Why something was decided, or cannot be.")]
struct WrittenReason {
    /// The code, with its values.
    #[serde(flatten)]
    why: Why,
    /// The same in English, a clause without a full stop.
    text: String,
}

impl Serialize for Reason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Written<'a> {
            #[serde(flatten)]
            why: &'a Why,
            text: &'a str,
        }
        let (why, text) = (&self.why, self.text());
        Written { why, text }.serialize(serializer)
    }
}

impl From<WrittenReason> for Reason {
    fn from(written: WrittenReason) -> Self {
        let text = OnceLock::from(written.text);
        Self {
            why: written.why,
            text,
        }
    }
}

impl PartialSchema for Reason {
    fn schema() -> RefOr<Schema> {
        WrittenReason::schema()
    }
}

impl ToSchema for Reason {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        WrittenReason::schemas(schemas);
    }
}

impl From<Why> for Reason {
    fn from(why: Why) -> Self {
        let text = OnceLock::new();
        Self { why, text }
    }
}

impl PartialEq for Reason {
    fn eq(&self, other: &Self) -> bool {
        self.why == other.why
    }
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.text())
    }
}

impl Reason {
    /// The reason in English, a clause without a full stop.
    pub fn text(&self) -> &str {
        self.text.get_or_init(|| self.why.to_string())
    }

    /// Texts of several reasons, joined by semicolons.
    pub fn joined(reasons: &[Self]) -> String {
        let texts: Vec<&str> = reasons.iter().map(Self::text).collect();
        texts.join("; ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_has_code_values_and_text_and_is_read_back() {
        let reason = Reason::from(Why::SingleRun {
            runs_a: 1,
            runs_b: 5,
        });
        let reason = Reason::from(Why::NotAsked {
            reason: Box::new(reason),
        });
        let text = serde_json::to_string(&reason).unwrap();
        assert_eq!(
            text,
            r#"{"code":"not_asked","values":{"reason":{"code":"single_run","values":{"runs_a":1,"runs_b":5},"text":"not testable: 1 against 5 runs (n = 1)"}},"text":"not asked: not testable: 1 against 5 runs (n = 1)"}"#
        );
        assert_eq!(serde_json::from_str::<Reason>(&text).unwrap(), reason);
        let without_values = Reason::from(Why::OtherWidth);
        let text = serde_json::to_string(&without_values).unwrap();
        assert_eq!(
            serde_json::from_str::<Reason>(&text).unwrap(),
            without_values
        );
    }
}
