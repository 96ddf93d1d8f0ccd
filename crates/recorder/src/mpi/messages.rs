//! Notes what a call of MPI is about: messages, collective calls, requests, communicators.
#![expect(unsafe_code, reason = "reads arguments of C functions")]

use std::cell::RefCell;
use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, Ordering};

use super::arguments::{ANY_TAG, Arguments, Library, integer_at, source_and_tag};
use super::communicators::{self, Communicator};
use super::shape::{Bytes, Collective, Completes, Receiving, Sending, Shape};
use crate::format::tag;
use crate::stream::record;

/// Whether the process ever asked for a message from any rank or of any tag in a call that does not wait for it.
static HAS_WILDCARDS: AtomicBool = AtomicBool::new(false);

/// Requests in one record.
const MAX_REQUESTS: usize = 32;

thread_local! {
    static BUFFERS: RefCell<Buffers> = const { RefCell::new(Buffers::new()) };
}

/// State that a thread keeps during a call.
struct Buffers {
    /// The requests that the call is about; MPI takes the handles of those that are complete away.
    requests: Vec<usize>,
    /// Statuses that the program does not want.
    statuses: Vec<u64>,
    /// Address of the statuses of the call, if they are of interest; else 0.
    status: usize,
}

impl Buffers {
    const fn new() -> Self {
        Self {
            requests: Vec::new(),
            statuses: Vec::new(),
            status: 0,
        }
    }

    /// Room for statuses, for a call whose caller does not want them.
    fn room(&mut self, count: usize) -> usize {
        let words = (count * Library::get().status_bytes).div_ceil(8);
        self.statuses.clear();
        self.statuses.resize(words, 0);
        self.statuses.as_mut_ptr().expose_provenance()
    }
}

/// Notes what is known when a call begins. Returns the place of the parameter for a status, and what is to be passed
/// in its place, if the program does not want the status and its sender is of interest.
///
/// # Safety
/// The arguments must be those of a function of that shape, in a running MPI.
pub(super) unsafe fn begin(shape: &Shape, call: Arguments<'_>) -> Option<(u8, usize)> {
    // SAFETY: the caller's promise, here and below.
    unsafe {
        if let Some(send) = shape.send {
            note_send(send, call);
        }
        let mut members = None;
        if let Some(collective) = shape.collective {
            members = Some(note_collective(collective, call));
        }
        if let Some(bytes) = handed(shape, call, members) {
            record::<0>(|stream| {
                stream.begin(tag::MPI_BYTES);
                stream.number(bytes);
            });
        }
        if let Some(at) = shape.frees {
            communicators::forget(call.communicator(call.handle_behind(at, 0)));
        }
        let status = shape.receive.and_then(|it| note_receive(it, call));
        status.or_else(|| keep_requests(shape.completes, call))
    }
}

/// Notes what is known when the call has ended.
///
/// # Safety
/// As for [`begin`], with the arguments that the function got.
pub(super) unsafe fn end(shape: &Shape, call: Arguments<'_>) {
    // SAFETY: the caller's promise, here and below.
    unsafe {
        if let Some(at) = shape.request {
            let request = call.handle_behind(at, 0);
            record::<0>(|stream| {
                stream.begin_untimed(tag::MPI_REQUEST);
                stream.number(request as u64);
            });
        }
        if let Some(at) = shape.makes {
            let handle = call.communicator(call.handle_behind(at, 0));
            communicators::add(handle);
        }
        note_status(shape);
        note_completed(shape.completes, call);
    }
    with_buffers(|buffers| buffers.status = 0);
}

