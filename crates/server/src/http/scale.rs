//! The route of scaling studies.

use actix_web::{get, web};
use serde::Serialize;
use sheaf_answers::{ErrorBody, Scale, ScaleQuery, ScaleTable, Table, Tabular};
use sheaf_ensemble::{Law, ScaleQuestion};
use sheaf_model::Lens;

use super::asking::Asking;
use super::error::ApiError;
use super::list;
use super::query::Query;
use super::routes::{Outcome, read_lens};
use crate::Answers;

pub(super) fn configure(config: &mut web::ServiceConfig) {
    config.service(scale);
}

/// How times change with a parameter: points, fitted laws, where workers' time went, runs out of order.
#[utoipa::path(get, tag = "ensemble", params(ScaleQuery), path = "/api/v1/scale",
    responses((status = 200, body = Scale), (status = "4XX", body = ErrorBody)))]
#[get("/api/v1/scale")]
async fn scale(service: Asking, query: Query<ScaleQuery>) -> Outcome {
    let lens = read_lens(query.lens.as_deref())?;
    let asked = question(&query, &lens)?;
    let wanted = query.table.unwrap_or_default();
    let ask_scale = move |answers: &Answers| {
        let scale = answers.scale(&lens, &asked)?;
        Ok(Study { scale, wanted })
    };
    service.table(ask_scale).await
}

/// A study and the table of it that was asked for.
#[derive(Serialize)]
#[serde(transparent)]
struct Study {
    scale: Scale,
    #[serde(skip)]
    wanted: ScaleTable,
}

impl Tabular for Study {
    fn table(&self) -> Table<'_> {
        self.scale.table_of(self.wanted)
    }
}

fn question(query: &ScaleQuery, lens: &Lens) -> Result<ScaleQuestion, ApiError> {
    let by = query.by.clone().or_else(|| lens.by.first().cloned());
    let by = by.ok_or_else(|| {
        ApiError::bad_request("`by` is missing: the parameter that grows".to_owned())
    })?;
    let fit = list::names("fit", query.fit.as_deref().unwrap_or_default())?;
    let fit: Result<Vec<Law>, String> = fit.iter().map(|name| name.parse()).collect();
    let series = query.series.as_deref();
    let series = series.map(|text| list::names("series", text)).transpose()?;
    let kind = query.scaling.as_deref().map(str::parse).transpose();
    Ok(ScaleQuestion {
        series,
        // Laws have several names; each law is fitted once.
        fit: list::unique("fit", fit.map_err(ApiError::bad_request)?)?,
        kind: kind.map_err(ApiError::bad_request)?,
        ..ScaleQuestion::new(by)
    })
}
