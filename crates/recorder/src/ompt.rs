//! The part of the OpenMP tools interface the recorder uses, as in `omp-tools.h`.
//!
//! Newer headers only add numbers, so one set of bindings serves every runtime; numbers are
//! plain integers here because a runtime may pass some this header does not know.

use std::ffi::{c_char, c_int, c_uint, c_void};

/// `ompt_data_t`: a word of the tool's in the runtime's objects.
#[repr(C)]
#[derive(Clone, Copy)]
pub union Data {
    /// As a number.
    pub value: u64,
    /// As a pointer.
    pub ptr: *mut c_void,
}

/// `ompt_start_tool_result_t`.
#[repr(C)]
pub struct StartToolResult {
    /// Called once the runtime is ready; returns non-zero to stay.
    pub initialize: extern "C" fn(Lookup, c_int, *mut Data) -> c_int,
    /// Called at normal exit.
    pub finalize: extern "C" fn(*mut Data),
    /// Passed to both.
    pub tool_data: Data,
}

/// `ompt_function_lookup_t`.
pub type Lookup = unsafe extern "C" fn(*const c_char) -> Option<unsafe extern "C" fn()>;
/// `ompt_set_callback_t`.
pub type SetCallback = unsafe extern "C" fn(c_int, Option<unsafe extern "C" fn()>) -> c_int;

/// A callback: its number, its name, and a function of the type that belongs to the number.
pub type Callback = (c_int, &'static str, *const ());

/// `ompt_frame_t`; the recorder never looks inside.
#[repr(C)]
pub struct Frame {
    /// Runtime's frame that called user code.
    pub exit_frame: Data,
    /// User's frame that called the runtime.
    pub enter_frame: Data,
    /// Flags of the first.
    pub exit_frame_flags: c_int,
    /// Flags of the second.
    pub enter_frame_flags: c_int,
}

/// `ompt_dependence_t`.
#[repr(C)]
pub struct Dependence {
    /// Address of the variable.
    pub variable: Data,
    /// Direction.
    pub dependence_type: c_uint,
}

/// `ompt_dispatch_chunk_t`.
#[repr(C)]
pub struct DispatchChunk {
    /// First iteration.
    pub start: u64,
    /// Number of iterations.
    pub iterations: u64,
}

/// A begin, an end, or both at once, of a region.
pub mod scope {
    /// Begin.
    pub const BEGIN: u32 = 1;
    /// End.
    pub const END: u32 = 2;
    /// A region of no length.
    pub const BEGIN_END: u32 = 3;
}

/// Why a schedule event happened.
pub mod task_status {
    /// The prior task ended.
    pub const COMPLETE: u32 = 1;
    /// The prior task is suspended or starts another.
    pub const SWITCH: u32 = 7;
}

/// Flags of the event that creates a task.
pub mod task_flag {
    /// A task of a task construct, or of a loop of tasks.
    pub const EXPLICIT: u32 = 4;
}

/// What a dispatch event hands out.
pub mod dispatch_kind {
    /// A chunk of a worksharing loop: the first kind with a [`super::DispatchChunk`].
    pub const WS_LOOP_CHUNK: u32 = 3;
    /// A chunk of a distribute loop: the last such kind.
    pub const DISTRIBUTE_CHUNK: u32 = 5;
}

/// Numbers of callbacks.
pub mod event {
    use std::ffi::c_int;

    /// `ompt_callback_thread_begin`.
    pub const THREAD_BEGIN: c_int = 1;
    /// `ompt_callback_thread_end`.
    pub const THREAD_END: c_int = 2;
    /// `ompt_callback_parallel_begin`.
    pub const PARALLEL_BEGIN: c_int = 3;
    /// `ompt_callback_parallel_end`.
    pub const PARALLEL_END: c_int = 4;
    /// `ompt_callback_task_create`.
    pub const TASK_CREATE: c_int = 5;
    /// `ompt_callback_task_schedule`.
    pub const TASK_SCHEDULE: c_int = 6;
    /// `ompt_callback_implicit_task`.
    pub const IMPLICIT_TASK: c_int = 7;
    /// `ompt_callback_sync_region_wait`.
    pub const SYNC_REGION_WAIT: c_int = 16;
    /// `ompt_callback_mutex_released`.
    pub const MUTEX_RELEASED: c_int = 17;
    /// `ompt_callback_dependences`.
    pub const DEPENDENCES: c_int = 18;
    /// `ompt_callback_task_dependence`.
    pub const TASK_DEPENDENCE: c_int = 19;
    /// `ompt_callback_work`.
    pub const WORK: c_int = 20;
    /// `ompt_callback_masked`.
    pub const MASKED: c_int = 21;
    /// `ompt_callback_sync_region`.
    pub const SYNC_REGION: c_int = 23;
    /// `ompt_callback_mutex_acquire`.
    pub const MUTEX_ACQUIRE: c_int = 26;
    /// `ompt_callback_mutex_acquired`.
    pub const MUTEX_ACQUIRED: c_int = 27;
    /// `ompt_callback_nest_lock`.
    pub const NEST_LOCK: c_int = 28;
    /// `ompt_callback_cancel`.
    pub const CANCEL: c_int = 30;
    /// `ompt_callback_reduction`.
    pub const REDUCTION: c_int = 31;
    /// `ompt_callback_dispatch`.
    pub const DISPATCH: c_int = 32;
}
