"""Writes input files of any size from a seed, for measuring imports.

usage: generate.py caliper FOLDER PROFILES [SEED]
       generate.py mir FILE GRAINS [SEED]
       generate.py dag-recorder FILE TASKS [SEED]
       generate.py graphml FILE GRAINS
       generate.py chrome FILE EVENTS [SEED]

The same arguments give the same bytes. Caliper profiles have 74 call paths with 22 metrics each; the
others are binary recursion.
"""

import os
import random
import struct
import sys

PATHS, METRICS = 74, 22


def caliper(folder, profiles, seed):
    """Profiles of one program, with one parameter each."""
    os.makedirs(folder, exist_ok=True)
    shape = random.Random(seed)
    parents = [None] + [shape.randrange(at) for at in range(1, PATHS)]
    head = []
    attributes = [("region", "string", 276), ("size", "int", 512)]
    attributes += [(f"sum#metric.{m}", "double", 65) for m in range(METRICS)]
    ids = {}
    kinds = {"string": 3, "int": 1, "double": 5}
    next_id = 12
    for name, kind, bits in attributes:
        head.append(f"__rec=node,id={next_id},attr=10,data={bits},parent={kinds[kind]}")
        head.append(f"__rec=node,id={next_id + 1},attr=8,data={name},parent={next_id}")
        ids[name] = next_id + 1
        next_id += 2
    nodes = []
    for at, parent in enumerate(parents):
        below = "" if parent is None else f",parent={nodes[parent]}"
        head.append(f"__rec=node,id={next_id},attr={ids['region']},data=kernel_{at:02}{below}")
        nodes.append(next_id)
        next_id += 1
    metrics = "=".join(str(ids[f"sum#metric.{m}"]) for m in range(METRICS))
    for number in range(profiles):
        values = random.Random(seed * 1_000_003 + number)
        lines = list(head)
        for node in nodes:
            data = "=".join(f"{values.uniform(0, 1000):.12f}" for _ in range(METRICS))
            lines.append(f"__rec=ctx,ref={node},attr={metrics},data={data}")
        lines.append(f"__rec=globals,attr={ids['size']},data={1 + number % 8}")
        with open(os.path.join(folder, f"profile-{number:05}.cali"), "w") as file:
            file.write("\n".join(lines) + "\n")


def mir(path, grains, seed):
    """A raw task-stats table of a binary recursion."""
    random_ = random.Random(seed)
    columns = (
        "task,parent,joins_at,cpu_id,child_number,num_children,exec_cycles,creation_cycles,"
        "overhead_cycles,queue_size,create_instant,exec_end_instant,tag,metadata,outline_function,wait_instants"
    )
    with open(path, "w") as file:
        file.write(columns + "\n")
        for task in range(1, grains + 1):
            children = sum(child <= grains for child in (2 * task, 2 * task + 1))
            child_number = 1 if task == 1 else task % 2 + 1
            work = random_.randrange(500, 5000)
            waits = f"[0;{work}]" if children else "[0]"
            file.write(
                f"{task},{task // 2},0,{random_.randrange(48)},{child_number},{children},{work + 200},"
                f"{random_.randrange(40, 90)},{200 if children else 0},{random_.randrange(8)},"
                f"{10 * child_number if task > 1 else 0},{10_000_000_000 - task * 100},fib,NA,0x4010,{waits}\n"
            )


def dag_recorder(path, tasks, seed):
    """A DAG Recorder file of a binary recursion with every node kept."""
    random_ = random.Random(seed)
    nodes, edges = [], []

    def node(kind):
        nodes.append({"kind": kind, "first": 0, "last": 0})
        return len(nodes) - 1

    # Breadth first: children follow their parent, siblings are contiguous.
    root = node(5)
    waiting, task, next_tasks = [(root, 1)], 1, []
    while waiting:
        for place, number in waiting:
            children = [child for child in (2 * number, 2 * number + 1) if child <= tasks]
            first = len(nodes)
            if children:
                section = node(4)
                node(3)
                nodes[place].update(first=first - place, last=len(nodes) - place)
                inner = len(nodes)
                creates = [node(0) for _ in children]
                node(1)
                nodes[section].update(first=inner - section, last=len(nodes) - section)
                next_tasks.extend(zip(creates, children))
            else:
                node(3)
                nodes[place].update(first=first - place, last=len(nodes) - place)
        waiting = []
        for create, child in next_tasks:
            below = node(5)
            nodes[create]["first"] = below - create
            waiting.append((below, child))
        next_tasks = []
    measure(nodes, random_)
    with open(path, "wb") as file:
        write_dag(file, nodes, edges)


