"""Pictures of answers as files. A browser draws them, as the page does."""

import re
import subprocess
import xml.etree.ElementTree as ElementTree

import grainsheaf as gs
import pytest
from conftest import ENSEMBLES, ROOT
from grainsheaf import _browser, _picture, _views

SVG = "{http://www.w3.org/2000/svg}"
RUN = "sort-t8-r1"
A, B = "threads = 1", "threads = 8"
HOSTILE = "<script>document.title='taken'</script><img src=x onerror=alert(1)>\u202e"

# What each answer's picture shows at least: a text in it.
PICTURES = {
    "runs": (lambda e: e.runs(), None),
    "stats": (lambda e: e.stats(), "sort_range"),
    "diff": (lambda e: e.diff(A, B), "sort_range"),
    "explain": (lambda e: e.explain(A, B), None),
    "gate": (lambda e: e.gate(A, B, strict=True), None),
    "noise": (lambda e: e.by("threads").noise(), None),
    "scale": (lambda e: e.scale("threads"), None),
    "similar": (lambda e: e.similar("work"), None),
    "projection": (lambda e: e.projection("work"), None),
    "locations": (lambda e: e.locations("workers"), "sort_range"),
    "sankey": (lambda e: e.sankey(), "sort_range"),
    "hierarchy": (lambda e: e.hierarchy(group_of(e)), None),
    "distribution": (lambda e: e.distribution(group_of(e)), None),
    "tree": (lambda e: e.tree(RUN), None),
    "groups": (lambda e: e.groups(RUN), None),
    "grains": (lambda e: e.grains(RUN), None),
    "problems": (lambda e: e.problems(RUN), None),
    "timeline": (lambda e: e.timeline(RUN), None),
    "parallelism": (lambda e: e.parallelism(RUN), None),
    "scheduling": (lambda e: e.scheduling(RUN), None),
    "paths": (lambda e: e.paths(RUN), None),
}


def group_of(ensemble):
    return next(node["id"] for node in ensemble.sankey().nodes if "sort_range" in node["name"])


@pytest.mark.parametrize("name", [*PICTURES, "history"])
def test_answers_have_pictures(threads, name):
    if name == "history":
        answer, text = gs.open(ENSEMBLES / "versions").history("version"), None
    else:
        ask, text = PICTURES[name]
        answer = ask(threads)
    picture = answer.plot(width=800, height=400)
    root = ElementTree.fromstring(picture.svg.encode())
    assert root.tag == f"{SVG}svg"
    assert float(root.get("width")) >= 160 and float(root.get("height")) >= 40
    marks = [each for each in root.iter() if each.tag in {f"{SVG}{kind}" for kind in ("rect", "path", "circle", "line", "text", "image")}]
    assert len(marks) >= 6
    assert text is None or text in "".join(root.itertext())


def test_every_kind_of_answer_with_a_picture_is_tried():
    assert {*PICTURES, "history"} == set(_picture._VIEWS)


@pytest.mark.parametrize(
    ("ask", "settings"),
    [
        (lambda e: e.tree(RUN, depth=2), {"groups.opened": "depth", "groups.depth": "2"}),
        (
            lambda e: e.tree(RUN, problem="work_ns>1000000", separate=True),
            {"groups.opened": "depth", "groups.problem": "work_ns > 1000000", "groups.separate": "1"},
        ),
        (
            lambda e: e.groups(RUN, 3, problem="work_ns>1000000"),
            {"groups.opened": "depth", "groups.problem": "work_ns > 1000000", "groups.root": "3"},
        ),
        (lambda e: e.paths(RUN, group=3), {"groups.opened": "critical", "groups.root": "3"}),
        (lambda e: e.paths(RUN), {"dag.critical": "1"}),
        (lambda e: e.gate(A, B, fail_on=["structure", "slower"], alpha=0.01), {"gate.causes": "slower,structure", "gate.alpha": "1.0"}),
        # Strong scaling is what the runs show.
        (lambda e: e.scale("threads", scaling="strong"), {"scaling.by": "threads"}),
        (lambda e: e.similar(), {"similarity.measure": "structure"}),
        (lambda e: e.projection("work", clusters=3), {"projection.measure": "work", "projection.clusters": "3"}),
        (lambda e: e.locations("workers"), {"locations.by": "workers", "locations.scope": "inclusive"}),
        (lambda e: e.scope("exclusive").locations("workers"), {"locations.by": "workers", "locations.scope": "exclusive"}),
        (lambda e: e.parallelism(RUN), {}),
        (lambda e: e.problems(RUN, reference="threads = 1"), {"grain-graph.reference": "threads = 1"}),
    ],
)
def test_arguments_that_the_page_can_show_are_its_settings(threads, ask, settings):
    assert ask(threads).plot()._traits["settings"] == settings


