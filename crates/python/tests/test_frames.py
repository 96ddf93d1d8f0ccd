"""Data frames out and in: what is copied, and what arrives."""

import ast
import re
import time

import duckdb
import grainsheaf as gs
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import ENSEMBLES, ROOT
from grainsheaf import _grainsheaf

ROWS = 1_000_000


def addresses(column):
    return [buffer.address for chunk in column.chunks for buffer in chunk.buffers() if buffer is not None]


@pytest.fixture(scope="module")
def million():
    """A table of a million rows, as a service sends it."""
    table = pa.table({"time_ns": pa.array(range(ROWS), pa.int64()), "share": pa.array([0.5] * ROWS, pa.float64())})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    body = sink.getvalue().to_pybytes()
    return _grainsheaf.Reply(200, "application/vnd.apache.arrow.stream", None, body).batches()


def test_a_million_rows_are_not_copied(million):
    first, second = pa.table(million), pa.table(million)
    assert first.num_rows == ROWS
    for name in first.column_names:
        assert addresses(first[name]) == addresses(second[name]) != []
    frame = first.to_pandas(split_blocks=True, zero_copy_only=True)
    assert frame["share"].to_numpy().__array_interface__["data"][0] == first["share"].chunks[0].buffers()[1].address


def test_a_million_rows_reach_every_frame_fast(million):
    def fastest(convert):
        times = []
        for _ in range(5):
            begun = time.perf_counter()
            assert convert() == ROWS
            times.append(time.perf_counter() - begun)
        return min(times)

    assert fastest(lambda: len(pa.table(million).to_pandas())) < 0.05
    assert fastest(lambda: len(pl.DataFrame(million))) < 0.05
    assert fastest(lambda: num_rows_in_duckdb(million)) < 0.05


def num_rows_in_duckdb(table):
    rows = pa.table(table)
    return duckdb.sql("select count(*), sum(share) from rows").fetchall()[0][0]


def test_polars_takes_the_memory_that_is_there(million):
    series = pl.DataFrame(million)["time_ns"]
    theirs = [series.to_arrow().buffers()[1].address]
    ours = [chunk.buffers()[1].address for chunk in pa.table(million)["time_ns"].chunks]
    assert theirs == ours


def test_duckdb_reads_the_memory_that_is_there(million):
    """It has no addresses to compare: a table that it had copied would be in its own memory."""
    database = duckdb.connect()
    rows = pa.table(million)  # noqa: F841 the query names it
    found = database.execute("select count(*), sum(share), max(time_ns) from rows").fetchall()
    assert found == [(ROWS, ROWS / 2, ROWS - 1)]
    used = database.execute("select sum(memory_usage_bytes) from duckdb_memory() where tag <> 'ALLOCATOR'").fetchone()[0]
    assert used < ROWS


def test_libraries_take_answers(threads):
    answer = threads.by("threads").stats()
    assert pa.table(answer).equals(answer.to_arrow())
    assert pl.DataFrame(answer).equals(answer.to_polars())
    assert len(answer.to_pandas()) == len(answer)
    assert duckdb.sql("select count(*) from answer").fetchall()[0][0] == len(answer)
    assert answer.to_arrow().schema == pa.schema(answer)


def test_examples_of_other_libraries_run(threads):
    import matplotlib

    matplotlib.use("agg")
    guide = (ROOT / "docs/python.md").read_text(encoding="utf-8")
    _, section = guide.split("### Other libraries\n")
    examples = re.findall(r"```python\n(.*?)```", section.split("\n## ")[0], re.DOTALL)
    assert len(examples) == 3
    names = {"runs": threads}
    for example in examples:
        *steps, last = ast.parse(example).body
        exec(compile(ast.Module(steps, []), "python.md", "exec"), names)  # noqa: S102 the guide is part of the project
        shown = eval(compile(ast.Expression(last.value), "python.md", "eval"), names)  # noqa: S307
        assert shown is not None
        if hasattr(shown, "to_dict"):
            # Altair compares it with the schema of Vega-Lite.
            assert len(next(iter(shown.to_dict()["datasets"].values()))) > 8


