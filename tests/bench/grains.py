"""The work of `grain_stats` and `grain_diff` (examples) done by DuckDB, for comparison in the same run.

usage: grains.py STORE GRAINS.csv

STORE is the store that `grain_stats` made, GRAINS.csv what `grain_diff` wrote: its run 0 is compared with
the others. The least wall time and the mean processor time of five repetitions are printed.
"""

import resource
import sys
import time

import duckdb

TIMES = 5


def measure(what, query, connection):
    least, before = float("inf"), sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    for _ in range(TIMES):
        begin = time.perf_counter()
        rows = connection.sql(query).fetchall()
        least = min(least, time.perf_counter() - begin)
    spent = (sum(resource.getrusage(resource.RUSAGE_SELF)[:2]) - before) / TIMES
    print(f"{what}: {least * 1e3:.1f} ms, {spent * 1e3:.1f} CPU ms, first {rows[0][:2]}")


def main():
    store, grains = sys.argv[1:]
    connection = duckdb.connect()
    connection.sql("set threads = 2")
    measure("distributions over grains", f"""
        with g as (select context, work from '{store}/segments/*/grains.parquet'),
        s as (select context, count(work) n, min(work) lo, max(work) hi, avg(work) mean,
                     quantile_cont(work, [0.25, 0.5, 0.75]) q from g group by context),
        h as (select g.context, least(31, (work - lo) * 32 // greatest(hi - lo, 1)) bin, count(*) n
              from g join s on g.context = s.context group by all)
        select s.context, s.n, lo, hi, mean, q, list(h.n order by bin)
        from s join h on s.context = h.context group by all""", connection)
    connection.sql(f"create table grains as select * from '{grains}'")
    runs = connection.sql("select max(run) from grains").fetchall()[0][0]
    measure(f"one run against {runs}", f"""
        select count(*), sum(delta), avg(b / a) from (
          select a.work a, b.work b, coalesce(b.total, 0) / {runs} - coalesce(a.work, 0) delta
          from (select key, work from grains where run = 0) a
          full outer join (select key, avg(work) as work, sum(work) as total, count(*) from grains
                           where run > 0 group by key) b on a.key = b.key)""", connection)


main()
