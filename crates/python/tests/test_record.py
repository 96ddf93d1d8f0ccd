"""Programs are recorded by the command that the wheel installs."""

import subprocess

import grainsheaf as gs
import pytest
from conftest import ROOT

PROGRAMS = ROOT / "data" / "programs"


@pytest.fixture
def program(tmp_path):
    built = tmp_path / "taskloop"
    line = ["clang-19", "-O1", "-fopenmp", f"-I{PROGRAMS}", str(PROGRAMS / "taskloop.c"), "-o", str(built), "-lm"]
    subprocess.run(line, check=True)
    return built


def test_programs_are_recorded(program, tmp_path):
    made = gs.record([program], threads=[1, 2], repeat=2, params={"machine": "a", "is_test": True}, store=tmp_path / "s")
    runs = made.runs().runs
    assert sorted((run["params"]["threads"], run["params"]["repeat"]) for run in runs) == [(1, 1), (1, 2), (2, 1), (2, 2)]
    assert {run["params"]["machine"] for run in runs} == {"a"}
    assert {run["params"]["is_test"] for run in runs} == {True}
    assert all(run["grains"] > 0 for run in runs)


def test_a_program_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(gs.GrainsheafError, match="no program") as raised:
        gs.record([tmp_path / "none"], store=tmp_path / "s")
    assert raised.value.kind == "record"


@pytest.mark.parametrize(("arguments", "named"), [({"threads": 0}, "threads"), ({"repeat": 0}, "repeat")])
def test_wrong_numbers_are_named(arguments, named, tmp_path):
    with pytest.raises(ValueError, match=named):
        gs.record(["program"], store=tmp_path / "s", **arguments)