def test_pages_are_one_table(threads, monkeypatch):
    from grainsheaf import _answer

    run = threads.runs().runs[0]["run"]
    whole = threads.grains(run)
    monkeypatch.setattr(_answer, "PAGE", 100)
    paged = threads.grains(run)
    assert len(paged) == len(whole) > 500
    assert paged.json()["rows"] == whole.json()["rows"]
    assert paged.to_arrow().equals(whole.to_arrow().cast(paged.to_arrow().schema))


FRAME = {
    "path": ["main", "main / work", "main / work / inner", "main", "main / work"],
    "time": [1.0, 2.0, 4.0, 8.0, 16.0],
    "run": ["a", "a", "a", "b", "b"],
    "threads": [1, 1, 1, 2, 2],
}


@pytest.mark.parametrize("make", [dict, pd.DataFrame, pl.DataFrame, pa.table])
def test_frames_become_ensembles(make):
    made = gs.from_dataframe(make(FRAME), metric="time", run="run", params="threads")
    assert [(run["name"], run["params"]["threads"]) for run in made.runs().runs] == [("a", 1), ("b", 2)]
    rows = made.by("threads").scope("inclusive").below(0.0).stats("time").json()["rows"]
    found = {(row["cohort"]["threads"], row["path"][-1]): row.get("mean") for row in rows}
    assert found[1, "main"] == 7 and found[1, "inner"] == 4 and found[2, "work"] == 16


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ([1.0, float("nan")], 1),
        ([1, None], 1),
        (pd.array([1, pd.NA], dtype="Int64"), 1),
        (pd.array(["x", pd.NA], dtype="string"), "x"),
        (pd.to_datetime(["2024-05-01", None]), "2024-05-01 00:00:00"),
        (pl.Series([1, None]), 1),
        (pa.array([1, None]), 1),
    ],
)
def test_a_run_without_a_value_lacks_the_parameter(column, value):
    made = gs.from_dataframe({"path": ["a", "a"], "time": [1.0, 2.0], "r": ["x", "y"], "p": column}, run="r", params="p")
    assert [run["params"].get("p") for run in made.runs().runs] == [value, None]


def test_a_parameter_may_be_missing_in_some_rows_of_a_run():
    frame = {"path": ["a", "b", "c"], "time": [1.0, 2.0, 3.0], "p": [None, 4, float("nan")]}
    assert gs.from_dataframe(frame, params="p").runs().runs[0]["params"] == {"p": 4}


@pytest.mark.parametrize(
    "column",
    [
        [1.0, None],
        [1.0, float("nan")],
        pd.array([1, pd.NA], dtype="Int64"),
        pl.Series([1, None]),
        pd.Series([1.0, pd.NA], dtype=object),
    ],
)
def test_a_missing_value_of_a_metric_is_absent(column):
    made = gs.from_dataframe({"path": ["a", "b"], "time": column})
    rows = made.level("context").scope("exclusive").below(0.0).stats("time").rows
    assert {row["path"][0]: row.get("mean") for row in rows} == {"a": 1.0, "b": None}


def refusal(frame, **arguments):
    with pytest.raises((TypeError, ValueError)) as raised:
        gs.from_dataframe(frame, **arguments)
    return f"{raised.type.__name__}: {raised.value}"


@pytest.mark.parametrize("value", [float("inf"), float("-inf"), -3.0])
def test_values_that_the_import_drops_are_refused(value):
    frame = {"path": ["a / b", "a"], "time": [1.0, value], "r": ["x", "y"]}
    message = refusal(frame, run="r")
    for part in ("ValueError: `metric`: `time`", f"got `{value}`", "run `y`", "path `a`"):
        assert part in message
    assert "`metric`" in refusal({**frame, "wall_duration": [1.0, value]}, metric=["time", "wall_duration"])


def test_negative_values_of_what_is_not_a_time_are_kept():
    made = gs.from_dataframe({"path": ["a"], "change": [-3.0]}, metric="change")
    assert made.stats("change").rows[0]["mean"] == -3.0
    assert "`change` must be finite" in refusal({"path": ["a"], "change": [float("inf")]}, metric="change")


