"""Views of the page with their settings, as the folder `frontend` declares them. A test compares both."""

from __future__ import annotations

from dataclasses import dataclass

from . import _arguments as check


@dataclass(frozen=True)
class Range:
    """Numbers that a setting can be."""

    least: float
    most: float


# Values of a setting: one of these texts, a number, a flag (`0` or `1`), or any text (`str`).
Setting = tuple[str, ...] | Range | type[str]

FLAG = ("0", "1")
_MEASURES = ("metrics", "structure", "work", "wl")
_VALUES = ("inclusive", "exclusive")
_SORTED_BY = ("median", "difference", "ratio", "lowest", "mean", "max", "spread", "imbalance", "absent", "name")

SETTINGS: dict[str, dict[str, Setting]] = {
    "sankey": {
        "order": ("crossings", "inclusive", "exclusive", "name"),
        "hot": FLAG,
        "back": FLAG,
        "at": str,
        "legend": str,
        "moved": str,
        "guides": str,
    },
    "tree": {"uniform": FLAG, "zoom": str},
    "changes": {"order": ("absolute", "relative", "significance")},
    "runs": {"unfolded": FLAG, "sort": str},
    "groups": {
        "problem": str,
        "opened": ("", "depth", "critical", "problems", "worst"),
        "depth": Range(0, 64),
        "hand": str,
        "root": Range(0, 20_000_000_000),
        "local": Range(0, 20_000_000_000),
        "similar": Range(0, 4_000_000_000),
        "in": str,
        "whole": str,
        "second": ("shown", "hidden"),
        "separate": FLAG,
    },
    "grain-graph": {
        "problem": str,
        "limit": str,
        "second": str,
        "join": ("and", "or"),
        "fragments": FLAG,
        "root": Range(0, 4_000_000_000),
        "reference": str,
        "compared": ("problem", "deviation", "stretch"),
        "order": ("work", "grains", "share"),
        "scale": ("log", "linear"),
    },
    "dag": {
        "colour": ("definition", "worker"),
        "height": ("same", "linear", "power", "log"),
        "edges": ("angles", "straight", "none"),
        "critical": FLAG,
        "depth": Range(0, 64),
        "hand": str,
        "otherHand": str,
    },
    "contexts": {
        "size": _VALUES,
        "colour": _VALUES,
        "metric": str,
        "root": str,
        "prune": ("outliers", "range", "all"),
        "from": str,
        "to": str,
        "open": str,
        "shut": str,
        "stand": str,
    },
    "distribution": {"mode": ("runs", "call_sites", "ranks", "workers"), "log": FLAG},
    "boxes": {
        "over": ("runs", "ranks", "workers"),
        "sort": (*_SORTED_BY, *(f"-{each}" for each in _SORTED_BY)),
        "filter": str,
        "axis": ("common", "own"),
        "numbers": ("spread", "cohorts"),
        "whiskers": ("1.5", "2", "3", "range"),
        "log": FLAG,
    },
    "locations": {
        "by": ("ranks", "workers"),
        "order": ("imbalance", "value"),
        "scope": _VALUES,
        "columns": ("number", "total", "group", "node"),
        "against": ("nothing", "ensemble"),
        "run": str,
    },
    "source": {},
    "functions": {"filter": str, "inverted": FLAG, "sort": str},
    "scatter": {"x": _VALUES, "y": _VALUES, "metric": str, "log": ("1", "0"), "swap": FLAG, "fit": FLAG},
    "scaling": {
        "quantity": ("speedup", "efficiency", "time"),
        "by": str,
        "series": Range(-1, 10_000),
        "all": FLAG,
        "whatif": str,
    },
    "what-if": {"run": str, "at": Range(0, 1_048_576), "faster": str},
    "utilisation": {"by": str, "split": str},
    "time-strip": {"along": str},
    "timeline": {
        "colour": ("definition", "worker"),
        "sort": ("number", "busy", "place"),
        "pinned": str,
        "align": str,
        "idle": FLAG,
    },
    "parallelism": {"form": ("mirrored", "stacked"), "hidden": str, "at": str},
    "explain": {"by": ("first", "workers", "path", "ranks"), "cause": str},
    "delays": {"of": ("all", "moved")},
    "history": {"by": str, "series": Range(0, 10_000), "group": str, "sort": str},
    "gate": {
        "regression": Range(0, 99),
        "share": Range(0, 100),
        "alpha": Range(0.1, 50),
        "causes": ("slower", "structure", "slower,structure"),
        "strict": FLAG,
        "sort": str,
    },
    "noise": {"alpha": Range(0.1, 50), "cohort": Range(0, 10_000), "sort": str},
    "structure": {"sort": str},
    "similarity": {"measure": _MEASURES, "threshold": str},
    "projection": {
        "by": ("behaviour", "parameters"),
        "measure": _MEASURES,
        "clusters": Range(0, 20),
        "colour": str,
        "subsets": str,
    },
}


def view(name: str, value: object) -> str:
    """The name of a view, if there is one of this name."""
    return check.choice(name, value, SETTINGS)


def settings(name: str, given: object) -> dict[str, str]:
    """Settings of views by `view.setting`, if there are such settings and they can have these values."""
    texts = check.mapping(name, given)
    for key, value in texts.items():
        if not isinstance(key, str):
            raise TypeError(f"names in `{name}` must be str, got {type(key).__name__}")
        if not isinstance(value, str):
            raise TypeError(f"`{name}[{key!r}]` must be a str, got {type(value).__name__}")
        of, _, setting = key.partition(".")
        if of not in SETTINGS:
            raise ValueError(f"`{name}` has `{key}`, but there is no view `{of}`; available: {', '.join(SETTINGS)}")
        if setting not in SETTINGS[of]:
            there = ", ".join(f"{of}.{each}" for each in SETTINGS[of]) or "none"
            raise ValueError(f"`{name}` has `{key}`, but the view `{of}` has no such setting; available: {there}")
        text(f"{name}[{key!r}]", SETTINGS[of][setting], value)
    return texts


def text(name: str, setting: Setting, value: str) -> str:
    """The text of a setting, if it can have this value."""
    if isinstance(setting, Range):
        try:
            is_inside = setting.least <= float(value) <= setting.most
        except ValueError:
            is_inside = False
        if not is_inside:
            raise ValueError(f"`{name}` must be a number from {setting.least:g} to {setting.most:g}, got `{value}`")
    elif isinstance(setting, tuple) and value not in setting:
        raise ValueError(f"`{name}` must be one of {check.listed(setting)}, got `{value}`")
    return value
