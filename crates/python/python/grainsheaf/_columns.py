"""Columns of data frames, and checks of the values in their rows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

# Characters of a value or path that a message shows.
MAX_SHOWN = 200


def column(df: Any, argument: str, name: str) -> list[Any]:
    """The values of a column that an argument names."""
    try:
        found = df[name]
    except Exception as error:
        raise ValueError(f"`{argument}`: the frame has no column `{name}`") from error
    for convert in ("to_pylist", "to_list", "tolist"):
        if hasattr(found, convert):
            return list(getattr(found, convert)())
    return list(found)


def check_lengths(columns: Mapping[tuple[str, str], list[Any]]) -> None:
    """Refuses columns of different lengths. Keys are the argument and the name of a column, paths first."""
    (_, first), paths = next(iter(columns.items()))
    for (argument, name), values in columns.items():
        if len(values) != len(paths):
            raise ValueError(
                f"`{argument}`: column `{name}` has {len(values)} values, but column `{first}` has {len(paths)};"
                " all columns must have one value per row"
            )


def run_name(value: object, row: int) -> str:
    """The name of the run that a row belongs to."""
    if is_absent(value):
        raise ValueError(f"`run`: row {row} has no value; name its run, or drop the row")
    if isinstance(value, (bytes, bytearray, memoryview)):
        raise TypeError(f"`run` must be a str or a number, got {type(value).__name__} in row {row}; decode it first")
    name = str(value)
    if not name.strip():
        raise ValueError(f"`run` must not be empty, got {name!r} in row {row}")
    return name


def path_names(value: object, separator: str, row: int) -> list[str]:
    """The names of a call path, the outermost first."""
    if isinstance(value, str):
        return value.split(separator)
    if isinstance(value, (bytes, bytearray, memoryview)):
        raise TypeError(f"`path` must be a str or names, got {type(value).__name__} in row {row}; decode it first")
    if not isinstance(value, Iterable):
        raise TypeError(f"`path` must be a str or names, got {type(value).__name__} in row {row}")
    names = list(value)
    if not names:
        raise ValueError(f"`path` has no names in row {row}")
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"`path` must be a str or names, got {type(name).__name__} as a name in row {row}")
    return names


def metric_value(value: Any, metric: str, run: str, path: list[str]) -> float:
    """A value of a metric: the import drops values that are not finite, and negative times."""
    number = float(value)
    if number != number or number in (float("inf"), float("-inf")):
        raise ValueError(f"`metric`: `{metric}` must be finite, got `{number}` {_place(run, path)}")
    if number < 0 and _is_called_time(metric):
        raise ValueError(f"`metric`: `{metric}` is a time and must not be negative, got `{number}` {_place(run, path)}")
    return number


def is_absent(value: Any) -> bool:
    # The types of pandas come first: `pandas.NA` compared with itself is neither true nor false.
    return value is None or type(value).__name__ in ("NAType", "NaTType") or bool(value != value)


def _is_called_time(metric: str) -> bool:
    """Whether the import takes the values as times; it has no unit to go by."""
    return not {"time", "duration"}.isdisjoint(re.split(r"[\W_]+", metric.lower()))


def _place(run: str, path: list[str]) -> str:
    return f"(run `{_shown(run)}`, path `{_shown(' / '.join(path))}`)"


def _shown(text: str) -> str:
    """A text for a message. The end of a path says more than its beginning."""
    return text if len(text) <= MAX_SHOWN else "…" + text[-MAX_SHOWN:]
