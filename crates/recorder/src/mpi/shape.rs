//! Meaning of the parameters of an MPI function, by place from 0.

/// Parameters of a function that are noted.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    pub(super) send: Option<Sending>,
    pub(super) receive: Option<Receiving>,
    pub(super) collective: Option<Collective>,
    pub(super) bytes: Bytes,
    /// The request that the function makes.
    pub(super) request: Option<u8>,
    pub(super) completes: Completes,
    /// The communicator that it makes.
    pub(super) makes: Option<u8>,
    /// The communicator that it frees.
    pub(super) frees: Option<u8>,
}

/// Count, type, receiver, tag, communicator.
#[derive(Clone, Copy)]
pub(super) struct Sending {
    pub(super) count: u8,
    pub(super) datatype: u8,
    pub(super) peer: u8,
    pub(super) tag: u8,
    pub(super) communicator: u8,
}

/// Sender, tag, communicator, and the status that shows who it was if any may send.
#[derive(Clone, Copy)]
pub(super) struct Receiving {
    pub(super) peer: u8,
    pub(super) tag: u8,
    pub(super) communicator: u8,
    pub(super) status: Option<u8>,
}

/// Communicator and root of a collective call.
#[derive(Clone, Copy)]
pub(super) enum Collective {
    /// All ranks of the program.
    World,
    Of(u8),
    Rooted(u8, u8),
}

/// Data that a rank hands over, if it is not a message to one rank. Parameters of the other buffer count if this one is in
/// place. The standard gives some parameters no meaning on some ranks; those are not looked at.
#[derive(Clone, Copy)]
pub(super) enum Bytes {
    None,
    /// Count, type.
    Of(u8, u8),
    /// Count, type: so much for each member.
    ForEach(u8, u8),
    /// Count, type, target.
    To(u8, u8, u8),
    /// Count, type of each rank's part; the root's own may be in place.
    Gather(u8, u8),
    /// Count, type of a part; of the root only.
    Scatter(u8, u8),
    /// Counts, type of the parts; of the root only.
    Scatters(u8, u8),
    /// Count, type of the rank's part; count, type of all parts.
    Allgather([u8; 2], [u8; 2]),
    /// Count, type of the rank's part; counts, type of all parts.
    Allgathers([u8; 2], [u8; 2]),
    /// Count, type of each part, sent and received.
    Alltoall([u8; 2], [u8; 2]),
    /// Counts, type of the parts, sent and received.
    Alltoalls([u8; 2], [u8; 2]),
    /// Counts, types of the parts, sent and received.
    Alltoallw([u8; 2], [u8; 2]),
    /// Counts of the parts, type.
    Parts(u8, u8),
}

/// Requests that a call is about.
#[derive(Clone, Copy)]
pub(super) enum Completes {
    Nothing,
    /// Request, status.
    One(u8, u8),
    /// Request, flag, status.
    OneIf(u8, u8, u8),
    /// Count, requests, statuses.
    All(u8, u8, u8),
    /// Count, requests, flag, statuses.
    AllIf(u8, u8, u8, u8),
    /// Count, requests, index, status.
    Any(u8, u8, u8, u8),
    /// Count, requests, index, flag, status.
    AnyIf(u8, u8, u8, u8, u8),
    /// Count, requests, number and indices of those that are complete, statuses.
    Some(u8, u8, u8, u8, u8),
    /// Request that is started.
    Started(u8),
    /// Count, requests that are started.
    AllStarted(u8, u8),
}

/// Nothing is noted.
pub(super) const PLAIN: Shape = Shape {
    send: None,
    receive: None,
    collective: None,
    bytes: Bytes::None,
    request: None,
    completes: Completes::Nothing,
    makes: None,
    frees: None,
};

/// A message to a rank, with the parameters of `MPI_Send`.
pub(super) const SEND: Shape = PLAIN.sends(1, 2, 3, 4, 5);
/// A message from a rank, with the parameters of `MPI_Irecv`.
pub(super) const RECEIVE: Shape = PLAIN.receives(3, 4, 5);

impl Shape {
    pub(super) const fn sends(
        mut self,
        count: u8,
        datatype: u8,
        peer: u8,
        tag: u8,
        of: u8,
    ) -> Self {
        self.send = Some(Sending {
            count,
            datatype,
            peer,
            tag,
            communicator: of,
        });
        self
    }

    pub(super) const fn receives(mut self, peer: u8, tag: u8, communicator: u8) -> Self {
        self.receive = Some(Receiving {
            peer,
            tag,
            communicator,
            status: None,
        });
        self
    }

    pub(super) const fn status(mut self, at: u8) -> Self {
        if let Some(receive) = &mut self.receive {
            receive.status = Some(at);
        }
        self
    }

    pub(super) const fn request(mut self, at: u8) -> Self {
        self.request = Some(at);
        self
    }

    pub(super) const fn makes(mut self, at: u8) -> Self {
        self.makes = Some(at);
        self
    }
}

/// A collective call.
pub(super) const fn collective(communicator: u8) -> Shape {
    Shape {
        collective: Some(Collective::Of(communicator)),
        ..PLAIN
    }
}

/// A collective call with a root.
pub(super) const fn rooted(root: u8, communicator: u8) -> Shape {
    Shape {
        collective: Some(Collective::Rooted(root, communicator)),
        ..PLAIN
    }
}

/// A collective call of all ranks.
pub(super) const WORLD: Shape = Shape {
    collective: Some(Collective::World),
    ..PLAIN
};

/// A call about requests.
pub(super) const fn completes(completes: Completes) -> Shape {
    Shape { completes, ..PLAIN }
}

/// A call that frees a communicator.
pub(super) const fn frees(at: u8) -> Shape {
    Shape {
        frees: Some(at),
        ..PLAIN
    }
}

impl Shape {
    pub(super) const fn bytes(mut self, bytes: Bytes) -> Self {
        self.bytes = bytes;
        self
    }
}