unsafe fn note_send(send: Sending, call: Arguments<'_>) {
    // SAFETY: the caller's promise.
    unsafe {
        let peer = call.integer(send.peer);
        if !Arguments::is_process(peer) {
            return;
        }
        let of = communicators::of(call.communicator(call.handle(send.communicator)));
        let tag = call.integer(send.tag);
        let count = call.integer(send.count).into();
        let bytes = call.bytes(count, call.handle(send.datatype));
        record::<0>(|stream| {
            stream.begin_untimed(tag::MPI_SEND);
            stream.number(of.number.into());
            stream.number(peer.unsigned_abs().into());
            stream.signed(tag.into());
            stream.number(bytes.unwrap_or(0));
        });
    }
}

/// Returns the same as [`begin`].
unsafe fn note_receive(receive: Receiving, call: Arguments<'_>) -> Option<(u8, usize)> {
    // SAFETY: the caller's promise.
    unsafe {
        let peer = call.integer(receive.peer);
        if !Arguments::is_process(peer) {
            return None;
        }
        let of = communicators::of(call.communicator(call.handle(receive.communicator)));
        let tag = call.integer(receive.tag);
        let is_any = peer == Library::get().any_source;
        record::<0>(|stream| {
            stream.begin_untimed(tag::MPI_RECEIVE);
            stream.number(of.number.into());
            stream.signed(if is_any { -1 } else { peer.into() });
            stream.signed(tag.into());
        });
        if !is_any && tag != ANY_TAG {
            return None;
        }
        let Some(at) = receive.status else {
            HAS_WILDCARDS.store(true, Ordering::Relaxed);
            return None;
        };
        want_statuses(at, 1, call)
    }
}

/// Does something with what the thread keeps; `None` if the thread has ended as far as Rust is concerned, and an exit
/// handler calls MPI.
fn with_buffers<T>(act: impl FnOnce(&mut Buffers) -> T) -> Option<T> {
    let done = BUFFERS.try_with(|buffers| Some(act(&mut *buffers.try_borrow_mut().ok()?)));
    done.ok().flatten()
}

/// Has the statuses of a call kept, in a place of ours if the program does not want them.
unsafe fn want_statuses(at: u8, count: usize, call: Arguments<'_>) -> Option<(u8, usize)> {
    let replaced = with_buffers(|buffers| {
        // SAFETY: the caller's promise.
        if unsafe { call.is_ignored(at) } {
            buffers.status = buffers.room(count);
            Some((at, buffers.status))
        } else {
            buffers.status = call.word(at);
            None
        }
    });
    replaced.flatten()
}

/// Sender and tag of the message that a call has waited for, if it stated less.
unsafe fn note_status(shape: &Shape) {
    if shape.receive.is_none() {
        return;
    }
    let status = with_buffers(|buffers| buffers.status).unwrap_or(0);
    if status != 0 {
        // SAFETY: the address of a status, which the call has filled.
        unsafe { note_status_at(0, status) };
    }
}

/// # Safety
/// The address must be that of a status.
unsafe fn note_status_at(request: usize, status: usize) {
    // SAFETY: the caller's promise.
    let (source, tag) = unsafe { source_and_tag(status) };
    record::<0>(|stream| {
        stream.begin_untimed(tag::MPI_STATUS);
        stream.number(request as u64);
        stream.signed(source.into());
        stream.signed(tag.into());
    });
}

unsafe fn note_collective(collective: Collective, call: Arguments<'_>) -> (Communicator, c_int) {
    // SAFETY: the caller's promise.
    let (handle, root) = unsafe {
        match collective {
            Collective::World => (Library::get().world, -1),
            Collective::Of(at) => (call.communicator(call.handle(at)), -1),
            Collective::Rooted(root, at) => {
                (call.communicator(call.handle(at)), call.integer(root))
            }
        }
    };
    // SAFETY: the caller's promise.
    let of = unsafe { communicators::of(handle) };
    record::<0>(|stream| {
        stream.begin_untimed(tag::MPI_COLLECTIVE);
        stream.number(of.number.into());
        stream.signed(root.into());
    });
    (of, root)
}

