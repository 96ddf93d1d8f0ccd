#!/usr/bin/env python3
"""Writes the samples beside it: small recordings as DAG Recorder lays them out.

A program is a tree of tasks; a list scheduler runs it, and every field is computed from that
as the format defines it. No recording of a real program is in here."""

import heapq
import struct
from pathlib import Path

CREATE, WAIT, OTHER, END, SECTION, TASK = range(6)
E_END, E_CREATE, E_CREATE_CONT, E_WAIT_CONT, E_OTHER_CONT = range(5)
FILES = ["../src/main.c", "work.c", "a \"quoted\"\n</script> name.c"]


class Node:
    def __init__(self, kind, children=(), task=None, length=0, at=(0, 1), keep=True):
        self.kind, self.children, self.task = kind, list(children), task
        self.length, self.at, self.keep = length, at, keep


def create(task, length, at):
    return Node(CREATE, task=task, length=length, at=at)


def section(*items, wait=10, at=(1, 50), keep=True):
    return Node(SECTION, [*items, Node(WAIT, length=wait, at=at)], keep=keep)


def other(length, at):
    return Node(OTHER, length=length, at=at)


def task(*items, end=10, at=(1, 60), keep=True):
    return Node(TASK, [*items, Node(END, length=end, at=at)], keep=keep)


def first(node):
    while node.children:
        node = node.children[0]
    return node


def last(node):
    while node.children:
        node = node.children[-1]
    return node


def collectives(root):
    stack = [root]
    while stack:
        node = stack.pop()
        if node.children:
            yield node
        for child in reversed(node.children):
            if child.task:
                stack.append(child.task)
            stack.append(child)


def edges_within(node):
    """Edges that join the children of a section or task, by kind."""
    for child, after in zip(node.children, node.children[1:] + [None]):
        if child.task:
            yield child, first(child.task), E_CREATE
        if after is None:
            continue
        target = first(after)
        if child.kind == CREATE:
            yield child, target, E_CREATE_CONT
        elif child.kind == OTHER:
            yield child, target, E_OTHER_CONT
        else:
            yield last(child), target, E_WAIT_CONT
            for leaf in child.children:
                if leaf.task:
                    yield last(leaf.task), target, E_END


def run(root, workers, start):
    """Runs leaves first come, first served; sets their times, workers and positions."""
    successors, missing = {}, {}
    for node in collectives(root):
        for source, target, kind in edges_within(node):
            successors.setdefault(source, []).append((target, kind))
            missing[target] = missing.get(target, 0) + 1
    begin = first(root)
    begin.in_edge, begin.ready_at, begin.begins = E_CREATE, 0, (0, 10)
    queue, free, order = [(start, 0, begin)], [(start, w) for w in range(workers)], 1
    while queue:
        ready, _, leaf = heapq.heappop(queue)
        now, worker = heapq.heappop(free)
        leaf.start = max(ready, now) + 3
        leaf.end, leaf.worker = leaf.start + leaf.length, worker
        heapq.heappush(free, (leaf.end, worker))
        for target, kind in successors.get(leaf, []):
            missing[target] -= 1
            if getattr(target, "ready_at", -1) <= leaf.end:
                target.ready_at, target.in_edge = leaf.end, kind
            target.begins = leaf.at if kind != E_END else getattr(target, "begins", leaf.at)
            if missing[target] == 0:
                heapq.heappush(queue, (target.ready_at, order, target))
                order += 1


def add(*lists):
    return [sum(values) for values in zip(*lists)]


def summarise(node):
    """The fields of a node, from its leaves to the root."""
    if not node.children:
        node.t_1 = node.t_inf = node.length
        node.last_start, node.node_counts = node.start, [int(k == node.kind) for k in range(4)]
        node.t_ready, node.edge_counts = [0] * 5, [0] * 5
        node.t_ready[node.in_edge] = node.start - node.ready_at
        node.cur = node.min = 1
        node.creates = 0
        return
    tasks = [child.task for child in node.children if child.task]
    below = node.children + tasks
    for child in below:
        summarise(child)
    head, tail = node.children[0], node.children[-1]
    node.start, node.ready_at, node.in_edge = head.start, head.ready_at, head.in_edge
    node.begins, node.at = head.begins, tail.at
    node.end = max([tail.end] + [t.end for t in tasks])
    node.last_start = max([tail.start] + [t.last_start for t in tasks])
    node.t_1 = sum(n.t_1 for n in below)
    serial = longest = 0
    for child in node.children:
        serial += child.t_inf
        if child.task:
            longest = max(longest, serial + child.task.t_inf)
    node.t_inf = max(serial, longest)
    node.t_ready = add(*[n.t_ready for n in below])
    node.node_counts = add(*[n.node_counts for n in below])
    own = [0] * 5
    own[E_CREATE] = own[E_CREATE_CONT] = len(tasks)
    for child in node.children[:-1]:
        if child.kind == SECTION:
            own[E_WAIT_CONT] += 1
            own[E_END] += child.creates
    node.edge_counts = add(own, *[n.edge_counts for n in below])
    node.worker = head.worker if len({n.worker for n in below}) == 1 else -1
    node.creates = len(tasks)
    # What is below a node that is not kept counts no more.
    node.cur = 1 + sum(n.cur for n in below) if node.keep else 1
    node.min = 1 if node.worker != -1 else 1 + sum(n.min for n in below)


