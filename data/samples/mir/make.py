"""Writes the samples of task-stats tables.

Two small programs are made up here: `walk` (tasks) and `sweep` (a work-sharing loop, run twice). Derived columns are
computed below by themselves, not by the reader. `python3 make.py`
"""

import itertools
import os
import statistics

RAW = ("task parent joins_at cpu_id child_number num_children exec_cycles creation_cycles overhead_cycles queue_size "
       "create_instant exec_end_instant tag metadata outline_function wait_instants").split()


def row(task, parent, joins_at, cpu, number, children, exec_, creation, overhead, queue, created, end, tag, metadata,
        function, waits):
    return dict(zip(RAW, (task, parent, joins_at, cpu, number, children, exec_, creation, overhead, queue, created, end,
                          tag, metadata, function, waits)))


# Task 1 creates three visits and waits, then a merge and waits; two visits create leaves, one of them in two rounds.
WALK = [
    row(1, 0, 0, 0, 1, 4, 100000, 70, 9000, 0, 0, 300000, "GOMP_parallel_task", None, 0x4006d0, [60000, 99000]),
    row(2, 1, 0, 1, 1, 3, 41000, 110, 6100, 2, 500, 210000, "0x7ffd4a10", None, 0x400720, [20000, 40500]),
    row(3, 1, 0, 0, 2, 0, 15000, 90, 0, 1, 900, 120000, "0x7ffd4a30", None, 0x400720, []),
    row(4, 1, 0, 3, 3, 2, 22000, 100, 2000, 0, 1300, 190000, "0x7ffd4a50", None, 0x400720, [21000]),
    row(5, 2, 0, 2, 1, 0, 7000, 60, 0, 3, 1000, 90000, "0x7ffd4b10", None, 0x4007a0, []),
    row(6, 2, 0, 1, 2, 0, 9001, 80, 0, 2, 2500, 95000, "0x7ffd4b30", None, 0x4007a0, []),
    row(7, 4, 0, 3, 1, 0, 5000, 50, 0, 0, 700, 80000, "0x7ffd4b50", None, 0x4007a0, []),
    row(8, 4, 0, 3, 2, 0, 5000, 50, 0, 0, 1400, 86000, "0x7ffd4b70", None, 0x4007a0, []),
    row(9, 2, 1, 2, 3, 0, 40, 65, 0, 0, 21000, 140000, "0x7ffd4b90", None, 0x4007a0, []),
    row(10, 1, 1, 2, 4, 0, 31000, 75, 0, 0, 61000, 250000, "merge", None, 0x400810, []),
]