/// Bytes that the rank hands over in a call that is no message to one rank.
unsafe fn handed(
    shape: &Shape,
    call: Arguments<'_>,
    members: Option<(Communicator, c_int)>,
) -> Option<u64> {
    // SAFETY: the caller's promise; parameters are looked at only where the standard gives them a meaning.
    unsafe {
        let one =
            |count: u8, datatype: u8| call.bytes(call.integer(count).into(), call.handle(datatype));
        match shape.bytes {
            Bytes::None => return None,
            Bytes::Of(count, datatype) => return one(count, datatype),
            Bytes::To(count, datatype, target) => {
                let is_process = Arguments::is_process(call.integer(target));
                return if is_process {
                    one(count, datatype)
                } else {
                    None
                };
            }
            _ => {}
        }
        let (of, root) = members?;
        // Calls of two groups have other rules.
        if of.size == 0 {
            return None;
        }
        let each = |at: [u8; 2]| Some(one(at[0], at[1])?.saturating_mul(of.size as u64));
        let sum = |at: [u8; 2]| {
            let counts = call.word(at[0]);
            let sum = (0..of.size).map(|index| i64::from(integer_at(counts, index)));
            call.bytes(sum.sum(), call.handle(at[1]))
        };
        let is_root = root == of.rank;
        let is_in_place = call.is_in_place(0);
        match shape.bytes {
            Bytes::None | Bytes::Of(..) | Bytes::To(..) => None,
            Bytes::Gather(..) if is_root && is_in_place => None,
            Bytes::Gather(count, datatype) => one(count, datatype),
            Bytes::Scatter(..) | Bytes::Scatters(..) if !is_root => None,
            Bytes::ForEach(count, datatype) | Bytes::Scatter(count, datatype) => {
                each([count, datatype])
            }
            Bytes::Scatters(counts, datatype) | Bytes::Parts(counts, datatype) => {
                sum([counts, datatype])
            }
            Bytes::Allgather(_, [count, datatype]) if is_in_place => one(count, datatype),
            Bytes::Allgathers(_, [counts, datatype]) if is_in_place => {
                let own = usize::try_from(of.rank).ok()?;
                let count = integer_at(call.word(counts), own);
                call.bytes(count.into(), call.handle(datatype))
            }
            Bytes::Allgather([count, datatype], _) | Bytes::Allgathers([count, datatype], _) => {
                one(count, datatype)
            }
            Bytes::Alltoall(_, received) if is_in_place => each(received),
            Bytes::Alltoall(sent, _) => each(sent),
            Bytes::Alltoalls(_, received) if is_in_place => sum(received),
            Bytes::Alltoalls(sent, _) => sum(sent),
            Bytes::Alltoallw(_, received) if is_in_place => sum_of_types(received, of.size, call),
            Bytes::Alltoallw(sent, _) => sum_of_types(sent, of.size, call),
        }
    }
}

unsafe fn sum_of_types([counts, types]: [u8; 2], size: usize, call: Arguments<'_>) -> Option<u64> {
    let mut sum = 0_u64;
    for index in 0..size {
        // SAFETY: the caller's promise. Parts of nothing may have any type.
        unsafe {
            let count = integer_at(call.word(counts), index);
            if count != 0 {
                let bytes = call.bytes(count.into(), call.handle_behind(types, index))?;
                sum = sum.saturating_add(bytes);
            }
        }
    }
    Some(sum)
}