def test_an_interval_without_one_end_is_shown(threads):
    whole = threads.timeline(RUN)
    assert threads.timeline(RUN, start=5).plot()._traits["selection"]["time"] == [5, whole.end]
    assert threads.parallelism(RUN, end=5).plot()._traits["selection"]["time"] == [whole.start, 5]


def test_a_picture_of_other_arguments_is_another_picture(threads):
    plain, marked = threads.tree(RUN).plot(), threads.tree(RUN, problem="work_ns > 1000000", separate=True).plot()
    assert plain.svg != marked.svg
    asked = [target for target in marked._drawing.answers if "/tree?" in target]
    assert all("work_ns+%3E+1000000" in target and "separate=true" in target for target in asked) and asked


@pytest.mark.parametrize(
    ("ask", "named"),
    [
        (lambda e: e.problems(RUN, thresholds="work_ns > 1"), "thresholds"),
        (lambda e: e.problems(RUN, preset="prototype"), "preset"),
        (lambda e: e.grains(RUN, where="work_ns > 1000", limit=20), "where"),
        (lambda e: e.grains(RUN, limit=20), "limit"),
        (lambda e: e.grains(RUN, all=True), "all"),
        (lambda e: e.history("threads", versions=["1", "8"]), "versions"),
        (lambda e: e.history("threads", alpha=0.1), "alpha"),
        (lambda e: e.scale("threads", fit="usl"), "fit"),
        (lambda e: e.scale("threads", scaling="weak"), "scaling"),
        (lambda e: e.noise(splits=3), "splits"),
        (lambda e: e.similar("work", metric="waiting_ns"), "metric"),
        (lambda e: e.projection("work", seed=3), "seed"),
        (lambda e: e.locations("workers", runs=2), "runs"),
        (lambda e: e.sankey(width=500), "width"),
        (lambda e: e.tree(RUN, separate=True), "separate"),
        (lambda e: e.tree(RUN, reference="threads = 1"), "reference"),
        (lambda e: e.tree(RUN, metrics="waiting_ns"), "metrics"),
        (lambda e: e.tree(RUN, depth=100), "depth"),
        (lambda e: e.groups(RUN, structures=True), "structures"),
        (lambda e: e.gate(A, B, alpha=0.9), "alpha"),
        (lambda e: e.timeline(RUN, pixels=20), "pixels"),
        (lambda e: e.paths(RUN, graph="reduced"), "graph"),
    ],
)
def test_arguments_that_the_page_cannot_show_are_refused(threads, ask, named):
    with pytest.raises(ValueError, match=f"cannot show `{named}.*: "):
        ask(threads).plot()


def test_pictures_are_files(threads, tmp_path):
    picture = threads.diff(A, B).plot(width=640, height=320)
    for ending in ("svg", "png", "html"):
        picture.save(tmp_path / f"a.{ending}")
    assert (tmp_path / "a.svg").read_text(encoding="utf-8") == picture.svg
    png = (tmp_path / "a.png").read_bytes()
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    root = ElementTree.fromstring(picture.svg.encode())
    size = int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big")
    assert size == (2 * int(root.get("width")), 2 * int(root.get("height")))
    assert picture._repr_mimebundle_()["image/svg+xml"] == picture.svg


def rendered(page):
    """The page after its scripts, as the browser has it."""
    line = [_browser.browser(), "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=15000", "--dump-dom"]
    return subprocess.run([*line, page.as_uri()], capture_output=True, text=True, check=True, timeout=120).stdout


def test_a_saved_page_needs_no_network_and_no_name_in_it_is_markup(tmp_path):
    made = gs.from_dataframe({"path": [HOSTILE, HOSTILE + " / b"], "time": [1.0, 2.0]}, store=tmp_path / HOSTILE.replace("/", "|"))
    picture = made.stats("time").plot()
    root = ElementTree.fromstring(picture.svg.encode())
    names = {each.tag.removeprefix(SVG) for each in root.iter()}
    assert not names & {"script", "img", "foreignObject"}, names
    assert not any(key.startswith("on") for each in root.iter() for key in each.attrib)
    assert "<script>" in "".join(root.itertext()) and "\u202e" not in picture.svg
    picture.save(tmp_path / "a.html")
    text = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert len(re.findall("<script", text)) == 3 and "<img src=x" not in text and "\u202e" not in text
    assert not re.search(r"""(src|href)\s*=\s*["']?(https?:)?//""", text)
    after = rendered(tmp_path / "a.html")
    assert "<title>taken</title>" not in after
    assert 'class="grainsheaf-widget"' in after


def test_settings_are_those_of_the_view(threads):
    answer = threads.stats()
    assert answer.plot().svg != answer.plot(settings={"boxes.log": "1"}).svg
    assert answer.plot(theme="dark").svg != answer.plot().svg


