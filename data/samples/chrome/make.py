"""Writes the samples beside it: small traces with what writers do and get wrong.

No program was run; the forms are those that the trace-event format describes.
"""

import json
from pathlib import Path

HERE = Path(__file__).parent


def x(name, ts, dur, tid=0, pid=1, cat="task", **more):
    args = {k: more.pop(k) for k in list(more) if k in ("id", "parent", "src")}
    event = {"name": name, "cat": cat, "ph": "X", "ts": ts, "dur": dur, "pid": pid, "tid": tid}
    return {**event, **({"args": args} if args else {}), **more}


def meta(what, name, pid=1, tid=0):
    return {"name": what, "ph": "M", "pid": pid, "tid": tid, "args": {"name": name}}


# Ids and parents: fragments of one task share its id; unsorted; a wall clock in microseconds.
BASE = 1_700_000_000_000_000
ARGS = [
    meta("process_name", "tree"),
    meta("thread_name", "main", tid=7),
    meta("thread_name", "worker", tid=3),
    {"name": "thread_sort_index", "ph": "M", "pid": 1, "tid": 7, "args": {"sort_index": -1}},
    x("leaf", BASE + 20.5, 10.25, tid=3, id=2, parent=1, src="tree.c:12"),
    x("root", BASE, 15, tid=7, id=1, parent=None, src="tree.c:3"),
    x("root", BASE + 40, 5, tid=7, id=1, parent=None, src="tree.c:3"),
    x("leaf", BASE + 16, 2.001, tid=7, id="3", parent="1", src="tree.c:12"),
    x("inner", BASE + 22, 4, tid=3, id=4, parent=2),
    x("lost", BASE + 50, 1, tid=3, id=5, parent=99),
    x("other", BASE + 60, 1, tid=3, id=2, parent=1),
    x("ring", BASE + 70, 1, tid=3, id=10, parent=11),
    x("ring", BASE + 72, 1, tid=3, id=11, parent=10),
]

# Arrows: creation to start, the older binding to the next slice, an arrow without end, a dependence.
FLOWS = {
    "traceEvents": [
        x("main", 0, 100, tid="main", pid="app"),
        {"name": "spawn", "cat": "flow", "ph": "s", "id": 1, "ts": 10, "pid": "app", "tid": "main"},
        {"name": "spawn", "cat": "flow", "ph": "f", "bp": "e", "id": 1, "ts": 20, "pid": "app", "tid": "w1"},
        x("work", 20, 30, tid="w1", pid="app"),
        {"name": "spawn", "cat": "flow", "ph": "s", "id": "0x2", "ts": 12, "pid": "app", "tid": "main"},
        {"name": "spawn", "cat": "flow", "ph": "f", "id": "0x2", "ts": 51, "pid": "app", "tid": "w1"},
        x("work", 55, 5, tid="w1", pid="app"),
        {"name": "then", "cat": "flow", "ph": "s", "id": 3, "ts": 50, "pid": "app", "tid": "w1"},
        {"name": "then", "cat": "flow", "ph": "f", "bp": "e", "id": 3, "ts": 56, "pid": "app", "tid": "w1"},
        {"name": "spawn", "cat": "flow", "ph": "s", "id": 4, "ts": 13, "pid": "app", "tid": "main"},
        {"name": "spawn", "cat": "flow", "ph": "f", "bp": "e", "id": 5, "ts": 21, "pid": "app", "tid": "w1"},
    ],
    "displayTimeUnit": "ns",
    "otherData": {"version": "1.20", "threads": 2, "nested": {"left": "out"}, "debug": False},
}

