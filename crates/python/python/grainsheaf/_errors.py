"""The exceptions of this package."""

from __future__ import annotations

import json
from typing import Any


class GrainsheafError(Exception):
    """A question or a command failed.

    `kind` is for programs: it is the `code` of the service's errors, such as `unknown` or `store_gone`.
    `message` and `hint` are for people; `position` is the character of a lens, from 1, where it is malformed.
    """

    def __init__(self, kind: str, message: str, hint: str | None = None, position: int | None = None) -> None:
        super().__init__(f"{message}\nhint: {hint}" if hint else message)
        self.kind = kind
        self.message = message
        self.hint = hint
        self.position = position

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.kind, self.message, self.hint, self.position)


class BadQuestionError(GrainsheafError, ValueError):
    """The question itself is wrong: malformed, or about names that the store does not have."""


BAD_QUESTIONS = {"bad_request", "bad_lens", "unknown", "empty_ensemble", "nothing_in_common"}


def from_body(body: str | bytes) -> GrainsheafError:
    """The exception of the error that a service sent."""
    return sent_error(body) or GrainsheafError("internal", "the service sent an error that cannot be read")


def sent_error(body: str | bytes) -> GrainsheafError | None:
    """The exception of the error that a service sent; `None` if the body is not one."""
    try:
        error = json.loads(body)
        kind, message = error["code"], error["message"]
    except (ValueError, KeyError, TypeError):
        return None
    if not isinstance(kind, str) or not isinstance(message, str):
        return None
    kinds = BadQuestionError if kind in BAD_QUESTIONS else GrainsheafError
    return kinds(kind, message, error.get("hint"), error.get("position"))
