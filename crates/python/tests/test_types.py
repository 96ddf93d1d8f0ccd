"""The annotations of the package, and the pages that are made of its docstrings."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

CODE = """
import grainsheaf as gs

ensemble = gs.open("study").where("threads >= 4").by("threads")
reveal_type(ensemble.stats())
reveal_type(ensemble.stats().lens)
reveal_type(ensemble.stats().notes)
reveal_type(gs.record(["sort"], threads=[1, 2]))
ensemble.where(4)
ensemble.statistics()
gs.nothing
"""


def run(module, *words, folder=ROOT):
    # The sources of a checkout are not those that were installed.
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    line = [sys.executable, "-m", module, *map(str, words)]
    return subprocess.run(line, capture_output=True, text=True, check=False, cwd=folder, env=variables)


def test_annotations_are_complete_and_hold(tmp_path):
    words = ["--strict", "--ignore-missing-imports", "--cache-dir", tmp_path, "-p", "grainsheaf"]
    ended = run("mypy", *words, folder=tmp_path)
    assert ended.returncode == 0, ended.stdout


def test_annotations_of_the_extension_are_those_of_the_module(tmp_path):
    ended = run("mypy.stubtest", "grainsheaf._grainsheaf", folder=tmp_path)
    assert ended.returncode == 0, ended.stdout


def test_scripts_are_checked_against_them(tmp_path):
    (tmp_path / "script.py").write_text(CODE)
    lines = run("mypy", "--cache-dir", tmp_path, "script.py", folder=tmp_path).stdout.splitlines()
    found = {int(line.split(":")[1]): line for line in lines if line.startswith("script.py:")}
    revealed = {5: "Answer", 6: "str", 7: "list[str]", 8: "Ensemble"}
    for number, kind in revealed.items():
        assert kind in found[number] and "Revealed type" in found[number]
    for number, named in {9: "where", 10: "statistics", 11: "nothing"}.items():
        assert "error" in found[number] and named in found[number]


@pytest.mark.parametrize("name", ["py.typed", "_grainsheaf.pyi"])
def test_the_package_has_its_annotations_with_it(name):
    import grainsheaf

    assert (Path(grainsheaf.__file__).parent / name).is_file()


def test_the_reference_is_that_of_the_docstrings():
    made = subprocess.run([sys.executable, ROOT / "crates/python/reference.py"], capture_output=True, text=True, check=True)
    assert (ROOT / "docs/python-reference.md").read_text(encoding="utf-8") == made.stdout, "run `make types`"


def test_everything_public_is_in_the_reference():
    import grainsheaf as gs

    page = (ROOT / "docs/python-reference.md").read_text(encoding="utf-8")
    for name in gs.__all__:
        assert name == "__version__" or f"`gs.{name}`" in page or f"### `{name}`" in page, name
    for kind in (gs.Ensemble, gs.Answer):
        for name in vars(kind):
            assert name.startswith("_") or f"### `{name}`" in page, f"{kind.__name__}.{name} has no docstring"
