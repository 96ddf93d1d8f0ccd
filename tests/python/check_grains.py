"""Computes distributions over grains and differences of grains from a store's Parquet files alone and
compares them with the answers of the command line.

usage: check_grains.py STORE STATS.json DIFF.json

STATS.json answers `stats --over grains --level definition --by threads`, DIFF.json answers `diff A B
--level grain`. Nothing of Grainsheaf is used: DuckDB reads the files as they are.
"""

import json
import math
import sys

import duckdb

BINS = 20


def tables(store):
    """Grains with run, definition and thread count, as a view."""
    for table in ["grains", "contexts", "definitions", "params"]:
        path = f"{store}/segments/*/{table}.parquet"
        duckdb.sql(f"create view {table} as select * from read_parquet('{path}', union_by_name=true)")
    duckdb.sql("""
        create table all_grains as
        select g.run, g.path_key, g.flags, g.work, g."end" - g.start as lifetime,
               lower(hex(d.id)) as definition, p.number as threads
        from grains g
        join contexts c on c.run = g.run and c.context = g.context
        join definitions d on d.run = g.run and d.definition = c.definition
        join (select run, number from params where key = 'threads') p on p.run = g.run""")


def same(what, one, other):
    if one is None or other is None:
        assert one is None and other is None, (what, one, other)
        return 0
    assert math.isclose(one, other, rel_tol=1e-12, abs_tol=1e-9), (what, one, other)
    return 1


def check_stats(answer):
    rows = duckdb.sql("""
        select definition, threads, count(work), avg(work), min(work), max(work), stddev_samp(work),
               quantile_cont(work, 0.25), quantile_cont(work, 0.5), quantile_cont(work, 0.75),
               count(distinct run), list(work)
        from all_grains where work is not null group by all""").fetchall()
    expected = {(row[0], row[1]): row[2:] for row in rows}
    assert len(expected) == len(answer["rows"]), (len(expected), len(answer["rows"]))
    compared = 0
    names = ["count", "mean", "min", "max", "std", "q1", "median", "q3", "runs"]
    for row in answer["rows"]:
        values = expected[row["group"], row["cohort"]["threads"]]
        for name, value in zip(names, values):
            compared += same((row["path"], name), row.get(name), value)
        works, low, high = values[-1], int(row["min"]), int(row["max"])
        bins = [0] * (BINS if high > low else 1)
        for work in works:
            place = (work - low) * BINS // (high - low) if high > low else 0
            bins[min(place, len(bins) - 1)] += 1
        assert bins == row["histogram"]["counts"], (row["path"], bins, row["histogram"])
        compared += len(bins)
    return compared


def check_diff(answer):
    sides = []
    for side in ["a", "b"]:
        runs = ", ".join(f"'{run}'" for run in answer[side]["runs"])
        # A key that a run has twice, or that depends on the schedule, matches nothing.
        sides.append(f"""
            select path_key, count(*) as runs, avg(work) as work, sum(work) as total,
                   avg(lifetime) as lifetime
            from (select *, count(*) over (partition by run, path_key) as same from all_grains
                  where run in ({runs}) and flags & 256 = 0)
            where same = 1 group by path_key""")
    counts = [len(answer[side]["runs"]) for side in ["a", "b"]]
    rows = duckdb.sql(f"""
        select coalesce(a.path_key, b.path_key), coalesce(a.runs, 0), coalesce(b.runs, 0), a.work, b.work,
               coalesce(b.total, 0) / {counts[1]} - coalesce(a.total, 0) / {counts[0]},
               b.work / nullif(a.work, 0), b.lifetime / nullif(a.lifetime, 0)
        from ({sides[0]}) a full outer join ({sides[1]}) b on a.path_key = b.path_key""").fetchall()
    expected = {f"{row[0] & (2**64 - 1):016x}": row[1:] for row in rows}
    assert len(expected) == len(answer["rows"]), (len(expected), len(answer["rows"]))
    names = ["runs_a", "runs_b", "a", "b", "delta", "work_deviation", "stretch"]
    compared = 0
    for row in answer["rows"]:
        for name, value in zip(names, expected[row["path_key"]]):
            compared += same((row["path"], name), row.get(name), value)
    return compared


def main():
    store, stats, diff = sys.argv[1:]
    tables(store)
    with open(stats) as file:
        compared = check_stats(json.load(file))
    with open(diff) as file:
        compared += check_diff(json.load(file))
    print(f"{compared} numbers agree")


main()
