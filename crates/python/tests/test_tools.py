"""Objects of other tools: nothing of them is lost without a word."""

import copy
import os
import warnings

import grainsheaf as gs
import pandas as pd
import pytest
from conftest import ENSEMBLES, ROOT

hatchet = pytest.importorskip("hatchet")
SAMPLES = ROOT / "data" / "samples"


def graph_frame(**times):
    root = {"frame": {"name": "main"}, "metrics": {"time": 1.0, "time (inc)": 3.0}}
    root["children"] = [{"frame": {"name": "a"}, "metrics": {"time": times.get("a", 2.0), "time (inc)": 2.0}}]
    return hatchet.GraphFrame.from_literal([root])


def test_runs_with_equal_values_are_reported():
    frame = {"path": ["main"] * 3, "visits": [10, 10, 20], "run": ["r1", "r2", "r3"]}
    with pytest.warns(UserWarning, match="`df`: 1 of 3 runs have the same values as others"):
        assert len(gs.from_dataframe(frame, metric="visits", run="run").runs()) == 2
    frame["visits"] = [10, 11, 20]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(gs.from_dataframe(frame, metric="visits", run="run").runs()) == 3


def test_the_second_equal_run_of_a_store_is_reported(tmp_path):
    gs.from_hatchet(graph_frame(), name="one", store=tmp_path / "store")
    with pytest.warns(UserWarning, match="`graph_frame`: 1 of 1 runs have the same values"):
        both = gs.from_hatchet(graph_frame(), name="two", store=tmp_path / "store")
    assert [run["name"] for run in both.runs().runs] == ["one"]


@pytest.mark.parametrize("sample", ["tau/run", "gprof2dot/callgrind.dot", "cprofile/profile.pstats"])
def test_contexts_of_one_name_are_one_node_with_the_values_of_all(sample, tmp_path):
    runs = gs.add(SAMPLES / sample, store=tmp_path / "store", progress=False)
    run = runs.runs().runs[0]["name"]
    exclusive = runs.level("context").below(0.0).scope("exclusive").stats().rows
    frame = runs.to_hatchet(run)
    metric = frame.default_metric
    expected = sum(row.get("mean") or 0.0 for row in exclusive if row["metric"] == metric)
    assert frame.dataframe[metric].sum() == pytest.approx(expected, rel=1e-12)
    assert frame.exc_metrics == [metric]
    # The defaults of Hatchet name columns that are there.
    assert frame.tree()


def test_recorded_runs_have_a_default_metric():
    frame = gs.open(ENSEMBLES / "threads").to_hatchet("sort-t8-r1")
    assert (frame.default_metric, frame.inc_metrics) == ("work_ns", ["work_ns (inc)"])
    assert "sort_range" in frame.tree()


def test_names_may_be_empty(tmp_path):
    runs = gs.add(SAMPLES / "caliper-json" / "ranks.json", store=tmp_path / "store", progress=False)
    assert len(runs.to_hatchet(runs.runs().runs[0]["name"]).dataframe) > 0


def test_negative_times_are_refused():
    with pytest.raises(ValueError, match="`graph_frame`: `time` is a time and must not be negative, got `-2.0`"):
        gs.from_hatchet(graph_frame(a=-2.0))


def test_dates_in_metadata_are_texts():
    class Thicket:
        """As much of a thicket as the import asks for."""

        def __init__(self, frame):
            self.frame, self.graph, self.profile = frame, frame.graph, [1]
            self.metadata = pd.DataFrame({"date": pd.to_datetime(["2026-01-02"]), "took": pd.to_timedelta([3], "s")})

        def to_json(self):
            assert [type(value) for value in self.metadata.iloc[0]] == [str, str]
            return copy.copy(self.frame).to_json()

    assert len(gs.from_thicket(Thicket(graph_frame())).runs()) == 1


def test_what_is_no_json_is_named():
    class Thicket:
        graph = None

        def to_json(self):
            raise TypeError("keys must be str")

    with pytest.raises(TypeError, match="`thicket` cannot be written as JSON: keys must be str"):
        gs.from_thicket(Thicket())


def test_a_forked_process_leaves_the_temporary_store():
    runs = gs.from_dataframe({"path": ["main"], "time": [1.0]})
    child = os.fork()
    if child == 0:
        del runs
        os._exit(0)
    os.waitpid(child, 0)
    assert len(runs.where("exists format").runs()) == 1