# An idle task runs a loop of 20 iterations twice on a team of two; members of the team run chunks of 5 as they come.
SWEEP = [
    row(20, 0, 0, 0, 1, 4, 9000, 0, 5000, 0, 0, 70000, "idle_task", None, 0x400a00, [4000, 8000]),
    row(21, 20, 0, 0, 1, 4, 30000, 40, 3000, 0, 100, 34000, "GOMP_parallel_task", None, 0x400500, [29000]),
    row(22, 20, 0, 1, 2, 3, 21000, 45, 2500, 0, 200, 33000, "GOMP_parallel_task", None, 0x400500, [20000]),
    row(23, 21, 0, 0, 1, 0, 55, 10, 0, 0, 50, 5000, "GOMP_for_dynamic_task", "chunk_start", 0x400500, []),
    row(24, 21, 0, 0, 2, 0, 7000, 12, 0, 0, 110, 13000, "GOMP_for_dynamic_task", "chunk_0_5", 0x400500, []),
    row(25, 22, 0, 1, 1, 0, 60, 11, 0, 0, 70, 5100, "GOMP_for_dynamic_task", "chunk_start", 0x400500, []),
    row(26, 22, 0, 1, 2, 0, 16000, 13, 0, 0, 120, 30000, "GOMP_for_dynamic_task", "chunk_5_10", 0x400500, []),
    row(27, 21, 0, 0, 3, 0, 8000, 12, 0, 0, 7200, 21000, "GOMP_for_dynamic_task", "chunk_10_15", 0x400500, []),
    row(28, 21, 0, 0, 4, 0, 6500, 12, 0, 0, 15300, 28000, "GOMP_for_dynamic_task", "chunk_15_20", 0x400500, []),
    row(29, 22, 0, 1, 3, 0, 30, 9, 0, 0, 16200, 30100, "GOMP_for_dynamic_task", "chunk_continuation", 0x400500, []),
    row(30, 20, 1, 0, 3, 3, 26000, 41, 2000, 0, 4100, 65000, "GOMP_parallel_task", None, 0x400500, [25500]),
    row(31, 20, 1, 1, 4, 3, 25000, 42, 2100, 0, 4200, 64000, "GOMP_parallel_task", None, 0x400500, [24800]),
    row(32, 30, 0, 0, 1, 0, 50, 10, 0, 0, 40, 36000, "GOMP_for_dynamic_task", "chunk_start", 0x400500, []),
    row(33, 30, 0, 0, 2, 0, 7000, 12, 0, 0, 100, 44000, "GOMP_for_dynamic_task", "chunk_5_10", 0x400500, []),
    row(34, 31, 0, 1, 1, 0, 52, 10, 0, 0, 44, 36100, "GOMP_for_dynamic_task", "chunk_start", 0x400500, []),
    row(35, 31, 0, 1, 2, 0, 7000, 12, 0, 0, 105, 44200, "GOMP_for_dynamic_task", "chunk_0_5", 0x400500, []),
    row(36, 30, 0, 0, 3, 0, 7100, 12, 0, 0, 7200, 60000, "GOMP_for_dynamic_task", "chunk_10_15", 0x400500, []),
    row(37, 31, 0, 1, 3, 0, 7100, 12, 0, 0, 7300, 60100, "GOMP_for_dynamic_task", "chunk_15_20", 0x400500, []),
]


def waits(instants):
    return "[" + ";".join(str(at) for at in [0, *reversed(instants)]) + "]"


def groups(rows, key):
    found = {}
    for item in rows:
        found.setdefault(key(item), []).append(item)
    return found


def balance(values):
    return max(values) / (sum(values) / len(values))


def processed(raw, is_loop):
    """The rows with their derived columns."""
    rows = [dict(item, wait_instants=waits(item["wait_instants"])) for item in raw]
    by_task = {item["task"]: item for item in rows}
    children = groups(rows, lambda item: item["parent"])
    siblings = groups(rows, lambda item: (item["parent"], item["joins_at"]))
    for item in rows:
        parent = by_task.get(item["parent"])
        item["leaf"] = item["num_children"] == 0
        item["work_cycles"] = item["exec_cycles"] - item["overhead_cycles"]
        if is_loop:
            is_chunk = (item["metadata"] or "").startswith("chunk_")
            is_below = is_chunk and parent["tag"] != "idle_task"
            item["idle_join"] = parent["joins_at"] if is_below else item["joins_at"]
            item["parent_joins_at"] = parent and parent["joins_at"]
            item["parent_tag"] = parent and parent["tag"]
        else:
            path, at = [], item
            while at:
                path.append(str(at["child_number"]))
                at = by_task.get(at["parent"])
            item["lineage"] = "-".join(["R", *reversed(path)])
        overhead = parent and parent["overhead_cycles"]
        same = children[item["parent"]]
        rest = parent and (overhead - sum(child["creation_cycles"] for child in same)) / len(same)
        item["parent_overhead_cycles"] = overhead
        item["sync_cycles_per_child"] = rest
        item["parallel_benefit"] = parent and item["work_cycles"] / (item["creation_cycles"] + rest)
    for item in rows:
        same = siblings[item["parent"], item["joins_at"]]
        item["sibling_work_balance"] = balance([other["work_cycles"] for other in same])
        if not is_loop:
            pairs = itertools.combinations([other["cpu_id"] for other in same], 2)
            distances = [abs(a - b) for a, b in pairs]
            item["sibling_scatter"] = statistics.median(distances) if distances else None
        cpu = [other["exec_end_instant"] for other in rows if other["cpu_id"] == item["cpu_id"]]
        item["last_to_finish"] = item["exec_end_instant"] == max(cpu)
        item["num_siblings"] = len(same)
    if is_loop:
        chunks(rows)
    return rows


