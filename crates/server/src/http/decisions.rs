//! The routes of gates, noise and histories.

use actix_web::{get, web};
use sheaf_answers::{ErrorBody, Gate, GateQuery, History, HistoryQuery, Noise, NoiseQuery};
use sheaf_ensemble::{GateOptions, HistoryOptions, HistoryOrder, NoiseOptions};

use super::asking::Asking;
use super::error::ApiError;
use super::list;
use super::query::Query;
use super::routes::{Outcome, read_lens};

/// Maximum number of splits of the runs of a configuration.
const MAX_SPLITS: usize = 10_000;

/// Maximum number of versions of a history.
const MAX_VERSIONS: usize = 10_000;

pub(super) fn configure(config: &mut web::ServiceConfig) {
    config.service(gate).service(noise).service(history);
}

/// Judges the candidate of the lens's `diff` clause.
#[utoipa::path(get, tag = "ensemble", params(GateQuery), path = "/api/v1/gate",
    responses((status = 200, body = Gate), (status = "4XX", body = ErrorBody)))]
#[get("/api/v1/gate")]
async fn gate(service: Asking, query: Query<GateQuery>) -> Outcome {
    let lens = read_lens(query.lens.as_deref())?;
    let options = gate_options(&query)?;
    service
        .table(move |answers| answers.gate(&lens, &options))
        .await
}

/// Noise of repeats, and the share of A/A gates that fail.
#[utoipa::path(get, tag = "ensemble", params(NoiseQuery), path = "/api/v1/noise",
    responses((status = 200, body = Noise), (status = "4XX", body = ErrorBody)))]
#[get("/api/v1/noise")]
async fn noise(service: Asking, query: Query<NoiseQuery>) -> Outcome {
    let lens = read_lens(query.lens.as_deref())?;
    let default = NoiseOptions::default();
    let most_splits = query.splits.unwrap_or(default.most_splits);
    if !(1..=MAX_SPLITS).contains(&most_splits) {
        let message = format!("splits `{most_splits}` is not between 1 and {MAX_SPLITS}");
        return Err(ApiError::bad_request(message));
    }
    let mut options = NoiseOptions {
        most_splits,
        ..default
    };
    options.gate.alpha = query.alpha.unwrap_or(options.gate.alpha);
    service
        .table(move |answers| answers.noise(&lens, &options))
        .await
}

/// How groups change over versions.
#[utoipa::path(get, tag = "ensemble", params(HistoryQuery), path = "/api/v1/history",
    responses((status = 200, body = History), (status = "4XX", body = ErrorBody)))]
#[get("/api/v1/history")]
async fn history(service: Asking, query: Query<HistoryQuery>) -> Outcome {
    let mut lens = read_lens(query.lens.as_deref())?;
    if let Some(by) = &query.by {
        lens.by = vec![by.trim().to_owned()];
    }
    let order = match (&query.order, &query.versions) {
        (Some(_), Some(_)) => {
            let message = "order and versions exclude each other".to_owned();
            return Err(ApiError::bad_request(message));
        }
        (Some(parameter), None) => HistoryOrder::Parameter(parameter.clone()),
        (None, Some(versions)) => HistoryOrder::List(versions_in_order(versions)?),
        (None, None) => HistoryOrder::Versions,
    };
    let environment = query.environment.as_deref();
    let environment = environment.map(|text| list::names("environment", text));
    let environment = environment.transpose()?;
    let default = HistoryOptions::default();
    let options = HistoryOptions {
        alpha: query.alpha.unwrap_or(default.alpha),
        environment,
        more_metrics: list::names("metrics", query.metrics.as_deref().unwrap_or_default())?,
        ..default
    };
    service
        .table(move |answers| answers.history(&lens, &order, &options))
        .await
}

fn gate_options(query: &GateQuery) -> Result<GateOptions, ApiError> {
    let default = GateOptions::default();
    let fail_on = query.fail_on.as_deref().unwrap_or("slower");
    let mut options = GateOptions {
        alpha: query.alpha.unwrap_or(default.alpha),
        max_regression: share("max_regression", query.max_regression)?
            .unwrap_or(default.max_regression),
        min_share: share("min_share", query.min_share)?.unwrap_or(default.min_share),
        fails_on_slower: false,
        is_strict: query.strict.unwrap_or(false),
        ..default
    };
    for cause in list::names("fail_on", fail_on)? {
        match cause.as_str() {
            "slower" => options.fails_on_slower = true,
            "structure" => options.fails_on_structure = true,
            other => {
                let message = format!("fail_on `{other}` is neither `slower` nor `structure`");
                return Err(ApiError::bad_request(message));
            }
        }
    }
    Ok(options)
}

/// Versions in the order of a history, which refuses one that is there twice.
fn versions_in_order(text: &str) -> Result<Vec<String>, ApiError> {
    let versions = text.split(',').map(str::trim);
    let versions = versions.filter(|version| !version.is_empty());
    let versions: Vec<_> = versions.map(str::to_owned).collect();
    if versions.len() > MAX_VERSIONS {
        return Err(ApiError::bad_request(format!(
            "`versions` lists `{}` versions, more than `{MAX_VERSIONS}`; leave some out",
            versions.len()
        )));
    }
    Ok(versions)
}

/// A share as a fraction; 1 or more, such as 5 for 5 %, is refused as a likely mistake.
fn share(name: &str, value: Option<f64>) -> Result<Option<f64>, ApiError> {
    match value {
        Some(share) if share >= 1.0 => Err(ApiError::bad_request(format!(
            "{name} `{share}` would be {} %; give a share below 1, such as `0.05`",
            share * 100.0
        ))),
        value => Ok(value),
    }
}
