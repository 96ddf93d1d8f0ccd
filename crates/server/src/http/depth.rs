//! The routes of the grains of one run.

use actix_web::{get, web};
use sheaf_answers::{
    ErrorBody, Fragments, FragmentsQuery, GrainDiff, GrainDiffQuery, Grains, GrainsQuery, Groups,
    GroupsQuery, Problems, ProblemsQuery, SimilarGroups, SimilarGroupsQuery, Tree, TreeQuery,
};
use sheaf_ensemble::{GrainDiffQuestion, GrainsQuestion, GroupsQuestion, TreeChoice, TreeExtent};

use super::asking::Asking;
use super::error::ApiError;
use super::list;
use super::query::Query;
use super::routes::{Outcome, read_lens};
use crate::Answers;

/// Default number of rows of a page.
const PAGE: usize = 1_000;
/// Maximum number of rows of a page.
const MAX_PAGE: usize = 100_000;

/// Maximum number of groups of a tree, for any number of levels.
const MAX_GROUPS: usize = 100_000;

pub(super) fn configure(config: &mut web::ServiceConfig) {
    config
        .service(grains)
        .service(fragments)
        .service(grain_diff)
        .service(problems)
        .service(tree)
        .service(groups)
        .service(similar_groups);
}

/// Grains of a run, page by page.
#[utoipa::path(get, tag = "run", params(("run" = String, Path, description = "Run"), GrainsQuery),
    path = "/api/v1/runs/{run}/grains",
    responses((status = 200, body = Grains), (status = "4XX", body = ErrorBody)))]
#[get("/api/v1/runs/{run}/grains")]
async fn grains(service: Asking, run: web::Path<String>, query: Query<GrainsQuery>) -> Outcome {
    let query = query.into_inner();
    let filter = query.filter.as_deref().filter(|text| !text.is_empty());
    let filter = filter.map(str::parse).transpose();
    let question = GrainsQuestion {
        filter: filter.map_err(|error| ApiError::bad_lens(&error))?,
        sort: query.sort.filter(|name| !name.is_empty()),
        offset: query.offset.unwrap_or(0),
        limit: Some(page(query.limit)?),
        metrics: metric_names(query.metrics.as_deref())?,
        is_brief: query.brief.unwrap_or(false),
        is_with_implicit: query.all.unwrap_or(false),
        reference: query.reference.filter(|text| !text.is_empty()),
    };
    service
        .table(move |answers| answers.grains(&run, &question))
        .await
}

/// The stretches in which workers ran a grain, in order of time, page by page.
#[utoipa::path(get, tag = "run", params(("run" = String, Path, description = "Run"), FragmentsQuery),
    path = "/api/v1/runs/{run}/fragments",
    responses((status = 200, body = Fragments), (status = "4XX", body = ErrorBody)))]
#[get("/api/v1/runs/{run}/fragments")]
async fn fragments(
    service: Asking,
    run: web::Path<String>,
    query: Query<FragmentsQuery>,
) -> Outcome {
    let (grain, offset) = (query.grain, query.offset.unwrap_or(0));
    let limit = page(query.limit)?;
    service
        .table(move |answers| answers.fragments(&run, grain, offset, limit))
        .await
}

/// Grains of the two sides of the lens's `diff` clause, matched by path, page by page.
#[utoipa::path(get, tag = "ensemble", params(GrainDiffQuery), path = "/api/v1/diff/grains",
    responses((status = 200, body = GrainDiff), (status = "4XX", body = ErrorBody)))]
#[get("/api/v1/diff/grains")]
async fn grain_diff(service: Asking, query: Query<GrainDiffQuery>) -> Outcome {
    let lens = read_lens(query.lens.as_deref())?;
    let question = GrainDiffQuestion {
        selection: query.grains.unwrap_or_default(),
        offset: query.offset.unwrap_or(0),
        limit: Some(page(query.limit)?),
    };
    service
        .table(move |answers| answers.grain_diff(&lens, &question))
        .await
}

/// Grains of a run that exceed thresholds, by problem.
#[utoipa::path(get, tag = "run", params(("run" = String, Path, description = "Run"), ProblemsQuery),
    path = "/api/v1/runs/{run}/problems",
    responses((status = 200, body = Problems), (status = "4XX", body = ErrorBody)))]