@pytest.mark.parametrize("value", [None, float("nan"), pd.NA, pd.NaT, "", b"x"])
def test_rows_without_a_run_are_refused(value):
    frame = {"path": ["a", "b"], "time": [1.0, 2.0], "r": ["x", value]}
    message = refusal(frame, run="r")
    assert "`run`" in message and "row 1" in message


def test_columns_of_different_lengths_are_refused():
    frame = {"path": ["a"], "time": [1.0], "r": ["x"], "p": [1]}
    for argument, name in [("metric", "time"), ("run", "r"), ("params", "p")]:
        for values in ([], frame[name] * 2):
            message = refusal({**frame, name: values}, run="r", params="p")
            assert message.startswith(f"ValueError: `{argument}`: column `{name}` has {len(values)} values")


@pytest.mark.parametrize("value", [b"main", bytearray(b"main"), [b"main"], ["main", None], None, float("nan")])
def test_paths_are_texts_or_sequences_of_texts(value):
    message = refusal({"path": ["main", value], "time": [1.0, 2.0]})
    assert message.startswith("TypeError: `path`") and "row 1" in message


@pytest.mark.parametrize("value", ["yes", 1, None])
def test_inclusive_is_a_bool(value):
    assert refusal(FRAME, inclusive=value).startswith("TypeError: `inclusive` must be a bool")


def means(made, metric="time"):
    rows = made.level("context").scope("exclusive").below(0.0).stats(metric).rows
    return {" / ".join(row["path"]): row["mean"] for row in rows if "mean" in row}


SMALL = {"path": ["a / b", "a"], "time": [1.0, 2.0]}
FRAMES = {
    "lazy frame": lambda: pl.LazyFrame(SMALL),
    "record batch": lambda: pa.table(SMALL).to_batches()[0],
    "reader": lambda: pa.table(SMALL).to_reader(),
    "relation": lambda: duckdb.from_arrow(pa.table(SMALL)),
    "index": lambda: pd.DataFrame(SMALL).set_index("path"),
    "levels": lambda: pd.DataFrame(SMALL).set_index(["path", "time"]),
    "columns of any name": lambda: pd.DataFrame({**SMALL, "dtype": [1, 2], "column_names": [3, 4]}),
}


@pytest.mark.parametrize("form", FRAMES)
def test_every_form_of_a_frame_is_taken(form):
    assert means(gs.from_dataframe(FRAMES[form]())) == {"a / b": 1.0, "a": 2.0}


def test_an_answer_is_a_frame(threads):
    made = gs.from_dataframe(threads.runs(), path="name", metric="contexts", run="run")
    assert len(made.runs()) == len(threads.runs())


@pytest.mark.parametrize("frame", [None, "text", 3, [SMALL], pl.Series([1]), pd.Series([1], name="path"), pa.chunked_array([[1]])])
def test_other_objects_are_no_frames(frame):
    message = refusal(frame)
    assert message.startswith("TypeError: `df` must be a data frame") and type(frame).__name__.removesuffix("Type") in message


def test_columns_that_cannot_be_taken_are_named():
    frame = pd.DataFrame(SMALL)
    assert refusal(frame, metric="nope") == "ValueError: `metric`: the frame has no column `nope`; available: `path`, `time`"
    assert "`metric`: the frame has 2 columns `time`" in refusal(pd.concat([frame, frame["time"]], axis=1))
    assert refusal({**SMALL, "path": "a"}).startswith("TypeError: `path`: column `path` must be a sequence")


@pytest.mark.parametrize(
    "values",
    [
        [pd.Timedelta("1.000000005s")],
        pd.Series([pd.Timedelta("1.000000005s")]),
        pl.Series([1_000_000_005], dtype=pl.Duration("ns")),
        pa.array([1_000_000_005], pa.duration("ns")),
        np.array([1_000_000_005], "timedelta64[ns]"),
    ],
)
def test_time_deltas_are_nanoseconds(values):
    assert means(gs.from_dataframe({"path": ["a"], "time": values})) == {"a": 1_000_000_005.0}


