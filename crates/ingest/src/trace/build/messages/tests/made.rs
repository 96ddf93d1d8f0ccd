//! Programs that are made up and run on a network of known cost.

use proptest::prelude::*;

use super::*;

/// One step of a program, with the time that its ranks compute before it.
#[derive(Debug, Clone)]
struct Step {
    kind: u8,
    from: usize,
    to: usize,
    compute: Vec<i64>,
}

const MAX_RANKS: usize = 5;

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = (
        0..6_u8,
        0..MAX_RANKS,
        0..MAX_RANKS,
        prop::collection::vec(0..100_i64, MAX_RANKS),
    );
    let step = step.prop_map(|(kind, from, to, compute)| Step {
        kind,
        from,
        to,
        compute,
    });
    prop::collection::vec(step, 0..40)
}

/// The calls that a program makes, if a message is under way for `latency`, and each call costs `cost` of its rank's
/// time. Ranks have the names that `name` gives them.
#[expect(
    clippy::too_many_lines,
    clippy::needless_range_loop,
    reason = "one arm per kind of call; ranks index more than one list"
)]
fn run(
    steps: &[Step],
    ranks: usize,
    latency: i64,
    cost: i64,
    name: impl Fn(usize) -> usize,
) -> String {
    let mut now = vec![0_i64; ranks];
    let mut text = String::new();
    let mut request = 0;
    for step in steps {
        let (from, to) = (step.from % ranks, step.to % ranks);
        let begin: Vec<i64> = (0..ranks)
            .map(|rank| now[rank] + step.compute[rank])
            .collect();
        let mut call = |rank: usize, begin: i64, end: i64, what: String| {
            now[rank] = end;
            writeln!(text, "{} {begin}-{end} {what}", name(rank)).unwrap();
        };
        let latest = begin.iter().copied().max().unwrap();
        match step.kind {
            0 | 1 if from != to => {
                let sent = begin[from] + cost;
                call(from, begin[from], sent, format!("MPI_Send >{}", name(to)));
                let there = begin[to].max(begin[from] + latency) + cost;
                call(to, begin[to], there, format!("MPI_Recv <{}", name(from)));
            }
            2 if from != to => {
                request += 1;
                let posted = begin[to] + cost;
                call(to, begin[to], posted, format!("MPI_Irecv <* ?{request}"));
                call(
                    from,
                    begin[from],
                    begin[from] + cost,
                    format!("MPI_Send >{}", name(to)),
                );
                let there = (posted + 7).max(begin[from] + latency) + cost;
                let what = format!("MPI_Wait ={request}:{} !{request}", name(from));
                call(to, posted + 7, there, what);
            }
            3 => {
                for rank in 0..ranks {
                    call(
                        rank,
                        begin[rank],
                        latest + latency + cost,
                        "MPI_Barrier @".to_owned(),
                    );
                }
            }
            4 => {
                for rank in 0..ranks {
                    let waits = if rank == from {
                        begin[rank]
                    } else {
                        begin[from] + latency
                    };
                    let what = format!("MPI_Bcast @{}", name(from));
                    call(rank, begin[rank], begin[rank].max(waits) + cost, what);
                }
            }
            5 => {
                for rank in 0..ranks {
                    let waits = if rank == from {
                        latest + latency
                    } else {
                        begin[rank]
                    };
                    let what = format!("MPI_Reduce @{}", name(from));
                    call(rank, begin[rank], waits + cost, what);
                }
            }
            _ => {}
        }
    }
    for (rank, now) in now.iter().enumerate() {
        writeln!(text, "{} end {now}", name(rank)).unwrap();
    }
    text
}

/// Ends as measured and on the ideal network, by rank.
fn ends(text: &str) -> (Vec<i64>, Vec<i64>) {
    let (processes, measured) = parse(text);
    let matched = match_calls(&processes, &measured);
    assert_eq!((matched.unmatched, matched.kept_calls), (0, 0), "{text}");
    let ideal = matched.network.replay();
    (measured, ideal)
}

proptest! {
    /// A network that costs nothing takes nothing away.
    #[test]
    fn a_free_network_is_the_ideal_one(steps in steps(), ranks in 1..=MAX_RANKS) {
        let (measured, ideal) = ends(&run(&steps, ranks, 0, 0, |rank| rank));
        prop_assert_eq!(measured, ideal);
    }

    /// The replay of a run on a slow network is the run on a free one.
    #[test]
    fn the_ideal_end_does_not_depend_on_the_network(
        steps in steps(), ranks in 1..=MAX_RANKS, latency in 0..200_i64, cost in 0..20_i64,
    ) {
        let (free, _) = ends(&run(&steps, ranks, 0, 0, |rank| rank));
        let (measured, ideal) = ends(&run(&steps, ranks, latency, cost, |rank| rank));
        prop_assert_eq!(&free, &ideal);
        prop_assert!(ideal.iter().zip(&measured).all(|(ideal, measured)| ideal <= measured));
    }

    /// Who is which rank does not matter.
    #[test]
    fn the_order_of_ranks_does_not_matter(steps in steps(), ranks in 1..=MAX_RANKS, shift in 0..MAX_RANKS) {
        let name = |rank: usize| (rank + shift) % ranks;
        let (_, plain) = ends(&run(&steps, ranks, 30, 3, |rank| rank));
        let (_, renamed) = ends(&run(&steps, ranks, 30, 3, name));
        let back: Vec<i64> = (0..ranks).map(|rank| renamed[name(rank)]).collect();
        prop_assert_eq!(plain, back);
    }
}
