"""Digests of call profiles, by readers that share nothing with those of the crate.

    python3 call_profiles.py FOLDER > call-profiles.txt

FOLDER holds the reference data. `digest.rs` says what a line of the output is.
"""

import json
import os
import pstats
import re
import struct
import sys
from collections import defaultdict
from decimal import Decimal


def names(path):
    """Steps are names, or tuples of a name and what tells functions of that name apart."""
    return "/".join(step if isinstance(step, str) else step[0] for step in path)


class Run:
    """Values by metric and (path, place); equal keys add up."""

    def __init__(self, file):
        self.file = file
        self.values = defaultdict(dict)
        self.nodes = set()

    def node(self, path):
        for length in range(1, len(path) + 1):
            self.nodes.add(tuple(path[:length]))

    def add(self, path, metric, value, place="0.0"):
        self.node(path)
        cell = self.values[metric]
        key = (tuple(path), place)
        cell[key] = cell[key] + value if key in cell else value

    def write(self):
        self.digest("nodes", [(names(node), 1.0) for node in self.nodes])
        for metric, cells in self.values.items():
            lines = []
            for (path, place), value in cells.items():
                text = str(value) if isinstance(value, int) else f"{float(value):.9f}"
                lines.append((f"{names(path)}|{place}|{text}", float(value)))
            self.digest(metric, lines)

    def digest(self, metric, lines):
        lines.sort(key=lambda line: line[0].encode())
        total = 0.0
        for _, number in lines:
            total += number
        state = 0xCBF29CE484222325
        for byte in "\n".join(line for line, _ in lines).encode():
            state = ((state ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
        print(f"{self.file} {metric} {len(lines)} {total:.6f} {state:016x}")


def gprof(path):
    """The fixed columns of both tables, as the sample files have them."""
    run = Run(os.path.basename(path))
    text = open(path).read()
    flat = text.split("name    \n", 1)[1].split("\n\n", 1)[0]
    unit = {"s": Decimal(1), "ms": Decimal("0.001")}[re.search(r"calls +(\w+)/call", text)[1]]
    in_flat = set()
    for line in flat.splitlines():
        name = line[54:].strip()
        in_flat.add(name)
        run.add([name], "self_s", Decimal(line[17:25].strip()))
        if line[25:34].strip():
            run.add([name], "calls", int(line[25:34]))
            run.add([name], "self_per_call_s", Decimal(line[34:43].strip()) * unit)
            run.add([name], "total_per_call_s", Decimal(line[43:52].strip()) * unit)
    graph = text.split("children    called     name\n", 1)[1].split("\n\n", 1)[0]
    strip = lambda name: re.sub(r"( <cycle \d+>)? \[\d+\]$", "", name.strip())
    arcs = {}
    for block in re.split(r"^-+\n", graph + "\n", flags=re.M):
        lines = block.splitlines()
        at = next((at for at, line in enumerate(lines) if line.startswith("[")), None)
        if at is None:
            continue
        main = re.match(
            r"\[\d+\] +[\d.]+ +([\d.]+) +([\d.]+) +(?:(\d+)(?:\+(\d+))?)? *(.*)", lines[at]
        )
        own, children = Decimal(main[1]), Decimal(main[2])
        called, more, name = main[3], main[4], strip(main[5])
        if "as a whole" in name:
            run.add([name], "cycle_total_s", own + children)
            run.add([name], "cycle_calls", int(called))
            run.add([name], "cycle_internal_calls", int(more))
            continue
        run.add([name], "total_s", own + children)
        if name not in in_flat:
            run.add([name], "self_s", own)
        if more:
            run.add([name], "recursive_calls", int(more))
        for number, line in enumerate(lines):
            if number == at or "<spontaneous>" in line:
                continue
            other = strip(line[45:])
            key = (other, name) if number < at else (name, other)
            times = (line[12:20].strip(), line[20:28].strip())
            arcs[key] = (int(re.split("[ /]", line[28:].strip())[0]), times if times[0] else None)
    for key, (count, times) in arcs.items():
        run.add(key, "arc_calls", count)
        if times:
            run.add(key, "arc_self_s", Decimal(times[0]))
            run.add(key, "arc_children_s", Decimal(times[1]))
    run.write()


def hatchet(path):
    run = Run(os.path.basename(path))
    dump = json.load(open(path))
    rows = {row["node"]: row for row in dump["dataframe"]}

    def visit(nodes, number, parent):
        node = nodes[str(number)]
        below = parent + [node["data"]["name"]]
        run.node(below)
        for metric, name in (("time", "time"), ("time (inc)", "time_inc")):
            run.add(below, name, rows[number][metric])
        for child in node["children"]:
            visit(nodes, child, below)

    for nodes in dump["graph"]:
        visit(nodes, min(map(int, nodes)), [])
    run.write()


def gprof2dot(path):
    run = Run(os.path.basename(path))
    names = {}
    arcs = []
    for line in open(path):
        found = re.match(r'\t("[^"]*"|\w+)( -> ("[^"]*"|\w+))? \[(.*)\];', line)
        if not found or found[1] in ("graph", "node", "edge"):
            continue
        parts = re.search(r'label="([^"]*)"', found[4])[1].split("\\n")
        if found[2]:
            arcs.append((found[1], found[3], parts))
            continue
        calls = parts.pop() if parts[-1].endswith("\u00d7") else None
        own, total = parts.pop(), parts.pop()
        name = parts[-1]
        names[found[1]] = name
        run.add([name], "self_percent", Decimal(own.strip("()%")))
        run.add([name], "total_percent", Decimal(total.strip("%")))
        if calls:
            run.add([name], "calls", int(calls[:-1]))
    for caller, callee, parts in arcs:
        for part in parts:
            if part.endswith("%"):
                run.add([names[caller], names[callee]], "arc_total_percent", Decimal(part[:-1]))
            else:
                run.add([names[caller], names[callee]], "arc_calls", int(part[:-1]))
    run.write()


def python2(data):
    """What Python 3 no longer reads: the few types that these files hold."""
    at = 0
    texts = []

    def take(count):
        nonlocal at
        at += count
        return data[at - count : at]

    def value():
        kind = take(1)
        if kind == b"i":
            return int.from_bytes(take(4), "little", signed=True)
        if kind == b"g":
            return struct.unpack("<d", take(8))[0]
        if kind in b"st":
            text = take(int.from_bytes(take(4), "little")).decode()
            if kind == b"t":
                texts.append(text)
            return text
        if kind == b"R":
            return texts[int.from_bytes(take(4), "little")]
        if kind == b"(":
            return tuple(value() for _ in range(int.from_bytes(take(4), "little")))
        assert kind == b"{", kind
        found = {}
        while data[at : at + 1] != b"0":
            key = value()
            found[key] = value()
        take(1)
        return found

    return value()


def cprofile(path):
    run = Run(os.path.basename(path))
    if "py2" in path:
        stats = python2(open(path, "rb").read())
    else:
        # Python's own reader, and its totals.
        found = pstats.Stats(path)
        stats = found.stats
        assert abs(sum(row[2] for row in stats.values()) - found.total_tt) < 1e-15
        assert sum(row[1] for row in stats.values()) == found.total_calls
    for (_, _, name), (primitive, calls, own, total, callers) in stats.items():
        for metric, number in zip(
            ("primitive_calls", "calls", "self_s", "total_s"), (primitive, calls, own, total)
        ):
            run.add([name], metric, number)
        for (_, _, caller), numbers in callers.items():
            for metric, number in zip(("calls", "primitive_calls", "self_s", "total_s"), numbers):
                run.add([caller, name], "arc_" + metric, number)
    run.write()


def pyinstrument(path):
    run = Run(os.path.basename(path))

    def visit(frame, parent):
        below = parent + [(frame["function"], frame["file_path_short"])]
        own = frame["time"] - sum(child["time"] for child in frame["children"])
        run.add(below, "self_s", own)
        run.add(below, "total_s", frame["time"])
        for child in frame["children"]:
            visit(child, below)

    visit(json.load(open(path), parse_float=Decimal)["root_frame"], [])
    run.write()


def tau(folder):
    """All values as printed; functions' own rows only where no call path ends in them."""
    run = Run("tau-" + os.path.basename(folder))
    for file in sorted(os.listdir(folder)):
        rank = file.split(".")[1]
        place = f"{rank}.0"
        lines = open(os.path.join(folder, file)).read().splitlines()
        count = int(lines[0].split()[0])
        rows = [re.match(r'"(.*)" (\d+) (\d+) (\d+) (\d+) 0 GROUP', line) for line in lines[2 : 2 + count]]
        paths = [[part.strip() for part in row[1].split(" => ")] for row in rows]
        ends = {path[-1] for path in paths if len(path) > 1}
        for row, path in zip(rows, paths):
            if len(path) == 1 and path[0] in ends:
                continue
            metrics = ("calls", "subroutine_calls", "time_us", "time_inclusive_us")
            for number, metric in enumerate(metrics, 2):
                run.add(path, metric, int(row[number]), place)
        for line in lines[2 + count + 3 :]:
            row = re.match(r'"(.*)" (\d+) (\d+) (\d+) (\d+) (\d+)$', line)
            for number, metric in enumerate(("count", "max", "min", "mean", "sum_squares"), 2):
                run.add([row[1]], "event_" + metric, int(row[number]), place)
    run.write()


def timemory(path):
    run = Run(os.path.basename(path))

    def visit(item, parent, place):
        node = item["node"]
        below = parent + [node["prefix"]]
        inclusive, exclusive = node["inclusive"], node["exclusive"]
        run.add(below, "wall_clock_ns", exclusive["entry"]["accum"], place)
        run.add(below, "wall_clock_inclusive_ns", inclusive["entry"]["accum"], place)
        run.add(below, "wall_clock_laps", inclusive["entry"]["laps"], place)
        run.add(below, "wall_clock_samples", inclusive["stats"]["count"], place)
        for name in ("min", "max", "mean", "stddev"):
            run.add(below, f"wall_clock_{name}_s", inclusive["stats"][name], place)
        for child in item["children"]:
            visit(child, below, place)

    for rank, roots in enumerate(json.load(open(path))["timemory"]["WALL_CLOCK"]["mpi"]):
        for root in roots:
            # The root is the tool's own: no laps, and minus the sum of its children.
            for child in root["children"]:
                visit(child, [], f"{rank}.0")
    run.write()


READERS = [
    (gprof2dot, "gprof2dot/own-demo4/demo-k{10,20,40,80}.dot"),
    (gprof2dot, "gprof2dot/callgrind-cpi/callgrind.dot.64042.0.1"),
    (cprofile, "cprofile/pstats/cprofile-cycle{,-py2}.pstats"),
    (gprof, "gprof-text/own-demo4/demo-k{10,20,40,80}.gprof.txt"),
    (pyinstrument, "pyinstrument/hatchet/pyinstrument-hatchet-profile.json"),
    (tau, "tau/cpi-4ranks"),
    (timemory, "timemory/wall/wall.tree.json"),
    (hatchet, "literal-json/hatchet-graph/hatchet-graph-literal.json"),
]


def expand(pattern):
    found = re.match(r"(.*)\{(.*)\}(.*)", pattern)
    if not found:
        return [pattern]
    return [found[1] + part + found[3] for part in found[2].split(",")]


def main():
    folder = os.path.join(sys.argv[1], "call-profiles")
    for reader, pattern in READERS:
        for path in expand(pattern):
            reader(os.path.join(folder, path))


main()
