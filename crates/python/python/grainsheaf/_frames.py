"""Data frames and the objects of other tools, as ensembles and back."""

from __future__ import annotations

import copy
import json
import os
import shutil
import tempfile
import weakref
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from . import _arguments as check
from ._add import imported, report
from ._columns import check_lengths, column, is_absent, is_called_time, metric_value, opened, parameter, path_names, run_name
from ._ensemble import Ensemble
from ._source import LocalSource

if TYPE_CHECKING:
    import hatchet


def from_dataframe(
    df: Any,
    *,
    path: str = "path",
    metric: str | Iterable[str] = "time",
    run: str | None = None,
    params: str | Iterable[str] | None = None,
    separator: str = " / ",
    inclusive: bool = False,
    store: str | os.PathLike[str] | None = None,
) -> Ensemble:
    """Makes an ensemble of the rows of a data frame: each is a call path with values of metrics.

    `path` names the column of call paths: texts whose names are joined by `separator`, or sequences of names, the
    outermost first. `metric` names columns of numbers; values include callees if `inclusive` is set. `run` names the
    column that says which run a row is of; without it there is one run. `params` names columns that have one value
    per run. `df` is a frame of pandas, Polars or pyarrow, any other object with the Arrow C stream interface, such as
    an answer or a relation of DuckDB, or a dictionary of lists. Named levels of an index of pandas are columns too.

    Values of metrics must be finite. Those of metrics that are called `time` or `duration` must not be negative.
    Time deltas become nanoseconds.
    Values of metrics and parameters may be missing: None, NaN, NaT, null or `pandas.NA`. A run has the parameter if one
    of its rows has it.

    Without `store` the ensemble is in a temporary folder, which exists as long as the ensemble.
    """
    metrics = check.texts("metric", metric)
    if not metrics:
        raise ValueError("`metric` must name at least one column")
    parameters = [] if params is None else check.texts("params", params)
    named = [] if run is None else [check.text("run", run)]
    separator = check.separator("separator", separator)
    suffix = " (inc)" if check.truth("inclusive", inclusive) else ""
    wanted = [("path", check.text("path", path))]
    wanted += [("metric", name) for name in metrics]
    wanted += [("run", name) for name in named]
    wanted += [("params", name) for name in parameters]
    frame = opened(df)
    columns = {(argument, name): column(frame, argument, name) for argument, name in wanted}
    check_lengths(columns)
    paths = columns["path", path]
    trees: dict[str, _Trees] = {}
    params_of: dict[str, dict[str, bool | int | float | str]] = {}
    for row, value in enumerate(paths):
        of = run_name(columns["run", named[0]][row], row) if named else "dataframe"
        names = path_names(value, separator, row)
        node = trees.setdefault(of, _Trees()).node(names)
        for name in metrics:
            measured = columns["metric", name][row]
            if not is_absent(measured):
                node["metrics"][name + suffix] = metric_value(measured, name, of, names)
        for name in parameters:
            cell = columns["params", name][row]
            # A row without the value does not contradict the others of its run.
            if is_absent(cell):
                continue
            given = parameter(cell, name, of)
            if params_of.setdefault(of, {}).setdefault(name, given) != given:
                raise ValueError(f"`params`: run `{of}` has several values of `{name}`")
    if not trees:
        raise ValueError("`df` has no rows")
    with tempfile.TemporaryDirectory() as folder:
        sections = []
        for number, (of, tree) in enumerate(trees.items()):
            file = f"run-{number}.json"
            with open(os.path.join(folder, file), "w", encoding="utf-8") as out:
                out.writelines(tree.literal())
            sections.append(f"[[files]]\nmatch = {_toml(file)}\nname = {_toml(of)}\n")
            if of in params_of:
                lines = [f"{_toml(name)} = {_toml(value)}" for name, value in params_of[of].items()]
                sections.append("\n".join(["[files.params]", *lines, ""]))
        with open(os.path.join(folder, "grainsheaf.toml"), "w", encoding="utf-8") as out:
            out.write("\n".join(sections))
        return _added([folder], "df", len(trees), store)


def from_hatchet(graph_frame: hatchet.GraphFrame, *, name: str | None = None, store: str | os.PathLike[str] | None = None) -> Ensemble:
    """Makes an ensemble of one run of a `hatchet.GraphFrame`."""
    return _from_dump(graph_frame, "graph_frame", check.optional_text("name", name), store)


def from_thicket(thicket: Any, *, store: str | os.PathLike[str] | None = None) -> Ensemble:
    """Makes an ensemble of a `thicket.Thicket`: each profile is a run, and its metadata are parameters."""
    return _from_dump(thicket, "thicket", None, store)


