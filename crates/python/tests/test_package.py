"""What the package needs, how it fails, and how processes share it."""

import copy
import gc
import multiprocessing
import os
import pickle
import shutil
import signal
import subprocess
import sys
import threading
import time

import grainsheaf as gs
import pytest
from conftest import ENSEMBLES

THREADS = str(ENSEMBLES / "threads")


def python(code, *, interpreter=sys.executable):
    ended = subprocess.run([interpreter, "-I", "-c", code], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def test_an_empty_environment_suffices():
    interpreter = os.environ.get("GRAINSHEAF_EMPTY", sys.executable)
    code = f"""
import sys
import grainsheaf as gs
answer = gs.open({THREADS!r}).stats()
assert len(answer) == len(answer.rows) and answer._repr_html_()
for name in ("pyarrow", "pandas", "polars", "numpy", "anywidget"):
    assert name not in sys.modules, name
if {"GRAINSHEAF_EMPTY" in os.environ}:
    try:
        answer.to_pandas()
    except gs.GrainsheafError as error:
        assert error.kind == "missing_package" and "pip install" in error.hint
print("done")
"""
    assert python(code, interpreter=interpreter) == "done\n"


def test_the_import_takes_little_time():
    # Processor time: this machine may do other things.
    code = "import time; begun = time.process_time(); import grainsheaf; print(time.process_time() - begun)"
    interpreter = os.environ.get("GRAINSHEAF_EMPTY", sys.executable)
    assert min(float(python(code, interpreter=interpreter)) for _ in range(5)) < 0.15


@pytest.mark.parametrize(
    ("ask", "kind", "named"),
    [
        (lambda e: e.where(4), TypeError, "expression"),
        (lambda e: e.where("threads >"), ValueError, "expression"),
        (lambda e: e.where("threads = 1 | by threads"), ValueError, "expression"),
        (lambda e: e.by(1), TypeError, "parameters"),
        (lambda e: e.level("nope"), ValueError, "level"),
        (lambda e: e.scope("nope"), ValueError, "scope"),
        (lambda e: e.over(ranks="nope"), ValueError, "ranks"),
        (lambda e: e.over(), TypeError, "ranks"),
        (lambda e: e.below("1"), TypeError, "share"),
        (lambda e: e.metric(""), ValueError, "metric"),
        (lambda e: e.diff(1, "a"), TypeError, "a"),
        (lambda e: e.gate("a", "b", strict=1), TypeError, "strict"),
        (lambda e: e.gate("a", "b", alpha=float("nan")), ValueError, "alpha"),
        (lambda e: e.grains("r", limit=-1), ValueError, "limit"),
        (lambda e: e.grains("r", limit=True), TypeError, "limit"),
        (lambda e: e.similar(clusters=2.5), TypeError, "clusters"),
        (lambda e: e.scale("threads", fit=4), TypeError, "fit"),
        (lambda e: e.timeline(None), TypeError, "run"),
        (lambda e: e.what_if(), TypeError, "runs"),
        (lambda e: e.what_if("r", workers=2.5), TypeError, "workers"),
        (lambda e: e.what_if("r", workers=[-1]), ValueError, "workers"),
        (lambda e: e.below(None), TypeError, "share"),
        (lambda e: e.similar(measure="x"), ValueError, "measure"),
        (lambda e: e.similar(form="x"), ValueError, "form"),
        (lambda e: e.similar("work", clusters=6), ValueError, "clusters"),
        (lambda e: e.similar(metric="work_ns"), ValueError, "metric"),
        (lambda e: e.projection("wl", metric="work_ns"), ValueError, "metric"),
        (lambda e: e.projection(clusters=0), ValueError, "clusters"),
        (lambda e: e.locations("worker"), ValueError, "by"),
        (lambda e: e.locations(order="x"), ValueError, "order"),
        (lambda e: e.distribution("a", mode="x"), ValueError, "mode"),
        (lambda e: e.problems("r", preset="x"), ValueError, "preset"),
        (lambda e: e.scale("threads", table="x"), ValueError, "table"),
        (lambda e: e.scale("threads", scaling="foo"), ValueError, "scaling"),
        (lambda e: e.scale("threads", fit="x").json(), ValueError, "fit"),
        (lambda e: e.history("threads", order="x").json(), ValueError, "order"),
        (lambda e: e.what_if("r", faster="x"), ValueError, "faster"),
        (lambda e: e.what_if("r", policy="x"), ValueError, "policy"),
        (lambda e: e.gate("a", "b", fail_on="x"), ValueError, "fail_on"),
        (lambda e: e.paths("r", graph="x"), ValueError, "graph"),
        (lambda e: e.problems("sort-t1-r1", thresholds="x").json(), ValueError, "thresholds"),
        (lambda e: e.grains("sort-t1-r1", where="work_ns >").json(), ValueError, "where"),
        (lambda e: gs.open(""), ValueError, "path"),
        (lambda e: gs.add("a", params="side=a"), TypeError, "params"),
        (lambda e: gs.record(["a"], params=["side"]), TypeError, "params"),
        (lambda e: gs.from_dataframe({"path": [None], "time": [1.0]}), TypeError, "path"),
    ],
)
def test_wrong_arguments_are_named(threads, ask, kind, named):
    with pytest.raises(kind, match=f"`{named}`"):
        ask(threads)


def test_numbers_of_numpy_are_numbers(threads):
    import numpy

    assert threads.below(numpy.float64(0.1)) == threads.below(0.1)
    assert threads.below(numpy.float32(0.25)) == threads.below(0.25)
    assert threads.grains("sort-t1-r1", limit=numpy.int64(3)).json() == threads.grains("sort-t1-r1", limit=3).json()
    gate = threads.gate("threads = 1", "threads = 8", alpha=numpy.float64(0.01))
    assert gate.json() == threads.gate("threads = 1", "threads = 8", alpha=0.01).json()
    predicted = threads.what_if("sort-t1-r1", workers=numpy.array([1, 3]))
    assert predicted.json() == threads.what_if("sort-t1-r1", workers=[1, 3]).json()
    with pytest.raises(TypeError, match="`limit` must be an int, got ndarray"):
        threads.grains("sort-t1-r1", limit=numpy.array([1, 3]))
    with pytest.raises(ValueError, match="`alpha` must be finite"):
        threads.gate("a", "b", alpha=numpy.float64("nan"))


def test_errors_have_kind_message_and_hint(threads, tmp_path):
    with pytest.raises(gs.GrainsheafError) as caught:
        threads.stats("nope").json()
    assert caught.value.kind == "unknown" and "nope" in caught.value.message
    assert isinstance(caught.value, ValueError)
    received = pickle.loads(pickle.dumps(caught.value))
    assert (received.kind, str(received)) == (caught.value.kind, str(caught.value))
    with pytest.raises(gs.GrainsheafError) as caught:
        gs.open(tmp_path / "none")
    assert "none" in caught.value.message
    with pytest.raises(TypeError, match="`path`"):
        gs.open(1)


def test_choices_are_listed_and_places_are_in_what_was_written(threads):
    with pytest.raises(gs.BadQuestionError, match="^`ranks` must be one of `mean`, `max`, `sum`, `median`, got `x`$"):
        threads.over(ranks="x")
    with pytest.raises(gs.BadQuestionError, match="^`expression`: .* at character 10 of `threads >`$") as caught:
        threads.where("repeat = 1").where("threads >")
    assert caught.value.position == 10
    with pytest.raises(gs.BadQuestionError, match="^`level` must be one of `module`, `definition`, `context`, got `x`$") as caught:
        threads.by("threads").level("x")
    assert caught.value.position is None
    # A clause that goes on with another one would change the runs.
    for method in (threads.level, threads.scope):
        with pytest.raises(gs.BadQuestionError, match="must be one of"):
            method("exclusive | where threads = 1")
    with pytest.raises(gs.BadQuestionError, match="at character 10 of `where x >`$"):
        threads.with_lens("where x >")


def test_wrong_texts_and_paths_are_named(threads, tmp_path):
    for call, name in [
        (lambda: threads.hide("\udce9"), "group"),
        (lambda: threads.grains("\udce9"), "run"),
        (lambda: gs.add(tmp_path, name="\udce9", store=tmp_path / "s"), "name"),
        (lambda: gs.add(tmp_path, store=""), "store"),
        (lambda: gs.add(tmp_path, params={"": 1}, store=tmp_path / "s"), "params"),
        (lambda: gs.record(["tr\0ue"]), "program"),
        (lambda: gs.open("http://localhost:1/?token=x&lens=by+threads"), "path"),
        (lambda: gs.open("http://localhost:1/", timeout=1e30), "timeout"),
    ]:
        with pytest.raises(ValueError, match=f"^`{name}`"):
            call()
    with pytest.raises(TypeError, match="^`workers` must be an int"):
        threads.what_first("sort-t8-r1", workers=b"x")
    with pytest.raises(gs.BadQuestionError, match="the question is too long: its arguments have") as caught:
        threads.where(" or ".join(f"name = 'a{number}'" for number in range(5000))).runs().json()
    assert caught.value.kind == "bad_request"


def test_choices_are_those_of_the_service(threads):
    from grainsheaf import _parameters

    for name, path, choices in [
        ("measure", "similar", _parameters.MEASURES),
        ("form", "similar", _parameters.FORMS),
        ("by", "locations", _parameters.LOCATIONS),
        ("order", "locations", _parameters.ORDERS),
        ("mode", "distribution", _parameters.COUNTED),
        ("table", "scale", _parameters.TABLES),
        ("preset", "runs/sort-t1-r1/problems", _parameters.PRESETS),
    ]:
        _, _, body = threads._ask(path, f"{name}=nope&group=a", "application/json")
        assert f"expected {' or '.join(f'`{each}`' for each in choices)}" in body.decode() or (
            f"expected one of {', '.join(f'`{each}`' for each in choices)}" in body.decode()
        ), body


def test_names_of_the_module_are_all_there():
    assert {"Picture", "Widget", "open"} <= set(dir(gs)) and {"Picture", "Widget"} <= set(gs.__all__)
    answer = gs.open(THREADS).runs()
    assert isinstance(answer.plot(), gs.Picture)
    assert all(hasattr(gs, name) for name in gs.__all__)


def test_without_anywidget_all_names_can_be_imported():
    interpreter = os.environ.get("GRAINSHEAF_EMPTY", sys.executable)
    assert python("from grainsheaf import *; print(Picture.__name__)", interpreter=interpreter) == "Picture\n"


def test_an_ensemble_never_changes(threads):
    narrowed = threads.where("threads >= 4").where("repeat = 1").by("threads").level("module")
    assert threads.lens == ""
    assert narrowed.lens == "where threads >= 4 and repeat == 1 | by threads | level module"
    assert narrowed.level("definition").by().lens == "where threads >= 4 and repeat == 1"
    assert len(narrowed.runs()) == 2
    assert narrowed == pickle.loads(pickle.dumps(narrowed)) != threads
    assert threads.target("sort-t1-r1").target(None) == threads
    operations = threads.split('a "b"').hide("x").reveal("y").focus("z").lens
    assert operations == 'split "a \\"b\\"" entries | hide "x" | reveal "y" | focus "z"'


def test_attributes_of_an_ensemble_cannot_be_set(threads):
    for name in ("foo", "lens"):
        with pytest.raises(AttributeError):
            setattr(threads, name, "by threads")
    assert [pickle.loads(pickle.dumps(threads, protocol)) for protocol in range(6)] == [threads] * 6


def test_changes_to_json_do_not_change_the_answer(threads):
    answer = threads.runs()
    fields = answer.json()
    fields["runs"][0]["params"].clear()
    fields["notes"] = [{"text": "changed"}]
    del fields["runs"][1:]
    assert answer.json() == threads.runs().json() and len(answer.runs) == 20 and "changed" not in answer.notes


def test_ensembles_are_equal_if_store_and_lens_are():
    url = "http://127.0.0.1:9"
    one, other = gs.open(url, store="threads"), gs.open(url, store="versions")
    assert one != other and hash(one) != hash(other) and one != gs.open(url)
    assert one == gs.open(url + "/", store="threads") and len({one, other, gs.open(url, store="threads")}) == 2


@pytest.mark.parametrize("make", [copy.copy, copy.deepcopy, lambda each: copy.deepcopy([each])[0]])
def test_a_copy_keeps_a_temporary_store(make):
    ensemble = gs.from_dataframe({"path": ["a"], "time": [1.0]})
    answer = ensemble.runs()
    assert make(ensemble) == ensemble
    copies = [make(ensemble), make(answer)]
    del ensemble, answer
    gc.collect()
    assert len(copies[0].runs()) == len(copies[1]) == 1


def test_used_answers_are_sent(threads):
    answer = threads.stats()
    table, fields = answer.to_arrow(), answer.json()
    received = pickle.loads(pickle.dumps(answer))
    assert received.json() == fields and received.to_arrow().equals(table)
    assert copy.deepcopy(answer).to_arrow().equals(table)


@pytest.mark.parametrize(("progress", "received"), [(None, None), (False, False), (True, True), (lambda *step: None, False)])
@pytest.mark.parametrize("path", [THREADS, "http://127.0.0.1:9"])
def test_progress_is_sent_unless_it_is_a_function(path, progress, received):
    ensemble = gs.open(path, progress=progress)
    assert pickle.loads(pickle.dumps(ensemble))._source.progress is received


def test_names_are_never_markup():
    hostile = "<script>alert(1)</script>\u202e"
    store = gs.from_dataframe({"path": [hostile], "time": [1.0]})
    page = store.stats("time")._repr_html_()
    assert "<script" not in page and "&lt;script&gt;" in page and "\u202e" not in page


def test_notes_are_texts_for_people_and_data_in_json(threads):
    answer = threads.noise()
    notes = answer.json()["notes"]
    [note] = [note for note in notes if note["code"] == "too_few_repeats"]
    assert note["values"]["configurations"] == 4
    assert answer.notes == [note["text"] for note in notes]
    assert note["text"] in answer.text and note["text"] in answer._repr_html_()


def test_a_store_that_disappears_is_an_error(tmp_path):
    store = tmp_path / "store"
    shutil.copytree(THREADS, store)
    ensemble = gs.open(store)
    assert len(ensemble.runs()) == 20
    shutil.rmtree(store)
    with pytest.raises(gs.GrainsheafError) as caught:
        ensemble.runs().json()
    assert caught.value.kind == "store_gone"


def test_a_store_that_changes_does_not_mix_answers(tmp_path):
    store = tmp_path / "store"
    shutil.copytree(THREADS, store)
    answer = gs.open(store).runs()
    assert len(answer.json()["runs"]) == 20
    (store / "notes").mkdir(exist_ok=True)
    (store / "notes" / "mapping.toml").write_text("")
    with pytest.raises(gs.GrainsheafError, match="ask again"):
        answer.to_arrow()


@pytest.fixture
def interrupts():
    """Ctrl-C raises, even if this process was started in the background, where a shell lets it be ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_a_signal_cancels_a_question(threads, interrupts):
    def interrupt():
        time.sleep(0.2)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        while time.monotonic() - begun < 30:
            threads.by("threads").noise(splits=10_000).json()
    assert time.monotonic() - begun < 20
    assert len(threads.runs()) == 20


def test_questions_show_how_far_they_are():
    steps = []
    ensemble = gs.open(THREADS, progress=lambda *step: steps.append(step))
    begun = time.monotonic()
    # A short question may be over before anybody looks.
    while not steps and time.monotonic() - begun < 60:
        ensemble.by("threads").level("context").stats("all").json()
        ensemble.similar("structure", seed=len(steps)).json()
        ensemble.noise(splits=5_000).json()
        ensemble = gs.open(THREADS, progress=lambda *step: steps.append(step))
    assert steps and all(isinstance(name, str) and done >= 0 and (total is None or total > 0) for name, done, total in steps)


def test_a_function_of_progress_that_raises_cancels_the_question():
    class Stop(Exception):
        pass

    def stop(*step):
        raise Stop

    begun = time.monotonic()
    with pytest.raises(Stop):
        while time.monotonic() - begun < 60:
            gs.open(THREADS, progress=stop).by("threads").level("context").stats("all").json()
    assert len(gs.open(THREADS).runs()) == 20


def test_progress_is_a_line_that_goes_away(monkeypatch):
    import io

    from grainsheaf import _progress

    monkeypatch.setattr(sys, "stderr", io.StringIO())
    # Tests of notebooks import the kernel.
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)
    assert _progress.shown(None) is None and _progress.shown(False) is None
    line = _progress.shown(True)
    line("reading", 1, 4)
    line("x", 5, None)
    line.end()
    assert sys.stderr.getvalue() == "\rreading: 1 of 4 (25 %)\rx: 5" + " " * 18 + "\r" + " " * 4 + "\r"
    late = _progress.shown(True, after=60)
    late("reading", 1, 4)
    late.end()
    assert sys.stderr.getvalue().count("reading") == 1
    with pytest.raises(TypeError, match="`progress`"):
        gs.open(THREADS, progress="yes")


def num_runs(path):
    return len(gs.open(path).runs())


def ask_again(ensemble):
    return len(ensemble.runs())


def test_spawned_processes_ask():
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(num_runs, (THREADS,)) == 20
        assert pool.apply(ask_again, (gs.open(THREADS),)) == 20


def test_forked_processes_ask_if_their_parent_did_not():
    code = f"""
import os
import grainsheaf as gs
if os.fork() == 0:
    os._exit(len(gs.open({THREADS!r}).runs()))
assert os.waitstatus_to_exitcode(os.wait()[1]) == 20
"""
    python(code)


def test_forked_processes_are_refused_and_say_why():
    code = f"""
import os, sys
import grainsheaf as gs
ensemble = gs.open({THREADS!r})
assert len(ensemble.stats())
if os.fork() == 0:
    kinds = []
    for use in (lambda: ensemble.stats().json(), lambda: gs.open({THREADS!r})):
        try:
            use()
        except gs.GrainsheafError as error:
            kinds.append(error.kind)
    os._exit(7 if kinds == ["forked", "forked"] else 1)
assert os.waitstatus_to_exitcode(os.wait()[1]) == 7
"""
    python(code)


def test_workers_of_a_forked_pool_say_why():
    code = f"""
import multiprocessing, os
from concurrent.futures import ProcessPoolExecutor
import grainsheaf as gs

def num_runs(ensemble):
    return len(ensemble.runs())

ensemble = gs.open({THREADS!r})
halves = [ensemble.where("threads = 1"), ensemble.where("threads = 2")]
context = multiprocessing.get_context("fork")
with context.Pool(2) as pool, ProcessPoolExecutor(2, mp_context=context) as executor:
    for ask in (lambda: pool.map_async(num_runs, halves).get(30), lambda: list(executor.map(num_runs, halves, timeout=30))):
        try:
            print(ask())
        except gs.GrainsheafError as error:
            print(error.kind, "spawn" in error.hint)
"""
    assert python(code) == "forked True\n" * 2


def test_a_process_opens_the_store_when_it_asks(tmp_path):
    store = tmp_path / "store"
    shutil.copytree(THREADS, store)
    ensemble = gs.open(store)
    shutil.rmtree(store)
    with multiprocessing.get_context("spawn").Pool(1) as pool, pytest.raises(gs.GrainsheafError, match="store"):
        pool.apply_async(ask_again, (ensemble,)).get(60)


def test_other_threads_run_during_a_question(threads):
    ticks = []
    done = threading.Event()

    def tick():
        while not done.wait(0.001):
            ticks.append(1)

    thread = threading.Thread(target=tick)
    thread.start()
    threads.by("threads").noise(splits=2_000).json()
    done.set()
    thread.join()
    assert len(ticks) > 5
