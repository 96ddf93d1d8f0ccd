//! Hand-written calls in, ends on the ideal network out; and runs that are made up on networks of known cost.

mod made;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::matching::{Matched, match_calls};
use super::*;

/// Calls of the ranks in `text`, each a line `RANK BEGIN-END NAME ITEM…`, or `RANK end TIME`.
///
/// Items: `>1` sends four bytes to rank 1, `<1` and `<*` ask for a message of rank 1 and of any; `#5` after it is its
/// tag, 0 without, `#*` any. `@` meets all, `@2` with root 2. `?7` makes request 7, `!7` completes or starts it, `=7:1`
/// states that its message came from rank 1, `=0:1` that the call's own did; `/1` is communicator 1 in any of these.
fn parse(text: &str) -> (Vec<ProcessCalls>, Vec<i64>) {
    let mut ranks: BTreeMap<u32, (ProcessCalls, i64)> = BTreeMap::new();
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let lines: Vec<Vec<&str>> = lines
        .map(|line| line.split_whitespace().collect())
        .collect();
    for words in &lines {
        let rank: u32 = words[0].parse().unwrap();
        let (process, end) = ranks.entry(rank).or_default();
        process.rank = rank;
        match words[1] {
            "end" => *end = words[2].parse().unwrap(),
            "members" => {
                let number = words[2].parse().unwrap();
                for word in &words[3..] {
                    process
                        .members
                        .push((number, (word.parse().unwrap(), 0, 1)));
                }
            }
            times => {
                let (begin, end) = times.split_once('-').unwrap();
                let function = u16::try_from(process.roles.len()).unwrap();
                process.roles.push(role(words[2]));
                let call = process.calls.len();
                process.calls.push(Call {
                    function,
                    begin: begin.parse().unwrap(),
                    end: end.parse().unwrap(),
                });
                let items = words[3..].iter().map(|word| (call, item(word)));
                process.items.extend(items);
            }
        }
    }
    let count = ranks.len() as u64;
    for (process, _) in ranks.values_mut() {
        process.members.push((0, (0, 1, count)));
    }
    ranks.into_values().unzip()
}

fn item(word: &str) -> Item {
    let (word, communicator) = word.split_once('/').unwrap_or((word, "0"));
    let communicator = communicator.parse().unwrap();
    let (kind, rest) = word.split_at(1);
    let (peer, tag) = rest.split_once('#').unwrap_or((rest, "0"));
    let tag = tag.parse().unwrap_or(-1);
    let peer = peer.parse().ok();
    match kind {
        ">" => Item::Send {
            communicator,
            peer: peer.unwrap(),
            tag,
            bytes: 4,
        },
        "<" => Item::Receive {
            communicator,
            peer,
            tag,
        },
        "@" => Item::Collective {
            communicator,
            root: peer,
        },
        "?" => Item::Request(rest.parse().unwrap()),
        "!" => Item::Done(rest.parse().unwrap()),
        "=" => {
            let (request, from) = rest.split_once(':').unwrap();
            let (peer, tag) = from.split_once('#').unwrap_or((from, "0"));
            Item::Status {
                request: request.parse().unwrap(),
                peer: peer.parse().ok(),
                tag: tag.parse().unwrap(),
            }
        }
        _ => panic!("{word}"),
    }
}

fn matched(text: &str) -> Matched {
    let (processes, ends) = parse(text);
    match_calls(&processes, &ends)
}

/// The end of each rank, and what is wrong.
#[track_caller]
fn check(text: &str, expected: &str) {
    let matched = matched(text);
    let ends: Vec<String> = matched
        .network
        .replay()
        .iter()
        .map(i64::to_string)
        .collect();
    let mut shown = ends.join(" ");
    for (count, what) in [
        (matched.unmatched, "unmatched"),
        (matched.kept_calls, "kept"),
    ] {
        if count > 0 {
            write!(shown, ", {count} {what}").unwrap();
        }
    }
    assert_eq!(shown, expected);
}

