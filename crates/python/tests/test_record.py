"""Programs are recorded by the command that the wheel installs."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import grainsheaf as gs
import pytest
from conftest import ROOT
from grainsheaf import _record

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


def processes_with(text):
    """Ids of processes that have a text in their command line or environment."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if any(text.encode() in (folder / file).read_bytes() for file in ("cmdline", "environ")):
                found.append(int(folder.name))
    return found


def wait_until(is_reached, seconds=60):
    end = time.monotonic() + seconds
    while not is_reached():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.parametrize("is_ignored", [False, True], ids=["", "ignored"])
@pytest.mark.parametrize("send", [os.kill, os.killpg], ids=["process", "group"])
def test_an_interrupt_ends_the_program(send, is_ignored, tmp_path):
    source, built, mark = tmp_path / "endless.c", tmp_path / "endless", tmp_path / "started"
    handler = "SIG_IGN" if is_ignored else "SIG_DFL"
    source.write_text(
        "#include <omp.h>\n#include <signal.h>\n#include <stdio.h>\n#include <unistd.h>\n"
        f"int main(int count, char **words) {{ signal(SIGINT, {handler}); omp_get_max_threads();"
        ' fclose(fopen(words[1], "w")); sleep(600); return 0; }\n'
    )
    subprocess.run(["clang-19", "-fopenmp", str(source), "-o", str(built)], check=True)
    code = f"""
import signal
import grainsheaf as gs
signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    gs.record([{str(built)!r}, {str(mark)!r}], store={str(tmp_path / "s")!r})
except KeyboardInterrupt:
    print("interrupted")
"""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "TMPDIR": str(temporary)},
    )
    try:
        wait_until(mark.exists)
        assert list(temporary.iterdir())
        send(process.pid, signal.SIGINT)
        assert process.communicate(timeout=30)[0].endswith("interrupted\n")
        assert not processes_with(str(built))
        assert not list(temporary.iterdir())
    finally:
        for each in processes_with(str(built)):
            os.kill(each, signal.SIGKILL)


def test_a_command_that_does_not_end_is_killed(tmp_path, monkeypatch):
    stubborn, mark = tmp_path / "stubborn", tmp_path / "started"
    stubborn.write_text(
        f"#!{sys.executable}\nimport signal, time\n"
        "for each in (signal.SIGINT, signal.SIGTERM):\n    signal.signal(each, signal.SIG_IGN)\n"
        f"open({str(mark)!r}, 'w').close()\ntime.sleep(600)\n"
    )
    stubborn.chmod(0o755)
    monkeypatch.setenv("GRAINSHEAF_COMMAND", str(stubborn))
    monkeypatch.setattr(_record, "ENDS", [(number, patience and 0.2) for number, patience in _record.ENDS])
    before = signal.signal(signal.SIGINT, signal.default_int_handler)

    def interrupt():
        wait_until(mark.exists)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    try:
        with pytest.raises(KeyboardInterrupt):
            gs.record(["program"], store=tmp_path / "s")
    finally:
        signal.signal(signal.SIGINT, before)
    assert not processes_with(str(stubborn))
