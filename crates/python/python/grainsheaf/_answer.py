"""Answers: tables for data frames, and everything else as attributes."""

from __future__ import annotations

import json
import marshal
import re
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

from . import _grainsheaf
from ._errors import BadQuestionError, GrainsheafError
from ._progress import Line, shown
from ._source import ARROW, JSON, checked, target

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    from ._grainsheaf import Batches, Reply
    from ._picture import Picture
    from ._source import Source

Page = TypeVar("Page")

# The service sends at most so many rows of a paged table at once.
PAGE = 100_000
# Seconds after which a question shows how far it is.
PATIENCE = 1.0


class Answer:
    """The answer to one question about an ensemble.

    Fields of the answer are attributes, as in the JSON of the command line; `json()` has a copy of all. The table of
    the answer goes into data frames through `to_arrow`, `to_pandas` and `to_polars`, or any library that takes
    `__arrow_c_stream__`. An answer is computed when it is first used, and kept.
    """

    def __init__(
        self, source: Source, name: str, path: str, parameters: dict[str, Any], paged: bool, has_table: bool
    ) -> None:
        self._source = source
        self._name = name
        self._path = path
        self._parameters = parameters
        self._paged = paged
        self._has_table = has_table
        self._revision: str | None = None
        self._json: dict[str, Any] | None = None
        self._batches: Batches | None = None

    def json(self) -> dict[str, Any]:
        """The answer as the command line prints it with `--json`, as a copy."""
        # Types of JSON, nested as deep as JSON: much faster than `copy.deepcopy`.
        copied: dict[str, Any] = marshal.loads(marshal.dumps(self._fields()))
        return copied

    def _fields(self) -> dict[str, Any]:
        """The one object that all attributes are parts of."""
        if self._json is None:
            pages = self._pages(_read_page if self._paged else _read_json, "json", lambda page: len(page["rows"]))
            first = pages[0]
            for page in pages[1:]:
                first["rows"] += page["rows"]
            self._json = first
        return self._json

    @property
    def lens(self) -> str:
        """The lens that was answered, as text; empty for the default."""
        return str(self._fields().get("lens", "")) if "lens" in self._parameters else ""

    @property
    def notes(self) -> list[str]:
        """The texts of what a reader has to know about the answer. `json()` also has their codes and values."""
        return [note["text"] for note in self._fields().get("notes", [])]

    @property
    def text(self) -> str:
        """The first rows and the notes as text."""
        from ._html import as_text

        return as_text(self)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        fields = self._fields()
        if name in fields:
            return fields[name]
        raise AttributeError(f"`{self._name}` has no `{name}`; it has {', '.join(fields)}")

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._fields()})

    def to_arrow(self) -> pyarrow.Table:
        """The table as `pyarrow.Table`, without a copy."""
        return _needed("pyarrow").table(self._table())

    def to_pandas(self) -> pandas.DataFrame:
        """The table as `pandas.DataFrame`; columns without absent values are not copied."""
        _needed("pandas")
        return self.to_arrow().to_pandas()

    def to_polars(self) -> polars.DataFrame:
        """The table as `polars.DataFrame`."""
        frame: polars.DataFrame = _needed("polars").DataFrame(self._table())
        return frame

    def plot(
        self,
        *,
        width: int = 960,
        height: int = 540,
        theme: str = "light",
        settings: Mapping[str, str] | None = None,
    ) -> Picture:
        """The picture of the answer as the page shows it: SVG in a notebook, and `save` for files.

        `theme` is `light` or `dark`. `settings` are those of the view, such as `{"boxes.log": "1"}`, as in `Widget`.
        """
        from ._picture import plot

        return plot(self, width, height, theme, settings)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._table().__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        return self._table().__arrow_c_schema__()

    def __getstate__(self) -> dict[str, Any]:
        # A process that gets the answer asks for the table again; the revision shows if the store has changed.
        return {**self.__dict__, "_batches": None}

    def __len__(self) -> int:
        """Number of rows of the table."""
        return self._table().num_rows

    def __bool__(self) -> bool:
        return True

    def _repr_html_(self) -> str:
        from ._html import as_html

        return as_html(self)

    def __repr__(self) -> str:
        from ._html import as_text

        return as_text(self)

    def _table(self) -> Batches:
        if not self._has_table:
            raise TypeError(f"`{self._name}` has no table; use `.json()`")
        if self._batches is None:
            pages = self._pages(_read_batches, "arrow_exact", lambda page: page.num_rows)
            self._batches = pages[0] if len(pages) == 1 else _grainsheaf.Batches.concat(pages)
        return self._batches

    def _pages(self, read: Callable[[Reply], Page], form: str, num_rows: Callable[[Page], int]) -> list[Page]:
        if not self._paged:
            return [self._ask(read, form, self._parameters)]
        most = self._parameters.get("limit")
        skipped, done = self._parameters.get("offset") or 0, 0
        pages: list[Page] = []
        while True:
            limit = PAGE if most is None else min(PAGE, most - done)
            page = self._ask(read, form, {**self._parameters, "offset": skipped + done, "limit": limit})
            pages.append(page)
            done += num_rows(page)
            if num_rows(page) < limit or done == most:
                return pages

    def _ask(self, read: Callable[[Reply], Page], form: str, parameters: dict[str, Any]) -> Page:
        if self._has_table:
            parameters = {**parameters, "format": form}
        accept = ARROW if form == "arrow_exact" else JSON
        report = shown(self._source.progress, PATIENCE)
        try:
            reply = checked(self._source.ask(target(self._path, parameters), accept, report))
        except BadQuestionError as error:
            raise _named(error, self._parameters) from None
        finally:
            if isinstance(report, Line):
                report.end()
        if self._revision not in (None, reply.revision):
            raise GrainsheafError("changed", "the store changed since the answer was given", "ask again")
        try:
            page = read(reply)
        except ValueError as error:
            message = f"cannot read the answer of {self._source!r}: {error}"
            raise GrainsheafError("unreadable", message, "is it a service of grainsheaf, of this version?") from error
        self._revision = reply.revision
        return page


def _read_json(reply: Reply) -> dict[str, Any]:
    answer = json.loads(reply.body)
    if not isinstance(answer, dict):
        raise ValueError("it is not an object")
    return answer


def _read_page(reply: Reply) -> dict[str, Any]:
    page = _read_json(reply)
    if not isinstance(page.get("rows"), list):
        raise ValueError("it has no rows")
    return page


def _read_batches(reply: Reply) -> Batches:
    return reply.batches()


def _named(error: BadQuestionError, parameters: Mapping[str, Any]) -> BadQuestionError:
    """The error of a service with the argument whose value it is about: the first that it quotes."""
    texts = {name: _texts(value) for name, value in parameters.items() if name != "lens" and value is not None}
    for quoted in re.finditer("`([^`]*)`", error.message):
        names = [name for name in texts if quoted[1] in texts[name]]
        if not names:
            continue
        if any(re.search(rf"\b{name}\b", error.message[: quoted.end()]) for name in names):
            return error
        argument = " or ".join(f"`{name}`" for name in names)
        return BadQuestionError(error.kind, f"{argument}: {error.message}", error.hint, error.position)
    return error


def _texts(value: object) -> set[str]:
    """A parameter of a request, and the texts that are joined in it."""
    return {str(value)} | {part.strip() for part in re.split("[,;=]", str(value))}


def _needed(name: str) -> ModuleType:
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError as error:
        hint = f"install it: pip install {name}"
        raise GrainsheafError("missing_package", f"this needs the package `{name}`", hint) from error
