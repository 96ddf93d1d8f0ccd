"""What the tests of the package share."""

import csv
import io
import json
import os
import subprocess
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
ENSEMBLES = ROOT / "data" / "ensembles"
COMMAND = os.path.join(sysconfig.get_path("scripts"), "grainsheaf")


def command(store, *words):
    """What the installed command prints."""
    line = [COMMAND, "--store", str(store), *map(str, words)]
    ended = subprocess.run(line, capture_output=True, text=True, check=False)
    # A gate that fails has printed its answer.
    assert ended.returncode in (0, 1, 4), ended.stderr
    return ended.stdout


def command_json(store, *words):
    return json.loads(command(store, *words, "--json"))


def command_rows(store, *words):
    return list(csv.reader(io.StringIO(command(store, *words, "--csv"), newline="")))


def text_of(value):
    """A cell as the command line writes it."""
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else value


def same_cell(written, value):
    """Whether a cell of the command line is this value, to the last bit."""
    if value is None or isinstance(value, (bool, str)):
        text = text_of(value)
        # Spreadsheets read such texts as formulas, unless a quote is before them.
        return written == ("'" + text if text.startswith(("=", "+", "-", "@")) else text)
    return type(value)(written) == value


@pytest.fixture
def threads():
    import grainsheaf as gs

    return gs.open(ENSEMBLES / "threads")