def test_a_picture_without_a_browser_says_what_to_install(threads, monkeypatch, tmp_path):
    monkeypatch.setenv("GRAINSHEAF_BROWSER", str(tmp_path / "none"))
    picture = threads.stats().plot()
    for use in (lambda: picture.svg, lambda: picture.save(tmp_path / "a.png"), lambda: picture.save(tmp_path / "a.html")):
        with pytest.raises(gs.GrainsheafError, match="browser") as caught:
            use()
        assert caught.value.kind == "missing_browser" and "GRAINSHEAF_BROWSER" in caught.value.hint
    assert "install" in picture._repr_mimebundle_()["text/plain"]


def test_a_picture_of_nothing_says_why(tmp_path):
    sample = ROOT / "data/samples/dag-recorder/one-node.dag"
    ensemble = gs.add(sample, store=tmp_path, progress=False)
    answer = ensemble.scheduling(ensemble.runs().runs[0]["run"])
    with pytest.raises(gs.GrainsheafError, match="no tasks and no chunks of loops") as caught:
        answer.plot().svg  # noqa: B018
    assert caught.value.kind == "no_picture"


def test_a_browser_that_fails_is_an_error(threads, monkeypatch):
    monkeypatch.setenv("GRAINSHEAF_BROWSER", "/bin/false")
    with pytest.raises(gs.GrainsheafError, match="ended with status 1") as caught:
        threads.stats().plot().save("a.svg")
    assert caught.value.kind == "no_picture"


@pytest.mark.parametrize(
    ("ask", "kind", "named"),
    [
        (lambda e: e.stats().plot(width="a"), TypeError, "width"),
        (lambda e: e.stats().plot(height=10), ValueError, "height"),
        (lambda e: e.stats().plot(theme="pink"), ValueError, "theme"),
        (lambda e: e.stats().plot(settings={"boxes.log": True}), TypeError, "settings"),
        (lambda e: e.stats().plot(settings=["x"]), TypeError, "settings"),
        (lambda e: e.stats().plot(settings={"nope.x": "1"}), ValueError, "settings"),
        (lambda e: e.stats().plot(settings={"boxes.nope": "1"}), ValueError, "settings"),
        (lambda e: e.stats().plot(settings={"boxes.log": "maybe"}), ValueError, "settings"),
        (lambda e: e.stats().plot().save("a.gif"), ValueError, "path"),
        (lambda e: e.info(RUN).plot(), TypeError, "info"),
    ],
)
def test_wrong_arguments_are_named(threads, ask, kind, named):
    with pytest.raises(kind, match=f"`{named}"):
        ask(threads)


def test_a_question_that_fails_is_the_error_of_the_picture(threads):
    with pytest.raises(gs.GrainsheafError, match="nope"):
        threads.metric("nope").stats().plot().save("a.svg")


SETTING = re.compile(r"(?:^|[{,])\s*(\w+): (choice|flag|numeric|text)\b(.*?)(?=(?:^|[{,])\s*\w+: (?:choice|flag|numeric|text)\b|\Z)", re.DOTALL | re.MULTILINE)


def declared(source):
    """Names, kinds and details of the settings that a source of the page declares."""
    blocks = {name: block + "}" for name, block in re.findall(r"^const (\w*[sS]ettings) = \{(.*?)\};$", source, re.DOTALL | re.MULTILINE)}
    return {name: {each[1]: (each[2], each[3]) for each in SETTING.finditer(block)} for name, block in blocks.items()}


def test_views_and_settings_are_those_of_the_page():
    frontend = ROOT / "frontend"
    found = {}
    for file in [*frontend.glob("views/src/*/definition.ts"), frontend / "widget" / "src" / "own-views.ts"]:
        source = file.read_text(encoding="utf-8")
        blocks = declared(source)
        for name, settings in re.findall(r"^  id: '([\w-]+)',$.*?^  settings(?:: (\w+))?,$", source, re.DOTALL | re.MULTILINE):
            found[name] = blocks.get(settings or "settings", {})
    assert set(found) == set(_views.SETTINGS)
    for name, settings in found.items():
        assert list(settings) == list(_views.SETTINGS[name]), name
        for setting, (kind, text) in settings.items():
            here = _views.SETTINGS[name][setting]
            if kind == "numeric":
                least, most = re.search(r"\[(-?[\d._e]+), ([\d._e]+|1 << 20)\]", text).groups()
                assert here == _views.Range(float(least), 1 << 20 if "<<" in most else float(most)), (name, setting)
            elif kind == "choice" and "MEASURES" not in text and "flatMap" not in text:
                assert set(here) == set(re.findall(r"\[\s*'([^']*)'", text)), (name, setting)
            else:
                assert here == {"flag": _views.FLAG, "text": str}.get(kind, here), (name, setting)
