"""The same interface over HTTP."""

import subprocess

import grainsheaf as gs
import pytest
from conftest import COMMAND, ENSEMBLES


@pytest.fixture(scope="module")
def url():
    line = [COMMAND, "serve", "--port", "0", "--token", "secret-of-this-test", ENSEMBLES / "threads"]
    process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    yield process.stdout.readline().strip()
    process.terminate()
    process.wait(30)


def test_a_service_answers_as_a_store(url, threads):
    served = gs.open(url)
    run = threads.runs().runs[0]["run"]
    for ask in (
        lambda e: e.runs(),
        lambda e: e.by("threads").level("context").stats(),
        lambda e: e.diff("threads = 1", "threads = 8"),
        lambda e: e.grains(run),
        lambda e: e.timeline(run),
    ):
        assert ask(served).json() == ask(threads).json()
        assert ask(served).to_arrow().equals(ask(threads).to_arrow())
    assert served._ask("runs", "", "application/json") == threads._ask("runs", "", "application/json")


def test_a_service_is_asked_with_its_token(url):
    base = url.split("?")[0]
    assert len(gs.open(base, token="secret-of-this-test").runs()) == 20
    for token in (None, "wrong"):
        with pytest.raises(gs.GrainsheafError) as caught:
            gs.open(base, token=token).runs().json()
        assert caught.value.kind == "unauthorised" and caught.value.hint


def test_a_service_that_is_not_there_is_an_error():
    with pytest.raises(gs.GrainsheafError, match="cannot reach") as caught:
        gs.open("http://127.0.0.1:9").runs().json()
    assert caught.value.kind == "unreachable"
