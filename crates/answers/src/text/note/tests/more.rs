//! Notes of scaling studies, histories, explanations, predictions and renames.

use super::{check, first, point, stated};
use crate::*;

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}

#[test]
#[expect(clippy::too_many_lines, reason = "one case per fact")]
fn texts_of_scaling_studies() {
    let parameter = || "threads".to_owned();
    let runs = CountOf { count: 1, of: 3 };
    let bound = |messages, calls| ScaleFact::TransferUpperBound {
        runs: runs.clone(),
        run: "a".into(),
        messages,
        calls,
    };
    let counted = |two_values| ScaleFact::NoWorkersCounted {
        parameter: parameter(),
        two_values,
    };
    let facts = [
        ScaleFact::WithoutParameter {
            parameter: parameter(),
            runs: 1,
        },
        ScaleFact::WithoutTime { runs: 2 },
        ScaleFact::ElapsedTimes {
            metric: "work_ns".into(),
        },
        ScaleFact::NotATime {
            metric: "count".into(),
            parameter: parameter(),
        },
        counted(false),
        counted(true),
        ScaleFact::MoreWorkersThanProcessors {
            parameter: parameter(),
            values: vec![8.0, 16.0],
        },
        ScaleFact::WorkNotConstant {
            series: "sort".into(),
        },
        ScaleFact::InputsNotShown {
            parameter: parameter(),
            metric: "time_us".into(),
            series: "sort".into(),
        },
        ScaleFact::LoopsNotShown {
            parameter: parameter(),
            series: "sort".into(),
        },
        ScaleFact::FasterThanBound {
            parameter: parameter(),
            point: point(4.0),
        },
        ScaleFact::TimesContradict {
            parameter: parameter(),
            point: point(4.0),
            fault: "2 grains overlap".into(),
        },
        ScaleFact::MedianOfRuns { with_losses: false },
        ScaleFact::MedianOfRuns { with_losses: true },
        ScaleFact::NoRunWithOne {
            parameter: parameter(),
            reference: point(2.0),
        },
        ScaleFact::SeriesWithoutOne {
            parameter: parameter(),
            series: 2,
        },
        ScaleFact::UtilisationOfPoint {
            parameter: parameter(),
            reference: point(1.0),
        },
        ScaleFact::UtilisationOfSeries {
            inputs: names(&["n", "seed"]),
        },
        ScaleFact::UtilisationOfInputs {
            parameter: parameter(),
            inputs: names(&["n"]),
            references: vec![point(1.0), point(2.0)],
        },
        ScaleFact::MpiCountsAsWork { runs: runs.clone() },
        ScaleFact::TransferUnknown {
            runs: runs.clone(),
            reason: "no messages".into(),
        },
        bound(Some(runs.clone()), None),
        bound(Some(runs.clone()), Some(runs.clone())),
        bound(None, Some(runs.clone())),
    ];
    check(
        facts.into_iter().map(Fact::from).collect(),
        include_str!("scale.txt"),
    );
}

#[test]
fn texts_of_histories_and_explanations() {
    let short = |needed| HistoryFact::SeriesTooShort {
        short: 1,
        series: 2,
        needed,
    };
    let histories = [
        HistoryFact::VersionsWithoutRun {
            versions: 1,
            listed: 3,
        },
        HistoryFact::FollowsFromAxis {
            by: "ranks".into(),
            parameters: names(&["nodes", "workers"]),
        },
        HistoryFact::NumbersDiffer {
            by: "workers".into(),
        },
        HistoryFact::WholeRunUnknown {
            metric: "work_ns".into(),
            versions: first(&["1", "2"], 1),
            groups: first(&["f"], 0),
        },
        HistoryFact::RunsWithoutPlace {
            by: "version".into(),
            runs: 1,
        },
        short(Some(4)),
        short(None),
        HistoryFact::ChangesShown { shown: 20, of: 31 },
        HistoryFact::NotCommits {
            versions: 1,
            of: 2,
            first: "x".into(),
        },
        HistoryFact::BetweenBranches { steps: 1, of: 2 },
    ];
    let missing = |by| ExplainFact::NoExplanation {
        by,
        reason: "a run has no times".into(),
    };
    let explanations = [
        ExplainFact::MetricIgnored {
            metric: "count".into(),
        },
        ExplainFact::ClausesIgnored {
            clauses: vec!["level function".into(), "focus \"sort\"".into()],
        },
        ExplainFact::CausesNotShown {
            causes: 90,
            of: 100,
        },
        ExplainFact::RunWithoutMetric {
            run: "a".into(),
            metric: "time".into(),
        },
        missing(ExplainedBy::Workers),
        missing(ExplainedBy::Path),
        ExplainFact::WorkersDiffer { a: 4, b: 8 },
        ExplainFact::NoValuesByRank,
    ];
    let facts = histories.into_iter().map(Fact::from);
    let facts = facts.chain(explanations.into_iter().map(Fact::from));
    check(facts.collect(), include_str!("histories.txt"));
}

