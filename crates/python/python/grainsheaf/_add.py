"""Adds files to a store of this machine."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from . import _arguments as check
from . import _grainsheaf
from ._ensemble import Ensemble
from ._errors import GrainsheafError
from ._source import LocalSource, refuse_forks

Progress = Callable[[str, int, "int | None"], None]


def add(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    params: Mapping[str, object] | None = None,
    store: str | os.PathLike[str] = ".grainsheaf",
    name: str | None = None,
    format: str | None = None,
    progress: bool | Progress | None = None,
) -> Ensemble:
    """Adds files and folders to a store, which is made if there is none, and opens it.

    `params` are parameters of all runs that are added. `progress` is called with the name of a step, what is done, and
    the total if it is known; by default a line on standard error shows it in terminals and notebooks.

    Files that cannot be read are an error if nothing was added; else a warning names them.
    """
    given = check.paths("paths", paths)
    if not given:
        raise ValueError("`paths` must not be empty")
    folder = check.paths("store", store)[0]
    values = {} if params is None else {str(key): _parameter(key, value) for key, value in dict(params).items()}
    refuse_forks()
    shown = _shown(progress)
    text = _grainsheaf.add(
        folder, given, values, check.optional_text("name", name), check.optional_text("format", format), shown
    )
    if isinstance(shown, Line):
        shown.end()
    _report(json.loads(text))
    return Ensemble(LocalSource(folder))


def _parameter(name: object, value: object) -> bool | float | str:
    if isinstance(value, (bool, int, float, str)):
        return value
    if hasattr(value, "item"):  # numbers of NumPy
        return _parameter(name, value.item())
    raise TypeError(f"`params[{name!r}]` must be a bool, a number or a str, got {type(value).__name__}")


def _report(added: Mapping[str, Any]) -> None:
    """Reports files that were refused."""
    files = added["files"]
    refused = [file for file in files if file["status"] == "refused"]
    if not refused:
        return
    reasons = "; ".join(f"{file['path']}: {file.get('error')}" for file in refused[:3])
    more = f"; and {len(refused) - 3} more" if len(refused) > 3 else ""
    message = f"{len(refused)} of {len(files)} files were refused: {reasons}{more}"
    if len(refused) == len(files):
        raise GrainsheafError("input", message)
    import warnings

    warnings.warn(message, stacklevel=3)


def _shown(progress: bool | Progress | None) -> Progress | None:
    if callable(progress):
        return progress
    if progress is None:
        progress = sys.stderr is not None and (sys.stderr.isatty() or "ipykernel" in sys.modules)
    return Line() if progress else None


class Line:
    """Progress as one line on standard error, which notebooks show as well."""

    def __init__(self) -> None:
        self.width = 0

    def __call__(self, step: str, done: int, total: int | None) -> None:
        text = f"{step}: {done} of {total} ({100 * done // total} %)" if total else f"{step}: {done}"
        sys.stderr.write("\r" + text.ljust(self.width))
        sys.stderr.flush()
        self.width = len(text)

    def end(self) -> None:
        if self.width:
            sys.stderr.write("\r" + " " * self.width + "\r")
            sys.stderr.flush()


