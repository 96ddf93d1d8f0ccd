"""Runs of parallel programs, compared from scripts and notebooks.

    import grainsheaf as gs

    runs = gs.open(".grainsheaf")
    runs.where("threads >= 4").by("threads").stats().to_pandas()
"""

from __future__ import annotations

import os
from importlib.util import find_spec
from typing import TYPE_CHECKING

from ._add import add
from ._answer import Answer
from ._ensemble import Ensemble
from ._errors import BadQuestionError, GrainsheafError
from ._frames import from_dataframe, from_hatchet, from_thicket
from ._grainsheaf import VERSION as __version__
from ._progress import Progress
from ._record import record
from ._source import source_of

if TYPE_CHECKING:
    from ._picture import Picture as Picture
    from ._widget import Widget as Widget

__all__ = [
    "Answer",
    "BadQuestionError",
    "Ensemble",
    "GrainsheafError",
    "Picture",
    "__version__",
    "add",
    "from_dataframe",
    "from_hatchet",
    "from_thicket",
    "open",
    "record",
]


# `from grainsheaf import *` takes what is here: without `anywidget`, `Widget` is an error.
if TYPE_CHECKING or find_spec("anywidget"):
    __all__ += ["Widget"]

if not TYPE_CHECKING:
    # Only notebooks need them, and the packages below them.
    _LATE = {"Picture": "_picture", "Widget": "_widget"}

    def __getattr__(name):
        if name in _LATE:
            from importlib import import_module

            return getattr(import_module(f".{_LATE[name]}", __name__), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__():
        return sorted({*globals(), *_LATE})


def open(  # noqa: A001 the name that people expect
    path: str | os.PathLike[str] = ".grainsheaf",
    *,
    token: str | None = None,
    store: str | None = None,
    timeout: float = 300.0,
    progress: bool | Progress | None = None,
) -> Ensemble:
    """Opens a store, by the path of its folder, or a running service, by its URL.

    `token`, `store` and `timeout` (in seconds) are for services: the token that `grainsheaf serve` printed, if the
    URL does not have it, and the name of the store, if there are several.

    `progress` is called with the step that a question to a store is at: its name, what is done, and the total if it is
    known. By default a line on standard error shows it in terminals and notebooks after a second; `False` shows nothing.
    """
    from . import _arguments as check

    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"`path` must be a path or a URL, got {type(path).__name__}")
    check.paths("path", path)
    token, store = check.optional_text("token", token), check.optional_text("store", store)
    if check.number("timeout", timeout) is None or not 0 < timeout <= 1e9:
        raise ValueError("`timeout` must be positive, and at most 1e9 seconds")
    if progress is not None and not isinstance(progress, bool) and not callable(progress):
        raise TypeError(f"`progress` must be a bool or a function, got {type(progress).__name__}")
    source = source_of(os.fspath(path), token, store, timeout)
    source.progress = progress
    return Ensemble(source)