#[get("/api/v1/runs/{run}/problems")]
async fn problems(service: Asking, run: web::Path<String>, query: Query<ProblemsQuery>) -> Outcome {
    let query = query.into_inner();
    let texts = query.thresholds.unwrap_or_default();
    let conditions = list::values("thresholds", &texts, ';')?;
    let set = query.preset.unwrap_or_default();
    let reference = query.reference.filter(|text| !text.is_empty());
    let question =
        move |answers: &Answers| answers.problems(&run, &conditions, set, reference.as_deref());
    service.table(question).await
}

/// The aggregation tree of a run: its figures, and as much of it as a first picture shows.
#[utoipa::path(get, tag = "run", params(("run" = String, Path, description = "Run"), TreeQuery),
    path = "/api/v1/runs/{run}/tree",
    responses((status = 200, body = Tree), (status = "4XX", body = ErrorBody)))]
#[get("/api/v1/runs/{run}/tree")]
async fn tree(service: Asking, run: web::Path<String>, query: Query<TreeQuery>) -> Outcome {
    let query = query.into_inner();
    let choice = choice(query.problem, query.separate, query.reference);
    let metrics = group_metrics(query.metrics.as_deref())?;
    let extent = query.depth.map_or_else(TreeExtent::default, |levels| {
        TreeExtent::Levels(levels, MAX_GROUPS)
    });
    service
        .table(move |answers| answers.tree(&run, &choice, metrics.as_deref(), extent))
        .await
}

/// The children of one group of the aggregation tree, page by page.
#[utoipa::path(get, tag = "run", params(("run" = String, Path, description = "Run"), GroupsQuery),
    path = "/api/v1/runs/{run}/groups",
    responses((status = 200, body = Groups), (status = "4XX", body = ErrorBody)))]
#[get("/api/v1/runs/{run}/groups")]
async fn groups(service: Asking, run: web::Path<String>, query: Query<GroupsQuery>) -> Outcome {
    let query = query.into_inner();
    let question = GroupsQuestion {
        choice: choice(query.problem, query.separate, query.reference),
        group: query.group.unwrap_or(0),
        offset: query.offset.unwrap_or(0),
        limit: page(query.limit)?,
        metrics: group_metrics(query.metrics.as_deref())?,
        is_with_structures: query.structures.unwrap_or(false),
    };
    service
        .table(move |answers| answers.groups(&run, &question))
        .await
}

/// The groups of a run that look most like a group of it or of another run.
#[utoipa::path(get, tag = "run", params(("run" = String, Path, description = "Run"), SimilarGroupsQuery),
    path = "/api/v1/runs/{run}/groups/similar",
    responses((status = 200, body = SimilarGroups), (status = "4XX", body = ErrorBody)))]
#[get("/api/v1/runs/{run}/groups/similar")]
async fn similar_groups(
    service: Asking,
    run: web::Path<String>,
    query: Query<SimilarGroupsQuery>,
) -> Outcome {
    let query = query.into_inner();
    service
        .json(move |answers| {
            let other = query.other.as_deref().filter(|run| !run.is_empty());
            answers.similar_groups(&run, query.group, other)
        })
        .await
}

fn choice(
    problem: Option<String>,
    separate: Option<bool>,
    reference: Option<String>,
) -> TreeChoice {
    TreeChoice {
        problem: problem.filter(|problem| !problem.is_empty()),
        is_separated: separate.unwrap_or(false),
        reference: reference.filter(|text| !text.is_empty()),
    }
}

fn page(limit: Option<usize>) -> Result<usize, ApiError> {
    match limit.unwrap_or(PAGE) {
        limit if (1..=MAX_PAGE).contains(&limit) => Ok(limit),
        limit => Err(ApiError::bad_request(format!(
            "limit `{limit}` is not between 1 and {MAX_PAGE}"
        ))),
    }
}

/// Names of metrics, separated by commas; `None` for all.
fn metric_names(text: Option<&str>) -> Result<Option<Vec<String>>, ApiError> {
    let text = text.filter(|text| *text != "all");
    text.map(|text| list::names("metrics", text)).transpose()
}

/// Metrics of groups; only work by default, because computing every metric of every grain takes long.
fn group_metrics(text: Option<&str>) -> Result<Option<Vec<String>>, ApiError> {
    metric_names(Some(text.unwrap_or("work_ns")))
}
