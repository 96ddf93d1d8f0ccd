"""Parameters of requests that several questions have."""

from __future__ import annotations

from collections.abc import Iterable

from . import _arguments as check

MEASURES = ("structure", "wl", "work", "metrics")
FORMS = ("counted", "shape")
POLICIES = ("work_first", "help_first", "central_queue")
CAUSES = ("slower", "structure")
LEVELS = ("module", "definition", "context")
SCOPES = ("inclusive", "exclusive")
SCALINGS = ("strong", "weak")
TABLES = ("points", "models", "loss", "out_of_order")
LOCATIONS = ("ranks", "workers")
ORDERS = ("imbalance", "value")
COUNTED = ("runs", "call_sites", "ranks", "workers")
PRESETS = ("paper", "prototype")
GRAPHS = ("unreduced", "reduced")
# How values of locations become one value.
AGGREGATES = {"ranks": ("mean", "max", "sum", "median"), "workers": ("mean", "max", "median")}
MAX_CLUSTERS = 20
# Defaults of the command line, which the service does not have.
ALL_METRICS = "all"
PARTS = 40


def rows(offset: int, limit: int | None) -> dict[str, object]:
    return {"offset": check.count("offset", offset) or None, "limit": check.count("limit", limit)}


def window(start: int | None, end: int | None, pixels: int | None) -> dict[str, object]:
    return {
        "start": check.integer("start", start),
        "end": check.integer("end", end),
        "pixels": check.count("pixels", pixels),
    }


def schedules(
    reference: str | None, policy: str | None, repeats: int | None, seed: int | None
) -> dict[str, object]:
    return {
        "reference": check.optional_text("reference", reference),
        "policy": check.optional_choice("policy", policy, POLICIES),
        "repeats": check.count("repeats", repeats),
        "seed": check.count("seed", seed),
    }


def tree(
    problem: str | None, separate: bool, reference: str | None, metrics: str | Iterable[str] | None
) -> dict[str, object]:
    return {
        "problem": check.optional_text("problem", problem),
        "separate": check.truth("separate", separate) or None,
        "reference": check.optional_text("reference", reference),
        "metrics": check.joined("metrics", metrics),
    }


def similar(
    measure: str | None,
    metric: str | None,
    form: str | None,
    threshold: float | None,
    seed: int | None,
) -> dict[str, object]:
    measure = check.optional_choice("measure", measure, MEASURES)
    metric = check.optional_text("metric", metric)
    if metric is not None and measure not in ("work", "metrics"):
        compared = measure or "structure"
        raise ValueError(
            f"`metric` must not be given for measure `{compared}`, which compares no metric, got `{metric}`: "
            "use measure `work` or `metrics`"
        )
    return {
        "measure": measure,
        "metric": metric,
        "form": check.optional_choice("form", form, FORMS),
        "threshold": check.number("threshold", threshold),
        "seed": check.count("seed", seed),
    }


def clusters(given: int | None) -> int | None:
    number = check.count("clusters", given)
    if number is not None and not 1 <= number <= MAX_CLUSTERS:
        raise ValueError(f"`clusters` must be from 1 to {MAX_CLUSTERS}, got `{number}`")
    return number


def causes(name: str, given: str | Iterable[str] | None) -> str | None:
    """Causes for which a gate fails."""
    joined = check.joined(name, given)
    for cause in joined.split(",") if joined else ():
        check.choice(name, cause.strip(), CAUSES)
    return joined


def faster(name: str, given: str | Iterable[str] | None) -> str | None:
    """Definitions that become faster."""
    joined = check.joined(name, given, ";")
    for change in joined.split(";") if joined else ():
        if change.strip() and "=" not in change:
            raise ValueError(f"`{name}` must be of the form `NAME=20%`, got `{change}`")
    return joined
