"""Checks of arguments: a wrong one is an error that names it."""

from __future__ import annotations

import numbers
import operator
import os
from collections.abc import Iterable, Mapping
from typing import Any

from ._errors import BadQuestionError


def text(name: str, value: object) -> str:
    """A text that is not empty."""
    if not isinstance(value, str):
        raise TypeError(f"`{name}` must be a str, got {type(value).__name__}")
    if not value.strip():
        raise ValueError(f"`{name}` must not be empty")
    return encodable(name, value)


def encodable(name: str, value: str) -> str:
    """A text without halves of surrogate pairs, which no file or request can hold."""
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"`{name}` must be valid Unicode, got {value!r}: character {error.start + 1}") from None
    return value


def separator(name: str, value: object) -> str:
    """A text that is not empty, but may be only spaces."""
    if not isinstance(value, str):
        raise TypeError(f"`{name}` must be a str, got {type(value).__name__}")
    if not value:
        raise ValueError(f"`{name}` must not be empty")
    return value


def optional_text(name: str, value: object) -> str | None:
    return None if value is None else text(name, value)


def choice(name: str, value: object, choices: Iterable[str]) -> str:
    """One of several texts."""
    if text(name, value) not in (known := tuple(choices)):
        raise BadQuestionError("bad_request", f"`{name}` must be one of {listed(known)}, got `{value}`")
    return str(value)


def optional_choice(name: str, value: object, choices: Iterable[str]) -> str | None:
    return None if value is None else choice(name, value, choices)


def listed(choices: Iterable[str]) -> str:
    """Texts as messages list them."""
    return ", ".join(f"`{each}`" for each in choices)


def truth(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"`{name}` must be a bool, got {type(value).__name__}")
    return value


def number(name: str, value: object) -> float | None:
    """A finite number, as Python has it: those of NumPy are written in other words."""
    if value is None:
        return None
    try:
        # NumPy registers its numbers, those of 32 bits too.
        is_real = isinstance(value, numbers.Real) and not isinstance(value, numbers.Integral)
        plain = float(value) if is_real else _whole(value)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"`{name}` must be a number, got {type(value).__name__}") from None
    if plain != plain or plain in (float("inf"), float("-inf")):
        raise ValueError(f"`{name}` must be finite, got `{plain}`")
    return plain


def required_number(name: str, value: object) -> float:
    plain = number(name, value)
    if plain is None:
        raise TypeError(f"`{name}` must be a number, got NoneType")
    return plain


def count(name: str, value: object) -> int | None:
    whole = integer(name, value)
    if whole is not None and whole < 0:
        raise ValueError(f"`{name}` must not be negative, got `{whole}`")
    return whole


def counts(name: str, value: Any) -> str | None:
    """One number or several as one parameter of a request."""
    if value is None:
        return None
    # Bytes are a sequence of int to Python.
    is_one = isinstance(value, (str, bytes, bytearray, memoryview)) or not isinstance(value, Iterable)
    values = [value] if is_one else value
    try:
        return ",".join(str(count(name, each)) for each in values)
    except TypeError:
        raise TypeError(f"`{name}` must be an int or a sequence of int, got {value!r}") from None


def integer(name: str, value: object) -> int | None:
    if value is None:
        return None
    try:
        return _whole(value)
    except TypeError:
        raise TypeError(f"`{name}` must be an int, got {type(value).__name__}") from None


def _whole(value: Any) -> int:
    # A truth value is an integer of Python, and one of NumPy is not.
    if isinstance(value, bool):
        raise TypeError
    return operator.index(value)


def texts(name: str, value: object) -> list[str]:
    """One text or several."""
    if isinstance(value, str):
        return [text(name, value)]
    try:
        values = list(value)  # type: ignore[call-overload]
    except TypeError:
        raise TypeError(f"`{name}` must be a str or a sequence of str, got {type(value).__name__}") from None
    return [text(name, each) for each in values]


def joined(name: str, value: object, separator: str = ",") -> str | None:
    """Several texts as one parameter of a request."""
    return None if value is None else separator.join(texts(name, value))


def mapping(name: str, value: object) -> dict[Any, Any]:
    """A mapping, or nothing for an empty one."""
    if value is not None and not isinstance(value, Mapping):
        raise TypeError(f"`{name}` must be a mapping, got {type(value).__name__}")
    return dict(value or {})


def paths(name: str, value: Any) -> list[str]:
    """One path or several."""
    values = [value] if isinstance(value, (str, bytes, os.PathLike)) else value
    try:
        found = [os.fsdecode(each) for each in values]
    except TypeError:
        raise TypeError(f"`{name}` must be a path or a sequence of paths, got {type(value).__name__}") from None
    for each in found:
        if not each.strip() or "\0" in each:
            raise ValueError(f"`{name}` must not be empty or have null characters, got {each!r}")
    return found
