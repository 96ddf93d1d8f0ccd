//! Small ensembles whose answers were worked out by hand, and what must not change an answer.

use std::sync::Arc;

use sheaf_answers::{Note, RunCluster, SimilarRun, StructureForm};
use sheaf_model::{DefinitionId, Lens, Progress, RunSummary, StructureId};
use sheaf_structure::LabelledTree;

use super::*;
use sheaf_synthetic::testing;

fn question(measure: Measure) -> SimilarityQuestion {
    let metric = if measure == Measure::Metrics {
        "all"
    } else {
        "work_ns"
    };
    SimilarityQuestion {
        lens: Lens {
            metric: metric.to_owned(),
            ..Lens::default()
        },
        measure,
        threshold: None,
        clusters: None,
        seed: 0,
        rules: ParameterRules::default(),
    }
}

fn structures(runs: &[Arc<RunSummary>], measure: Measure, form: StructureForm) -> Structures {
    let of_run = runs
        .iter()
        .map(|run| Arc::new(RunStructure::of(&context_tree(run), measure, form)));
    Structures {
        basis: StructureBasis::Contexts,
        form,
        of_run: of_run.collect(),
    }
}

fn answer(text: &str, measure: Measure) -> Similar {
    let runs = testing::runs(text);
    let structures = structures(&runs, measure, StructureForm::Counted);
    similar(&question(measure), &runs, &structures, &Progress::silent()).unwrap()
}

/// Similarity of the first run to each, in their order.
fn row(text: &str, measure: Measure) -> String {
    let answer = answer(text, measure);
    let first = answer.runs.iter().position(|run| run.name == "a").unwrap();
    let n = answer.runs.len();
    let mut cells: Vec<(&str, String)> = (0..n)
        .map(|at| {
            let value = answer.matrix[first][at];
            let text = value.map_or("-".to_owned(), |value| format!("{value:.6}"));
            (answer.runs[at].name.as_str(), text)
        })
        .collect();
    cells.sort_unstable();
    cells
        .into_iter()
        .map(|(_, text)| text)
        .collect::<Vec<_>>()
        .join(" ")
}

/// One run, and it changed in one way each.
const CHANGED: &str = "
    run a
      main/x work_ns 30@0.0 10@0.1
      main/x/y work_ns 20@0.0
      main/z work_ns 40@0.0
    run b-threads
      main/x work_ns 10@0.0 30@0.1
      main/x/y work_ns 20@0.1
      main/z work_ns 40@0.1
    run c-slower
      main/x work_ns 80@0.0
      main/x/y work_ns 20@0.0
      main/z work_ns 40@0.0
    run d-wrapped
      main/w/x work_ns 30@0.0 10@0.1
      main/w/x/y work_ns 20@0.0
      main/w/z work_ns 40@0.0
    run e-renamed
      main/x work_ns 30@0.0 10@0.1
      main/x/q work_ns 20@0.0
      main/z work_ns 40@0.0
    run f-other
      other work_ns 1@0.0";

#[test]
fn measures_see_what_they_are_meant_to_see() {
    // Four nodes: x(y), y, z, main. Renumbered threads and other times are the same structure. The wrapper
    // leaves x, y, z of 4 + 5 - 3; the new name leaves z of 4 + 4 - 1.
    assert_eq!(
        row(CHANGED, Measure::Structure),
        "1.000000 1.000000 1.000000 0.500000 0.142857 0.000000"
    );
    // Shares .4, .2, .4. Slower: 80, 20, 40 of 140 share .4 + 1/7 + 2/7. Behind a wrapper is another
    // context. With the new name .8 is in common.
    let shared: f64 = 0.4 + 1.0 / 7.0 + 2.0 / 7.0;
    let slower = shared / (2.0 - shared);
    assert_eq!(
        row(CHANGED, Measure::Work),
        format!(
            "1.000000 1.000000 {slower:.6} 0.000000 {:.6} 0.000000",
            0.8 / 1.2
        )
    );
    // Of x, y and z only x varies, by 40 in one of five runs that have it: 40 / 17.888544 deviations. The
    // last run has nothing that varies in another.
    let far = 1.0 / (1.0 + 40.0 / 320.0_f64.sqrt());
    assert_eq!(
        row(CHANGED, Measure::Metrics),
        format!("1.000000 1.000000 {far:.6} 1.000000 1.000000 -")
    );
    // Labels near the wrapper or the name differ, those far from it do not; the last has nothing in common.
    // Beside a Python that keeps labels as nested tuples.
    assert_eq!(
        row(CHANGED, Measure::Wl),
        "1.000000 1.000000 1.000000 0.161290 0.230769 0.000000"
    );
}

