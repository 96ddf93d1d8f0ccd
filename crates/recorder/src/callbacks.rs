//! Callbacks about constructs inside tasks: synchronisation, worksharing, exclusion.
#![expect(unsafe_code, reason = "reads what the runtime points to")]
#![expect(
    clippy::inline_always,
    reason = "parts of the hot path, each used in many callbacks: calls would dominate their cost"
)]

use std::ffi::c_void;

use crate::format::tag;
use crate::gomp;
use crate::ompt::{Callback, Data, DispatchChunk, dispatch_kind, event, scope};
use crate::stream::{Stream, record};
use crate::task_callbacks::id_of;

/// The callbacks of this module for runtime `R`.
pub(crate) fn table<const R: usize>() -> [Callback; 11] {
    [
        (event::SYNC_REGION, "sync_region", sync_region::<R> as _),
        (
            event::SYNC_REGION_WAIT,
            "sync_region_wait",
            sync_region_wait::<R> as _,
        ),
        (event::REDUCTION, "reduction", reduction::<R> as _),
        (event::WORK, "work", work::<R> as _),
        (event::DISPATCH, "dispatch", dispatch::<R> as _),
        (event::MASKED, "masked", masked::<R> as _),
        (
            event::MUTEX_ACQUIRE,
            "mutex_acquire",
            mutex_acquire::<R> as _,
        ),
        (
            event::MUTEX_ACQUIRED,
            "mutex_acquired",
            mutex_acquired::<R> as _,
        ),
        (
            event::MUTEX_RELEASED,
            "mutex_released",
            mutex_released::<R> as _,
        ),
        (event::NEST_LOCK, "nest_lock", nest_lock::<R> as _),
        (event::CANCEL, "cancel", cancel::<R> as _),
    ]
}

/// Writes the begin record, the end record, or both for a region of no length.
#[inline(always)]
fn ends<const R: usize>(endpoint: u32, tags: (u8, u8), write: impl Fn(&mut Stream, u8)) {
    if endpoint == scope::BEGIN || endpoint == scope::BEGIN_END {
        record::<R>(|stream| write(stream, tags.0));
    }
    if endpoint == scope::END || endpoint == scope::BEGIN_END {
        record::<R>(|stream| write(stream, tags.1));
    }
}

#[inline(always)]
fn sync(stream: &mut Stream, tag: u8, kind: u32, task: *const Data, code: *const c_void) {
    let site = stream.site(code as u64);
    stream.begin(tag);
    stream.number(kind.into());
    stream.acting(id_of(task));
    stream.number(site);
}

pub(crate) extern "C" fn sync_region<const R: usize>(
    kind: u32,
    endpoint: u32,
    _region: *mut Data,
    task: *mut Data,
    code: *const c_void,
) {
    ends::<R>(endpoint, (tag::SYNC_BEGIN, tag::SYNC_END), |stream, tag| {
        sync(stream, tag, kind, task, code);
    });
}

pub(crate) extern "C" fn sync_region_wait<const R: usize>(
    kind: u32,
    endpoint: u32,
    _region: *mut Data,
    task: *mut Data,
    code: *const c_void,
) {
    ends::<R>(endpoint, (tag::WAIT_BEGIN, tag::WAIT_END), |stream, tag| {
        stream.processor();
        sync(stream, tag, kind, task, code);
        stream.counters();
    });
}

pub(crate) extern "C" fn reduction<const R: usize>(
    kind: u32,
    endpoint: u32,
    _region: *mut Data,
    task: *mut Data,
    code: *const c_void,
) {
    ends::<R>(
        endpoint,
        (tag::REDUCTION_BEGIN, tag::REDUCTION_END),
        |stream, tag| {
            sync(stream, tag, kind, task, code);
        },
    );
}

