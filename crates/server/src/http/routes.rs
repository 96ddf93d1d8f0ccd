//! The routes: parse, ask, convert.

use actix_web::{HttpResponse, get, web};
use sheaf_answers::{
    Diff, Distribution, DistributionMode, ErrorBody, Explanation, GroupQuery, Hierarchy,
    LensAnswer, LensQuery, LensTextQuery, LocationKind, LocationOrder, Locations, LocationsQuery,
    RunInfo, Runs, Sankey, SankeyQuery, Stats, StatsQuery, StoreInfo, StoreQuery, TableQuery,
    Verify,
};
use sheaf_ensemble::{Error, LocationsQuestion};
use sheaf_model::Lens;

use super::asking::Asking;
use super::error::ApiError;
use super::list;
use super::query::Query;
use crate::Answers;

pub(super) fn configure(config: &mut web::ServiceConfig) {
    config
        .service(store)
        .service(runs)
        .service(one_run)
        .service(lens_text)
        .service(stats)
        .service(grain_stats)
        .service(locations)
        .service(explain)
        .service(sankey)
        .service(hierarchy)
        .service(distribution)
        .service(diff)
        .service(verify)
        .service(document);
}

pub(super) type Outcome = Result<HttpResponse, ApiError>;

/// The store and what else is served.
#[utoipa::path(get, tag = "store", params(StoreQuery), path = "/api/v1/store",
    responses((status = 200, body = StoreInfo), (status = "4XX", body = ErrorBody)))]
#[get("/api/v1/store")]
async fn store(service: Asking, query: Query<StoreQuery>) -> Outcome {
    let names = service.names.clone();
    let name = query
        .store
        .clone()
        .unwrap_or_else(|| names.first().cloned().unwrap_or_default());
    let policy = service.imports.policy().clone();
    service
        .json(move |answers| answers.store(&name, &names, policy))
        .await
}

/// Runs that the lens's `where` selects.
#[utoipa::path(get, tag = "runs", params(LensQuery), path = "/api/v1/runs",
    responses((status = 200, body = Runs), (status = "4XX", body = ErrorBody)))]
#[get("/api/v1/runs")]
async fn runs(service: Asking, query: Query<LensQuery>) -> Outcome {
    let lens = read_lens(query.lens.as_deref())?;
    service.table(move |answers| answers.runs(&lens)).await
}

/// One run, by id, unique beginning of an id, or name.
#[utoipa::path(get, tag = "runs", operation_id = "run", params(("run" = String, Path, description = "Run"), TableQuery),
    path = "/api/v1/runs/{run}",
    responses((status = 200, body = RunInfo), (status = "4XX", body = ErrorBody)))]
#[get("/api/v1/runs/{run}")]
async fn one_run(service: Asking, run: web::Path<String>, _query: Query<TableQuery>) -> Outcome {
    let run = run.into_inner();
    service.table(move |answers| answers.info(&run)).await
}

/// Reads a text as a lens; a wrong text is answered with its fault, not refused.
#[utoipa::path(get, tag = "lens", operation_id = "lens", params(LensTextQuery), path = "/api/v1/lens",
    responses((status = 200, body = LensAnswer)))]
#[get("/api/v1/lens")]
async fn lens_text(query: Query<LensTextQuery>) -> Outcome {
    Ok(HttpResponse::Ok().json(LensAnswer::of(query.text.as_deref().unwrap_or_default())))
}

/// Distributions of groups over the runs of each cohort.
#[utoipa::path(get, tag = "ensemble", params(StatsQuery), path = "/api/v1/stats",
    responses((status = 200, body = Stats), (status = "4XX", body = ErrorBody)))]
#[get("/api/v1/stats")]
async fn stats(service: Asking, query: Query<StatsQuery>) -> Outcome {
    let lens = read_lens(query.lens.as_deref())?;
    let (offset, limit) = (query.offset.unwrap_or(0), query.limit);
    let most = service.most_bytes;
    service
        .table(move |answers| within(answers.stats(&lens)?.page(offset, limit), most))
        .await
}

/// Distributions of groups over the grains of the runs of each cohort: for drawing, never for tests.
#[utoipa::path(get, tag = "ensemble", params(StatsQuery), path = "/api/v1/stats/grains",
    responses((status = 200, body = Stats), (status = "4XX", body = ErrorBody)))]
#[get("/api/v1/stats/grains")]
async fn grain_stats(service: Asking, query: Query<StatsQuery>) -> Outcome {
    let lens = read_lens(query.lens.as_deref())?;
    let (offset, limit) = (query.offset.unwrap_or(0), query.limit);
    let most = service.most_bytes;
    service
        .table(move |answers| within(answers.grain_stats(&lens)?.page(offset, limit), most))
        .await
}

/// Values of groups by rank or worker, run by run: where runs are imbalanced.
#[utoipa::path(get, tag = "ensemble", params(LocationsQuery), path = "/api/v1/locations",
    responses((status = 200, body = Locations), (status = "4XX", body = ErrorBody)))]