#[test]
fn a_receive_ends_when_its_message_is_sent() {
    // The message takes 30 until it is there; 20 of them after the receiver is ready.
    check(
        "0 10-15 MPI_Send >1
         0 end 20
         1 20-40 MPI_Recv <0
         1 end 50",
        "15 30",
    );
    // The receiver waits for the sender that computes: no network shortens that.
    check(
        "0 100-101 MPI_Send >1
         0 end 101
         1 10-105 MPI_Recv <0
         1 end 105",
        "100 100",
    );
}

#[test]
fn what_is_won_early_is_won_later() {
    // Rank 0 gets its answer 20 earlier: rank 1 is 10 earlier, and the answer takes no 10.
    check(
        "0 10-10 MPI_Send >1
         0 10-50 MPI_Recv <1
         0 end 60
         1 0-20 MPI_Recv <0
         1 40-40 MPI_Send >0
         1 end 40",
        "40 30",
    );
}

#[test]
fn only_synchronous_sends_wait() {
    let text = |name: &str| {
        format!(
            "0 0-55 {name} >1
             0 end 60
             1 50-56 MPI_Recv <0
             1 end 60"
        )
    };
    check(&text("MPI_Send"), "5 54");
    check(&text("MPI_Ssend"), "55 54");
}

#[test]
fn requests_wait_where_they_are_completed() {
    check(
        "0 30-30 MPI_Isend >1 ?5
         0 31-40 MPI_Wait !5
         0 end 40
         1 0-1 MPI_Irecv <0 ?9
         1 11-45 MPI_Waitall !9
         1 end 45",
        "31 30",
    );
    // A test that does not complete it takes no time, one that does waits for the message.
    check(
        "0 30-30 MPI_Isend >1 ?5
         0 end 30
         1 0-1 MPI_Irecv <0 ?9
         1 11-13 MPI_Test
         1 20-35 MPI_Test !9
         1 end 35",
        "30 30",
    );
}

#[test]
fn persistent_requests_start_again() {
    check(
        "0 0-0 MPI_Send_init >1 ?5
         0 10-11 MPI_Start !5
         0 11-12 MPI_Wait !5
         0 20-21 MPI_Start !5
         0 21-22 MPI_Wait !5
         0 end 22
         1 0-0 MPI_Recv_init <0 ?6
         1 1-1 MPI_Start !6
         1 1-15 MPI_Wait !6
         1 15-15 MPI_Start !6
         1 15-25 MPI_Wait !6
         1 end 25",
        "18 18",
    );
}

#[test]
fn wildcards_get_what_they_got() {
    // The first receive asked for anything and got the message of rank 2.
    check(
        "0 0-60 MPI_Recv <*#* =0:2#7
         0 60-120 MPI_Recv <1#*
         0 end 120
         1 100-100 MPI_Send >0#3
         1 end 100
         2 50-50 MPI_Send >0#7
         2 end 50",
        "110 100 50, 2 unmatched, 1 kept",
    );
    check(
        "0 0-60 MPI_Recv <*#* =0:2#7
         0 60-120 MPI_Recv <1#* =0:1#3
         0 end 120
         1 100-100 MPI_Send >0#3
         1 end 100
         2 50-50 MPI_Send >0#7
         2 end 50",
        "100 100 50",
    );
    // Requests count in the order in which they were made, not completed.
    check(
        "0 0-0 MPI_Irecv <* ?1
         0 0-0 MPI_Irecv <1 ?2
         0 0-35 MPI_Wait =2:1 !2
         0 35-36 MPI_Wait =1:1 !1
         0 end 36
         1 10-10 MPI_Send >0
         1 30-30 MPI_Send >0
         1 end 30",
        "30 30",
    );
}

#[test]
fn a_probe_leaves_the_message() {
    check(
        "0 0-25 MPI_Probe <* =0:1
         0 30-31 MPI_Recv <1
         0 35-50 MPI_Probe <1
         0 end 50
         1 20-20 MPI_Send >0
         1 40-40 MPI_Send >0
         1 end 40",
        "40 40, 1 unmatched",
    );
}

#[test]
fn messages_of_other_tags_and_communicators_are_others() {
    check(
        "0 members 1 0 1
         1 members 1 0 1
         0 10-10 MPI_Send >1#1
         0 20-20 MPI_Send >1/1
         0 30-30 MPI_Send >1
         0 end 30
         1 0-40 MPI_Recv <0
         1 40-41 MPI_Recv <0/1
         1 41-42 MPI_Recv <0#1
         1 end 42",
        "30 30",
    );
}

