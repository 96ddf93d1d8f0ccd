//! Pictures as Arrow: the values of runs as one column, everything else as JSON next to it.

use std::collections::HashMap;
use std::sync::Arc;

use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse};
use arrow::array::{ArrayRef, Float32Array, RecordBatch};
use arrow::datatypes::{DataType, Field, Schema};
use serde::Serialize;
use sheaf_answers::{Distribution, Format, Hierarchy, Sankey};

use super::asking::{ARROW, Asking, to_json};
use super::error::ApiError;
use super::routes::Outcome;
use crate::{Answers, stream};

/// Name of the column, and of the metadata that has the rest of the answer.
const COLUMN: &str = "value";
const REST: &str = "answer";

/// An answer most of whose bytes are values of runs.
pub(super) trait Picture: Serialize + Send {
    /// Moves the values out of the answer, in the order in which the answer has them. Bins of runs follow from
    /// the values and are removed.
    fn take_values(&mut self) -> Vec<Option<f64>>;
}

impl Picture for Sankey {
    /// Per node inclusive, then exclusive values, one per run; then the same of each edge.
    fn take_values(&mut self) -> Vec<Option<f64>> {
        let mut values = Vec::new();
        for node in &mut self.nodes {
            values.append(&mut node.inclusive_by_run);
            values.append(&mut node.exclusive_by_run);
            node.histogram.bin_of.clear();
        }
        for edge in &mut self.edges {
            values.append(&mut edge.inclusive_by_run);
        }
        values
    }
}

impl Picture for Hierarchy {
    /// Per call site inclusive, then exclusive values, one per run.
    fn take_values(&mut self) -> Vec<Option<f64>> {
        let mut values = Vec::new();
        for site in &mut self.sites {
            values.append(&mut site.inclusive_by_run);
            values.append(&mut site.exclusive_by_run);
            site.histogram.bin_of.clear();
        }
        values
    }
}

impl Picture for Distribution {
    /// All values, in ascending order.
    fn take_values(&mut self) -> Vec<Option<f64>> {
        self.values.drain(..).map(Some).collect()
    }
}

impl Asking {
    /// The answer to a question about a picture, as JSON or as Arrow; a stream has at most `most_values`.
    pub(super) async fn picture<T: Picture + 'static>(
        &self,
        most_values: Option<u64>,
        question: impl FnOnce(&Answers) -> Result<T, sheaf_ensemble::Error> + Send + 'static,
    ) -> Outcome {
        match self.format() {
            Some(Format::Csv | Format::ArrowExact) => {
                let message = "`format` is neither `json` nor `arrow`, the forms of pictures";
                return Err(ApiError::bad_request(message.to_owned()));
            }
            Some(Format::Json) => return self.json(question).await,
            None if !self.prefers_arrow => return self.json(question).await,
            Some(Format::Arrow) | None => {}
        }
        let most = self.most_bytes;
        let body = self.respond(move |answers| {
            let answer = question(answers).map_err(|error| ApiError::from_ensemble(&error))?;
            let bytes = to_stream(answer, most_values, |rest| {
                to_json(rest, most, answers.progress())
            })?;
            if bytes.len() > most {
                return Err(ApiError::too_large(most));
            }
            Ok(bytes)
        });
        let body = body.await?;
        Ok(HttpResponse::Ok()
            .content_type(ARROW)
            .body(self.held.hold(body)))
    }
}

/// Whether a request prefers Arrow.
pub(super) fn accepts_arrow(request: &HttpRequest) -> bool {
    request
        .headers()
        .get(header::ACCEPT)
        .and_then(|accept| accept.to_str().ok())
        .is_some_and(|accept| accept.contains(ARROW))
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a picture shows three digits; 32-bit floats have seven"
)]
fn to_stream<T: Picture>(
    mut answer: T,
    most_values: Option<u64>,
    to_json: impl FnOnce(&T) -> Result<Vec<u8>, ApiError>,
) -> Result<Vec<u8>, ApiError> {
    let mut values = answer.take_values();
    if most_values.is_some_and(|most| values.len() as u64 > most) {
        values.clear();
    }
    let rest = String::from_utf8(to_json(&answer)?)
        .map_err(|error| ApiError::internal(&format!("cannot write JSON: {error}")))?;
    let narrowed = values.iter().map(|value| value.map(|value| value as f32));
    let column: ArrayRef = Arc::new(narrowed.collect::<Float32Array>());
    let field = Field::new(COLUMN, DataType::Float32, true);
    let metadata = HashMap::from([(REST.to_owned(), rest)]);
    let schema = Schema::new_with_metadata(vec![field], metadata);
    RecordBatch::try_new(Arc::new(schema), vec![column])
        .and_then(|batch| stream::to_bytes(&batch))
        .map_err(|error| ApiError::internal(&format!("cannot write Arrow: {error}")))
}

#[cfg(test)]
mod tests {
    use arrow::array::AsArray as _;
    use arrow::datatypes::Float32Type;
    use arrow::ipc::reader::StreamReader;

    use super::*;

    #[derive(Serialize)]
    struct Small {
        name: &'static str,
        values: Vec<Option<f64>>,
    }

    impl Picture for Small {
        fn take_values(&mut self) -> Vec<Option<f64>> {
            std::mem::take(&mut self.values)
        }
    }

    fn read(most_values: Option<u64>) -> (String, Vec<Option<f32>>) {
        let answer = Small {
            name: "a",
            values: vec![Some(1.5), None],
        };
        let to_json = |rest: &Small| Ok(serde_json::to_vec(rest).unwrap());
        let bytes = to_stream(answer, most_values, to_json).unwrap();
        let mut reader = StreamReader::try_new(bytes.as_slice(), None).unwrap();
        let rest = reader.schema().metadata()[REST].clone();
        let batch = reader.next().unwrap().unwrap();
        let column = batch.column(0).as_primitive::<Float32Type>();
        assert_eq!(column.len(), batch.num_rows());
        (rest, column.iter().collect())
    }

    #[test]
    fn values_travel_once() {
        let rest = r#"{"name":"a","values":[]}"#.to_owned();
        assert_eq!(read(None), (rest.clone(), vec![Some(1.5), None]));
        assert_eq!(read(Some(2)), (rest.clone(), vec![Some(1.5), None]));
        assert_eq!(read(Some(1)), (rest, vec![]));
    }
}
