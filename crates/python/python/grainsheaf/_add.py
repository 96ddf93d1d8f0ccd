"""Adds files to a store of this machine."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from typing import Any

from . import _arguments as check
from . import _grainsheaf
from ._ensemble import Ensemble
from ._errors import GrainsheafError
from ._progress import Line, Progress, shown
from ._source import LocalSource, refuse_forks


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
    made, files = imported(paths, params, store, name, format, progress)
    report(files)
    return made


def imported(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    params: Mapping[str, object] | None,
    store: str | os.PathLike[str],
    name: str | None,
    format: str | None,
    progress: bool | Progress | None,
) -> tuple[Ensemble, list[dict[str, Any]]]:
    """The store with the files, and what became of each."""
    given = check.paths("paths", paths)
    if not given:
        raise ValueError("`paths` must not be empty")
    folder = check.paths("store", store)[0]
    values = {
        check.text("params", str(key)): _parameter(key, value) for key, value in check.mapping("params", params).items()
    }
    refuse_forks()
    step = shown(progress)
    try:
        text = _grainsheaf.add(
            folder, given, values, check.optional_text("name", name), check.optional_text("format", format), step
        )
    finally:
        if isinstance(step, Line):
            step.end()
    return Ensemble(LocalSource(folder)), json.loads(text)["files"]


def _parameter(name: object, value: object) -> bool | float | str:
    if isinstance(value, (bool, int, float, str)):
        return value
    if hasattr(value, "item"):  # numbers of NumPy
        return _parameter(name, value.item())
    raise TypeError(f"`params[{name!r}]` must be a bool, a number or a str, got {type(value).__name__}")


def report(files: list[dict[str, Any]]) -> None:
    """Reports files that were refused."""
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
