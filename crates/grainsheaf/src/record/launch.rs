//! One execution of a program: started, watched, stopped when it must be, timed.

use std::ffi::OsString;
use std::io::{self, BufRead as _, BufReader, Read};
use std::os::fd::AsFd as _;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use sheaf_model::ParamValue;

use super::cost::Usage;
use super::input::{self, SharedInput};

use crate::console::Console;
use crate::failure::Failure;
use crate::interrupt::Interrupt;

/// How often interrupts and the time limit are looked at.
const POLL: Duration = Duration::from_millis(50);
/// How long a program may take to end after it was asked to.
const GRACE: Duration = Duration::from_secs(3);

/// What to execute, and how.
#[derive(Debug, Clone, Default)]
pub(crate) struct Setting {
    /// Program and arguments.
    pub(crate) command: Vec<OsString>,
    /// Variables added to our own environment.
    pub(crate) environment: Vec<(OsString, OsString)>,
    /// Time after which the program is stopped.
    pub(crate) limit: Option<Duration>,
    /// Standard input that every launch gets; our own when absent.
    pub(crate) input: Option<SharedInput>,
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// By itself, with this status.
    Exit(i32),
    /// By a signal that was not ours.
    Signal(i32),
    /// By us, because its time was up.
    TimedOut,
    /// By us, because the user asked.
    Interrupted,
}

/// What came of an execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// From start to end.
    pub(crate) elapsed: Duration,
    /// How it ended.
    pub(crate) ending: Ending,
    /// Its use of the machine.
    pub(crate) usage: Usage,
    /// Number of the process that was started.
    pub(crate) process: u32,
}

/// Executes a program in a process group of its own and waits for its end. Its standard output
/// goes to our standard error, because ours is for answers; when quiet, nowhere.
///
/// # Errors
/// When it cannot be started.
pub(crate) fn launch(
    setting: &Setting,
    console: &Console,
    interrupt: &Interrupt,
) -> Result<Outcome, Failure> {
    let name = setting
        .command
        .first()
        .map(OsString::as_os_str)
        .unwrap_or_default();
    let mut command = prepare(setting, console);
    let before = Usage::of_children();
    let start = Instant::now();
    let mut child = command
        .spawn()
        .map_err(|error| cannot_start(&name.to_string_lossy(), &error))?;
    let group = child.id();
    if let (Some(input), Some(to)) = (&setting.input, child.stdin.take()) {
        input.feed(to);
    }
    let mut relays = Vec::new();
    relays.extend(child.stdout.take().map(|stream| relay(stream, console)));
    relays.extend(child.stderr.take().map(|stream| relay(stream, console)));
    let (sender, receiver) = mpsc::sync_channel(1);
    std::thread::spawn(move || {
        let status = child.wait();
        // The receiver waits for exactly this.
        let _ = sender.send((status, start.elapsed()));
    });

    let mut stop = Stop::default();
    let (status, elapsed) = loop {
        match receiver.recv_timeout(POLL) {
            Ok(ended) => break ended,
            Err(RecvTimeoutError::Timeout) => stop.consider(group, start, setting.limit, interrupt),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Failure::new(
                    crate::failure::Exit::Internal,
                    "lost the program's status",
                ));
            }
        }
    };
    let status =
        status.map_err(|error| Failure::internal("cannot wait for the program", &error))?;
    wait_for(&relays);
    Ok(Outcome {
        elapsed,
        usage: Usage::of_children().since(before),
        ending: stop.reason.unwrap_or_else(|| ending(status)),
        process: group,
    })
}

/// The command in a group of its own, its streams set.
fn prepare(setting: &Setting, console: &Console) -> Command {
    let mut words = setting.command.iter();
    let mut command = Command::new(words.next().map(OsString::as_os_str).unwrap_or_default());
    command.args(words).envs(
        setting
            .environment
            .iter()
            .map(|(name, value)| (name, value)),
    );
    // Everything that a wrapper starts is in the group and can be stopped with it.
    command.process_group(0);
    command.stdin(input::of_launch(setting.input.as_ref()));
    let is_relayed = console.has_bar();
    command
        .stdout(output(console, is_relayed))
        .stderr(errors(is_relayed));
    command
}

/// Our way from asking a program to end to forcing it.
#[derive(Debug, Default)]
struct Stop {
    reason: Option<Ending>,
    asked: Option<(Instant, u32)>,
}

impl Stop {
    fn consider(
        &mut self,
        group: u32,
        start: Instant,
        limit: Option<Duration>,
        interrupt: &Interrupt,
    ) {
        if let Some((at, count)) = self.asked {
            // A second Ctrl-C means now.
            if at.elapsed() > GRACE || interrupt.count() > count.max(1) {
                send(group, libc::SIGKILL);
            }
        } else if interrupt.is_set() {
            self.ask(group, libc::SIGINT, Ending::Interrupted, interrupt);
        } else if limit.is_some_and(|limit| start.elapsed() >= limit) {
            self.ask(group, libc::SIGTERM, Ending::TimedOut, interrupt);
        }
    }

