//! Runs in two pictures: by what they do, and by their parameters.

use std::sync::Arc;

use sheaf_answers::{Arrow, DrawnBy, Note, Picture, Place, ProjectedRun, Projection, SimilarFact};
use sheaf_model::{Progress, RunSummary};
use sheaf_statistics::{
    Distances, KMeans, Projection as Coordinates, adjusted_rand_index, choose_k_means,
    classical_scaling, k_means,
};

use super::compared::Compared;
use super::parameters::{Column, Parameter, mean};
use super::{SimilarityQuestion, Structures};
use sheaf_analysis::Error;

/// Clusters at most that are chosen without being asked for.
const MOST: usize = 8;

/// Stress from which a picture misleads (Kruskal 1964).
const POOR: f64 = 0.2;

/// A parameter that correlates less with both directions has no arrow.
const MIN_CORRELATION: f64 = 0.1;

/// Draws runs by classical scaling, with k-means of the places in each picture, as `CallFlow` does; parameters
/// that are no numbers have a direction for each value, and every parameter counts the same. Runs as for
/// [`similar`](super::similar).
///
/// # Errors
/// As for [`similar`](super::similar).
pub fn project(
    question: &SimilarityQuestion,
    runs: &[Arc<RunSummary>],
    structures: &Structures,
    progress: &Progress,
) -> Result<Projection, Error> {
    let compared = Compared::new(question, runs, structures, progress)?;
    let mut notes = compared.notes.clone();
    let behaviour = Drawn::of(&compared.distances, question);
    let used = used(&compared.parameters, &mut notes);
    let parameters = Drawn::of(&of_parameters(&used, compared.len()), question);
    behaviour.note(DrawnBy::Behaviour, &compared.distances, &mut notes);
    behaviour.note_places(DrawnBy::Behaviour, question.clusters, &mut notes);
    if used.is_empty() {
        notes.push(SimilarFact::NoParameterVaries.into());
    } else {
        parameters.note_places(DrawnBy::Parameters, question.clusters, &mut notes);
    }
    let agreement =
        adjusted_rand_index(&behaviour.clusters.clusters, &parameters.clusters.clusters);
    let runs = compared
        .runs
        .iter()
        .enumerate()
        .map(|(at, run)| ProjectedRun {
            run: compared.id(at),
            name: run.meta.name.clone(),
            params: run.meta.params.clone(),
            behaviour: behaviour.place(at),
            parameters: parameters.place(at),
        });
    Ok(Projection {
        schema: "projection/1".to_owned(),
        lens: compared.lens.to_string(),
        measure: question.measure,
        runs: runs.collect(),
        arrows: arrows(&used, &behaviour.places, compared.len()),
        agreement: (!used.is_empty()).then_some(agreement),
        used: used
            .iter()
            .map(|parameter| parameter.name.clone())
            .collect(),
        behaviour: behaviour.picture(),
        parameters: parameters.picture(),
        seed: question.seed,
        notes,
    })
}

/// What people named, where anything of it varies; else all that varies.
fn used<'a>(all: &'a [Parameter], notes: &mut Vec<Note>) -> Vec<&'a Parameter> {
    let named: Vec<&Parameter> = all
        .iter()
        .filter(|parameter| !parameter.is_incidental)
        .collect();
    for parameter in named.iter().filter(|parameter| !parameter.same.is_empty()) {
        let stands_for = SimilarFact::StandsFor {
            parameter: parameter.name.clone(),
            same: parameter.same.clone(),
        };
        notes.push(stands_for.into());
    }
    if named.is_empty() {
        all.iter().collect()
    } else {
        named
    }
}

fn of_parameters(used: &[&Parameter], runs: usize) -> Distances {
    let columns: Vec<Vec<f64>> = used
        .iter()
        .flat_map(|parameter| parameter.standardised())
        .collect();
    Distances::of_pairs(runs, |i, j| {
        let squares = columns
            .iter()
            .map(|column| (column[i] - column[j]) * (column[i] - column[j]));
        squares.sum::<f64>().sqrt()
    })
}

