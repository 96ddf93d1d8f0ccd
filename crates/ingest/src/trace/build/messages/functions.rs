//! The event that each function of MPI waits for on a network that costs nothing.

/// Effect of a call on that network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// It sends, receives, or both. A send does not wait, a synchronous one waits until the receiver is there; a receive
    /// waits until its message is sent.
    Message { is_synchronous: bool },
    /// It waits for a message that it leaves where it is.
    Probe,
    /// It prepares a message of a persistent request.
    Prepare { is_synchronous: bool },
    /// It starts persistent requests.
    Start,
    /// It completes requests, and waits for what they need.
    Complete,
    /// It meets the other members of a communicator.
    Meet(Meeting),
    /// It waits for nothing.
    Local,
    /// It is not known what it waits for: it takes as long as it took.
    Kept,
}

/// Whom members of a collective call wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meeting {
    /// All for all.
    All,
    /// All for the root.
    FromRoot,
    /// The root for all.
    ToRoot,
    /// Each for those of lower rank.
    Prefix,
}

/// The role of a function.
pub(super) fn role(name: &str) -> Role {
    let name = name.strip_prefix("MPI_").unwrap_or(name);
    match name {
        "Ssend" | "Issend" => Role::Message {
            is_synchronous: true,
        },
        "Send" | "Bsend" | "Rsend" | "Recv" | "Sendrecv" | "Sendrecv_replace" | "Isend"
        | "Ibsend" | "Irsend" | "Irecv" | "Mprobe" => Role::Message {
            is_synchronous: false,
        },
        "Probe" => Role::Probe,
        "Ssend_init" => Role::Prepare {
            is_synchronous: true,
        },
        "Send_init" | "Bsend_init" | "Rsend_init" | "Recv_init" => Role::Prepare {
            is_synchronous: false,
        },
        "Start" | "Startall" => Role::Start,
        "Wait" | "Waitall" | "Waitany" | "Waitsome" | "Test" | "Testall" | "Testany"
        | "Testsome" => Role::Complete,
        "Iprobe" | "Mrecv" | "Put" | "Get" | "Accumulate" | "Comm_free" => Role::Local,
        _ => meeting(name).map_or(Role::Kept, Role::Meet),
    }
}

fn meeting(name: &str) -> Option<Meeting> {
    // `Igather` meets as `Gather` does.
    let lower = name.to_ascii_lowercase();
    let name = lower.strip_prefix('i').unwrap_or(&lower);
    match name {
        "barrier"
        | "allgather"
        | "allgatherv"
        | "alltoall"
        | "alltoallv"
        | "alltoallw"
        | "allreduce"
        | "reduce_scatter"
        | "reduce_scatter_block"
        | "comm_dup"
        | "comm_dup_with_info"
        | "comm_split"
        | "comm_split_type"
        | "comm_create"
        | "cart_create"
        | "cart_sub"
        | "graph_create"
        | "dist_graph_create_adjacent"
        | "finalize" => Some(Meeting::All),
        "bcast" | "scatter" | "scatterv" => Some(Meeting::FromRoot),
        "gather" | "gatherv" | "reduce" => Some(Meeting::ToRoot),
        "scan" | "exscan" => Some(Meeting::Prefix),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_follow_from_names() {
        assert_eq!(role("MPI_Ibcast"), Role::Meet(Meeting::FromRoot));
        assert_eq!(role("MPI_Reduce"), Role::Meet(Meeting::ToRoot));
        assert_eq!(role("MPI_Neighbor_alltoall"), Role::Kept);
        assert_eq!(role("MPI_Win_fence"), Role::Kept);
        assert_eq!(role("MPI_Finalize"), Role::Meet(Meeting::All));
        assert_eq!(role("MPI_Iprobe"), Role::Local);
    }
}
