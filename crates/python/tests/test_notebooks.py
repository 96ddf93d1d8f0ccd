"""The notebooks of the guide are executed."""

import json

import nbclient
import nbformat
import pytest
from conftest import ROOT
from grainsheaf import _browser

FOLDER = ROOT / "docs" / "notebooks"
NAMES = sorted(path.name for path in FOLDER.glob("*.ipynb"))
# Some ask about reference data too, which may be absent.
CASES = [(name, has) for name in NAMES for has in (True, False) if has or "GRAINSHEAF_SHARED" in (FOLDER / name).read_text("utf-8")]


def outputs(notebook, kind):
    """Outputs of a type of content, cell by cell."""
    found = [output.get("data", {}).get(kind) for cell in notebook.cells for output in cell.get("outputs", [])]
    return ["".join(each) for each in found if each is not None]


@pytest.mark.parametrize(("name", "has_shared"), CASES)
def test_notebooks_run(name, has_shared, tmp_path, monkeypatch):
    if not has_shared:
        monkeypatch.setenv("GRAINSHEAF_SHARED", str(tmp_path))
    notebook = nbformat.read(FOLDER / name, as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(FOLDER)}}).execute()
    assert outputs(notebook, "text/html"), "answers are tables"
    pictures = outputs(notebook, "image/svg+xml")
    num_plots = sum("plot(" in cell.source for cell in notebook.cells if cell.cell_type == "code")
    assert num_plots == 0 or pictures or _browser.browser() is None
    assert all(picture.lstrip().startswith("<?xml") for picture in pictures)


def test_notebooks_are_stored_without_outputs():
    assert len(NAMES) == 4
    for name in NAMES:
        for cell in json.loads((FOLDER / name).read_text(encoding="utf-8"))["cells"]:
            assert not cell.get("outputs") and cell.get("execution_count") is None, name


def test_the_guide_lists_the_notebooks():
    guide = (ROOT / "docs/python.md").read_text(encoding="utf-8")
    assert all(f"(notebooks/{name})" in guide for name in NAMES)
