"""Records programs with the command of this package."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from collections.abc import Iterable, Mapping

from . import _arguments as check
from ._ensemble import Ensemble
from ._errors import GrainsheafError
from ._source import LocalSource


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

    `program` is the program and its arguments. What it prints goes to the standard output of this process.
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
    ended = subprocess.run([*line, "--", *arguments], stderr=subprocess.PIPE, check=False)
    if ended.returncode != 0:
        message = ended.stderr.decode(errors="replace").strip() or f"it ended with status {ended.returncode}"
        raise GrainsheafError("record", f"cannot record `{arguments[0]}`: {message}")
    return Ensemble(LocalSource(folder))
