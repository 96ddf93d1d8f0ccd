"""The lens as text: its canonical form, its clauses."""

from __future__ import annotations

from . import _grainsheaf
from ._errors import BadQuestionError


def canonical(argument: str, text: str) -> str:
    try:
        return _grainsheaf.canonical_lens(text)
    except ValueError as error:
        raise _bad_lens(argument, error) from None


def clauses(argument: str, text: str) -> list[tuple[str, str]]:
    try:
        return _grainsheaf.lens_clauses(text)
    except ValueError as error:
        raise _bad_lens(argument, error) from None


def _bad_lens(argument: str, error: ValueError) -> BadQuestionError:
    message, position = error.args
    return BadQuestionError("bad_lens", f"`{argument}`: {message}", None, position)


def quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
