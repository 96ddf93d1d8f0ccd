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


def with_clause(argument: str, lens: str, clause: str, *replaced: str) -> str:
    """The lens with another clause, in place of those of the replaced keywords."""
    kept = [text for keyword, text in clauses("lens", lens) if keyword not in replaced]
    return canonical(argument, " | ".join(each for each in [*kept, clause] if each), "")


def with_condition(argument: str, lens: str, expression: str) -> str:
    """The lens with a further condition for runs."""
    # Alone, it is a lens: one that goes on with another clause is not an expression.
    if [keyword for keyword, _ in clauses(argument, f"where {expression}", expression)] != ["where"]:
        raise ValueError(f"`{argument}` must be an expression alone, got `{expression}`")
    known = clauses("lens", lens)
    before = [text.removeprefix("where ") for keyword, text in known if keyword == "where"]
    both = " and ".join(f"({each})" for each in [*before, expression]) if before else expression
    return with_clause(argument, lens, f"where {both}", "where")


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