# Begin and end on a stack per thread; processes and threads by number; what is no slice.
STACK = [
    {"name": "outer", "ph": "B", "ts": 0, "pid": 20, "tid": 1, "cat": "a,b"},
    {"name": "inner", "ph": "B", "ts": 1.5, "pid": 20, "tid": 1},
    {"ph": "E", "ts": 3.25, "pid": 20, "tid": 1},
    {"name": "wrong", "ph": "E", "ts": 3.5, "pid": 20, "tid": 1},
    {"name": "outer", "ph": "E", "ts": 10, "pid": 20, "tid": 1},
    {"ph": "E", "ts": 11, "pid": 20, "tid": 1},
    {"name": "open", "ph": "B", "ts": 12, "pid": 20, "tid": 1},
    {"name": "tick", "ph": "i", "ts": 15, "pid": 20, "tid": 1, "s": "t"},
    {"name": "inner", "ph": "X", "ts": 14, "dur": 2, "pid": 20, "tid": 1},
    {"name": "outer", "ph": "X", "ts": 2, "dur": 8, "pid": 3, "tid": 9},
    {"name": "late", "ph": "X", "ts": 8, "dur": 4, "pid": 3, "tid": 9},
    {"name": "load", "ph": "C", "ts": 4, "pid": 20, "args": {"value": 3}},
    {"name": "o", "ph": "N", "id": 1, "ts": 4, "pid": 20, "tid": 1},
    {"name": "negative", "ph": "X", "ts": 5, "dur": -1, "pid": 3, "tid": 9},
    {"name": "endless", "ph": "X", "ts": 30, "pid": 3, "tid": 9},
    {"name": "huge", "ph": "X", "ts": 1e300, "dur": 1, "pid": 3, "tid": 9},
    {"name": "word", "ph": "X", "ts": "soon", "dur": 1, "pid": 3, "tid": 9},
    {"name": "no phase"},
]

# Tasks that change threads: only begin and end are known, of one also two fragments.
ASYNC = [
    {"name": "job", "cat": "job", "ph": "b", "id": 1, "ts": 0, "pid": 1, "tid": 1, "args": {"id": 1}},
    {"name": "job", "cat": "job", "ph": "e", "id": 1, "ts": 90, "pid": 1, "tid": 2},
    {"name": "job", "cat": "job", "ph": "b", "id2": {"local": "0x2"}, "ts": 10, "pid": 1, "tid": 1, "args": {"id": 2, "parent": 1}},
    x("job", 20, 5, tid=1, cat="job", id=2, parent=1),
    x("job", 40, 7, tid=2, cat="job", id=2, parent=1),
    {"name": "half", "cat": "job", "ph": "n", "id2": {"local": "0x2"}, "ts": 30, "pid": 1, "tid": 1},
    {"name": "job", "cat": "job", "ph": "e", "id2": {"local": "0x2"}, "ts": 50, "pid": 1, "tid": 2},
    {"name": "old", "cat": "job", "ph": "S", "id": 1, "ts": 60, "pid": 1, "tid": 1},
    {"name": "old", "cat": "job", "ph": "T", "id": 1, "ts": 65, "pid": 1, "tid": 1},
    {"name": "old", "cat": "job", "ph": "F", "id": 1, "ts": 70, "pid": 1, "tid": 2},
    {"name": "never", "cat": "job", "ph": "b", "id": 9, "ts": 80, "pid": 1, "tid": 1},
    {"name": "job", "cat": "job", "ph": "e", "id": 10, "ts": 81, "pid": 1, "tid": 1},
    {"name": "nameless", "cat": "job", "ph": "b", "ts": 80, "pid": 1, "tid": 1},
]

HOSTILE = [
    x('</script><img src=x onerror="alert(1)">', 0, 1),
    x('a"b\\c\nd\u2028', 1, 1),
    x("x" * 70000, 2, 1),
    x("", 3, 1),
    x("../../etc/passwd", 4, 1, tid=-1),
]

if __name__ == "__main__":
    def dump(events):
        return "[\n" + ",\n".join(json.dumps(event) for event in events) + "\n]\n"

    (HERE / "args.json").write_text(dump(ARGS))
    (HERE / "flows.json").write_text(json.dumps(FLOWS, indent=1))
    (HERE / "stack.json").write_text(dump(STACK))
    (HERE / "async.json").write_text(dump(ASYNC))
    (HERE / "hostile.json").write_text(dump(HOSTILE).replace("x" * 70000, "x" * 300))
    # As writers leave it: no closing bracket, a comma behind the last event.
    (HERE / "open.json").write_text(dump(STACK[:5]).rstrip("]\n") + "},\n")
    text = dump(ARGS)
    (HERE / "cut.json").write_text(text[: text.index('"inner"') + 20])
    broken = dump([x("a", 0, 1), x("b", 2, 1), x("c", 4, 1)]).replace('"b"', '"b"b"')
    (HERE / "broken.json").write_text(broken)
    # One event per line without commas, as some tracers write.
    (HERE / "lines.pfw").write_text("[\n" + "\n".join(json.dumps(e) for e in ARGS[4:8]) + "\n")