#[test]
fn names_mean_nothing_when_all_runs_change_them() {
    let renamed = CHANGED
        .replace("/x", "/another")
        .replace("main", "start")
        .replace("/z", "/zz");
    for measure in Measure::ALL {
        assert_eq!(row(CHANGED, measure), row(&renamed, measure), "{measure:?}");
    }
}

#[test]
fn neither_order_nor_threads_change_an_answer() {
    let text = studies();
    let runs = testing::runs(&text);
    let told = |runs: &[Arc<RunSummary>], measure| {
        let mut runs = runs.to_vec();
        runs.sort_by(|a, b| (&a.meta.name, a.meta.id).cmp(&(&b.meta.name, b.meta.id)));
        let structures = structures(&runs, measure, StructureForm::Counted);
        let question = question(measure);
        let similar = similar(&question, &runs, &structures, &Progress::silent()).unwrap();
        let projection = project(&question, &runs, &structures, &Progress::silent()).unwrap();
        format!("{similar:?}\n{projection:?}")
    };
    for measure in Measure::ALL {
        let expected = told(&runs, measure);
        let mut others = runs.clone();
        others.reverse();
        others.rotate_left(3);
        assert_eq!(told(&others, measure), expected);
        for threads in [1, 2, 8] {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            assert_eq!(
                pool.install(|| told(&runs, measure)),
                expected,
                "{threads} threads"
            );
        }
    }
}

/// Twelve runs: two modes, of which one calls another function; sizes do not matter.
fn studies() -> String {
    let mut text = String::new();
    for at in 0..12 {
        let mode = if at % 2 == 0 { "fast" } else { "slow" };
        let extra = if at % 2 == 0 {
            ""
        } else {
            "\n      main/check work_ns 900"
        };
        let work = 1000 + 7 * (at * 5 % 12) + 800 * (at % 2);
        let (flag, size, repeat) = (at % 2, at % 3, at / 4);
        let run = format!("run r{at:02} mode={mode} flag=-O{flag} size={size} repeat={repeat}");
        text.extend([run.as_str(), "\n main work_ns 100\n main/solve work_ns "]);
        text.extend([work.to_string().as_str(), extra, "\n"]);
    }
    text
}