def to_hatchet(ensemble: Ensemble, run: str) -> hatchet.GraphFrame:
    """A run as a `hatchet.GraphFrame`, with the metric of the ensemble's lens as `METRIC` and `METRIC (inc)`."""
    from ._answer import _needed

    hatchet = _needed("hatchet")
    names_of: dict[str, None] = {}
    contexts = ensemble.where(f"run = {json.dumps(ensemble.info(run).run)}").by().level("context").below(0.0)
    rows: dict[tuple[str, ...], dict[str, float | None]] = {}
    for scope in ("exclusive", "inclusive"):
        answer = contexts.scope(scope).stats().json()
        for row in answer["rows"]:
            metric = row["metric"] + (" (inc)" if scope == "inclusive" else "")
            names_of.setdefault(metric)
            # Hatchet refuses nodes without a name.
            values = rows.setdefault(tuple(name or "(no name)" for name in row["path"]), {})
            known, value = values.get(metric), row.get("mean")
            # Contexts of one name below one context are one node: it has the values of all of them.
            values[metric] = value if known is None else known if value is None else known + value
    trees = _Trees()
    for names, metrics in sorted(rows.items(), key=lambda item: len(item[0])):
        trees.node(names)["metrics"] = {name: value for name, value in metrics.items() if value is not None}
    frame = hatchet.GraphFrame.from_literal(trees.roots)
    found = [name for name in names_of if name in frame.dataframe.columns]
    frame.exc_metrics = [name for name in found if not name.endswith(" (inc)")]
    frame.inc_metrics = [name for name in found if name.endswith(" (inc)")]
    frame.default_metric = next(iter(frame.exc_metrics or frame.inc_metrics), frame.default_metric)
    return frame


def _from_dump(frame: Any, argument: str, name: str | None, store: str | os.PathLike[str] | None) -> Ensemble:
    if not hasattr(frame, "to_json") or not hasattr(frame, "graph"):
        raise TypeError(f"`{argument}` must be an object of Hatchet or Thicket, got {type(frame).__name__}")
    _refuse_negative_times(frame, argument)
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, f"{argument}.json")
        try:
            text = _with_plain_metadata(_with_known_kinds(frame)).to_json()
            text = text if isinstance(text, str) else json.dumps(text)
        except TypeError as error:
            raise TypeError(f"`{argument}` cannot be written as JSON: {error}") from None
        with open(file, "w", encoding="utf-8") as out:
            out.write(text)
        return _added([file], argument, len(getattr(frame, "profile", [None])), store, name)


def _refuse_negative_times(frame: Any, argument: str) -> None:
    """Fails for times below zero, such as those of differences: the import would drop them."""
    table = getattr(frame, "dataframe", None)
    for name in [*getattr(frame, "exc_metrics", []), *getattr(frame, "inc_metrics", [])]:
        if table is None or not is_called_time(str(name)) or name not in table:
            continue
        least = table[name].min()
        if least < 0:
            raise ValueError(f"`{argument}`: `{name}` is a time and must not be negative, got `{least}`")


def _with_plain_metadata(frame: Any) -> Any:
    """The frame, or a shallow copy in whose metadata dates and durations are texts."""
    metadata = getattr(frame, "metadata", None)
    kinds = getattr(metadata, "dtypes", None)
    dates = [] if metadata is None or kinds is None else [name for name, kind in kinds.items() if kind.kind in "mM"]
    if metadata is None or not dates:
        return frame
    made = copy.copy(frame)
    made.metadata = metadata.astype(dict.fromkeys(dates, str))
    return made


# Inclusive metrics of Caliper's `spot` profiles, by the name that it shows. Hatchet and Thicket list them as exclusive.
# Names do not show it: Caliper's `runtime-report` has exclusive times under the same names.
_SPOT_TIMES = {
    "Min time/rank": "min#inclusive#sum#time.duration",
    "Max time/rank": "max#inclusive#sum#time.duration",
    "Avg time/rank": "avg#inclusive#sum#time.duration",
    "Total time": "sum#inclusive#sum#time.duration",
}


