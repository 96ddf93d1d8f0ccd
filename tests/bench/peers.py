"""Compares the Python package with Thicket and Hatchet: read, unify, statistics and query of the same profiles.

usage: peers.py CALL_PROFILES     a folder that has `caliper-cali/rajaperf-quartz50` and `caliper-cali/lulesh-mpi-scaling5`

Runs every package and ensemble in a process of its own, and prints a Markdown table: processor seconds of each step
without imports of packages, peak memory of the process, and ratios. The 560 profiles are the 50 of the folder, copied
with other dates and other first times, so that each is a run of its own. The packages are those of the environment that runs this script.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

STEPS = ("read", "statistics", "query")
METRIC = {"rajaperf": "time (exc)", "lulesh": "Avg time/rank"}
NODE = {"rajaperf": "Apps_ENERGY", "lulesh": "CalcForceForNodes"}


def by_grainsheaf(files, metric, node):
    import grainsheaf as gs

    with tempfile.TemporaryDirectory() as folder:
        yield
        runs = gs.add(files, store=os.path.join(folder, "store"), progress=False).level("context").below(0.0)
        runs = runs.scope("exclusive").metric(metric)
        yield len(runs.runs())
        # Values outside of all paths are no path.
        yield sum(not row.get("outside", False) for row in runs.stats().rows)
        # The rows of call paths that end in the node; the answer is asked for anew.
        yield sum(row["path"][-1] == node for row in runs.stats().rows)


def by_thicket(files, metric, node):
    import thicket
    import thicket.stats

    yield
    both = thicket.Thicket.from_caliperreader(files, disable_tqdm=True)
    yield len(both.profile)
    for compute in ("mean", "median", "std", "minimum", "maximum", "percentiles"):
        getattr(thicket.stats, compute)(both, [metric])
    yield len(both.statsframe.dataframe)
    query = thicket.query.Query().match("*").rel(".", lambda row: row["name"].apply(lambda one: one == node).all())
    yield int((both.query(query).statsframe.dataframe["name"] == node).sum())


def by_hatchet(files, metric, node):
    import hatchet
    import pandas

    yield
    frames = [hatchet.GraphFrame.from_caliperreader(file) for file in files]
    first, *others = frames
    for other in others:
        first.unify(other)
    yield len(frames)
    every = pandas.concat([frame.dataframe.reset_index()[["node", metric]] for frame in frames])
    rows = every.groupby(every["node"].map(lambda one: " / ".join(each.frame["name"] for each in one.path())))[metric]
    found = rows.describe()
    yield len(found)
    kept = first.filter(lambda row: row["name"] == node, squash=False)
    yield int((kept.dataframe["name"] == node).sum())


PACKAGES = {"grainsheaf": by_grainsheaf, "thicket": by_thicket, "hatchet": by_hatchet}


def measure(package, ensemble, folder):
    """Processor seconds of each step and what it found, as JSON; for a process of its own."""
    warnings.filterwarnings("ignore")
    files = sorted(str(path) for path in Path(folder).rglob("*.cali"))
    steps = PACKAGES[package](files, METRIC[ensemble], NODE[ensemble])
    next(steps)
    found, seconds = [], []
    for _ in STEPS:
        begun = time.process_time()
        found.append(next(steps))
        seconds.append(time.process_time() - begun)
    print(json.dumps({"seconds": seconds, "found": found}))


def process(package, ensemble, folder):
    """What `measure` found, with the peak memory of its process in MB."""
    line = [sys.executable, __file__, "--measure", package, ensemble, str(folder)]
    child = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    output, errors = child.stdout.read(), child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit(f"{package} failed: {errors[-2000:]}")
    return {**json.loads(output.splitlines()[-1]), "peak": usage.ru_maxrss / 1024}


def copies(source, folder, num_files):
    """Profiles of `source`, as often as needed; each copy has another date and another first time: it is another run."""
    folder.mkdir()
    files = sorted(source.rglob("*.cali"))
    for number in range(num_files):
        text = files[number % len(files)].read_text()
        if number >= len(files):
            date = re.search(r"id=(\d+),attr=8,data=launchdate\b", text)[1]
            later = lambda found: f"{found[1]}{int(found[2]) + number}"  # noqa: E731
            text = re.sub(rf"(attr={date},data=)(\d+)", later, text)
            text = re.sub(r"(\n__rec=ctx,attr=[\d=]+,data=)(\d+)", later, text, count=1)
        (folder / f"{number:03}.cali").write_text(text)
    return folder


def main(profiles):
    rajaperf, lulesh = (Path(profiles) / "caliper-cali" / name for name in ("rajaperf-quartz50", "lulesh-mpi-scaling5"))
    print(f"| profiles | package | {' | '.join(f'{step} (CPU s)' for step in STEPS)} | CPU s | peak MiB | CPU, memory × |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        cases = [
            ("20 of RAJAPerf", "rajaperf", copies(rajaperf, Path(folder) / "20", 20)),
            ("5 of LULESH", "lulesh", lulesh),
            ("560 of RAJAPerf", "rajaperf", copies(rajaperf, Path(folder) / "560", 560)),
        ]
        for name, ensemble, files in cases:
            ours = None
            for package in PACKAGES:
                measured = process(package, ensemble, files)
                ours = ours or measured
                if measured["found"] != ours["found"]:
                    print(f"{package} found {measured['found']}, grainsheaf {ours['found']}", file=sys.stderr)
                cpu, own = sum(measured["seconds"]), sum(ours["seconds"])
                steps = " | ".join(f"{one:.3f}" for one in measured["seconds"])
                ratio = "–" if measured is ours else f"{cpu / own:.0f}, {measured['peak'] / ours['peak']:.1f}"
                print(f"| {name} | {package} | {steps} | {cpu:.3f} | {measured['peak']:.0f} | {ratio} |", flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "--measure":
        measure(*sys.argv[2:])
    else:
        main(sys.argv[1])
