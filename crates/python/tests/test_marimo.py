"""The widget in marimo: `frontend/e2e/marimo.ts` clicks in a browser, in front of a notebook that marimo runs."""

import re
import subprocess
import sys

from conftest import ENSEMBLES, ROOT

NOTEBOOK = f"""# /// script
# [tool.marimo.display]
# theme = "dark"
# ///
import marimo

app = marimo.App()


@app.cell
def _():
    import grainsheaf as gs
    import marimo as mo
    return gs, mo


@app.cell
def _(gs, mo):
    w = mo.ui.anywidget(gs.Widget(gs.open({str(ENSEMBLES / "threads")!r}).by("threads")))
    w
    return (w,)


@app.cell
def _(mo, w):
    mo.md(f"Python has the group {{w.value['selection'].get('group')}}")
    return


@app.cell
def _(mo, w):
    mo.ui.button(label="From four threads on", on_click=lambda _: setattr(w.widget, "query", "threads >= 4"))
    return


if __name__ == "__main__":
    app.run()
"""


def test_picture_and_python_change_each_other_in_marimo(tmp_path):
    notebook = tmp_path / "notebook.py"
    notebook.write_text(NOTEBOOK)
    line = [sys.executable, "-m", "marimo", "run", notebook, "--headless", "--no-token", "--port", "0"]
    server = subprocess.Popen(line, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        printed = ""
        while not (found := re.search(r"http://\S+:\d+", printed)):
            heard = server.stdout.readline()
            assert heard, f"marimo did not start:\n{printed}"
            printed += heard
        line = ["node", "run.mjs", "marimo.ts", found[0]]
        ended = subprocess.run(line, cwd=ROOT / "frontend" / "e2e", capture_output=True, text=True, check=False, timeout=480)
        assert ended.returncode == 0 and "all well" in ended.stdout, ended.stdout + ended.stderr
    finally:
        server.terminate()
        server.wait(60)
