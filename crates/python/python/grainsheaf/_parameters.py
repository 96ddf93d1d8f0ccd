"""Parameters of requests that several questions have."""

from __future__ import annotations

from collections.abc import Iterable

from . import _arguments as check


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
        "policy": check.optional_text("policy", policy),
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
    clusters: int | None,
    seed: int | None,
) -> dict[str, object]:
    return {
        "measure": check.optional_text("measure", measure),
        "metric": check.optional_text("metric", metric),
        "form": check.optional_text("form", form),
        "threshold": check.number("threshold", threshold),
        "clusters": check.count("clusters", clusters),
        "seed": check.count("seed", seed),
    }
