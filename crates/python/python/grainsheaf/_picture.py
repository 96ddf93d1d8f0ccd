"""Pictures of answers, as files and in notebooks. The views of the page draw them; nothing is drawn in Python."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
from collections.abc import Callable, Mapping
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote

from . import _arguments as check
from . import _lens as lens_text
from . import _views as views
from ._browser import Drawing, browser, missing, module
from ._errors import GrainsheafError
from ._grainsheaf import VERSION
from ._html import shown, visible
from ._parameters import ALL_METRICS, CAUSES, PARTS

if TYPE_CHECKING:
    from ._answer import Answer

# Pixels of a PNG per pixel of the picture.
SCALE = 2
# Policy of saved pages: they load nothing. The module is in the page, and runs from a `data:` address.
POLICY = (
    "default-src 'none'; script-src 'sha256-{hash}' data:; style-src 'unsafe-inline'; img-src data: blob:; "
    "base-uri 'none'; form-action 'none'"
)
START = """
const text = (id) => document.getElementById(id).textContent;
const { traits, answers } = JSON.parse(text('picture-content'));
const { show } = await import(`data:text/javascript;base64,${text('picture-module')}`);
show(document.getElementById('picture'), traits, answers);
"""
STYLE = "body{margin:16px;font:14px system-ui,sans-serif}h1{font-size:18px}small{color:#555}img{max-width:100%}"

Parameters = Mapping[str, Any]


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    return str(value)


def _percent(value: object) -> str:
    return str(round(100 * float(value), 6))  # type: ignore[arg-type]


def _causes(value: object) -> str:
    """Causes in the order of the page."""
    given = {cause.strip() for cause in str(value).split(",")}
    return ",".join(cause for cause in CAUSES if cause in given)


class _View(NamedTuple):
    """How the page shows an answer."""

    name: str
    # Setting by argument, and how it is written there.
    shown: Mapping[str, tuple[str, Callable[[object], str]]] = {}
    # Settings that do not depend on arguments, unless these set them.
    fixed: Mapping[str, str] = {}
    # Advice for arguments that the view cannot show.
    instead: Mapping[str, str] = {}


# Arguments by which an answer has other columns or parts, and the picture has its own.
_NO_ROWS = dict.fromkeys(("offset", "limit"), "leave it out, the picture is of all rows")
_SCALE = {
    "table": "leave it out, the picture is of all tables",
    "scaling": "leave it out, the picture has that which the work of the runs shows",
}
_NO_METRICS = {"metrics": "leave it out, it selects columns of the table"}
_WHERE = "select the runs with `where` of the ensemble"
_GRAINS = "mark grains by a condition of `problems`, with `settings={'grain-graph.problem': CONDITION}` of `plot`"
_PIXELS = {"pixels": "set `width` of `plot`"}
_SIZE = {"width": "set `width` of `plot`", "height": "set `height` of `plot`"}
# The service and the page have different defaults.
_MEASURE = {"measure": "structure"}
# Groups of the first levels are open: a file has nobody who opens them.
_OPENED = {"opened": "depth"}
_TREE: Mapping[str, tuple[str, Callable[[object], str]]] = {
    "problem": ("problem", _text),
    "separate": ("separate", _text),
    "depth": ("depth", _text),
    "group": ("root", _text),
}
_REFERENCE = {"reference": "the picture of `problems` can show it"}
_GRAIN_GRAPH = _View(
    "grain-graph",
    {"reference": ("reference", _text)},
    instead={
        **_NO_ROWS,
        **_NO_METRICS,
        **dict.fromkeys(("where", "sort", "all"), _GRAINS),
        **dict.fromkeys(
            ("thresholds", "preset"),
            "leave it out, and choose a condition of `problems` with "
            "`settings={'grain-graph.problem': CONDITION, 'grain-graph.limit': NUMBER}` of `plot`",
        ),
    },
)

_VIEWS: dict[str, _View] = {
    "runs": _View("runs"),
    "stats": _View("boxes"),
    "diff": _View("changes"),
    "explain": _View("explain"),
    "gate": _View(
        "gate",
        {
            "max_regression": ("regression", _percent),
            "min_share": ("share", _percent),
            "alpha": ("alpha", _percent),
            "fail_on": ("causes", _causes),
            "strict": ("strict", _text),
        },
    ),
    "noise": _View("noise", {"alpha": ("alpha", _percent)}),
    "scale": _View("scaling", {"by": ("by", _text)}, instead=_SCALE),
    "history": _View("history", {"by": ("by", _text)}, instead={"versions": _WHERE}),
    "similar": _View("similarity", {"measure": ("measure", _text), "threshold": ("threshold", _text)}, _MEASURE),
    "projection": _View("projection", {"measure": ("measure", _text), "clusters": ("clusters", _text)}, _MEASURE),
    "locations": _View(
        "locations", {"by": ("by", _text), "order": ("order", _text)}, instead={"runs": _WHERE, **_NO_ROWS}
    ),
    "sankey": _View("sankey", instead=_SIZE),
    "hierarchy": _View("tree"),
    "distribution": _View("distribution", {"mode": ("mode", _text)}),
    "tree": _View("groups", _TREE, _OPENED, {**_NO_METRICS, **_REFERENCE}),
    "groups": _View("groups", _TREE, _OPENED, {**_NO_METRICS, **_REFERENCE, **_NO_ROWS}),
    "grains": _GRAIN_GRAPH,
    "problems": _GRAIN_GRAPH,
    "timeline": _View("timeline", instead=_PIXELS),
    "parallelism": _View("parallelism", instead=_PIXELS),
    "scheduling": _View("delays"),
    "paths": _View("dag", fixed={"critical": "1"}),
}
# The local critical path of a group.
_PATHS_OF_GROUP = _View("groups", {"group": ("root", _text)}, {"opened": "critical"})
# Values of arguments that are not given.
_DEFAULTS = {("tree", "metrics"): ALL_METRICS, ("parallelism", "pixels"): PARTS, ("groups", "group"): 0}
# Arguments that the service decides by the runs if they are missing, as the page has them.
_DECIDED = {("scale", "scaling")}
# Arguments that are no settings: `_traits_of` has them.
_NO_SETTINGS = {
    "group": ("hierarchy", "distribution"),
    "start": ("timeline", "parallelism"),
    "end": ("timeline", "parallelism"),
}


class Picture:
    """The picture of an answer, as the page shows it.

    A notebook shows it as SVG; `save` writes it to a file. A browser without a window draws it: Chromium, Google
    Chrome or Edge. Where none is found, a notebook shows a `Widget` instead, if the package `anywidget` is there.
    """

    def __init__(self, answer: Answer, width: int, height: int, theme: str, settings: Mapping[str, str]) -> None:
        self._answer = answer
        self._size = (width, height)
        self._traits = _traits_of(answer, theme, settings)
        self._drawing: Drawing | None = None

    @property
    def svg(self) -> str:
        """The picture as the text of an SVG document."""
        return self._drawn(0).result["svg"]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the picture to a file, by its ending: `.svg`, `.png` or `.html`.

        The page has tooltips and the controls of the view, and loads nothing; it has the answers of this picture only.
        """
        file = check.paths("path", path)[0]
        ending = os.path.splitext(file)[1].lower()
        if ending == ".svg":
            content = self.svg.encode()
        elif ending == ".png":
            content = base64.b64decode(self._drawn(SCALE).result["png"])
        elif ending == ".html":
            content = self._page().encode()
        else:
            raise ValueError(f"`path` must end in `.svg`, `.png` or `.html`, got `{file}`")
        with open(file, "wb") as out:
            out.write(content)

    def __repr__(self) -> str:
        return f"<Picture `{self._traits['view']}` of {self._answer._name}>"

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        if browser() is not None:
            return {"image/svg+xml": self.svg, "text/plain": repr(self)}
        return {"text/plain": f"{self!r}: {missing()}"}

    def _ipython_display_(self) -> None:
        from IPython import display

        from ._ensemble import Ensemble

        show: Any = display.display
        if browser() is None:
            try:
                from ._widget import Widget
            except ImportError:
                pass
            else:
                traits = {name: self._traits[name] for name in ("view", "selection", "settings", "theme")}
                ensemble = Ensemble(self._answer._source, self._traits["lens"])
                return Widget(ensemble, height=self._size[1], **traits)._ipython_display_()
        show(self._repr_mimebundle_(), raw=True)

    def _drawn(self, scale: float) -> Drawing:
        if self._drawing is None or (scale and "png" not in self._drawing.result):
            width, height = self._size
            drawing = Drawing(self._answer._source, self._traits, {"width": width, "height": height, "scale": scale})
            drawing.draw()
            revisions = {self._answer._revision, *(answer["revision"] for answer in drawing.answers.values())}
            if len(revisions - {None}) > 1:
                raise GrainsheafError("changed", "the store changed while the picture was drawn", "ask again")
            self._drawing = drawing
        return self._drawing

    def _page(self) -> str:
        """A page that needs neither the store nor a network."""
        drawing = self._drawn(0)
        name, lens = self._answer._name, self._answer.lens
        content = json.dumps({"traits": {**self._traits, "height": self._size[1] + 120}, "answers": drawing.answers})
        # No text in it ends the element.
        content = re.sub(r"[<>&]", lambda found: f"\\u{ord(found[0]):04x}", content)
        policy = POLICY.format(hash=base64.b64encode(hashlib.sha256(START.encode()).digest()).decode())
        still = base64.b64encode(drawing.result["svg"].encode()).decode()
        parts = [
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            f"<title>{escape(visible(f'{name} {lens}'.strip()))}</title><style>{STYLE}</style></head><body>",
            f"<h1>{shown(name)}</h1>" + (f"<p>{shown(lens)}</p>" if lens else ""),
            f'<div id="picture"></div><noscript><img alt="{escape(name)}" src="data:image/svg+xml;base64,{still}"></noscript>',
            *(f"<p><small>{shown(note)}</small></p>" for note in self._answer.notes),
            f"<p><small>grainsheaf {VERSION}</small></p>",
            f'<script type="application/json" id="picture-content">{content}</script>',
            f'<script type="text/plain" id="picture-module">{base64.b64encode(module().encode()).decode()}</script>',
            f'<script type="module">{START}</script></body></html>\n',
        ]
        return "\n".join(parts)


