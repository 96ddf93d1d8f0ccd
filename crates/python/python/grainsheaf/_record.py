"""Records programs with the command of this package."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sysconfig
import tempfile
import threading
from collections.abc import Iterable, Mapping

from . import _arguments as check
from ._ensemble import Ensemble
from ._errors import GrainsheafError
from ._source import LocalSource

# How the command is asked to end, and seconds that it has for it. After Ctrl-C it gives its program 3 seconds.
ENDS: tuple[tuple[signal.Signals, float | None], ...] = ((signal.SIGINT, 10), (signal.SIGTERM, 5), (signal.SIGKILL, None))


def command() -> str:
    """The path of the command that was installed with this package, or of another on the path of programs."""
    given = os.environ.get("GRAINSHEAF_COMMAND")
    installed = os.path.join(sysconfig.get_path("scripts"), "grainsheaf")
    found = given or (installed if os.path.isfile(installed) else shutil.which("grainsheaf"))
    if not found:
        hint = "install the wheel of grainsheaf, or set GRAINSHEAF_COMMAND"
        raise GrainsheafError("missing_command", "the command `grainsheaf` is not installed", hint)
    return found


def record(
    program: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    threads: int | Iterable[int] | None = None,
    repeat: int = 1,
    params: Mapping[str, object] | None = None,
    store: str | os.PathLike[str] = ".grainsheaf",
) -> Ensemble:
    """Runs a program with the recorder, once for each number of threads and repeat, and opens the store.

    `program` is the program and its arguments. What it prints goes to the standard output of this process. Ctrl-C ends
    the program and what it started.
    """
    arguments = check.paths("program", program)
    if not arguments:
        raise ValueError("`program` must not be empty")
    folder = check.paths("store", store)[0]
    if not check.count("repeat", repeat):
        raise ValueError("`repeat` must be positive")
    line = [command(), "--store", folder, "record", "--repeat", str(repeat)]
    if threads is not None:
        counts = [threads] if isinstance(threads, int) else list(threads)
        if not counts or not all(check.count("threads", each) for each in counts):
            raise ValueError("`threads` must be one or more positive integers")
        line += ["--threads", ",".join(map(str, counts))]
    for name, value in check.mapping("params", params).items():
        text = str(value).lower() if isinstance(value, bool) else str(value)
        line += ["--param", f"{name}={text}"]
    status, errors = _run([*line, "--", *arguments])
    if status != 0:
        message = errors.decode(errors="replace").strip() or f"it ended with status {status}"
        raise GrainsheafError("record", f"cannot record `{arguments[0]}`: {message}")
    return Ensemble(LocalSource(folder))


def _run(line: list[str]) -> tuple[int, bytes]:
    """The status of a command, and what it wrote to standard error. If this is interrupted, it ends the command."""
    # A terminal sends Ctrl-C to the whole group of processes, and a second one makes the command kill its program. So
    # the command is in a group of its own and gets exactly those that are passed on.
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(line, stderr=errors, start_new_session=_raises_at_interrupts())
        try:
            status = process.wait()
        except BaseException:
            _end(process)
            raise
        errors.seek(0)
        return status, errors.read()


def _raises_at_interrupts() -> bool:
    """Whether Ctrl-C raises an exception in this thread."""
    is_main = threading.current_thread() is threading.main_thread()
    return is_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends the command, by force if it does not end by itself; another Ctrl-C skips the wait."""
    for number, patience in ENDS:
        process.send_signal(number)
        try:
            process.wait(patience)
        except (KeyboardInterrupt, subprocess.TimeoutExpired):
            continue
        return
