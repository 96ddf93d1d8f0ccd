"""The lens as text: its canonical form, its clauses."""

from __future__ import annotations

from . import _grainsheaf
from ._errors import BadQuestionError


def canonical(argument: str, text: str, given: str | None = None) -> str:
    """The lens in its canonical form. `given` is the end of `text` that the caller has written, if not all of it."""
    try:
        return _grainsheaf.canonical_lens(text)
    except ValueError as error:
        raise _bad_lens(argument, text, text if given is None else given, error) from None


def clauses(argument: str, text: str, given: str | None = None) -> list[tuple[str, str]]:
    """Clauses by keyword. `given` is the end of `text` that the caller has written, if not all of it."""
    try:
        return _grainsheaf.lens_clauses(text)
    except ValueError as error:
        raise _bad_lens(argument, text, text if given is None else given, error) from None


def _bad_lens(argument: str, text: str, given: str, error: ValueError) -> BadQuestionError:
    message, position = error.args
    place = f" at character {position} of `{text}`"
    if position is not None and message.endswith(place):
        # Characters count in what the caller has written; without that, there is no place to name.
        message = message.removesuffix(place)
        position = position - (len(text) - len(given)) if given else None
        if position is not None and position > 0:
            message += f" at character {position} of `{given}`"
        else:
            position = None
    return BadQuestionError("bad_lens", f"`{argument}`: {message}", None, position)


def quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