def plot(answer: Answer, width: int, height: int, theme: str, settings: Mapping[str, str] | None) -> Picture:
    """The picture of an answer, after checks of the arguments."""
    for name, size in (("width", width), ("height", height)):
        if (check.count(name, size) or 0) < 160:
            raise ValueError(f"`{name}` must be at least 160, got `{size}`")
    if theme not in ("light", "dark"):
        raise ValueError(f"`theme` must be `light` or `dark`, got {theme!r}")
    if answer._name not in _VIEWS:
        raise TypeError(f"`{answer._name}` has no picture; pictures are of {', '.join(_VIEWS)}")
    return Picture(answer, width, height, theme, views.settings("settings", settings))


def _traits_of(answer: Answer, theme: str, settings: Mapping[str, str]) -> dict[str, Any]:
    view = _view_of(answer)
    given = answer._parameters
    selection: dict[str, object] = {}
    if answer._path.startswith("runs/"):
        selection["run"] = _id_of(answer, unquote(answer._path.split("/")[1]))
    if answer._name in _NO_SETTINGS["group"]:
        selection["group"] = given["group"]
    if given.get("start") is not None or given.get("end") is not None:
        selection["time"] = _interval_of(answer)
    return {
        "view": view.name,
        "lens": given.get("lens", ""),
        "selection": selection,
        "settings": {**_settings_of(answer, view), **settings},
        "theme": theme,
        "_version": VERSION,
        "_source": repr(answer._source),
        "_id": "picture",
        "_patience": 1_000_000,
    }


