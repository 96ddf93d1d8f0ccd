"""Columns of data frames, and checks of the values in their rows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Set
from datetime import timedelta
from typing import Any

from ._errors import GrainsheafError

# Characters of a value or path that a message shows.
MAX_SHOWN = 200

# Columns that a message lists.
MAX_LISTED = 20

# Largest integer up to which the import takes all integers: parameters are floats of 64 bits.
MAX_EXACT = 1 << 53


def opened(df: Any) -> Any:
    """A frame that has its columns by name. Lazy frames are collected, and Arrow streams are read."""
    # Attributes are those of the type: an answer computes its own when they are asked for.
    kind = type(df)
    if hasattr(kind, "collect") and hasattr(kind, "collect_schema"):
        return opened(df.collect())
    is_stream = hasattr(kind, "__arrow_c_stream__") or hasattr(kind, "__arrow_c_array__")
    if is_stream and not hasattr(kind, "to_dict") and not hasattr(kind, "to_pydict"):
        return _table_of_stream(df)
    is_structured = hasattr(kind, "dtype") and getattr(df.dtype, "names", None) is not None
    if isinstance(df, Mapping) or hasattr(kind, "columns") or is_structured:
        return df
    raise _not_a_frame(df)


def column(frame: Any, argument: str, name: str) -> list[Any]:
    """The values of a column of an opened frame, or of a level of its index. `argument` is the one that names it."""
    names = _column_names(frame)
    if names.count(name) > 1:
        raise ValueError(f"`{argument}`: the frame has {names.count(name)} columns `{name}`; rename them")
    levels = list(getattr(getattr(frame, "index", None), "names", []))
    if name in names:
        found = frame[name]
    elif levels.count(name) == 1:
        found = frame.index.get_level_values(name)
    else:
        listed = ", ".join(f"`{each}`" for each in names[:MAX_LISTED]) or "none"
        more = f" and {len(names) - MAX_LISTED} more" if len(names) > MAX_LISTED else ""
        raise ValueError(f"`{argument}`: the frame has no column `{name}`; available: {listed}{more}")
    if isinstance(found, (str, bytes, Mapping, Set)) or not isinstance(found, Iterable):
        raise TypeError(f"`{argument}`: column `{name}` must be a sequence of values, got {type(found).__name__}")
    try:
        return _values(found)
    except (TypeError, ValueError) as error:
        raise ValueError(f"`{argument}`: column `{name}` cannot be read: {error}") from error


def _table_of_stream(df: Any) -> Any:
    from ._answer import _needed

    pyarrow = _needed("pyarrow")
    convert = pyarrow.table if hasattr(df, "__arrow_c_stream__") else pyarrow.record_batch
    try:
        return convert(df)
    except GrainsheafError:
        raise
    except (TypeError, ValueError) as error:
        raise TypeError(f"{_not_a_frame(df)}: {error}") from error


def _not_a_frame(df: object) -> TypeError:
    got = "None" if df is None else type(df).__name__
    return TypeError(f"`df` must be a data frame, a table of Arrow or a mapping of columns, got {got}")


def _column_names(frame: Any) -> list[Any]:
    if isinstance(frame, Mapping):
        return list(frame)
    # Frames of pandas have their columns as attributes, under any name.
    kind = type(frame)
    if hasattr(kind, "dtype"):
        return list(frame.dtype.names)
    return list(frame.column_names if hasattr(kind, "column_names") else frame.columns)


def _values(found: Any) -> list[Any]:
    kind = str(getattr(found, "dtype", ""))
    if kind.startswith("Duration"):
        # Polars has no element for a time delta that is not a multiple of a microsecond.
        return list(found.dt.total_nanoseconds())
    if kind.startswith(("datetime64", "timedelta64")) and type(found).__name__ == "ndarray":
        # NumPy's own lists have integers, without their unit.
        return list(found)
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
    number = _number(value)
    if number is None:
        raise TypeError(
            f"`metric`: `{metric}` must be a number or a time delta, got {type(value).__name__}"
            f" `{_shown(str(value))}` {_place(run, path)}; convert the column to numbers"
        )
    if number != number or number in (float("inf"), float("-inf")):
        raise ValueError(f"`metric`: `{metric}` must be finite, got `{number}` {_place(run, path)}")
    if number < 0 and is_called_time(metric):
        raise ValueError(f"`metric`: `{metric}` is a time and must not be negative, got `{number}` {_place(run, path)}")
    return number


def parameter(value: Any, name: str, run: str) -> bool | int | float | str:
    """A value of a parameter. Whatever is not a number is a text."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        raise TypeError(f"`params`: `{name}` is {type(value).__name__} in run `{run}`; decode it first")
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        if abs(value) > MAX_EXACT:
            raise ValueError(
                f"`params`: `{name}` must not exceed {MAX_EXACT}, got `{_shown(str(value))}` in run `{run}`;"
                " larger integers are not exact: convert the column to str"
            )
        return int(value)
    if isinstance(value, float):
        if value in (float("inf"), float("-inf")):
            raise ValueError(f"`params`: `{name}` must be finite, got `{value}` in run `{run}`; convert the column to str")
        return float(value)
    # The items of NumPy's points in time are integers, without their unit.
    if hasattr(value, "item") and type(value).__name__ not in ("datetime64", "timedelta64"):
        return parameter(value.item(), name, run)
    return str(value)


def is_absent(value: Any) -> bool:
    # The types of pandas come first: `pandas.NA` compared with itself is neither true nor false.
    return value is None or type(value).__name__ in ("NAType", "NaTType") or bool(value != value)


def _number(value: Any) -> float | None:
    """A number as a float, and a time delta in nanoseconds."""
    if isinstance(value, timedelta):
        micros = (value.days * 86_400 + value.seconds) * 1_000_000 + value.microseconds
        # The time deltas of pandas have nanoseconds too.
        return float(micros * 1_000 + getattr(value, "nanoseconds", 0))
    if type(value).__name__ == "timedelta64":
        return float(value.astype("timedelta64[ns]").astype(int))
    if isinstance(value, (str, bytes, bytearray)):
        return None
    try:
        return float(value)
    except OverflowError:
        return float("inf")
    except (TypeError, ValueError):
        return None


def is_called_time(metric: str) -> bool:
    """Whether the import takes the values as times; it has no unit to go by."""
    return not {"time", "duration"}.isdisjoint(re.split(r"[\W_]+", metric.lower()))


def _place(run: str, path: list[str]) -> str:
    return f"(run `{_shown(run)}`, path `{_shown(' / '.join(path))}`)"


def _shown(text: str) -> str:
    """A text for a message. The end of a path says more than its beginning."""
    return text if len(text) <= MAX_SHOWN else "…" + text[-MAX_SHOWN:]
