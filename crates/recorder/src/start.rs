//! Where an OpenMP runtime meets the recorder: start, registration of callbacks, end.
#![expect(unsafe_code, reason = "exports a C function and calls the runtime's")]

use std::cell::UnsafeCell;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::fmt::Write as _;
use std::mem;
use std::ptr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::callbacks as construct;
use crate::metadata::hash_words;
use crate::ompt::{Data, Lookup, SetCallback, StartToolResult};
use crate::process::{self, MAX_RUNTIMES};
use crate::task_callbacks as task;

/// Facts that a runtime reported before it was ready.
struct Announced {
    tools_version: u32,
    name: String,
}

static ANNOUNCED: Mutex<[Option<Announced>; MAX_RUNTIMES]> =
    Mutex::new([const { None }; MAX_RUNTIMES]);
static NEXT_RUNTIME: AtomicUsize = AtomicUsize::new(0);

/// A result the runtime may write to.
struct ResultCell(UnsafeCell<StartToolResult>);

// SAFETY: each result is given to one runtime, the recorder itself never looks at it again.
unsafe impl Sync for ResultCell {}

static RESULTS: [ResultCell; MAX_RUNTIMES] =
    [result::<0>(), result::<1>(), result::<2>(), result::<3>()];

const fn result<const R: usize>() -> ResultCell {
    ResultCell(UnsafeCell::new(StartToolResult {
        initialize: initialize::<R>,
        finalize: finalize::<R>,
        tool_data: Data { value: 0 },
    }))
}

/// Called by each OpenMP runtime of the process as it starts; null when there are too many.
///
/// # Safety
///
/// `name` must be null or a C string, which is what the tools interface promises.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ompt_start_tool(
    tools_version: c_uint,
    name: *const c_char,
) -> *mut StartToolResult {
    let runtime = NEXT_RUNTIME.fetch_add(1, Ordering::Relaxed);
    let Some(result) = RESULTS.get(runtime) else {
        return ptr::null_mut();
    };
    let name = if name.is_null() {
        String::new()
    } else {
        // SAFETY: the caller's promise.
        unsafe { CStr::from_ptr(name) }
            .to_string_lossy()
            .into_owned()
    };
    if let Ok(mut announced) = ANNOUNCED.lock() {
        announced[runtime] = Some(Announced {
            tools_version,
            name,
        });
    }
    result.0.get()
}

extern "C" fn initialize<const R: usize>(
    lookup: Lookup,
    _device: c_int,
    _tool_data: *mut Data,
) -> c_int {
    let mut text = format!("index {R}\n");
    if let Ok(mut announced) = ANNOUNCED.lock()
        && let Some(Announced {
            tools_version,
            name,
        }) = announced[R].take()
    {
        let name = name.replace('\n', " ");
        let _ = writeln!(text, "version {name}\ntools_version {tools_version}");
    }
    describe_library(&mut text, lookup as *const c_void);
    // SAFETY: the lookup function returns the entry point of this name and type, or null.
    let set_callback: Option<SetCallback> =
        unsafe { mem::transmute(lookup(c"ompt_set_callback".as_ptr())) };
    let Some(set_callback) = set_callback else {
        return 0;
    };
    let callbacks = task::table::<R>()
        .into_iter()
        .chain(construct::table::<R>());
    for (number, name, callback) in callbacks {
        // SAFETY: the callback has the signature that belongs to its number.
        let result = unsafe {
            set_callback(
                number,
                Some(mem::transmute::<*const (), unsafe extern "C" fn()>(
                    callback,
                )),
            )
        };
        let _ = writeln!(text, "callback {name} {result}");
    }
    process::watch_forks();
    process::add_runtime(text);
    1
}

extern "C" fn finalize<const R: usize>(_tool_data: *mut Data) {
    process::finalize_runtime(process::runtime_index::<R>());
}

/// Path, size and hash of the library that contains `function`: versions do not identify it.
fn describe_library(text: &mut String, function: *const c_void) {
    // SAFETY: all zero is a valid value, and the call fills it or fails.
    let path = unsafe {
        let mut info: libc::Dl_info = mem::zeroed();
        if libc::dladdr(function, &raw mut info) == 0 || info.dli_fname.is_null() {
            return;
        }
        CStr::from_ptr(info.dli_fname)
            .to_string_lossy()
            .into_owned()
    };
    let path = std::fs::canonicalize(&path).map_or(path, |path| path.to_string_lossy().into());
    let _ = writeln!(text, "library {}", path.replace('\n', "?"));
    if let Ok(bytes) = std::fs::read(&path) {
        let _ = writeln!(text, "library_bytes {}", bytes.len());
        let _ = writeln!(text, "library_hash {:016x}", hash_words(&bytes));
    }
}
