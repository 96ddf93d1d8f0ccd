"""The widget without a notebook: its parts follow each other, and questions of the picture are answered."""

import json
import time

import pytest
from conftest import ENSEMBLES

import grainsheaf as gs


@pytest.fixture
def widget():
    return gs.Widget(gs.open(ENSEMBLES / "threads").by("threads"))


def test_parts_of_the_lens_follow_it_and_it_follows_them(widget):
    assert (widget.lens, widget.query, widget.target) == ("by threads", "", "")
    widget.query = "threads >= 4"
    widget.metric = "work_ns"
    widget.target = 'a "run"'
    assert widget.ensemble == gs.open(ENSEMBLES / "threads").by("threads").where("threads >= 4").metric("work_ns").target('a "run"')
    widget.query = "threads >= 2"
    assert "threads >= 4" not in widget.lens
    widget.diff = ["threads = 1", "threads = 8"]
    assert widget.target == ""
    widget.lens = "where repeat >= 2"
    assert (widget.query, widget.metric, widget.target, widget.diff) == ("repeat >= 2", "", "", [])
    widget.query = ""
    assert widget.lens == ""


def test_wrong_values_are_refused_by_name(widget):
    with pytest.raises(gs.BadQuestionError, match="lens"):
        widget.lens = "whatever |"
    with pytest.raises(gs.BadQuestionError):
        widget.query = "threads >>> 4"
    assert (widget.lens, widget.query) == ("by threads", "")
    with pytest.raises(Exception, match="`selection` has no `gruop`"):
        widget.selection = {"gruop": "a"}
    with pytest.raises(Exception, match="`grain` of `selection`"):
        widget.selection = {"grain": -1}
    with pytest.raises(Exception, match="theme"):
        widget.theme = "pink"
    with pytest.raises(TypeError, match="`ensemble` must be an Ensemble, got str"):
        gs.Widget("study")


@pytest.mark.parametrize(
    ("trait", "value", "message"),
    [
        ("view", "nope", "`view` must be one of `sankey`, .*, got `nope`"),
        ("view", "", "`view`"),
        ("settings", {"nope": "x"}, "`settings` has `nope`.*available: sankey"),
        ("settings", {"boxes.nope": "1"}, "available: boxes.over"),
        ("settings", {3: "x"}, "names in `settings` must be str"),
        ("settings", {"boxes.log": "maybe"}, "must be one of `0`, `1`"),
        ("settings", {"gate.alpha": "99"}, "from 0.1 to 50"),
        ("height", 10**7, "height"),
    ],
)
def test_names_that_the_page_does_not_know_are_refused(widget, trait, value, message):
    before = getattr(widget, trait)
    with pytest.raises(Exception, match=message):
        setattr(widget, trait, value)
    assert getattr(widget, trait) == before
    with pytest.raises(Exception, match=message):
        gs.Widget(widget.ensemble, **{trait: value})


def test_unknown_traits_are_refused(widget):
    with pytest.raises(TypeError, match="`Widget` has no `foo`; available: view, lens, selection"):
        gs.Widget(widget.ensemble, foo=1)
    # Those of every widget of notebooks are known.
    assert gs.Widget(widget.ensemble, tooltip="a").tooltip == "a"


def test_errors_of_a_query_are_about_what_was_written(widget):
    with pytest.raises(gs.BadQuestionError, match="^`query`: .* at character 10 of `threads >`$") as caught:
        widget.query = "threads >"
    assert caught.value.position == 10


def test_what_the_reader_does_is_told_once(widget):
    told = []
    widget.observe(lambda change: told.append((change["name"], change["new"])), ["lens", "query", "selection"])
    widget.set_state({"lens": "where threads >= 4", "selection": {"group": "a"}})
    assert sorted(told, key=str) == [("lens", "where threads >= 4"), ("query", "threads >= 4"), ("selection", {"group": "a"})]
    # A lens that cannot be read is one of the picture, which says so.
    widget.set_state({"lens": "where threads >"})
    assert (widget.lens, widget.query) == ("where threads >", "threads >= 4")


def answer(widget, sent, path, query=""):
    widget._on_message(widget, {"kind": "ask", "id": 7, "path": path, "query": query}, [])
    for _ in range(1000):
        if len(sent) == 2:
            break
        time.sleep(0.01)
    (heard, _), (content, buffers) = sent
    assert heard == {"kind": "heard", "id": 7}
    return content, bytes(buffers[0])


def test_questions_of_the_picture_have_the_answers_of_python(widget, monkeypatch):
    sent = []
    monkeypatch.setattr(widget, "send", lambda content, buffers=None: sent.append((content, buffers)))
    content, body = answer(widget, sent, "/api/v1/runs", "lens=where+threads+%3E%3D+4")
    assert (content["kind"], content["id"], content["status"]) == ("answer", 7, 200)
    runs = json.loads(body)["runs"]
    assert [run["run"] for run in runs] == [row["run"] for row in gs.open(ENSEMBLES / "threads").where("threads >= 4").runs().json()["runs"]]


def test_errors_are_answers_too(widget, monkeypatch):
    sent = []
    monkeypatch.setattr(widget, "send", lambda content, buffers=None: sent.append((content, buffers)))
    content, body = answer(widget, sent, "/api/v1/runs/none/timeline")
    assert content["status"] == 404
    assert "message" in json.loads(body)


def test_a_panic_is_an_answer_too(widget, monkeypatch):
    class Panic(BaseException):
        """As PyO3 raises where Rust panics."""

    class Source:
        def ask(self, target, accept):
            raise Panic("the worker gave up")

    sent = []
    monkeypatch.setattr(widget, "send", lambda content, buffers=None: sent.append((content, buffers)))
    monkeypatch.setattr(widget._ensemble, "_source", Source())
    content, body = answer(widget, sent, "/api/v1/runs")
    assert (content["status"], json.loads(body)["message"]) == (500, "the worker gave up")


def test_a_saved_notebook_has_the_picture(widget):
    data, _ = widget._repr_mimebundle_()
    assert "image/svg+xml" not in data
    widget.set_state({"_picture": "<svg/>"})
    data, _ = widget._repr_mimebundle_()
    assert data["image/svg+xml"] == "<svg/>"


@pytest.mark.parametrize("name, value, found", [("query", " threads = 4", "threads == 4"), ("target", "sort-t1-r1", "sort-t1-r1")])
def test_observers_get_the_final_value_once(widget, name, value, found):
    seen = []
    widget.observe(lambda change: seen.append((change["old"], change["new"])), name)
    setattr(widget, name, value)
    assert (getattr(widget, name), seen) == (found, [("", found)])


def test_parts_of_two_widgets_can_be_linked(widget):
    import traitlets

    other = gs.Widget(widget.ensemble)
    for name, value in (("query", "threads = 4"), ("metric", "work_ns"), ("target", "sort-t1-r1")):
        with_link = traitlets.link((widget, name), (other, name))
        setattr(widget, name, value)
        assert getattr(other, name) == getattr(widget, name)
        with_link.unlink()
    assert other.lens == widget.lens