def measure(nodes, random_):
    """Times of a serial execution, and what the recorder aggregates from them."""
    clock, order, stack = 0, [], [0]
    while stack:
        at = stack.pop()
        if at < 0:
            order.append(~at)
            continue
        node_ = nodes[at]
        stack.append(~at)
        if node_["kind"] >= 4:
            stack.extend(reversed(range(at + node_["first"], at + node_["last"])))
            continue
        node_["start"] = clock
        clock += random_.randrange(100, 1000)
        node_["end"] = clock
        if node_["kind"] == 0:
            stack.append(at + node_["first"])
    for at in order:
        node_ = nodes[at]
        if node_["kind"] < 4:
            length = node_["end"] - node_["start"]
            node_.update(work=length, span=length, leaves=[0, 0, 0, 0], kept=1, creates=0)
            node_["leaves"][node_["kind"]] = 1
            continue
        below = range(at + node_["first"], at + node_["last"])
        work = span = 0
        longest, leaves, kept, creates = 0, [0, 0, 0, 0], 1, 0
        for child in below:
            for part in [child] + ([child + nodes[child]["first"]] if nodes[child]["kind"] == 0 else []):
                work += nodes[part]["work"]
                kept += nodes[part]["kept"]
                leaves = [a + b for a, b in zip(leaves, nodes[part]["leaves"])]
            span += nodes[child]["span"]
            if nodes[child]["kind"] == 0:
                creates += 1
                longest = max(longest, span + nodes[child + nodes[child]["first"]]["span"])
        node_.update(work=work, span=max(span, longest), leaves=leaves, kept=kept, creates=creates)
        node_.update(start=nodes[below[0]]["start"], end=clock_end(nodes, below))


def clock_end(nodes, below):
    """End of the last child and of every task created."""
    ends = [nodes[child]["end"] for child in below]
    ends += [nodes[c + nodes[c]["first"]]["end"] for c in below if nodes[c]["kind"] == 0]
    return max(ends)


def write_dag(file, nodes, edges):
    """The binary file of the nodes; edges are left out, readers derive them."""
    file.write(b"DAG_RECORDER FORMAT VERSION  1.24 2014/09/18\n")
    file.write(struct.pack("<qqQq", len(nodes), len(edges), 0, 1))
    for node_ in nodes:
        position = struct.pack("<Q4qiiQqq", node_["start"], 0, 0, 0, 0, 0, 0, 0, 0, 40 + node_["kind"])
        end = struct.pack("<Q4qiiQqq", node_["end"], 0, 0, 0, 0, 0, 0, 0, 0, 40 + node_["kind"])
        file.write(position + end)
        file.write(struct.pack("<5Q", 0, node_["work"], node_["span"], node_["start"], node_["start"]))
        file.write(struct.pack("<5Q", 0, 0, 0, 0, 0))
        file.write(struct.pack("<4q", *node_["leaves"]))
        file.write(struct.pack("<5q", 0, 0, 0, 0, 0))
        file.write(struct.pack("<qqq", node_["kept"], 1, node_["creates"]))
        file.write(struct.pack("<iiII", 0, 0, node_["kind"], 1))
        file.write(struct.pack("<8q", 0, 0, 0, 0, 0, 0, 0, 0))
        file.write(struct.pack("<qqqq", 0, 0, node_["first"], node_["last"]))
    name = b"fib.c\0"
    file.write(struct.pack("<qqqq", 1, 32 + 8 + len(name), 0, 0) + struct.pack("<q", 0) + name)


def graphml(path, grains):
    """A reduced grain graph of a binary recursion."""
    with open(path, "w") as file:
        write = file.write
        write('<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n')
        write('<key id="v_type" for="node" attr.name="type" attr.type="string"/>\n')
        write('<key id="v_work_cycles" for="node" attr.name="work_cycles" attr.type="double"/>\n')
        write('<graph id="G" edgedefault="directed">\n')
        kinds = ["start", "fork", "join", "end"]
        for name, kind in zip(["s", "f0", "j0", "e"], kinds):
            write(f'<node id="{name}"><data key="v_type">{kind}</data></node>\n')
        for task in range(1, grains + 1):
            write(
                f'<node id="t{task}"><data key="v_type">task</data>'
                f'<data key="v_work_cycles">{500 + task % 4000}</data></node>\n'
            )
            if 2 * task <= grains:
                write(f'<node id="f{task}"><data key="v_type">fork</data></node>\n')
                write(f'<node id="j{task}"><data key="v_type">join</data></node>\n')
        write('<edge source="s" target="f0"/><edge source="j0" target="e"/>\n')
        for task in range(1, grains + 1):
            write(f'<edge source="f{task // 2}" target="t{task}"/>\n')
            if 2 * task <= grains:
                write(f'<edge source="t{task}" target="f{task}"/>\n')
                write(f'<edge source="j{task}" target="j{task // 2}"/>\n')
            else:
                write(f'<edge source="t{task}" target="j{task // 2}"/>\n')
        write("</graph></graphml>\n")


def chrome(path, events, seed):
    """Complete events on eight threads with the ids of a binary recursion."""
    random_ = random.Random(seed)
    with open(path, "w") as file:
        file.write('{"traceEvents":[\n')
        for number in range(1, events + 1):
            file.write(
                f'{{"name":"fib","cat":"task","ph":"X","ts":{number * 10}.{random_.randrange(1000):03},'
                f'"dur":{random_.randrange(1, 10)}.5,"pid":1,"tid":{number % 8},'
                f'"args":{{"id":{number},"parent":{number // 2}}}}}'
            )
            file.write(",\n" if number < events else "\n")
        file.write("]}\n")


def main():
    """Writes what the arguments ask for."""
    kind, path, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    if kind == "graphml":
        graphml(path, count)
    else:
        {"caliper": caliper, "mir": mir, "dag-recorder": dag_recorder, "chrome": chrome}[kind](path, count, seed)


if __name__ == "__main__":
    main()