#[test]
#[expect(clippy::too_many_lines, reason = "one case per fact")]
fn texts_of_similarity_and_predictions() {
    let by = DrawnBy::Behaviour;
    let run = || "a".to_owned();
    let similar = [
        SimilarFact::NoParameterVaries,
        SimilarFact::StandsFor {
            parameter: "n".into(),
            same: names(&["m", "k"]),
        },
        SimilarFact::FewerClusters {
            by: DrawnBy::Parameters,
            found: 2,
            asked: 3,
        },
        SimilarFact::OnALine,
        SimilarFact::OnePlace { by },
        SimilarFact::HighStress {
            by,
            stress: 0.456,
            limit: 0.2,
        },
        SimilarFact::NoClusters {
            min_silhouette: 0.25,
        },
        SimilarFact::AllStructuresDiffer,
        SimilarFact::SomeStructuresDiffer {
            differ: 1,
            of: 4,
            alike: 3,
            run: run(),
        },
        SimilarFact::SmallValuesLeftOut {
            values: 5,
            below: 0.01,
        },
        SimilarFact::PairsNotCompared { pairs: 2 },
        SimilarFact::MembersCountAsOne { same_workers: true },
        SimilarFact::MembersCountAsOne {
            same_workers: false,
        },
        SimilarFact::LoopsNotCompared {
            region: "main (parallel)".to_owned(),
            runs: 1,
        },
        SimilarFact::ContextsCompared {
            with_grains: 1,
            of: 2,
        },
    ];
    let waits = |waits| WhatIfFact::WaitsLeftOut { run: run(), waits };
    let nothing = |has_reference| WhatIfFact::NothingToCheck {
        run: run(),
        has_reference,
    };
    let no_gain = |reason| WhatIfFact::FasterGainsNothing {
        run: run(),
        workers: vec![2, 4],
        reason,
    };
    let uncut = |loops, of| WhatIfFact::LoopsNotCut {
        run: run(),
        loops,
        of,
    };
    let predictions = [
        WhatIfFact::OneSchedule,
        WhatIfFact::Condensed {
            run: run(),
            workers: 8,
            fragments: 60_000,
            nodes: 900,
            difference: -0.0042,
        },
        WhatIfFact::ChunksInOrder { iterations: 10 },
        WhatIfFact::NoTasksBelow {
            run: run(),
            depth: 9,
        },
        uncut(0, 0),
        uncut(2, 3),
        no_gain(NoGain::LittleWork),
        no_gain(NoGain::Chance),
        no_gain(NoGain::OffCriticalPath),
        no_gain(NoGain::OtherWork),
        WhatIfFact::CostsUnknown {
            run: run(),
            costs: vec![ScheduleCost::Start, ScheduleCost::Steal],
        },
        WhatIfFact::PolicyAssumed {
            run: run(),
            policy: SchedulePolicy::HelpFirst,
        },
        WhatIfFact::LoopSchedulesUnknown {
            run: run(),
            fixed: 1,
            dynamic: 2,
        },
        WhatIfFact::WorkersWaited {
            run: run(),
            workers: 8,
            processors: 2.0,
        },
        waits(WaitKind::Locks),
        waits(WaitKind::Mpi),
        WhatIfFact::ReferenceLacksWorkers {
            run: run(),
            recorded: 1,
            workers: 4,
        },
        WhatIfFact::ReferenceLacksWork {
            run: run(),
            share: 0.25,
            workers: 4,
        },
        WhatIfFact::UnlimitedAsRecorded,
        WhatIfFact::PredictionsNotCounted {
            predictions: 1,
            of: 2,
        },
        WhatIfFact::PredictionsNotChecked {
            runs: 30,
            grains: 1000,
        },
        nothing(false),
        nothing(true),
    ];
    let facts = similar.into_iter().map(Fact::from);
    let facts = facts.chain(predictions.into_iter().map(Fact::from));
    check(facts.collect(), include_str!("similar.txt"));
}

#[test]
#[expect(clippy::too_many_lines, reason = "one case per fact")]
fn texts_of_renames_and_mappings() {
    let joined = |matched_by, score| JoinedNames {
        names: names(&["f", "g"]),
        matched_by,
        score,
    };
    let fault = |fault, in_comparison| RenameFact::MappingFault {
        fault,
        take_back: Some(stated(true)),
        in_comparison,
    };
    let (a, b) = (|| "f".to_owned(), || "g".to_owned());
    let facts = [
        RenameFact::NotFollowed {
            a: a(),
            b: b(),
            stated: true,
            conflict: RenameConflict::StatedDifferent { a: a(), b: b() },
        },
        RenameFact::NotFollowed {
            a: a(),
            b: b(),
            stated: false,
            conflict: RenameConflict::BothOccur {
                run_set: "run a".into(),
                a: a(),
                b: b(),
            },
        },
        RenameFact::ComparedAsOne {
            definitions: vec![
                joined(None, None),
                joined(Some(MatchedBy::Confirmed), Some(1.0)),
                joined(Some(MatchedBy::Inferred), Some(0.875)),
                joined(Some(MatchedBy::Normalised), Some(1.0)),
                joined(Some(MatchedBy::Template), Some(1.0)),
            ],
            more: 2,
        },
        RenameFact::TooManyDefinitionSets { sets: 300 },
        RenameFact::StatementUnused {
            stated: stated(false),
            name: a(),
        },
        fault(
            MappingFault::NoSuchDefinition {
                stated: stated(true),
                name: a(),
            },
            false,
        ),
        fault(
            MappingFault::OneDefinition {
                stated: stated(true),
            },
            true,
        ),
        fault(
            MappingFault::AlwaysTogether {
                stated: stated(false),
                always: a(),
                other: b(),
            },
            false,
        ),
        fault(MappingFault::StatedTwice { a: a(), b: b() }, false),
        fault(
            MappingFault::BothInRun {
                a: a(),
                b: b(),
                run: "r".into(),
            },
            false,
        ),
        fault(MappingFault::SameByAnother { a: a(), b: b() }, false),
    ];
    check(
        facts.into_iter().map(Fact::from).collect(),
        include_str!("renames.txt"),
    );
}