@pytest.mark.parametrize("value", ["x", "1.5", b"x", 1j, [1], pd.Timestamp("2024-05-01")])
def test_values_that_are_not_numbers_are_refused(value):
    message = refusal({"path": ["a"], "time": [value], "r": ["x"]}, run="r")
    for part in ("TypeError: `metric`: `time` must be a number", str(value), "run `x`", "path `a`", "convert the column"):
        assert part in message


@pytest.mark.parametrize("value", [2**53 + 1, -(2**60), 10**30, float("inf"), b"x"])
def test_parameters_that_are_not_exact_are_refused(value):
    message = refusal({"path": ["a"], "time": [1.0], "r": ["x"], "p": [value]}, run="r", params="p")
    for part in ("`params`: `p`", "run `x`", "decode it" if value == b"x" else "convert the column to str"):
        assert part in message
    assert "/tmp" not in message and "line" not in message


def test_parameters_of_numpy_are_taken():
    frame = {"path": ["a"], "time": [1.0], "f": [np.float64(1.5)], "b": [np.bool_(True)], "i": [np.int64(2**53)]}
    params = gs.from_dataframe(frame, params=["f", "b", "i"]).runs().runs[0]["params"]
    assert params == {"f": 1.5, "b": True, "i": 2**53}


def test_wrong_arguments_are_named():
    for wanted, arguments in [
        ("ValueError: `separator` must not be empty", {"separator": ""}),
        ("TypeError: `separator` must be a str", {"separator": 3}),
        ("ValueError: `metric` must name", {"metric": []}),
    ]:
        assert refusal(SMALL, **arguments).startswith(wanted)
    assert means(gs.from_dataframe({"path": ["a b"], "time": [1.0]}, separator=" ")) == {"a / b": 1.0}


@pytest.mark.parametrize("form", [list, " / ".join])
def test_paths_may_be_deep(form):
    names = [f"f{number}" for number in range(10_000)]
    made = gs.from_dataframe({"path": [form(names), form(names[:5_000])], "time": [1.0, 2.0]})
    assert made.runs().runs[0]["contexts"] == 10_000
    assert len(refusal({"path": [form(names)], "time": [-1.0]})) < 500


def test_wrong_frames_are_named():
    for wanted, arguments in [
        ("metric", {"metric": "nope"}),
        ("path", {"path": "nope"}),
        ("run", {"run": "nope"}),
        ("params", {"run": "run", "params": "time"}),
    ]:
        with pytest.raises(ValueError, match=f"`{wanted}`"):
            gs.from_dataframe(FRAME, **arguments)
    with pytest.raises(TypeError, match="`graph_frame`"):
        gs.from_hatchet(4)


def test_files_are_added(tmp_path):
    steps = []
    sample = ENSEMBLES.parent / "samples"
    files = sorted(sample.glob("**/*.cali"))[:2]
    assert files
    added = gs.add(files, store=tmp_path / "store", params={"side": "a"}, progress=lambda *step: steps.append(step))
    assert {run["params"]["side"] for run in added.runs().runs} == {"a"}
    assert steps and all(isinstance(name, str) for name, _, _ in steps)
    with pytest.raises(gs.GrainsheafError, match="refused"):
        gs.add(__file__, store=tmp_path / "store")
    with pytest.raises(TypeError, match="`params"):
        gs.add(files, store=tmp_path / "store", params={"side": []})

    def fail(*_):
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        gs.add(files, store=tmp_path / "other", progress=fail)


def test_graph_frames_go_both_ways():
    import hatchet

    literal = [
        {
            "frame": {"name": "main", "type": "function"},
            "metrics": {"time": 1.0, "time (inc)": 6.0},
            "children": [{"frame": {"name": "work", "type": "function"}, "metrics": {"time": 5.0, "time (inc)": 5.0}}],
        }
    ]
    made = gs.from_hatchet(hatchet.GraphFrame.from_literal(literal), name="one")
    run = made.runs().runs[0]
    assert run["name"] == "one"
    back = made.metric("time").to_hatchet(run["run"])
    frame = back.dataframe.reset_index(drop=True).sort_values("name")
    assert frame["name"].tolist() == ["main", "work"]
    metrics = [name for name in frame.columns if name != "name"]
    assert sorted(frame[name].tolist() for name in metrics) == [[1.0, 5.0], [6.0, 5.0]]


