//! The routes: parse, ask, convert.

use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse, get, web};
use arrow::array::RecordBatch;
use serde::Serialize;
use sheaf_api::{
    Diff, Distribution, DistributionMode, ErrorBody, Format, GroupQuery, Hierarchy, LensAnswer,
    LensQuery, LensTextQuery, Mapping, RunInfo, Runs, Sankey, SankeyQuery, Stats, StoreInfo,
    StoreQuery, Verify,
};
use sheaf_model::{Lens, Progress};

use super::Service;
use super::error::Fault;
use super::list;
use super::query::Query;
use crate::{Answers, csv, stream};

const ARROW: &str = "application/vnd.apache.arrow.stream";

pub(super) fn configure(config: &mut web::ServiceConfig) {
    config
        .service(store)
        .service(runs)
        .service(one_run)
        .service(lens_text)
        .service(stats)
        .service(grain_stats)
        .service(sankey)
        .service(hierarchy)
        .service(distribution)
        .service(diff)
        .service(mapping)
        .service(verify)
        .service(document);
}

pub(super) type Outcome = Result<HttpResponse, Fault>;

/// The store and what else is served.
#[utoipa::path(get, tag = "store", params(StoreQuery), path = "/api/v1/store",
    responses((status = 200, body = StoreInfo), (status = "4XX", body = ErrorBody)))]
#[get("/api/v1/store")]
async fn store(service: web::Data<Service>, query: Query<StoreQuery>) -> Outcome {
    let names = service.names.clone();
    let name = query
        .store
        .clone()
        .unwrap_or_else(|| names.first().cloned().unwrap_or_default());
    let policy = service.imports.policy().clone();
    let answer = ask(&service, query.store.as_deref(), move |answers| {
        answers.store(&name, &names, policy)
    });
    Ok(HttpResponse::Ok().json(answer.await?))
}

/// Runs that the lens's `where` selects.
#[utoipa::path(get, tag = "runs", params(LensQuery), path = "/api/v1/runs",
    responses((status = 200, body = Runs), (status = "4XX", body = ErrorBody)))]
#[get("/api/v1/runs")]
async fn runs(
    request: HttpRequest,
    service: web::Data<Service>,
    query: Query<LensQuery>,
) -> Outcome {
    let lens = read_lens(query.lens.as_deref())?;
    let answer = ask(&service, query.store.as_deref(), move |answers| {
        answers.runs(&lens)
    })
    .await?;
    table(&request, query.format, &answer, csv::runs, stream::runs)
}

/// One run, by id, unique beginning of an id, or name.
#[utoipa::path(get, tag = "runs", operation_id = "run", params(("run" = String, Path, description = "Run"), StoreQuery),
    path = "/api/v1/runs/{run}",
    responses((status = 200, body = RunInfo), (status = "4XX", body = ErrorBody)))]
#[get("/api/v1/runs/{run}")]
async fn one_run(
    service: web::Data<Service>,
    run: web::Path<String>,
    query: Query<StoreQuery>,
) -> Outcome {
    let run = run.into_inner();
    let answer = ask(&service, query.store.as_deref(), move |answers| {
        answers.info(&run)
    });
    Ok(HttpResponse::Ok().json(answer.await?))
}

/// Reads a text as a lens; a wrong text is answered with its fault, not refused.
#[utoipa::path(get, tag = "lens", operation_id = "lens", params(LensTextQuery), path = "/api/v1/lens",
    responses((status = 200, body = LensAnswer)))]
#[get("/api/v1/lens")]
async fn lens_text(query: Query<LensTextQuery>) -> Outcome {
    Ok(HttpResponse::Ok().json(crate::wire::lens(query.text.as_deref().unwrap_or_default())))
}

/// Distributions of groups over the runs of each cohort.
#[utoipa::path(get, tag = "ensemble", params(LensQuery), path = "/api/v1/stats",
    responses((status = 200, body = Stats), (status = "4XX", body = ErrorBody)))]