def _with_known_kinds(frame: Any) -> Any:
    """The frame, or a shallow copy that lists its metrics by what is known of them.

    Times that the metadata states to be inclusive are inclusive. Copies of columns of the metadata are not metrics.
    """
    inclusive, exclusive = list(getattr(frame, "inc_metrics", [])), list(getattr(frame, "exc_metrics", []))
    metadata = getattr(frame, "metadata", {})
    spot = _texts_of(metadata, "spot.metrics")
    known = {name for name, source in _SPOT_TIMES.items() if spot and all(source in text.split(",") for text in spot)}
    copied = {name for name in inclusive + exclusive if _is_copy_of_metadata(frame, name)}
    listed_inclusive = [name for name in inclusive if name not in copied]
    listed_inclusive += [name for name in exclusive if name in known and name not in inclusive]
    listed_exclusive = [name for name in exclusive if name not in known and name not in copied]
    # A dump without listed metrics has all its columns as metrics.
    if (listed_inclusive, listed_exclusive) == (inclusive, exclusive) or not listed_inclusive + listed_exclusive:
        return frame
    made = copy.copy(frame)
    made.inc_metrics, made.exc_metrics = listed_inclusive, listed_exclusive
    return made


def _texts_of(metadata: Any, name: str) -> list[str]:
    """The values of a field of the metadata: one of a graph frame, and one for each profile of a thicket."""
    if name not in metadata:
        return []
    values = metadata[name]
    return [str(value) for value in (values.tolist() if hasattr(values, "tolist") else [values])]


def _is_copy_of_metadata(frame: Any, name: Any) -> bool:
    """Whether a metric of a thicket has, in all nodes, the value of the metadata of the profile."""
    metadata: Any = getattr(frame, "metadata", None)
    key = getattr(frame, "profile_idx_name", None)
    # Graph frames have no table of metadata.
    if key is None or name not in metadata or metadata.index.names != [key] or not metadata.index.is_unique:
        return False
    values = frame.dataframe[name].dropna()
    described = metadata[name].reindex(values.index.get_level_values(key))
    return len(values) > 0 and bool((described.to_numpy() == values.to_numpy()).all())


# A node of Hatchet's literals: `frame`, `metrics` and `children`.
_Tree = dict[str, Any]


class _Trees:
    """Trees in the form of Hatchet's literals."""

    def __init__(self) -> None:
        self.roots: list[_Tree] = []
        # The first node of each name, by the identity of its parent.
        self._first: dict[tuple[int, str], _Tree] = {}

    def node(self, names: Sequence[str]) -> _Tree:
        """The node of a path that has no values yet; nodes on the way are made."""
        parent: _Tree | None = None
        for name in names[:-1]:
            parent = self._first.get((id(parent), name)) or self._new(parent, name)
        # A path that is there twice is two nodes of one name, whose values the reader adds.
        found = self._first.get((id(parent), names[-1]))
        return found if found is not None and not found["metrics"] else self._new(parent, names[-1])

    def literal(self) -> Iterator[str]:
        """The parts of the JSON text. `json` itself is recursive, and call paths may be deeper than Python's stack."""
        levels = [iter(self.roots)]
        separator = "["
        while levels:
            node = next(levels[-1], None)
            if node is None:
                levels.pop()
                yield "]}" if levels else "]"
                separator = ","
                continue
            yield separator + json.dumps({"frame": node["frame"], "metrics": node["metrics"]})[:-1]
            if "children" in node:
                yield ', "children": '
                levels.append(iter(node["children"]))
                separator = "["
            else:
                yield "}"
                separator = ","

    def _new(self, parent: _Tree | None, name: str) -> _Tree:
        node: _Tree = {"frame": {"name": name, "type": "function"}, "metrics": {}}
        level = self.roots if parent is None else parent.setdefault("children", [])
        level.append(node)
        self._first.setdefault((id(parent), name), node)
        return node


def _added(
    paths: list[str], argument: str, runs: int, store: str | os.PathLike[str] | None, name: str | None = None
) -> Ensemble:
    """The ensemble of files that should be so many runs."""
    if store is not None:
        made, files = imported(paths, None, store, name, None, False)
    else:
        folder = tempfile.mkdtemp(prefix="grainsheaf-")
        made, files = imported(paths, None, os.path.join(folder, "store"), name, None, False)
        assert isinstance(made._source, LocalSource)
        # Ensembles and answers that are made of this one hold the source, and so the folder.
        weakref.finalize(made._source, _remove, folder, os.getpid())
    report(files)
    known = {run for file in files if file["status"] == "added" for run in file["runs"]}
    if len(known) < runs:
        import warnings

        message = f"`{argument}`: {runs - len(known)} of {runs} runs have the same values as others, and are left out"
        warnings.warn(f"{message}: a store has equal measurements once", stacklevel=3 if argument == "df" else 4)
    return made


def _remove(folder: str, process: int) -> None:
    """Removes a temporary folder, but not in a process that was forked from the one that made it."""
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)


def _toml(value: bool | int | float | str) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