def chunks(rows):
    for item in rows:
        for name in ("chunk_work_balance", "chunk_work_cpu", "chunk_work_cpu_balance", "chunk_lineage"):
            item[name] = None
    is_chunk = [item for item in rows if (item["metadata"] or "").count("_") == 2]
    for number, loop in groups(is_chunk, lambda item: item["idle_join"]).items():
        sums = {cpu: sum(item["work_cycles"] for item in same)
                for cpu, same in groups(loop, lambda item: item["cpu_id"]).items()}
        for item in loop:
            item["chunk_work_balance"] = balance([other["work_cycles"] for other in loop])
            item["chunk_work_cpu"] = sums[item["cpu_id"]]
            item["chunk_work_cpu_balance"] = balance(sorted(set(sums.values())))
            item["chunk_lineage"] = f"{number}-{item['metadata'].split('_')[1]}"


def merged(rows, key):
    """As the outer join with a comparison writes it: counters and deviation, the key first."""
    for number, item in enumerate(rows):
        stalled = 100 * (number + 3)
        item["PAPI_RES_STL_sd"] = None if item["leaf"] else 12.5 * number
        item["PAPI_RES_STL_mean"] = stalled / 3
        item["PAPI_RES_STL_sum"] = stalled
        item["mem_hier_util"] = stalled / item["work_cycles"]
        item["source_line"] = "??:0" if number == 0 else f"walk.c:{40 + number % 3}"
        matched = item[key] is not None and number != 4
        item["work_cycles_left"] = item["work_cycles"] if matched else None
        item["work_cycles_right"] = 1000 * (number + 1) if matched else None
        item["work_deviation"] = item["work_cycles"] / (1000 * (number + 1)) if matched else None
    columns = [key, *(name for name in rows[0] if name != key)]
    return [{name: item[name] for name in columns} for item in rows]


def number(value):
    """As R prints numbers: 15 digits, the shorter of fixed and scientific."""
    if isinstance(value, float):
        return f"{value:.15g}"
    plain = str(value)
    digits = plain.rstrip("0")
    scientific = f"{digits}e+{len(plain) - 1:02d}" if len(digits) == 1 and value >= 100000 else plain
    return min(plain, scientific, key=len)


def field(value):
    if value is None:
        return "NA"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return f'"{value}"'
    return number(value)


def write_r(path, rows):
    with open(path, "w", encoding="utf-8") as file:
        file.write(",".join(f'"{name}"' for name in rows[0]) + "\n")
        for item in rows:
            file.write(",".join(field(value) for value in item.values()) + "\n")


def write_raw(path, rows):
    """Worker by worker, most recent end first, with the profiler's own task."""
    ordered = sorted(rows, key=lambda item: (item["cpu_id"], -item["exec_end_instant"]))
    with open(path, "w", encoding="utf-8") as file:
        file.write("# written by hand\n" + ",".join(RAW) + "\n")
        for item in ordered:
            values = dict(item, outline_function=f"{item['outline_function']:#x}",
                          metadata=item["metadata"] or "NA", wait_instants=waits(item["wait_instants"]))
            file.write(",".join(str(values[name]) for name in RAW) + "\n")
        last = max(item["task"] for item in rows) + 1
        file.write(f"{last},NA,0,0,0,0,17,0,0,0,0,310000,NA,NA,0x0,[0]\n")


def main():
    folder = os.path.dirname(os.path.abspath(__file__))
    walk, sweep = processed(WALK, False), processed(SWEEP, True)
    write_raw(os.path.join(folder, "walk.csv"), WALK)
    write_r(os.path.join(folder, "walk.processed.csv"), walk)
    write_r(os.path.join(folder, "walk.merged.csv"), merged(processed(WALK, False), "lineage"))
    write_raw(os.path.join(folder, "sweep.csv"), SWEEP)
    write_r(os.path.join(folder, "sweep.merged.csv"), merged(sweep, "chunk_lineage"))


if __name__ == "__main__":
    main()