/// Runs placed and put in clusters.
struct Drawn {
    places: Coordinates,
    clusters: KMeans,
}

impl Drawn {
    fn of(distances: &Distances, question: &SimilarityQuestion) -> Self {
        let places = classical_scaling(distances, 2);
        // Runs that are all in one place are one cluster.
        let (points, dimensions) = if places.dimensions == 0 {
            (vec![0.0; distances.len()], 1)
        } else {
            (places.coordinates.clone(), places.dimensions)
        };
        let clusters = match question.clusters {
            Some(k) => k_means(&points, dimensions, k, question.seed),
            None => choose_k_means(&points, dimensions, MOST, question.seed),
        };
        Self { places, clusters }
    }

    fn place(&self, run: usize) -> Place {
        Place {
            x: self.places.at(run, 0),
            y: self.places.at(run, 1),
            cluster: self.clusters.clusters[run] as u64,
        }
    }

    fn picture(&self) -> Picture {
        Picture {
            dimensions: self.places.dimensions as u64,
            eigenvalues: self.places.eigenvalues.clone(),
            fit: self.places.fit,
            stress: self.places.stress,
            clusters: self.clusters.k() as u64,
            silhouette: self.clusters.silhouette,
        }
    }

    /// Says where there are fewer clusters than asked for.
    fn note_places(&self, by: DrawnBy, asked: Option<usize>, notes: &mut Vec<Note>) {
        let found = self.clusters.k();
        if let Some(asked) = asked.filter(|asked| *asked > found) {
            let (found, asked) = (found as u64, asked as u64);
            notes.push(SimilarFact::FewerClusters { by, found, asked }.into());
        }
    }

    fn note(&self, by: DrawnBy, distances: &Distances, notes: &mut Vec<Note>) {
        if distances.len() < 3 {
            notes.push(SimilarFact::OnALine.into());
        } else if distances.is_zero() {
            notes.push(SimilarFact::OnePlace { by }.into());
        } else if let Some(stress) = self.places.stress.filter(|stress| *stress > POOR) {
            let limit = POOR;
            notes.push(SimilarFact::HighStress { by, stress, limit }.into());
        }
    }
}

fn arrows(used: &[&Parameter], places: &Coordinates, runs: usize) -> Vec<Arrow> {
    let direction = |dimension| {
        (0..runs)
            .map(|run| places.at(run, dimension))
            .collect::<Vec<f64>>()
    };
    let (right, up) = (direction(0), direction(1));
    let arrow = |column: Column| Arrow {
        x: correlation(&column.numbers, &right),
        y: correlation(&column.numbers, &up),
        parameter: column.parameter,
        value: column.value,
    };
    let columns = used.iter().flat_map(|parameter| parameter.columns());
    let mut arrows: Vec<Arrow> = columns.map(arrow).collect();
    let length = |arrow: &Arrow| arrow.x.hypot(arrow.y);
    arrows.retain(|arrow| length(arrow) >= MIN_CORRELATION);
    arrows.sort_by(|a, b| {
        let by_length = length(b).total_cmp(&length(a));
        by_length.then_with(|| (&a.parameter, &a.value).cmp(&(&b.parameter, &b.value)))
    });
    arrows
}

/// Pearson's correlation; 0 where one does not vary.
fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let (a_mean, b_mean) = (mean(a), mean(b));
    let sum = |of: &dyn Fn(f64, f64) -> f64| {
        a.iter()
            .zip(b)
            .map(|(a, b)| of(a - a_mean, b - b_mean))
            .sum::<f64>()
    };
    let both = sum(&|a, _| a * a) * sum(&|_, b| b * b);
    if both > 0.0 {
        sum(&|a, b| a * b) / both.sqrt()
    } else {
        0.0
    }
}
