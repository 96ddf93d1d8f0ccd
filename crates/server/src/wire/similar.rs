//! Similarity and projections.

use sheaf_answers as api;
use sheaf_ensemble::{
    Cluster, Coordinates, Importance, Measure, Picture, ProjectionAnswer, SimilarAnswer,
    SimilarRun, Trait,
};
use sheaf_model::StructureForm;

use super::params;

pub(crate) const fn to_measure(measure: api::Measure) -> Measure {
    match measure {
        api::Measure::Structure => Measure::Structure,
        api::Measure::Wl => Measure::WeisfeilerLehman,
        api::Measure::Work => Measure::Work,
        api::Measure::Metrics => Measure::Metrics,
    }
}

const fn measure(measure: Measure) -> api::Measure {
    match measure {
        Measure::Structure => api::Measure::Structure,
        Measure::WeisfeilerLehman => api::Measure::Wl,
        Measure::Work => api::Measure::Work,
        Measure::Metrics => api::Measure::Metrics,
    }
}

pub(crate) const fn to_form(form: api::StructureForm) -> StructureForm {
    match form {
        api::StructureForm::Counted => StructureForm::Unordered,
        api::StructureForm::Shape => StructureForm::Shape,
    }
}

/// Runs beside each other.
pub(crate) fn similar(answer: SimilarAnswer) -> api::Similar {
    let n = answer.runs.len().max(1);
    let ids: Vec<String> = answer.runs.iter().map(|run| run.run.to_string()).collect();
    let clusters = answer.clusters.into_iter().map(|one| cluster(one, &ids));
    api::Similar {
        schema: "similar/1".to_owned(),
        lens: answer.lens.to_string(),
        measure: measure(answer.measure),
        basis: answer.basis.as_str().to_owned(),
        form: match answer.form {
            StructureForm::Shape => api::StructureForm::Shape,
            StructureForm::Unordered | StructureForm::Ordered => api::StructureForm::Counted,
        },
        clusters: clusters.collect(),
        runs: answer.runs.into_iter().map(run).collect(),
        matrix: answer.matrix.chunks(n).map(<[_]>::to_vec).collect(),
        cosine: answer
            .cosine
            .map(|all| all.chunks(n).map(<[_]>::to_vec).collect()),
        threshold: answer.threshold,
        silhouette: answer.silhouette,
        structures: answer.structures as u64,
        compared: answer.compared as u64,
        parameters: answer.parameters.into_iter().map(importance).collect(),
        permutations: answer.permutations as u64,
        seed: answer.seed,
        notes: answer.notes,
    }
}

fn run(run: SimilarRun) -> api::SimilarRun {
    api::SimilarRun {
        run: run.run.to_string(),
        name: run.name,
        params: params(&run.params),
        cluster: run.cluster as u64,
        structure: run.structure.to_string(),
        nodes: run.nodes as u64,
        differs: run.differs,
    }
}

fn cluster(cluster: Cluster, ids: &[String]) -> api::RunCluster {
    let id = |at: usize| ids.get(at).cloned().unwrap_or_default();
    api::RunCluster {
        runs: cluster.runs.iter().map(|&at| id(at)).collect(),
        medoid: id(cluster.medoid),
        structures: cluster.structures as u64,
        mean: cluster.mean,
        least: cluster.least,
        nearest: cluster.nearest.map(|(other, _)| other as u64),
        nearest_similarity: cluster.nearest.map(|(_, similarity)| similarity),
        traits: cluster.traits.into_iter().map(one_trait).collect(),
    }
}

fn one_trait(found: Trait) -> api::ClusterTrait {
    api::ClusterTrait {
        kind: found.kind.as_str().to_owned(),
        name: found.name,
        value: found.value,
        metric: found.metric,
        unit: found.unit,
        inside: found.inside,
        outside: found.outside,
        difference: found.difference,
    }
}

fn importance(found: Importance) -> api::ParameterImportance {
    api::ParameterImportance {
        parameter: found.parameter,
        same: found.same,
        values: found.values as u64,
        r_squared: found.r_squared,
        adjusted: found.adjusted,
        degrees: found.degrees as u64,
        p: found.p,
    }
}

/// Runs in two pictures.
pub(crate) fn projection(answer: ProjectionAnswer) -> api::Projection {
    let runs = answer.runs.into_iter().map(|run| api::ProjectedRun {
        run: run.run.to_string(),
        name: run.name,
        params: params(&run.params),
        behaviour: place(run.behaviour),
        parameters: place(run.parameters),
    });
    let arrows = answer.arrows.into_iter().map(|arrow| api::Arrow {
        parameter: arrow.parameter,
        value: arrow.value,
        x: arrow.x,
        y: arrow.y,
    });
    api::Projection {
        schema: "projection/1".to_owned(),
        lens: answer.lens.to_string(),
        measure: measure(answer.measure),
        runs: runs.collect(),
        behaviour: picture(answer.behaviour),
        parameters: picture(answer.parameters),
        used: answer.used,
        arrows: arrows.collect(),
        agreement: answer.agreement,
        seed: answer.seed,
        notes: answer.notes,
    }
}

const fn place(place: Coordinates) -> api::Place {
    api::Place {
        x: place.x,
        y: place.y,
        cluster: place.cluster as u64,
    }
}

fn picture(picture: Picture) -> api::Picture {
    api::Picture {
        dimensions: picture.dimensions as u64,
        eigenvalues: picture.eigenvalues,
        fit: picture.fit,
        stress: picture.stress,
        clusters: picture.clusters as u64,
        silhouette: picture.silhouette,
    }
}
