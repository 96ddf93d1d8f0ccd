"""How questions about runs are put to a store or a service."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import quote

from . import _arguments as check
from ._answer import Answer

if TYPE_CHECKING:
    from ._source import Source


class _Questions:
    """A source of answers, and the lens through which its runs are seen."""

    # Other attributes cannot be set.
    __slots__ = ("__weakref__", "_lens", "_source")

    def __init__(self, source: Source, lens: str = "") -> None:
        self._source = source
        self._lens = lens

    def _ask(self, path: str, query: str, accept: str) -> tuple[int, str, bytes]:
        """Answers `GET /api/v1/PATH?QUERY`: the status, the type of the content, and the bytes."""
        path = "/api/v1/" + path.removeprefix("/").removeprefix("api/v1/")
        reply = self._source.ask(f"{path}?{query}" if query else path, accept)
        return reply.status, reply.content_type, reply.body

    def _about_all(self, path: str, parameters: Mapping[str, object], *, paged: bool = False, has_table: bool = True) -> Answer:
        parameters = {"lens": self._lens, **parameters}
        return Answer(self._source, path, path, parameters, paged, has_table)

    def _about(
        self, name: str, run: str, path: str, parameters: Mapping[str, object], *, paged: bool = False, has_table: bool = True
    ) -> Answer:
        path = f"runs/{quote(check.text('run', run), safe='')}{path}"
        return Answer(self._source, name, path, dict(parameters), paged, has_table)

    def _predicted(self, path: str, runs: tuple[str, ...], parameters: Mapping[str, object]) -> Answer:
        if not runs:
            raise TypeError("give at least one of `runs`")
        parameters = {"runs": check.joined("runs", runs, ";"), **parameters}
        return Answer(self._source, path, path, parameters, False, True)