#[get("/api/v1/locations")]
async fn locations(service: Asking, query: Query<LocationsQuery>) -> Outcome {
    let lens = read_lens(query.lens.as_deref())?;
    let question = LocationsQuestion {
        by: query.by.unwrap_or(LocationKind::Ranks),
        order: query.order.unwrap_or(LocationOrder::Imbalance),
        offset: query.offset.unwrap_or(0),
        limit: query.limit,
        columns: query.columns,
    };
    let most_runs = query.runs;
    service
        .table(move |answers| answers.locations(&lens, &question, most_runs))
        .await
}

/// Fails if the rows have more bytes than an answer may have.
fn within(answer: Stats, most: usize) -> Result<Stats, Error> {
    let bytes = answer.num_bytes();
    if bytes > most as u64 {
        return Err(Error::AnswerTooLarge { bytes, most });
    }
    Ok(answer)
}

/// The ensemble-Sankey with its geometry.
#[utoipa::path(get, tag = "ensemble", params(SankeyQuery), path = "/api/v1/sankey",
    responses((status = 200, body = Sankey), (status = "4XX", body = ErrorBody)))]
#[get("/api/v1/sankey")]
async fn sankey(service: Asking, query: Query<SankeyQuery>) -> Outcome {
    let lens = read_lens(query.lens.as_deref())?;
    let width = read_extent("width", query.width, 1000.0)?;
    let height = read_extent("height", query.height, 600.0)?;
    let question = move |answers: &Answers| answers.sankey(&lens, width, height);
    service.picture(query.values, question).await
}

/// The tree of contexts inside one group.
#[utoipa::path(get, tag = "ensemble", params(GroupQuery), path = "/api/v1/hierarchy",
    responses((status = 200, body = Hierarchy), (status = "4XX", body = ErrorBody)))]
#[get("/api/v1/hierarchy")]
async fn hierarchy(service: Asking, query: Query<GroupQuery>) -> Outcome {
    let lens = read_lens(query.lens.as_deref())?;
    let group = query.group.clone();
    let question = move |answers: &Answers| answers.hierarchy(&lens, &group);
    service.picture(query.values, question).await
}

/// Histogram of one group over runs, call sites, ranks or workers.
#[utoipa::path(get, tag = "ensemble", params(GroupQuery), path = "/api/v1/distribution",
    responses((status = 200, body = Distribution), (status = "4XX", body = ErrorBody)))]
#[get("/api/v1/distribution")]
async fn distribution(service: Asking, query: Query<GroupQuery>) -> Outcome {
    let lens = read_lens(query.lens.as_deref())?;
    let group = query.group.clone();
    let mode = query.mode.unwrap_or(DistributionMode::Runs);
    let question = move |answers: &Answers| answers.distribution(&lens, &group, mode);
    service.picture(query.values, question).await
}

/// Difference of the two sides of the lens's `diff` clause.
#[utoipa::path(get, tag = "ensemble", params(LensQuery), path = "/api/v1/diff",
    responses((status = 200, body = Diff), (status = "4XX", body = ErrorBody)))]
#[get("/api/v1/diff")]
async fn diff(service: Asking, query: Query<LensQuery>) -> Outcome {
    let lens = read_lens(query.lens.as_deref())?;
    service.table(move |answers| answers.diff(&lens)).await
}

/// Why the candidate of the lens's `diff` clause takes longer than the baseline: causes that add up to the difference.
#[utoipa::path(get, tag = "ensemble", params(LensQuery), path = "/api/v1/explain",
    responses((status = 200, body = Explanation), (status = "4XX", body = ErrorBody)))]
#[get("/api/v1/explain")]
async fn explain(service: Asking, query: Query<LensQuery>) -> Outcome {
    let lens = read_lens(query.lens.as_deref())?;
    service.table(move |answers| answers.explain(&lens)).await
}

/// Checks every file of the store.
#[utoipa::path(get, tag = "store", params(StoreQuery), path = "/api/v1/verify",
    responses((status = 200, body = Verify), (status = "4XX", body = ErrorBody)))]
#[get("/api/v1/verify")]
async fn verify(service: Asking, _query: Query<StoreQuery>) -> Outcome {
    let question = |answers: &Answers| answers.verify(answers.progress());
    service.json(question).await
}

#[get("/api/v1/openapi.json")]
async fn document() -> HttpResponse {
    HttpResponse::Ok()
        .content_type("application/json")
        .body(super::document::GENERATED)
}

pub(super) fn read_lens(text: Option<&str>) -> Result<Lens, ApiError> {
    let lens = text.unwrap_or_default().parse();
    let mut lens: Lens = lens.map_err(|error| ApiError::bad_lens(&error))?;
    lens.by = list::unique("by", lens.by)?;
    Ok(lens)
}

fn read_extent(name: &str, value: Option<f64>, default: f64) -> Result<f64, ApiError> {
    match value.unwrap_or(default) {
        value if (100.0..=20_000.0).contains(&value) => Ok(value),
        value => Err(ApiError::bad_request(format!(
            "{name} `{value}` is not between 100 and 20000"
        ))),
    }
}