def _view_of(answer: Answer) -> _View:
    is_of_group = answer._name == "paths" and answer._parameters.get("group") is not None
    return _PATHS_OF_GROUP if is_of_group else _VIEWS[answer._name]


def _settings_of(answer: Answer, view: _View) -> dict[str, str]:
    """Settings of the view that show the answer. An argument that the view cannot show is an error."""
    name, texts = answer._name, dict(view.fixed)
    for argument, value in answer._parameters.items():
        is_setting = argument != "lens" and name not in _NO_SETTINGS.get(argument, ())
        if value is None or value == _DEFAULTS.get((name, argument)) or not is_setting:
            continue
        if (name, argument) in _DECIDED and _is_decided_alike(answer, argument):
            continue
        if argument not in view.shown:
            instead = view.instead.get(argument, "leave it out for a picture")
            raise ValueError(f"the picture of `{name}` cannot show `{argument}`: {instead}")
        setting, written = view.shown[argument]
        text = written(value)
        try:
            texts[setting] = views.text(f"{view.name}.{setting}", views.SETTINGS[view.name][setting], text)
        except ValueError as error:
            what = f"`{argument}={value}`"
            raise ValueError(f"the picture of `{name}` cannot show {what}: the setting {error}") from None
    if name in ("tree", "groups"):
        _settle_problem(answer, texts)
    if name == "locations":
        is_exclusive = ("scope", "scope exclusive") in lens_text.clauses("lens", answer._parameters["lens"])
        texts["scope"] = "exclusive" if is_exclusive else "inclusive"
    return {f"{view.name}.{setting}": text for setting, text in texts.items()}


def _is_decided_alike(answer: Answer, argument: str) -> bool:
    """Whether the answer without an argument, which the page shows, is the same but for its notes."""
    from ._answer import Answer

    parameters = {**answer._parameters, argument: None}
    without = Answer(answer._source, answer._name, answer._path, parameters, answer._paged, answer._has_table)
    return {**without.json(), "notes": []} == {**answer.json(), "notes": []}


def _settle_problem(answer: Answer, texts: dict[str, str]) -> None:
    """Makes the problem of a tree the condition that the page looks for: it may be a name."""
    if "problem" in texts:
        from ._answer import Answer

        parameters = {"problem": texts["problem"], "depth": 0}
        path = answer._path.rpartition("/")[0] + "/tree"
        tree = Answer(answer._source, "tree", path, parameters, False, True)
        texts["problem"] = tree.json()["conditions"][0]
    elif "separate" in texts:
        raise ValueError(f"the picture of `{answer._name}` cannot show `separate` alone: give `problem` too")


def _interval_of(answer: Answer) -> list[int]:
    """The interval of a question about times; an end that was not given is that of the run."""
    start, end = answer._parameters.get("start"), answer._parameters.get("end")
    whole = answer.json() if start is None or end is None else {}
    return [whole["start"] if start is None else start, whole["end"] if end is None else end]


def _id_of(answer: Answer, run: str) -> str:
    """The id of a run, which may be named in another way."""
    from ._ensemble import Ensemble

    return str(Ensemble(answer._source).info(run).run)