pub(crate) extern "C" fn work<const R: usize>(
    kind: u32,
    endpoint: u32,
    _region: *mut Data,
    task: *mut Data,
    count: u64,
    code: *const c_void,
) {
    let code = if code.is_null() {
        gomp::take_site().unwrap_or(0)
    } else {
        code as u64
    };
    ends::<R>(endpoint, (tag::WORK_BEGIN, tag::WORK_END), |stream, tag| {
        let site = stream.site(code);
        stream.begin(tag);
        stream.number(kind.into());
        stream.acting(id_of(task));
        stream.number(count);
        stream.number(site);
        stream.counters();
    });
}

pub(crate) extern "C" fn dispatch<const R: usize>(
    _region: *mut Data,
    task: *mut Data,
    kind: u32,
    instance: Data,
) {
    let has_chunk =
        (dispatch_kind::WS_LOOP_CHUNK..=dispatch_kind::DISTRIBUTE_CHUNK).contains(&kind);
    // SAFETY: all bit patterns are numbers.
    let word = unsafe { instance.value };
    let (start, iterations) = if has_chunk && word != 0 {
        // SAFETY: for these kinds the instance points to a chunk.
        let chunk = unsafe { &*instance.ptr.cast::<DispatchChunk>() };
        (chunk.start, chunk.iterations)
    } else {
        (word, 0)
    };
    record::<R>(|stream| {
        stream.processor();
        stream.begin(tag::DISPATCH);
        stream.number(kind.into());
        stream.acting(id_of(task));
        stream.signed(start.cast_signed());
        stream.number(iterations);
        stream.counters();
    });
}

pub(crate) extern "C" fn masked<const R: usize>(
    endpoint: u32,
    _region: *mut Data,
    task: *mut Data,
    code: *const c_void,
) {
    ends::<R>(
        endpoint,
        (tag::MASKED_BEGIN, tag::MASKED_END),
        |stream, tag| {
            let site = stream.site(code as u64);
            stream.begin(tag);
            stream.acting(id_of(task));
            stream.number(site);
        },
    );
}

pub(crate) extern "C" fn mutex_acquire<const R: usize>(
    kind: u32,
    hint: u32,
    implementation: u32,
    wait_id: u64,
    code: *const c_void,
) {
    record::<R>(|stream| {
        let site = stream.site(code as u64);
        stream.begin(tag::MUTEX_ACQUIRE);
        stream.number(kind.into());
        stream.number(hint.into());
        stream.number(implementation.into());
        stream.wait_id(wait_id);
        stream.number(site);
    });
}

#[inline(always)]
fn mutex<const R: usize>(tag: u8, kind: u32, wait_id: u64, code: *const c_void) {
    record::<R>(|stream| {
        let site = stream.site(code as u64);
        stream.begin(tag);
        stream.number(kind.into());
        stream.wait_id(wait_id);
        stream.number(site);
    });
}

pub(crate) extern "C" fn mutex_acquired<const R: usize>(
    kind: u32,
    wait_id: u64,
    code: *const c_void,
) {
    mutex::<R>(tag::MUTEX_ACQUIRED, kind, wait_id, code);
}

pub(crate) extern "C" fn mutex_released<const R: usize>(
    kind: u32,
    wait_id: u64,
    code: *const c_void,
) {
    mutex::<R>(tag::MUTEX_RELEASED, kind, wait_id, code);
}

pub(crate) extern "C" fn nest_lock<const R: usize>(
    endpoint: u32,
    wait_id: u64,
    code: *const c_void,
) {
    ends::<R>(
        endpoint,
        (tag::NEST_LOCK_BEGIN, tag::NEST_LOCK_END),
        |stream, tag| {
            let site = stream.site(code as u64);
            stream.begin(tag);
            stream.wait_id(wait_id);
            stream.number(site);
        },
    );
}

pub(crate) extern "C" fn cancel<const R: usize>(task: *mut Data, flags: u32, code: *const c_void) {
    record::<R>(|stream| {
        let site = stream.site(code as u64);
        stream.begin(tag::CANCEL);
        stream.acting(id_of(task));
        stream.number(flags.into());
        stream.number(site);
    });
}