    fn ask(&mut self, group: u32, signal: i32, reason: Ending, interrupt: &Interrupt) {
        send(group, signal);
        self.reason = Some(reason);
        self.asked = Some((Instant::now(), interrupt.count()));
    }
}

#[expect(
    unsafe_code,
    reason = "the standard library cannot signal a process group"
)]
fn send(group: u32, signal: i32) {
    let Ok(group) = i32::try_from(group) else {
        return;
    };
    // SAFETY: a plain system call without pointers. The group exists while its first process has
    // not been waited for; afterwards the call fails, which is as good.
    let _ = unsafe { libc::kill(-group, signal) };
}

fn ending(status: ExitStatus) -> Ending {
    match (status.code(), status.signal()) {
        (Some(code), _) => Ending::Exit(code),
        (None, signal) => Ending::Signal(signal.unwrap_or(0)),
    }
}

fn output(console: &Console, is_relayed: bool) -> Stdio {
    if console.is_quiet() {
        Stdio::null()
    } else if is_relayed {
        Stdio::piped()
    } else {
        io::stderr()
            .as_fd()
            .try_clone_to_owned()
            .map_or_else(|_| Stdio::null(), Stdio::from)
    }
}

fn errors(is_relayed: bool) -> Stdio {
    if is_relayed {
        Stdio::piped()
    } else {
        Stdio::inherit()
    }
}

/// Passes a program's lines on above the progress bar.
fn relay(stream: impl Read + Send + 'static, console: &Console) -> std::thread::JoinHandle<()> {
    let console = console.clone();
    std::thread::spawn(move || {
        let mut reader = BufReader::new(stream);
        let mut line = Vec::new();
        while reader
            .by_ref()
            .take(1 << 20)
            .read_until(b'\n', &mut line)
            .is_ok_and(|read| read > 0)
        {
            console.line(String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']));
            line.clear();
        }
    })
}

/// Lets the last lines through; a daemon that holds the pipe open does not hold us.
fn wait_for(relays: &[std::thread::JoinHandle<()>]) {
    let start = Instant::now();
    while relays.iter().any(|relay| !relay.is_finished()) && start.elapsed() < POLL * 4 {
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn cannot_start(name: &str, error: &io::Error) -> Failure {
    let failure = Failure::usage(format!("cannot start `{name}`: {error}"));
    if error.raw_os_error() == Some(libc::ENOEXEC) {
        failure
            .with_hint("it is neither a program of this machine nor a script that begins with `#!`")
    } else {
        failure
    }
}

impl Ending {
    /// Whether the program ended by itself with status 0.
    pub(crate) fn is_success(self) -> bool {
        self == Self::Exit(0)
    }

    /// Whether something else ended the program. If it ended by itself, with any status, the run is complete.
    pub(crate) fn is_early(self) -> bool {
        !matches!(self, Self::Exit(_))
    }

    /// The parameter of all runs of a launch that ended early.
    pub(crate) fn ended_by(self) -> Option<(String, ParamValue)> {
        let by = match self {
            Self::Exit(_) => return None,
            Self::Signal(signal) => signal_name(signal),
            Self::TimedOut => "time limit".to_owned(),
            Self::Interrupted => "user".to_owned(),
        };
        Some(("ended_by".to_owned(), ParamValue::Text(by)))
    }

    /// The status with which the program ended by itself.
    pub(crate) fn status(self) -> Option<i32> {
        match self {
            Self::Exit(status) => Some(status),
            Self::Signal(_) | Self::TimedOut | Self::Interrupted => None,
        }
    }

    /// For people: `ended with status 3`.
    pub(crate) fn tell(self) -> String {
        match self {
            Self::Exit(0) => "ended".to_owned(),
            // Shells report the signals of what they run so.
            Self::Exit(code @ 129..=159) => {
                format!(
                    "ended with status {code}, which stands for {}",
                    signal_name(code - 128)
                )
            }
            Self::Exit(code) => format!("ended with status {code}"),
            Self::Signal(signal) => format!("was killed by {}", signal_name(signal)),
            Self::TimedOut => "was stopped because its time was up".to_owned(),
            Self::Interrupted => "was interrupted".to_owned(),
        }
    }
}

fn signal_name(signal: i32) -> String {
    let name = match signal {
        libc::SIGHUP => "SIGHUP",
        libc::SIGINT => "SIGINT",
        libc::SIGQUIT => "SIGQUIT",
        libc::SIGILL => "SIGILL",
        libc::SIGABRT => "SIGABRT",
        libc::SIGBUS => "SIGBUS",
        libc::SIGFPE => "SIGFPE",
        libc::SIGKILL => "SIGKILL",
        libc::SIGSEGV => "SIGSEGV",
        libc::SIGPIPE => "SIGPIPE",
        libc::SIGTERM => "SIGTERM",
        libc::SIGXCPU => "SIGXCPU",
        _ => return format!("signal {signal}"),
    };
    format!("signal {signal} ({name})")
}
