"""The widget in JupyterLab: `frontend/e2e/jupyterlab.ts` clicks in a browser, in front of a kernel with the installed package."""

import json
import os
import secrets
import subprocess
import sys
import time

import nbformat
import pytest
from conftest import ENSEMBLES, ROOT

CELLS = (
    "import grainsheaf as gs",
    f"w = gs.Widget(gs.open({str(ENSEMBLES / 'threads')!r}).by('threads'))\nw",
    f"v = gs.Widget(gs.open({str(ENSEMBLES / 'threads')!r}), 'boxes', height=320)\nv",
)
# Settings of a reader: notebooks keep the state of widgets, and no window asks for news.
SETTINGS = {
    "@jupyter-widgets/jupyterlab-manager/plugin": {"saveState": True},
    "@jupyterlab/apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
}


@pytest.fixture
def lab(tmp_path):
    """A server with a notebook, on a port that the system chooses; its address with the token, and the notebook."""
    notebook = tmp_path / "work" / "widgets.ipynb"
    notebook.parent.mkdir()
    # JupyterLab asks for the kernel of a notebook that names none.
    metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    cells = [nbformat.v4.new_code_cell(cell) for cell in CELLS]
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=metadata), notebook)
    for name, values in SETTINGS.items():
        file = tmp_path / "settings" / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(values))
    variables = {name: value for name, value in os.environ.items() if not name.startswith("JUPYTER")}
    folders = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR", "JUPYTERLAB_WORKSPACES_DIR")
    variables.update({name: str(tmp_path / name.lower()) for name in folders})
    variables["JUPYTERLAB_SETTINGS_DIR"] = str(tmp_path / "settings")
    token = secrets.token_urlsafe()
    line = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--port=0", f"--notebook-dir={notebook.parent}"]
    line += [f"--IdentityProvider.token={token}", "--expose-app-in-browser"]
    with open(tmp_path / "server.log", "w") as log:
        server = subprocess.Popen(line, env=variables, stdout=log, stderr=subprocess.STDOUT)
    try:
        yield f"{address_of(server, tmp_path)}lab/tree/{notebook.name}?token={token}", notebook
    finally:
        server.terminate()
        server.wait(60)


def address_of(server, folder):
    """The address that the server has written down once it listens."""
    end = time.monotonic() + 120
    while time.monotonic() < end and server.poll() is None:
        for file in (folder / "jupyter_runtime_dir").glob("jpserver-*.json"):
            try:
                return json.loads(file.read_text())["url"]
            except ValueError:
                continue  # It is being written.
        time.sleep(0.1)
    pytest.fail(f"JupyterLab did not start:\n{(folder / 'server.log').read_text()}")


def test_picture_and_python_change_each_other_in_jupyterlab(lab):
    address, notebook = lab
    line = ["node", "run.mjs", "jupyterlab.ts", address]
    ended = subprocess.run(line, cwd=ROOT / "frontend" / "e2e", capture_output=True, text=True, check=False, timeout=480)
    assert ended.returncode == 0 and "all well" in ended.stdout, ended.stdout + ended.stderr
    saved = [cell for cell in nbformat.read(notebook, as_version=4).cells if cell.outputs]
    pictures = [output["data"].get("image/svg+xml", "") for cell in saved for output in cell.outputs]
    assert len(pictures) == 2 and all("<svg" in picture for picture in pictures)