def layout(root):
    """Nodes in the order of the file: parents first, siblings together."""
    nodes, queue = [root], [root]
    while queue:
        node = queue.pop(0)
        node.first = node.behind = 0
        if node.children and not node.keep:
            node.first = node.behind = 1
        elif node.children:
            node.first = len(nodes)
            nodes += node.children
            node.behind = len(nodes)
            queue += node.children
        elif node.task:
            node.first = len(nodes)
            nodes.append(node.task)
            queue.append(node.task)
    return nodes


def is_leaf(node):
    return not node.children or not node.keep


def kept_edges(nodes, numbers):
    kept = set(map(id, nodes))
    found = []
    for node in nodes:
        if is_leaf(node):
            continue
        for child, after in zip(node.children, node.children[1:] + [None]):
            target = after and kept_first(after)
            if child.task:
                found.append((E_CREATE, child, kept_first(child.task)))
            if after is None:
                continue
            kind = {CREATE: E_CREATE_CONT, OTHER: E_OTHER_CONT}.get(child.kind, E_WAIT_CONT)
            found.append((kind, kept_last(child), target))
            if child.kind == SECTION and child.keep:
                for leaf in child.children:
                    if leaf.task:
                        found.append((E_END, kept_last(leaf.task), target))
    assert all(id(u) in kept and id(v) in kept for _, u, v in found)
    return sorted((numbers[id(u)], numbers[id(v)], kind) for kind, u, v in found)


def kept_first(node):
    while not is_leaf(node):
        node = node.children[0]
    return node


def kept_last(node):
    while not is_leaf(node):
        node = node.children[-1]
    return node


def encode(root, workers, order="<", size=432):
    nodes = layout(root)
    numbers = {id(node): number for number, node in enumerate(nodes)}
    edges = kept_edges(nodes, numbers)
    out = b"DAG_RECORDER FORMAT VERSION  1.24 2014/09/18\n"
    out += struct.pack(order + "qqQq", len(nodes), len(edges), 987654321, workers)
    for number, node in enumerate(nodes):
        out += struct.pack(order + "Q4qiiQqq", node.start, 0, 0, 0, 0, node.worker, 0, 0, *node.begins)
        out += struct.pack(order + "Q4qiiQqq", node.end, 0, 0, 0, 0, node.worker, 0, 0, *node.at)
        out += struct.pack(order + "5Q", 0, node.t_1, node.t_inf, node.ready_at, node.last_start)
        out += struct.pack(order + "5Q4q5q", *node.t_ready, *node.node_counts, *node.edge_counts)
        out += struct.pack(order + "3q", node.cur, node.min, node.creates)
        out += struct.pack(order + "iiII", node.worker, 0, node.kind, node.in_edge)
        out += bytes(64 if size == 432 else 0)
        own = [at for at, edge in enumerate(edges) if edge[0] == number] or [0, -1]
        begin, behind = node.first, node.behind
        if not (node.children and not node.keep):
            begin, behind = (x - number if x else 0 for x in (begin, behind))
        out += struct.pack(order + "4q", own[0], own[-1] + 1, begin, behind)
    for source, target, kind in edges:
        out += struct.pack(order + "IIqq", kind, 0, source, target)
    texts = [name.encode() + b"\0" for name in FILES]
    offsets = [sum(map(len, texts[:at])) for at in range(len(texts))]
    strings = struct.pack(order + f"{len(texts)}q", *offsets) + b"".join(texts)
    # Two pointers of the process that wrote it mean nothing.
    out += struct.pack(order + "qqQQ", len(texts), 32 + len(strings), 0x7FFE0000, 0x7FFE0040)
    return out + strings


def write(name, root, workers, **form):
    run(root, workers, 100)
    summarise(root)
    Path(__file__).with_name(name).write_bytes(encode(root, workers, **form))


def leaf_task(length, at=(1, 80)):
    return task(end=length, at=at)


def nested():
    """A section in a section, a task that waits without creating, another file, and the two
    leaves that OpenMP adds."""
    inner = section(create(leaf_task(40), 5, (1, 33)), wait=4, at=(1, 34))
    idle = task(section(wait=6, at=(1, 71)), end=7, at=(1, 72))
    return task(
        other(20, (0, 12)),
        section(
            create(leaf_task(70), 8, (1, 30)),
            inner,
            create(idle, 6, (1, 36)),
            wait=5,
            at=(1, 38),
        ),
        section(create(leaf_task(25), 9, (2, 7)), wait=3, at=(2, 9)),
        other(11, (0, 14)),
        end=13,
        at=(0, 15),
    )


def folded():
    """A task and a section that were not kept, before and between ones that were."""
    small = task(section(create(leaf_task(9), 2, (1, 43)), wait=2, at=(1, 44)), end=3, keep=False)
    gone = section(
        create(leaf_task(5), 2, (1, 40)),
        create(leaf_task(6), 2, (1, 41)),
        wait=2,
        at=(1, 42),
        keep=False,
    )
    return task(
        section(create(small, 4, (1, 30)), create(leaf_task(30), 4, (1, 36)), wait=4, at=(1, 38)),
        gone,
        section(create(leaf_task(20), 4, (1, 36)), wait=4, at=(1, 38)),
        end=5,
        at=(0, 15),
    )


if __name__ == "__main__":
    write("nested.dag", nested(), 2)
    write("nested-368-bytes.dag", nested(), 2, size=368)
    write("nested-big-endian.dag", nested(), 2, order=">")
    write("folded.dag", folded(), 1)
    write("one-node.dag", task(end=12, at=(0, 11), keep=False), 1)