#[get("/api/v1/stats")]
async fn stats(
    request: HttpRequest,
    service: web::Data<Service>,
    query: Query<LensQuery>,
) -> Outcome {
    let lens = read_lens(query.lens.as_deref())?;
    let answer = ask(&service, query.store.as_deref(), move |answers| {
        answers.stats(&lens)
    })
    .await?;
    table(&request, query.format, &answer, csv::stats, stream::stats)
}

/// Distributions of groups over the grains of the runs of each cohort: for drawing, never for tests.
#[utoipa::path(get, tag = "ensemble", params(LensQuery), path = "/api/v1/stats/grains",
    responses((status = 200, body = Stats), (status = "4XX", body = ErrorBody)))]
#[get("/api/v1/stats/grains")]
async fn grain_stats(
    request: HttpRequest,
    service: web::Data<Service>,
    query: Query<LensQuery>,
) -> Outcome {
    let lens = read_lens(query.lens.as_deref())?;
    let answer = ask(&service, query.store.as_deref(), move |answers| {
        answers.grain_stats(&lens)
    })
    .await?;
    table(&request, query.format, &answer, csv::stats, stream::stats)
}

/// The ensemble-Sankey with its geometry.
#[utoipa::path(get, tag = "ensemble", params(SankeyQuery), path = "/api/v1/sankey",
    responses((status = 200, body = Sankey), (status = "4XX", body = ErrorBody)))]
#[get("/api/v1/sankey")]
async fn sankey(service: web::Data<Service>, query: Query<SankeyQuery>) -> Outcome {
    let lens = read_lens(query.lens.as_deref())?;
    let width = read_extent("width", query.width, 1000.0)?;
    let height = read_extent("height", query.height, 600.0)?;
    let question = move |answers: &Answers| answers.sankey(&lens, width, height);
    let answer = ask(&service, query.store.as_deref(), question).await?;
    Ok(HttpResponse::Ok().json(answer))
}

/// The tree of contexts inside one group.
#[utoipa::path(get, tag = "ensemble", params(GroupQuery), path = "/api/v1/hierarchy",
    responses((status = 200, body = Hierarchy), (status = "4XX", body = ErrorBody)))]
#[get("/api/v1/hierarchy")]
async fn hierarchy(service: web::Data<Service>, query: Query<GroupQuery>) -> Outcome {
    let lens = read_lens(query.lens.as_deref())?;
    let group = query.group.clone();
    let question = move |answers: &Answers| answers.hierarchy(&lens, &group);
    let answer = ask(&service, query.store.as_deref(), question).await?;
    Ok(HttpResponse::Ok().json(answer))
}

/// Histogram of one group over runs, call sites, ranks or workers.
#[utoipa::path(get, tag = "ensemble", params(GroupQuery), path = "/api/v1/distribution",
    responses((status = 200, body = Distribution), (status = "4XX", body = ErrorBody)))]
#[get("/api/v1/distribution")]
async fn distribution(service: web::Data<Service>, query: Query<GroupQuery>) -> Outcome {
    let lens = read_lens(query.lens.as_deref())?;
    let group = query.group.clone();
    let mode = query.mode.unwrap_or(DistributionMode::Runs);
    let question = move |answers: &Answers| answers.distribution(&lens, &group, mode);
    let answer = ask(&service, query.store.as_deref(), question).await?;
    Ok(HttpResponse::Ok().json(answer))
}

/// Difference of the two sides of the lens's `diff` clause.
#[utoipa::path(get, tag = "ensemble", params(LensQuery), path = "/api/v1/diff",
    responses((status = 200, body = Diff), (status = "4XX", body = ErrorBody)))]
#[get("/api/v1/diff")]
async fn diff(
    request: HttpRequest,
    service: web::Data<Service>,
    query: Query<LensQuery>,
) -> Outcome {
    let lens = read_lens(query.lens.as_deref())?;
    let answer = ask(&service, query.store.as_deref(), move |answers| {
        answers.diff(&lens)
    })
    .await?;
    table(&request, query.format, &answer, csv::diff, stream::diff)
}

