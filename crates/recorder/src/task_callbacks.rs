//! Callbacks about threads, regions and tasks.
//!
//! Every set of callbacks knows its runtime `R` at compile time: callbacks do not report which
//! runtime calls them, and a process may have two.
#![expect(unsafe_code, reason = "reads and writes the runtime's data words")]
#![expect(
    clippy::inline_always,
    reason = "parts of the hot path, each used in many callbacks: calls would dominate their cost"
)]

use std::ffi::c_void;

use crate::format::tag;
use crate::gomp;
use crate::ompt::{Callback, Data, Dependence, Frame, event, scope, task_flag, task_status};
use crate::stream::{self, Stream, record};

/// Pairs of a dependence record; more go into further records.
const PAIRS_PER_RECORD: usize = 8;

/// The callbacks of this module for runtime `R`.
pub(crate) fn table<const R: usize>() -> [Callback; 9] {
    [
        (event::THREAD_BEGIN, "thread_begin", thread_begin::<R> as _),
        (event::THREAD_END, "thread_end", thread_end::<R> as _),
        (
            event::PARALLEL_BEGIN,
            "parallel_begin",
            parallel_begin::<R> as _,
        ),
        (event::PARALLEL_END, "parallel_end", parallel_end::<R> as _),
        (
            event::IMPLICIT_TASK,
            "implicit_task",
            implicit_task::<R> as _,
        ),
        (event::TASK_CREATE, "task_create", task_create::<R> as _),
        (
            event::TASK_SCHEDULE,
            "task_schedule",
            task_schedule::<R> as _,
        ),
        (event::DEPENDENCES, "dependences", dependences::<R> as _),
        (
            event::TASK_DEPENDENCE,
            "task_dependence",
            task_dependence::<R> as _,
        ),
    ]
}

/// The number in a data word; 0 when there is no word or no number.
#[inline(always)]
pub(crate) fn id_of(data: *const Data) -> u64 {
    // SAFETY: null, or a data word of the runtime's that it passed for this call; only the
    // recorder writes such words.
    unsafe { data.as_ref().map_or(0, |data| data.value) }
}

/// Puts a number into a data word.
#[inline(always)]
fn set_id(data: *mut Data, id: u64) {
    // SAFETY: as in `id_of`; tools may write their words during a callback.
    if let Some(data) = unsafe { data.as_mut() } {
        data.value = id;
    }
}

pub(crate) extern "C" fn thread_begin<const R: usize>(role: u32, _thread: *mut Data) {
    record::<R>(|stream| {
        stream.ask_processor();
        stream.begin(tag::THREAD_BEGIN);
        stream.number(role.into());
    });
}

pub(crate) extern "C" fn thread_end<const R: usize>(_thread: *mut Data) {
    record::<R>(|stream| stream.begin(tag::THREAD_END));
    stream::close::<R>();
}

pub(crate) extern "C" fn parallel_begin<const R: usize>(
    task: *mut Data,
    _frame: *const Frame,
    region: *mut Data,
    requested: u32,
    flags: u32,
    code: *const c_void,
) {
    record::<R>(|stream| {
        let site = stream.site(code as u64);
        stream.begin(tag::PARALLEL_BEGIN);
        stream.acting(id_of(task));
        stream.number(requested.into());
        stream.number(flags.into());
        stream.number(site);
        set_id(region, stream.give());
    });
}

pub(crate) extern "C" fn parallel_end<const R: usize>(
    region: *mut Data,
    task: *mut Data,
    flags: u32,
    code: *const c_void,
) {
    record::<R>(|stream| {
        let site = stream.site(code as u64);
        stream.begin(tag::PARALLEL_END);
        stream.reference(id_of(region));
        stream.acting(id_of(task));
        stream.number(flags.into());
        stream.number(site);
    });
}

pub(crate) extern "C" fn implicit_task<const R: usize>(
    endpoint: u32,
    region: *mut Data,
    task: *mut Data,
    team_size: u32,
    index: u32,
    flags: u32,
) {
    record::<R>(|stream| {
        if endpoint == scope::END {
            stream.begin(tag::IMPLICIT_END);
            stream.acting(id_of(task));
        } else {
            stream.ask_processor();
            stream.begin(tag::IMPLICIT_BEGIN);
            stream.reference(id_of(region));
            let id = stream.give_to_current();
            set_id(task, id);
        }
        stream.number(team_size.into());
        stream.number(index.into());
        stream.number(flags.into());
        stream.counters();
    });
}

pub(crate) extern "C" fn task_create<const R: usize>(
    parent: *mut Data,
    _frame: *const Frame,
    task: *mut Data,
    flags: u32,
    has_dependences: i32,
    code: *const c_void,
) {
    // Waits for dependences are reported as tasks too; they come before the task of the same call.
    let called = if flags & task_flag::EXPLICIT == 0 {
        None
    } else {
        gomp::take_site()
    };
    record::<R>(|stream| {
        let site = stream.site(called.unwrap_or(code as u64));
        stream.begin(tag::TASK_CREATE);
        stream.acting(id_of(parent));
        // Flags of a plain explicit task are 4, the others are the top bits: one byte for most.
        let packed = u64::from((flags ^ 4).rotate_left(5)) << 1;
        stream.number(packed | u64::from(has_dependences != 0));
        stream.number(site);
        set_id(task, stream.give());
        stream.counters();
    });
}

pub(crate) extern "C" fn task_schedule<const R: usize>(
    prior: *mut Data,
    status: u32,
    next: *mut Data,
) {
    record::<R>(|stream| {
        let (prior, next) = (id_of(prior), id_of(next));
        if next != 0 {
            stream.processor();
        }
        if stream.is_current(prior) && status == task_status::COMPLETE {
            stream.begin(tag::COMPLETE);
        } else if stream.is_current(prior) && status == task_status::SWITCH {
            stream.begin(tag::SWITCH);
        } else {
            stream.begin(tag::SCHEDULE);
            stream.reference(prior);
            stream.number(status.into());
        }
        stream.acting(next);
        stream.counters();
    });
}

pub(crate) extern "C" fn dependences<const R: usize>(
    task: *mut Data,
    list: *const Dependence,
    count: i32,
) {
    let count = usize::try_from(count).unwrap_or_default();
    if list.is_null() || count == 0 {
        return;
    }
    // SAFETY: the runtime passes this many items.
    let list = unsafe { std::slice::from_raw_parts(list, count) };
    for part in list.chunks(PAIRS_PER_RECORD) {
        record::<R>(|stream| dependence_record(stream, id_of(task), part));
    }
}

fn dependence_record(stream: &mut Stream, task: u64, items: &[Dependence]) {
    stream.begin(tag::DEPENDENCES);
    stream.reference(task);
    stream.number(items.len() as u64);
    let mut last = 0_u64;
    for item in items {
        // SAFETY: all bit patterns are numbers.
        let address = unsafe { item.variable.value };
        stream.number(item.dependence_type.into());
        stream.signed(address.wrapping_sub(last).cast_signed());
        last = address;
    }
}

pub(crate) extern "C" fn task_dependence<const R: usize>(source: *mut Data, sink: *mut Data) {
    record::<R>(|stream| {
        stream.begin(tag::TASK_DEPENDENCE);
        stream.reference(id_of(source));
        stream.reference(id_of(sink));
    });
}