#[test]
fn clusters_are_explained() {
    let found = answer(&studies(), Measure::Structure);
    let names = |cluster: &RunCluster| {
        let is_member = |run: &&SimilarRun| cluster.runs.contains(&run.run);
        let names = found.runs.iter().filter(is_member);
        names
            .map(|run| run.name.as_str())
            .collect::<Vec<_>>()
            .join(" ")
    };
    let clusters: Vec<String> = found.clusters.iter().map(names).collect();
    assert_eq!(
        clusters,
        ["r00 r02 r04 r06 r08 r10", "r01 r03 r05 r07 r09 r11"]
    );
    assert_eq!((found.structures, found.silhouette), (2, Some(1.0)));
    let differs: Vec<bool> = found.runs.iter().map(|run| run.differs.unwrap()).collect();
    assert_eq!(differs, [[false; 6], [true; 6]].concat());
    // Main differs, solve is in both: 1 of 2 + 3 - 1.
    let [first, _] = found.clusters.as_slice() else {
        panic!("{:?}", found.clusters);
    };
    assert_eq!(first.nearest, Some(1));
    let similarity = first.nearest_similarity.unwrap();
    assert_eq!(format!("{similarity:.12}"), format!("{:.12}", 1.0 / 4.0));
    let told: Vec<String> = found.clusters[1]
        .traits
        .iter()
        .map(|it| {
            let what = it
                .metric
                .as_ref()
                .or(it.value.as_ref())
                .map_or("", String::as_str);
            format!(
                "{} {} {what} {:.2}",
                it.kind.as_str(),
                it.name,
                it.difference
            )
        })
        .collect();
    // One half of twelve is 2·√(11/12) deviations from the other.
    assert_eq!(
        told,
        [
            "parameter flag -O1 1.91",
            "group check  1.91",
            "metric solve work_ns 1.91"
        ]
    );
    assert!(found.clusters[1].traits[2].inside > found.clusters[1].traits[2].outside);
    let told: Vec<String> = found
        .parameters
        .iter()
        .map(|it| {
            format!(
                "{} {:?} {:.3} {}",
                it.parameter, it.same, it.r_squared, it.degrees
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            "flag [\"mode\"] 1.000 1",
            "repeat [] 0.000 2",
            "size [] 0.000 2"
        ]
    );
    assert!(found.parameters[0].p.unwrap() < 0.01 && found.parameters[1].p.unwrap() > 0.9);
}

#[test]
fn parameters_and_behaviour_are_drawn_and_agree() {
    let runs = testing::runs(&studies());
    let structures = structures(&runs, Measure::Metrics, StructureForm::Counted);
    let two = SimilarityQuestion {
        clusters: Some(2),
        ..question(Measure::Metrics)
    };
    let found = project(&two, &runs, &structures, &Progress::silent()).unwrap();
    assert_eq!(found.used, ["flag", "size"]);
    assert_eq!(
        (found.behaviour.clusters, found.parameters.clusters),
        (2, 2)
    );
    let halves: Vec<u64> = (0..12).map(|at| at % 2).collect();
    let clusters: Vec<u64> = found.runs.iter().map(|run| run.behaviour.cluster).collect();
    assert_eq!(clusters, halves);
    assert!(found.arrows[0].parameter == "flag" && found.arrows[0].x.abs() > 0.99);
    // Only one metric varies, so one direction holds all.
    assert_eq!(found.behaviour.dimensions, 1);
    assert!(found.behaviour.stress.unwrap() < 1e-9);
}

#[test]
fn little_is_answered_too() {
    let one = answer("run a\n main work_ns 1", Measure::Structure);
    assert_eq!((one.matrix, one.clusters.len()), (vec![vec![Some(1.0)]], 1));
    assert!(
        one.parameters.is_empty() && one.notes.is_empty(),
        "{:?}",
        one.notes
    );
    let same = "run a\n main work_ns 1\nrun b\n main work_ns 1\nrun c\n main work_ns 1";
    for measure in Measure::ALL {
        let found = answer(same, measure);
        assert_eq!(found.matrix, [[Some(1.0); 3]; 3]);
        assert_eq!(found.clusters.len(), 1);
    }
    // No two alike, and none with work in the second: nothing to compare, not zero.
    let other = "run a\n main work_ns 1\nrun b\n other";
    assert_eq!(row(other, Measure::Work), "1.000000 -");
    let unlike = answer(
        "run a\n main work_ns 1\nrun b\n other work_ns 1",
        Measure::Structure,
    );
    assert_eq!(unlike.clusters.len(), 2);
    assert_eq!(
        Note::texts(&unlike.notes),
        ["no two runs have the same structure"]
    );
    let question = question(Measure::Work);
    let none = Structures {
        basis: StructureBasis::Contexts,
        form: StructureForm::Shape,
        of_run: Vec::new(),
    };
    let error = similar(&question, &[], &none, &Progress::silent()).unwrap_err();
    assert_eq!(error, Error::EmptyEnsemble);
}

/// The trees of structure-comparison.md, section 1, against the first, with its figures for sub-trees in common.
#[test]
fn trees_of_the_reference_have_its_similarities() {
    let text = "
        run a
          r/a work_ns 1@0
          r/b/c work_ns 1@0
          r/b/d work_ns 1@0
        run c
          r/a work_ns 1@0
          r/b/c work_ns 1@0
        run d
          r/a work_ns 1@0
          r/x/c work_ns 1@0
          r/x/d work_ns 1@0
        run e
          r/a work_ns 1@0
          r/e work_ns 1@0
          r/b/c work_ns 1@0
          r/b/d work_ns 1@0
        run f
          r/w/a work_ns 1@0
          r/w/b/c work_ns 1@0
          r/w/b/d work_ns 1@0";
    assert_eq!(
        row(text, Measure::Structure),
        "1.000000 0.285714 0.428571 0.571429 0.571429"
    );
}

#[test]
fn a_loop_that_ran_longer_has_the_same_shape() {
    // The reference tree of structure-comparison, and with its sub-tree b twice.
    let tree = |text: &str| {
        let (mut sizes, mut open, mut labels) = (Vec::new(), Vec::<usize>::new(), Vec::new());
        for letter in text.chars() {
            if letter == '}' {
                let node = open.pop().unwrap();
                sizes[node] = u32::try_from(sizes.len() - node).unwrap();
            } else if letter != '{' {
                open.push(sizes.len());
                sizes.push(1);
                labels.push(u32::from(letter) - u32::from('a'));
            }
        }
        let label = |letter: char| {
            StructureId::label(
                "grain",
                Some(DefinitionId::new("task", &letter.to_string(), 0)),
            )
        };
        LabelledTree::new(sizes, labels, ('a'..='z').map(label).collect()).unwrap()
    };
    let [a, g] = ["{r{a}{b{c}{d}}}", "{r{a}{b{c}{d}}{b{c}{d}}}"].map(tree);
    let similarity = |form| {
        let of = |tree| RunStructure::of(tree, Measure::Structure, form);
        let (a, g) = (of(&a), of(&g));
        (
            a.root == g.root,
            format!("{:.6}", a.features.min_max(&g.features)),
        )
    };
    assert_eq!(
        similarity(StructureForm::Counted),
        (false, "0.444444".to_owned())
    );
    assert_eq!(
        similarity(StructureForm::Shape),
        (true, "1.000000".to_owned())
    );
}

#[test]
fn ranks_and_workers_are_parameters() {
    let used = |text: &str| {
        let runs = testing::runs(text);
        let structures = structures(&runs, Measure::Metrics, StructureForm::Counted);
        let question = question(Measure::Metrics);
        let found = project(&question, &runs, &structures, &Progress::silent()).unwrap();
        (found.used.join(" "), Note::texts(&found.notes).join("; "))
    };
    let run =
        |name: &str, given: &str| format!("run {name} {given}\nmain work_ns 1{}\n", name.len());
    let text = |given: [&str; 3]| {
        let names = ["a", "bb", "ccc"].into_iter().zip(given);
        names
            .map(|(name, given)| run(name, given))
            .collect::<String>()
    };
    let none = "no parameter varies, so runs are drawn by what they do only";
    assert_eq!(used(&text(["", "", ""])), (String::new(), none.to_owned()));
    assert_eq!(
        used(&text(["~workers=1", "~workers=2", "~workers=4"])).0,
        "workers"
    );
    // Workers that not every run knows are no number; those that a parameter tells are told by it.
    assert_eq!(used(&text(["~workers=1", "~workers=2", ""])).0, "");
    let threads = [
        "threads=1 ~workers=1",
        "threads=2 ~workers=2",
        "threads=4 ~workers=4",
    ];
    assert_eq!(used(&text(threads)), ("threads".to_owned(), String::new()));
}

/// The second version has a task in front of the one that both have, which has another number for that.
#[test]
fn constructs_are_numbered_alike() {
    let all = testing::runs(
        "
def main kind=program
def old kind=task function=solve ordinal=0 line=10 file=a.c name=solve(task)
def added kind=task function=solve ordinal=0 line=12 file=a.c name=solve:12(task)
def moved kind=task function=solve ordinal=1 line=16 file=a.c name=solve:16(task)
run a
  main work_ns 100 ; grains 1
  main/old work_ns 3000 ; grains 300
run b
  main work_ns 100 ; grains 1
  main/added work_ns 900 ; grains 21
  main/moved work_ns 3000 ; grains 300
",
    );
    let id = |run: &RunSummary, line: i32| {
        let row = run.definitions.rows().find(|row| row.line == Some(line));
        row.unwrap().id
    };
    assert_eq!(id(&all[0], 10), id(&all[1], 12), "by its number");
    let (numbered, notes) = number_alike(&all, &Progress::silent()).unwrap();
    assert_eq!(id(&numbered[0], 10), id(&numbered[1], 16));
    assert_ne!(id(&numbered[0], 10), id(&numbered[1], 12));
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(
        notes[0].text.contains("`solve:16(task)` is `solve(task)`"),
        "{notes:?}"
    );
    let (same, notes) = number_alike(&all[..1], &Progress::silent()).unwrap();
    assert_eq!((same.len(), notes.len()), (1, 0));
}