/// What the store's mapping says of definitions of different versions.
#[utoipa::path(get, tag = "ensemble", params(StoreQuery), path = "/api/v1/mapping",
    responses((status = 200, body = Mapping), (status = "4XX", body = ErrorBody)))]
#[get("/api/v1/mapping")]
async fn mapping(service: web::Data<Service>, query: Query<StoreQuery>) -> Outcome {
    let answer = ask(&service, query.store.as_deref(), Answers::mapping).await?;
    Ok(HttpResponse::Ok().json(answer))
}

/// Checks every file of the store.
#[utoipa::path(get, tag = "store", params(StoreQuery), path = "/api/v1/verify",
    responses((status = 200, body = Verify), (status = "4XX", body = ErrorBody)))]
#[get("/api/v1/verify")]
async fn verify(service: web::Data<Service>, query: Query<StoreQuery>) -> Outcome {
    let question = |answers: &Answers| answers.verify(&Progress::silent());
    Ok(HttpResponse::Ok().json(ask(&service, query.store.as_deref(), question).await?))
}

#[get("/api/v1/openapi.json")]
async fn document() -> HttpResponse {
    HttpResponse::Ok()
        .content_type("application/json")
        .body(super::openapi())
}

/// Puts a question to a store on a blocking thread.
pub(super) async fn ask<T: Send + 'static>(
    service: &Service,
    named: Option<&str>,
    question: impl FnOnce(&Answers) -> Result<T, sheaf_ensemble::Error> + Send + 'static,
) -> Result<T, Fault> {
    let (_, answers) = service.store(named)?;
    let place = service.limit.enter().ok_or_else(Fault::busy)?;
    let outcome = web::block(move || {
        let _place = place;
        question(&answers)
    });
    match outcome.await {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(error)) => Err(Fault::from_ensemble(&error)),
        Err(_) => Err(Fault::internal("the question was given up")),
    }
}

/// A table in the form asked for.
pub(super) fn table<T: Serialize>(
    request: &HttpRequest,
    format: Option<Format>,
    answer: &T,
    to_csv: impl FnOnce(&T) -> String,
    to_batch: impl FnOnce(&T) -> Result<RecordBatch, arrow::error::ArrowError>,
) -> Outcome {
    let accepts_arrow = request
        .headers()
        .get(header::ACCEPT)
        .and_then(|accept| accept.to_str().ok())
        .is_some_and(|accept| accept.contains(ARROW));
    match format.unwrap_or(if accepts_arrow {
        Format::Arrow
    } else {
        Format::Json
    }) {
        Format::Json => Ok(HttpResponse::Ok().json(answer)),
        Format::Csv => Ok(HttpResponse::Ok()
            .content_type("text/csv; charset=utf-8")
            .body(to_csv(answer))),
        Format::Arrow => {
            let bytes = to_batch(answer)
                .and_then(|batch| stream::to_bytes(&batch))
                .map_err(|error| Fault::internal(&format!("cannot write Arrow: {error}")))?;
            Ok(HttpResponse::Ok().content_type(ARROW).body(bytes))
        }
    }
}

pub(super) fn read_lens(text: Option<&str>) -> Result<Lens, Fault> {
    let lens = text.unwrap_or_default().parse();
    let mut lens: Lens = lens.map_err(|error| Fault::bad_lens(&error))?;
    lens.by = list::unique("by", lens.by)?;
    Ok(lens)
}

fn read_extent(name: &str, value: Option<f64>, default: f64) -> Result<f64, Fault> {
    match value.unwrap_or(default) {
        value if (100.0..=20_000.0).contains(&value) => Ok(value),
        value => Err(Fault::bad_request(format!(
            "{name} `{value}` is not between 100 and 20000"
        ))),
    }
}
