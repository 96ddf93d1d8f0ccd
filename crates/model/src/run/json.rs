//! Parameters as JSON: numbers, truth values and texts; times are texts in RFC 3339, and stay texts when read.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::ser::{Serialize, Serializer};
use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, Type};
use utoipa::openapi::{RefOr, Schema};

use super::ParamValue;
use crate::instant;

impl Serialize for ParamValue {
    /// Whole numbers have no decimal point, as they were given: a commit such as 430978356760 may have digits only.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "whole numbers below 2^53 are exact"
    )]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Number(number)
                if number.fract() == 0.0 && number.abs() < 9_007_199_254_740_992.0 =>
            {
                serializer.serialize_i64(*number as i64)
            }
            Self::Number(number) => serializer.serialize_f64(*number),
            Self::Text(text) => serializer.serialize_str(text),
            Self::Boolean(value) => serializer.serialize_bool(*value),
            Self::Time(nanos) => serializer.serialize_str(&instant::rfc3339(*nanos)),
        }
    }
}

impl<'de> Deserialize<'de> for ParamValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OfParameter;

        impl Visitor<'_> for OfParameter {
            type Value = ParamValue;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a truth value, a number or a text")
            }

            fn visit_bool<E: Error>(self, value: bool) -> Result<ParamValue, E> {
                Ok(ParamValue::Boolean(value))
            }

            fn visit_i64<E: Error>(self, value: i64) -> Result<ParamValue, E> {
                Ok(ParamValue::Number(value as f64))
            }

            fn visit_u64<E: Error>(self, value: u64) -> Result<ParamValue, E> {
                Ok(ParamValue::Number(value as f64))
            }

            fn visit_f64<E: Error>(self, value: f64) -> Result<ParamValue, E> {
                Ok(ParamValue::Number(value))
            }

            fn visit_str<E: Error>(self, value: &str) -> Result<ParamValue, E> {
                Ok(ParamValue::Text(value.to_owned()))
            }
        }

        deserializer.deserialize_any(OfParameter)
    }
}

impl utoipa::PartialSchema for ParamValue {
    fn schema() -> RefOr<Schema> {
        let choice = |kind: Type, description: &str| {
            let choice = ObjectBuilder::new().schema_type(kind);
            choice.description(Some(description))
        };
        OneOfBuilder::new()
            .description(Some(
                "A typed parameter: number, boolean or text. Times are text in RFC 3339.",
            ))
            .item(choice(Type::Boolean, "A truth value."))
            .item(choice(
                Type::Number,
                "A number. Whole numbers are written without a decimal point.",
            ))
            .item(choice(Type::String, "A text."))
            .into()
    }
}

impl utoipa::ToSchema for ParamValue {}
