"""Pictures of answers, as files and in notebooks. The views of the page draw them; nothing is drawn in Python."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
from collections.abc import Callable, Mapping
from html import escape
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from . import _arguments as check
from . import _views as views
from ._browser import Drawing, browser, missing, module
from ._errors import GrainsheafError
from ._grainsheaf import VERSION
from ._html import shown, visible

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


def _percent(value: object) -> object:
    return None if value is None else round(100 * float(value), 6)  # type: ignore[arg-type]


def _opened(given: Parameters) -> Mapping[str, object]:
    """Groups of the first levels are open: a file has nobody who opens them."""
    return {"opened": "depth", "separate": given.get("separate")}


# View of an answer, and its settings by the parameters of the question.
_VIEWS: dict[str, tuple[str, Callable[[Parameters], Mapping[str, object]]]] = {
    "runs": ("runs", lambda given: {}),
    "stats": ("boxes", lambda given: {}),
    "diff": ("changes", lambda given: {}),
    "explain": ("explain", lambda given: {}),
    "gate": (
        "gate",
        lambda given: {
            "regression": _percent(given.get("max_regression")),
            "share": _percent(given.get("min_share")),
            "alpha": _percent(given.get("alpha")),
            "causes": given.get("fail_on"),
            "strict": given.get("strict"),
        },
    ),
    "noise": ("noise", lambda given: {"alpha": _percent(given.get("alpha"))}),
    "scale": ("scaling", lambda given: {"by": given.get("by")}),
    "history": ("history", lambda given: {"by": given.get("by")}),
    "similar": ("similarity", lambda given: {"measure": given.get("measure"), "threshold": given.get("threshold")}),
    "projection": ("projection", lambda given: {"measure": given.get("measure"), "clusters": given.get("clusters")}),
    "locations": ("locations", lambda given: {"by": given.get("by"), "order": given.get("order")}),
    "sankey": ("sankey", lambda given: {}),
    "hierarchy": ("tree", lambda given: {}),
    "distribution": ("distribution", lambda given: {"mode": given.get("mode")}),
    "tree": ("groups", lambda given: {**_opened(given), "depth": given.get("depth")}),
    "groups": ("groups", lambda given: {**_opened(given), "root": given.get("group") or None}),
    "grains": ("grain-graph", lambda given: {"reference": given.get("reference")}),
    "problems": ("grain-graph", lambda given: {"reference": given.get("reference")}),
    "timeline": ("timeline", lambda given: {}),
    "parallelism": ("parallelism", lambda given: {}),
    "scheduling": ("delays", lambda given: {}),
    "paths": ("dag", lambda given: {"critical": True}),
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
    view, settings_of = _VIEWS[answer._name]
    given = answer._parameters
    own = {f"{view}.{name}": _text(value) for name, value in settings_of(given).items() if value is not None}
    selection: dict[str, object] = {}
    if answer._path.startswith("runs/"):
        selection["run"] = _id_of(answer, unquote(answer._path.split("/")[1]))
    if answer._name in ("hierarchy", "distribution"):
        selection["group"] = given["group"]
    if given.get("start") is not None and given.get("end") is not None:
        selection["time"] = [given["start"], given["end"]]
    return {
        "view": view,
        "lens": given.get("lens", ""),
        "selection": selection,
        "settings": {**own, **settings},
        "theme": theme,
        "_version": VERSION,
        "_source": repr(answer._source),
        "_id": "picture",
        "_patience": 1_000_000,
    }


def _id_of(answer: Answer, run: str) -> str:
    """The id of a run, which may be named in another way."""
    from ._ensemble import Ensemble

    return str(Ensemble(answer._source).info(run).run)


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    return str(value)
