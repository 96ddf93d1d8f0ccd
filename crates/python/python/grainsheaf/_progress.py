"""How far long work is, as a line in terminals and notebooks or through a function."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable

Progress = Callable[[str, int, "int | None"], None]


class Line:
    """Progress as one line on standard error, which notebooks show as well; from some seconds after its first step."""

    def __init__(self, after: float = 0.0) -> None:
        self.width = 0
        self._begin = time.monotonic() + after

    def __call__(self, step: str, done: int, total: int | None) -> None:
        if time.monotonic() < self._begin:
            return
        text = f"{step}: {done} of {total} ({100 * done // total} %)" if total else f"{step}: {done}"
        sys.stderr.write("\r" + text.ljust(self.width))
        sys.stderr.flush()
        self.width = len(text)

    def end(self) -> None:
        """Removes the line."""
        if self.width:
            sys.stderr.write("\r" + " " * self.width + "\r")
            sys.stderr.flush()
            self.width = 0


def shown(progress: bool | Progress | None, after: float = 0.0) -> Progress | None:
    """What is called with each step: by default a line, if somebody may read it."""
    if callable(progress):
        return progress
    if progress is None:
        progress = sys.stderr is not None and (sys.stderr.isatty() or "ipykernel" in sys.modules)
        # Lines of several threads would overwrite each other.
        progress = progress and threading.current_thread() is threading.main_thread()
    return Line(after) if progress else None