def test_a_thicket_becomes_one_run_per_profile():
    import thicket

    def profile(time):
        frame = {"name": "main", "type": "function"}
        below = {"frame": {"name": "work", "type": "function"}, "metrics": {"time": time, "time (inc)": time}}
        return thicket.Thicket.from_literal(
            [{"frame": frame, "metrics": {"time": 1.0, "time (inc)": time + 1.0}, "children": [below]}]
        )

    both = thicket.Thicket.concat_thickets([profile(5.0), profile(7.0)])
    made = gs.from_thicket(both)
    assert len(made.runs()) == 2
    rows = made.level("context").metric("time").scope("exclusive").stats().rows
    assert sorted((row["path"][-1], row["min"], row["max"]) for row in rows) == [("main", 1.0, 1.0), ("work", 5.0, 7.0)]


def profiles(spot, time="Total time"):
    """A thicket as that of Caliper's profiles: inclusive times that are listed as exclusive."""
    import thicket

    def node(name, value, *children):
        return {"frame": {"name": name, "type": "function"}, "metrics": {time: value, "Reps": 3.0}, "children": [*children]}

    def profile(value):
        return thicket.Thicket.from_literal([node("main", 1.0 + value, node("work", value))])

    both = thicket.Thicket.concat_thickets([profile(5.0), profile(7.0)])
    both.exc_metrics, both.inc_metrics = [time, "Reps"], []
    both.metadata = pd.DataFrame({"spot.metrics": spot}, index=pd.Index(both.profile, name="profile"))
    return both


def kinds(made):
    return {metric["source"]: metric["kind"] for metric in made.runs().json()["metrics"]}


def test_times_of_a_thicket_are_inclusive_if_its_metadata_states_it():
    both = profiles("min#min#aggregate.slot,sum#inclusive#sum#time.duration")
    made = gs.from_thicket(both)
    assert kinds(made) == {"Total time": "inclusive", "Reps": "additive"}
    assert both.exc_metrics == ["Total time", "Reps"], "the thicket itself is not changed"
    rows = made.level("context").metric("total_time").scope("exclusive").below(0.0).stats().rows
    assert {row["path"][-1]: (row["min"], row["max"]) for row in rows} == {"main": (1.0, 1.0), "work": (5.0, 7.0)}
    assert kinds(gs.from_thicket(profiles("sum#sum#time.duration")))["Total time"] == "additive"


def test_copies_of_metadata_are_not_metrics():
    both = profiles("sum#inclusive#sum#time.duration")
    both.metadata["Reps"] = 3.0
    assert "Reps" not in kinds(gs.from_thicket(both))
    assert gs.from_thicket(both).runs().runs[0]["params"]["Reps"] == 3
    both.metadata["Reps"] = 4.0
    assert kinds(gs.from_thicket(both))["Reps"] == "additive", "another value is not a copy"


def test_times_of_a_graph_frame_are_inclusive_if_its_metadata_states_it():
    import hatchet

    work = {"frame": {"name": "work", "type": "function"}, "metrics": {"Avg time/rank": 5.0}}
    main = {"frame": {"name": "main", "type": "function"}, "metrics": {"Avg time/rank": 6.0}, "children": [work]}
    graph_frame = hatchet.GraphFrame.from_literal([main])
    graph_frame.exc_metrics, graph_frame.inc_metrics = ["Avg time/rank"], []
    assert kinds(gs.from_hatchet(graph_frame)) == {"Avg time/rank": "additive"}
    graph_frame.metadata = {"spot.metrics": "avg#inclusive#sum#time.duration"}
    assert kinds(gs.from_hatchet(graph_frame)) == {"Avg time/rank": "inclusive"}