/// Numbers of communicators differ between processes; members and order decide.
#[test]
fn communicators_are_known_by_members_and_order() {
    check(
        "0 members 1 0 1
         0 members 2 0 1
         1 members 5 1
         1 members 6 0 1
         1 members 8 0 1
         0 10-20 MPI_Barrier @/1
         0 30-40 MPI_Barrier @/2
         0 end 40
         1 0-20 MPI_Barrier @/6
         1 35-40 MPI_Barrier @/8
         1 end 40",
        "25 25",
    );
}

#[test]
fn members_wait_as_their_roles_say() {
    let text = |name: &str, items: &str| {
        format!(
            "0 10-100 {name} {items}
             0 end 100
             1 50-100 {name} {items}
             1 end 100
             2 30-100 {name} {items}
             2 end 100"
        )
    };
    check(&text("MPI_Allreduce", "@"), "50 50 50");
    check(&text("MPI_Bcast", "@1"), "50 50 50");
    check(&text("MPI_Bcast", "@2"), "30 50 30");
    check(&text("MPI_Reduce", "@0"), "50 50 30");
    check(&text("MPI_Scan", "@"), "10 50 50");
    // It is not known for whom they wait.
    check(&text("MPI_Neighbor_alltoall", ""), "100 100 100, 3 kept");
}

#[test]
fn collective_requests_wait_where_they_are_completed() {
    check(
        "0 0-1 MPI_Iallreduce @ ?4
         0 11-40 MPI_Wait !4
         0 end 40
         1 20-21 MPI_Iallreduce @ ?4
         1 22-40 MPI_Wait !4
         1 end 40",
        "20 21",
    );
}

/// Members that were not seen in the call, or saw another one.
#[test]
fn calls_that_do_not_fit_take_as_long_as_they_took() {
    check(
        "0 0-30 MPI_Barrier @
         0 end 30
         1 end 90",
        "30 90, 1 kept",
    );
    check(
        "0 0-30 MPI_Bcast @0
         0 end 30
         1 20-30 MPI_Reduce @0
         1 end 30",
        "30 30, 2 kept",
    );
    check(
        "0 0-9 MPI_Recv <1
         0 end 9
         1 end 9",
        "9 9, 1 unmatched, 1 kept",
    );
    // A request that nothing made.
    check(
        "0 0-9 MPI_Wait !3
         0 end 9",
        "9, 1 kept",
    );
    // Receives that are for each other's later messages.
    check(
        "0 0-20 MPI_Recv <1
         0 20-21 MPI_Send >1
         0 end 21
         1 5-30 MPI_Recv <0
         1 30-31 MPI_Send >0
         1 end 31",
        "20 20",
    );
}

#[test]
fn no_call_ends_later_than_it_did() {
    // The clock of rank 0 is late, or the library does not wait.
    check(
        "0 50-51 MPI_Send >1
         0 end 51
         1 10-20 MPI_Recv <0
         1 end 60",
        "50 60",
    );
}

/// Whatever a trace states, the work is bounded by what it holds.
#[test]
fn members_that_are_not_there_are_no_members() {
    let (mut processes, ends) = parse("0 0-9 MPI_Barrier @\n0 end 9");
    processes[0].members = vec![(0, (0, 0, u64::MAX))];
    assert_eq!(match_calls(&processes, &ends).kept_calls, 1);
    processes[0].members = vec![(0, (0, 1, u64::MAX))];
    assert_eq!(match_calls(&processes, &ends).kept_calls, 1);
}

#[test]
fn messages_are_counted_by_pair() {
    let matched = matched(
        "0 0-1 MPI_Send >1
         0 1-2 MPI_Send >1
         0 end 2
         1 0-3 MPI_Recv <0
         1 3-4 MPI_Sendrecv >0 <0
         1 end 4",
    );
    let pairs: Vec<_> = matched
        .pairs
        .iter()
        .map(|pair| (pair.from, pair.to, pair.messages, pair.bytes))
        .collect();
    assert_eq!(pairs, [(0, 1, 2, 8), (1, 0, 1, 4)]);
    assert_eq!((matched.messages, matched.unmatched), (3, 1));
}
