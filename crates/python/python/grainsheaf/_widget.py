"""The widget of notebooks: the views of the page in a cell. The picture and Python change each other."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

try:
    import anywidget
    import traitlets as t
except ImportError as error:
    raise ImportError("pictures in notebooks need the package `anywidget`: pip install anywidget") from error

from . import _lens as lens_text
from . import _views as views
from ._browser import module
from ._ensemble import Ensemble
from ._errors import GrainsheafError
from ._grainsheaf import VERSION

_MIME = "application/vnd.jupyter.widget-view+json"

# Field of a selection, and the check of its value.
_SELECTION = {
    **dict.fromkeys(("group", "site", "run", "other_run", "definition"), lambda value: isinstance(value, str)),
    "runs": lambda value: isinstance(value, (list, tuple)) and all(isinstance(each, str) for each in value),
    "grain": lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= 0,
    "time": lambda value: isinstance(value, (list, tuple)) and len(value) == 2,
}

# Pixels that pictures have at most.
_HIGHEST = 10_000

_pool: ThreadPoolExecutor | None = None


def _threads() -> ThreadPoolExecutor:
    """Threads that answer pictures, so that a long answer does not keep the notebook from running cells."""
    global _pool
    if _pool is None:
        _pool = ThreadPoolExecutor(2, thread_name_prefix="grainsheaf")
    return _pool


class Widget(anywidget.AnyWidget):
    """A view of an ensemble in a cell of a notebook.

        w = gs.Widget(gs.open("study").by("threads"), "sankey")

    `view`, `lens`, `selection` and `settings` are the state. What the reader does in the picture changes them, and
    assigning them changes the picture in place. `query`, `metric`, `target` and `diff` are parts of the lens: the
    expression of its `where`, its metric, its target, and the two sides that it compares.
    """

    view = t.Unicode("sankey", help="The view by its name, such as `sankey`, `tree`, `contexts` or `timeline`.").tag(sync=True)
    lens = t.Unicode("", help="The lens as text.").tag(sync=True)
    selection = t.Dict(help="What is selected: `group`, `site`, `run`, `runs`, `grain`, `time` and others.").tag(sync=True)
    settings = t.Dict(value_trait=t.Unicode(), help="Settings of views, by `view.setting`.").tag(sync=True)
    theme = t.Enum(["auto", "light", "dark"], "auto", help="`auto` follows the notebook.").tag(sync=True)
    height = t.Int(480, min=160, max=_HIGHEST, help="Height of the cell in pixels.").tag(sync=True)

    query = t.Unicode("", help="The expression that selects the runs; empty for all.")
    metric = t.Unicode("", help="The metric; empty for that of the source.")
    target = t.Unicode("", help="The run or the runs that are shown against the ensemble; empty for none.")
    diff = t.List(t.Unicode(), maxlen=2, help="Baseline and candidate; empty if nothing is compared.")

    _id = t.Unicode().tag(sync=True)
    _version = t.Unicode(VERSION).tag(sync=True)
    _source = t.Unicode().tag(sync=True)
    _picture = t.Unicode("").tag(sync=True)

    def __init__(self, ensemble: Ensemble, view: str = "sankey", *, diff: Sequence[str] = (), **traits: Any) -> None:
        if not isinstance(ensemble, Ensemble):
            raise TypeError(f"`ensemble` must be an Ensemble, got {type(ensemble).__name__}")
        _refuse_unknown(type(self), traits)
        self._ensemble = ensemble
        self._going: dict[int, Future[None]] = {}
        self._is_following = False
        self._is_told = False
        self._display: Any = None
        self._esm = module()
        traits.setdefault("lens", ensemble.lens)
        super().__init__(view=view, _id=uuid.uuid4().hex, _source=repr(ensemble._source), **traits)
        self._follow()
        if diff:
            self.diff = list(diff)
        self.on_msg(self._on_message)

    @property
    def ensemble(self) -> Ensemble:
        """The ensemble as the picture shows it now, with all that the reader has changed."""
        return self._ensemble.with_lens(self.lens)

    # The state.

    def set_state(self, sync_data: dict[str, Any]) -> None:
        # What the reader has changed. A lens that is being written may be wrong: the picture says so.
        self._is_told = True
        try:
            super().set_state(sync_data)
        finally:
            self._is_told = False

    @t.validate("lens")
    def _check_lens(self, proposal: dict[str, Any]) -> Any:
        if not self._is_told:
            self._ensemble.with_lens(proposal["value"])
        return proposal["value"]

    @t.validate("view")
    def _check_view(self, proposal: dict[str, Any]) -> Any:
        if not self._is_told:
            _as_trait(lambda: views.view("view", proposal["value"]))
        return proposal["value"]

    @t.validate("settings")
    def _check_settings(self, proposal: dict[str, Any]) -> Any:
        if not self._is_told:
            _as_trait(lambda: views.settings("settings", proposal["value"]))
        return proposal["value"]

    @t.validate("selection")
    def _check_selection(self, proposal: dict[str, Any]) -> Any:
        for name, value in proposal["value"].items():
            check = _SELECTION.get(name)
            if check is None:
                raise t.TraitError(f"`selection` has no `{name}`; available: {', '.join(_SELECTION)}")
            if not check(value):
                raise t.TraitError(f"`{name}` of `selection` must not be {value!r}")
        return proposal["value"]

    @t.validate("diff")
    def _check_diff(self, proposal: dict[str, Any]) -> Any:
        if len(proposal["value"]) not in (0, 2):
            raise t.TraitError("`diff` must have a baseline and a candidate")
        return proposal["value"]

    @t.observe("lens")
    def _on_lens(self, _: object) -> None:
        self._follow()

    @t.validate("query", "metric", "target")
    def _check_part(self, proposal: dict[str, Any]) -> Any:
        # Observers and linked traits get the part once, in the words of the lens.
        name, value = proposal["trait"].name, proposal["value"]
        return value if self._is_following else _parts(self._with_part(name, value))[name]

    @t.observe("query", "metric", "target", "diff")
    def _on_part(self, change: dict[str, Any]) -> None:
        if self._is_following:
            return
        name, value = change["name"], change["new"]
        try:
            self.lens = self._with_part(name, value)
        finally:
            # A refused part is that of the lens again; another one may be in other words, or go with this one.
            self._follow()

    def _with_part(self, name: str, value: Any) -> str:
        """The lens with another part."""
        now = Ensemble(self._ensemble._source, self.lens)
        if name == "query":
            # The part replaces another one; `Ensemble.where` would add to it.
            now = now._set("query", "where", "")
            now = now._where("query", value) if value else now
        elif name == "metric":
            now = now._set("metric", "metric", f"metric {lens_text.quoted(value)}" if value else "")
        elif name == "target":
            now = now._compared("target", f"target {lens_text.quoted(value)}" if value else "")
        else:
            now = now._compared("diff", f"diff {lens_text.quoted(value[0])} to {lens_text.quoted(value[1])}" if value else "")
        return now.lens

    def _follow(self) -> None:
        """Makes the parts those of the lens."""
        try:
            parts = _parts(self.lens)
        except GrainsheafError:
            return
        self._is_following = True
        try:
            self.query, self.metric, self.target, self.diff = (parts[name] for name in ("query", "metric", "target", "diff"))
        finally:
            self._is_following = False

    # Questions of the picture.

    def _on_message(self, _: object, content: dict[str, Any], buffers: object) -> None:
        number = int(content.get("id", 0))
        if content.get("kind") == "cancel":
            future = self._going.pop(number, None)
            if future:
                future.cancel()
        elif content.get("kind") == "ask":
            self.send({"kind": "heard", "id": number})
            question = content["path"], content.get("query", ""), content.get("accept", "application/json")
            self._going[number] = _threads().submit(self._answer, number, *question)

    def _answer(self, number: int, path: str, query: str, accept: str) -> None:
        try:
            target = f"{path}?{query}" if query else path
            reply = self._ensemble._source.ask(target, accept)
            status, kind, revision, body = reply.status, reply.content_type, reply.revision, reply.body
        except BaseException as error:  # noqa: BLE001 the picture shows it; panics of the extension are no `Exception`
            status, kind, revision = 500, "application/json", None
            body = _error_body(error)
        if self._going.pop(number, None) is not None:
            self.send({"kind": "answer", "id": number, "status": status, "type": kind, "revision": revision}, [body])

    # The picture of a saved notebook.

    def _ipython_display_(self) -> None:
        from IPython import display

        show: Any = display.display
        bundle, metadata = self._repr_mimebundle_()
        self._display = show(bundle, raw=True, metadata=metadata, display_id=True)

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        found: Any = super()._repr_mimebundle_(**kwargs)
        data, metadata = found if isinstance(found, tuple) else (found, {})
        data = {**data, "text/plain": f"<Widget {self.view} of {self._ensemble!r}>"}
        return ({**data, "image/svg+xml": self._picture} if self._picture else data), metadata

    @t.observe("_picture")
    def _on_picture(self, change: dict[str, Any]) -> None:
        # Once: an output that changes is drawn anew, which would take the focus from the reader each time.
        if self._display is not None and not change["old"]:
            bundle, metadata = self._repr_mimebundle_()
            self._display.update(bundle, raw=True, metadata=metadata)


def _parts(lens: str) -> dict[str, Any]:
    """The parts of a lens that are traits of their own."""
    clauses = dict(lens_text.clauses("lens", lens))
    return {
        "query": clauses.get("where", "").removeprefix("where "),
        "metric": next(iter(_words(clauses.get("metric", ""))[1:]), ""),
        "target": next(iter(_words(clauses.get("target", ""))[1:]), ""),
        "diff": _words(clauses.get("diff", ""))[1::2],
    }


def _refuse_unknown(widget: type[Widget], traits: dict[str, Any]) -> None:
    """Fails for a name that is no trait; traitlets only warns of it."""
    known = widget.class_traits()
    for name in traits:
        if name not in known:
            own = [each for each in vars(Widget) if each in known and not each.startswith("_")]
            raise TypeError(f"`Widget` has no `{name}`; available: {', '.join(own)}")


def _as_trait(check: Callable[[], object]) -> None:
    """Makes a wrong argument the error of traits."""
    try:
        check()
    except (TypeError, ValueError) as error:
        raise t.TraitError(str(error)) from None


_WORD = re.compile(r"\"((?:[^\"\\]|\\.)*)\"|'((?:[^'\\]|\\.)*)'|`((?:[^`\\]|\\.)*)`|([^\s,]+)", re.DOTALL)


def _words(clause: str) -> list[str]:
    """Words of a clause; quotations are one word without their quotes."""
    found = []
    for match in _WORD.finditer(clause):
        quoted = next((group for group in match.groups()[:3] if group is not None), None)
        found.append(match[4] if quoted is None else re.sub(r"\\(.)", r"\1", quoted, flags=re.DOTALL))
    return found


def _error_body(error: BaseException) -> bytes:
    import json

    return json.dumps({"code": "internal", "message": str(error)}).encode()
