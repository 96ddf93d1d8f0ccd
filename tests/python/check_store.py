"""Computes statistics and differences from a store's Parquet files alone and compares them with
the answers of the command line.

usage: check_store.py STORE STATS.json DIFF.json A_IDS B_IDS

STATS.json answers `stats --level definition --by threads` (exclusive work and inclusive work in two
files joined as a JSON list), DIFF.json answers `diff A B --level definition`. A_IDS and B_IDS are
comma-separated run ids. Nothing of Grainsheaf is used: pandas and DuckDB read the files as they are.
"""

import json
import math
import sys

import duckdb
import numpy
import pandas


def load(store, table):
    """One table over all segments, read by DuckDB."""
    path = f"{store}/segments/*/{table}.parquet"
    return duckdb.sql(f"select * from read_parquet('{path}', union_by_name=true)").df()


def exclusive_work(store):
    """Exclusive work per run and context, and the context tables, as pandas frames."""
    metrics = load(store, "metrics")
    work = metrics[metrics["name"] == "work_ns"][["run", "metric"]]
    values = load(store, "values").merge(work, on=["run", "metric"])
    return values.groupby(["run", "context"], as_index=False)["sum"].sum()


def definition_values(store):
    """{(run, definition id): (exclusive, inclusive)} with presence, from the files alone."""
    contexts = load(store, "contexts")
    definitions = load(store, "definitions")
    ids = {(row.run, row.definition): bytes(row.id).hex() for row in definitions.itertuples()}
    work = exclusive_work(store)
    own = {(row.run, row.context): int(row.sum) for row in work.itertuples()}
    exclusive, inclusive = {}, {}
    for run, table in contexts.groupby("run"):
        table = table.sort_values("context")
        parents = [None if pandas.isna(parent) else int(parent) for parent in table["parent"]]
        groups = [ids[run, definition] for definition in table["definition"]]
        total = [own.get((run, context), 0) for context in table["context"]]
        for group, value in zip(groups, total):
            exclusive[run, group] = exclusive.get((run, group), 0) + value
        below = list(total)
        for context in range(len(parents) - 1, -1, -1):
            if parents[context] is not None:
                below[parents[context]] += below[context]
        for context, group in enumerate(groups):
            ancestor = parents[context]
            while ancestor is not None and groups[ancestor] != group:
                ancestor = parents[ancestor]
            if ancestor is None:
                inclusive[run, group] = inclusive.get((run, group), 0) + below[context]
    return exclusive, inclusive


def close(found, expected, what):
    """Fails when two numbers differ by more than 1e-12 relative or a millionth of a nanosecond.

    Means of a diff are multiples of a power of two far below a nanosecond, so that deltas add up
    exactly; they differ from pandas' means by that much.
    """
    if found is None or not math.isclose(found, expected, rel_tol=1e-12, abs_tol=1e-6):
        sys.exit(f"{what}: command line says {found!r}, the files say {expected!r}")
    return 1


def check_stats(answers, values_of_scope, threads, ranks):
    """Compares every row of the stats answers; returns how many numbers were compared."""
    compared = 0
    for answer in answers:
        for row in answer["rows"]:
            values = values_of_scope[row["scope"]]
            cohort = [run for run, value in threads.items() if value == row["cohort"]["threads"]]
            found = [values[run, row["group"]] / ranks[run] for run in cohort
                     if (run, row["group"]) in values]
            what = f"{row['path']} {row['scope']} {row['cohort']}"
            compared += close(row["runs"], len(found), what + " runs")
            compared += close(row["absent"], len(cohort) - len(found), what + " absent")
            if not found:
                continue
            q1, median, q3 = numpy.percentile(found, [25, 50, 75])
            expected = {"mean": numpy.mean(found), "median": median, "q1": q1, "q3": q3,
                        "min": min(found), "max": max(found)}
            if len(found) > 1:
                expected["std"] = numpy.std(found, ddof=1)
            for name, value in expected.items():
                compared += close(row.get(name), value, f"{what} {name}")
    return compared


def check_diff(answer, exclusive, ranks, a_runs, b_runs):
    """Compares every row and the totals of a diff; returns how many numbers were compared."""
    compared = 0

    def mean(runs, group):
        return sum(exclusive.get((run, group), 0) / ranks[run] for run in runs) / len(runs)

    groups = {group for run, group in exclusive if run in a_runs or run in b_runs}
    reported = {row["group"]: row for row in answer["rows"]}
    if groups != set(reported):
        sys.exit(f"groups differ: {groups ^ set(reported)}")
    for group, row in reported.items():
        a, b = mean(a_runs, group), mean(b_runs, group)
        compared += close(row["delta"], b - a, f"{row['path']} delta")
        if any((run, group) in exclusive for run in a_runs):
            compared += close(row["a"], a, f"{row['path']} a")
    total = sum(mean(b_runs, group) - mean(a_runs, group) for group in groups)
    compared += close(answer["totals"]["delta"], total, "total delta")
    compared += close(sum(row["delta"] for row in answer["rows"]), answer["totals"]["delta"], "sum")
    return compared


def main():
    """Reads the arguments, compares, prints how much was compared."""
    store, stats_file, diff_file, a_ids, b_ids = sys.argv[1:]
    runs = load(store, "runs")
    params = load(store, "params")
    threads = {row.run: row.number for row in params[params["key"] == "threads"].itertuples()}
    ranks = {row.run: row.ranks for row in runs.itertuples()}
    exclusive, inclusive = definition_values(store)
    with open(stats_file, encoding="utf-8") as file:
        answers = json.load(file)
    compared = check_stats(answers, {"exclusive": exclusive, "inclusive": inclusive}, threads, ranks)
    with open(diff_file, encoding="utf-8") as file:
        diff = json.load(file)
    compared += check_diff(diff, exclusive, ranks, a_ids.split(","), b_ids.split(","))
    print(f"{compared} numbers agree over {len(runs)} runs")


if __name__ == "__main__":
    main()