/// Keeps the requests that a call is about. Returns the same as [`begin`].
unsafe fn keep_requests(completes: Completes, call: Arguments<'_>) -> Option<(u8, usize)> {
    let (count, requests, status) = match completes {
        Completes::Nothing => return None,
        Completes::One(request, status) | Completes::OneIf(request, _, status) => {
            (None, request, Some((status, false)))
        }
        Completes::All(count, requests, statuses)
        | Completes::AllIf(count, requests, _, statuses)
        | Completes::Some(count, requests, _, _, statuses) => {
            (Some(count), requests, Some((statuses, true)))
        }
        Completes::Any(count, requests, _, status)
        | Completes::AnyIf(count, requests, _, _, status) => {
            (Some(count), requests, Some((status, false)))
        }
        Completes::Started(request) => (None, request, None),
        Completes::AllStarted(count, requests) => (Some(count), requests, None),
    };
    // SAFETY: the caller's promise.
    unsafe {
        let count = count.map_or(1, |at| usize::try_from(call.integer(at)).unwrap_or(0));
        with_buffers(|buffers| {
            buffers.requests.clear();
            let handles = (0..count).map(|index| call.handle_behind(requests, index));
            buffers.requests.extend(handles);
        });
        let (at, is_list) = status.filter(|_| HAS_WILDCARDS.load(Ordering::Relaxed))?;
        want_statuses(at, if is_list { count } else { 1 }, call)
    }
}

/// Notes the requests that are complete, or were started.
unsafe fn note_completed(completes: Completes, call: Arguments<'_>) {
    // SAFETY: the caller's promise.
    let integer = |at: u8| unsafe { integer_at(call.word(at), 0) };
    let is_set = |at: u8| integer(at) != 0;
    with_buffers(|buffers| match completes {
        Completes::Nothing => {}
        Completes::One(..)
        | Completes::All(..)
        | Completes::Started(_)
        | Completes::AllStarted(..) => {
            note_requests(buffers, call, |index| index, buffers.requests.len());
        }
        Completes::OneIf(_, flag, _) | Completes::AllIf(_, _, flag, _) => {
            if is_set(flag) {
                note_requests(buffers, call, |index| index, buffers.requests.len());
            }
        }
        Completes::Any(_, _, index, _) => note_one(buffers, call, integer(index)),
        Completes::AnyIf(_, _, index, flag, _) => {
            if is_set(flag) {
                note_one(buffers, call, integer(index));
            }
        }
        Completes::Some(_, _, count, indices, _) => {
            let count = usize::try_from(integer(count)).unwrap_or(0);
            let indices = call.word(indices);
            let place = |index: usize| {
                // SAFETY: MPI has written that number of indices.
                place(call, unsafe { integer_at(indices, index) })
            };
            note_requests(buffers, call, place, count);
        }
    });
}

/// The place of a request by the index that MPI states, which Fortran counts from 1.
fn place(call: Arguments<'_>, index: c_int) -> usize {
    let first = c_int::from(call.language == super::arguments::Language::Fortran);
    usize::try_from(index.wrapping_sub(first)).unwrap_or(usize::MAX)
}

fn note_one(buffers: &Buffers, call: Arguments<'_>, index: c_int) {
    let place = place(call, index);
    if place < buffers.requests.len() {
        note_requests(buffers, call, |_| place, 1);
    }
}

/// Notes that number of requests, each at the place that belongs to its number, with their statuses.
fn note_requests(
    buffers: &Buffers,
    call: Arguments<'_>,
    place: impl Fn(usize) -> usize,
    count: usize,
) {
    // MPI states a number that cannot be if no request was active.
    if count > buffers.requests.len() {
        return;
    }
    let request = |number: usize| {
        let request = buffers.requests.get(place(number)).copied();
        request.filter(|&request| call.is_request(request))
    };
    if buffers.status != 0 {
        for number in 0..count {
            let address = buffers.status + number * Library::get().status_bytes;
            if let Some(request) = request(number) {
                // SAFETY: MPI has filled a status of each request.
                unsafe { note_status_at(request, address) };
            }
        }
    }
    let mut next = 0;
    while next < count {
        let end = count.min(next + MAX_REQUESTS);
        let requests = (next..end).filter_map(request);
        record::<0>(|stream| {
            stream.begin_untimed(tag::MPI_REQUESTS);
            stream.number(requests.clone().count() as u64);
            for request in requests {
                stream.number(request as u64);
            }
        });
        next = end;
    }
}
