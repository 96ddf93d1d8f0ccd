"""Digests of HPCToolkit databases, by readers that share nothing with those of the crate.

    python3 hpctoolkit.py FOLDER > hpctoolkit.txt

FOLDER holds the reference data. `digest.rs` says what a line of the output is. Exclusive values are
taken where the samples are, at statements, instead of being what others do not contain. What the
values of the databases must fulfil for that to be the same is asserted here; sums are printed in
comments for comparison with Hatchet (llnl-hatchet 2026.2.0), whose exclusive sum of the second
database is 27058420: it takes only statements directly in a procedure off the procedure's value,
so those in loops count twice.
"""

import glob
import os
import struct
import sys
import xml.etree.ElementTree
from collections import defaultdict

PREFIX = "call-profiles"


def base(path):
    return path.rstrip("/").split("/")[-1]


class Tree:
    """Nodes by parent, kind and identity; values by metric, node and place."""

    def __init__(self):
        self.paths = [()]
        self.known = {}
        self.values = defaultdict(lambda: defaultdict(float))

    def node(self, parent, kind, identity, name):
        key = (parent, kind, identity)
        if key not in self.known:
            self.known[key] = len(self.paths)
            self.paths.append(self.paths[parent] + (name,))
        return self.known[key]

    def statement(self, parent, kind, procedure, line, file=None):
        """procedure: name, file, module, first line."""
        name, own_file, _, first = procedure
        assert file in (None, own_file), file
        place = line - first if line and first else None
        return self.node(parent, kind, (procedure[:3], place), f"{name}:{line}" if line else name)

    def add(self, metric, node, place, value):
        if value:
            self.values[metric][node, place] += value

    def write(self, file):
        def digest(metric, rows):
            rows.sort()
            text = "\n".join(row[0] for row in rows).encode()
            value = 0xCBF29CE484222325
            for byte in text:
                value = (value ^ byte) * 0x100000001B3 & (1 << 64) - 1
            print(file, metric, len(rows), f"{sum(row[1] for row in rows):.6f}", f"{value:016x}")

        digest("nodes", [("/".join(path), 1.0) for path in self.paths[1:]])
        for metric, values in sorted(self.values.items()):
            digest(metric, [(f"{'/'.join(self.paths[node])}|{place}|{value:.9f}", value)
                            for (node, place), value in values.items()])


def version3(folder):
    root = xml.etree.ElementTree.parse(os.path.join(folder, "experiment.xml")).getroot()
    table = {tag: {entry.get("i"): entry.get("n") for entry in root.iter(tag)} for tag in ("Procedure", "File", "LoadModule")}
    data = root.find(".//SecCallPathProfileData")
    ranks = {}
    for path in sorted(glob.glob(os.path.join(folder, "*.metric-db"))):
        with open(path, "rb") as file:
            content = file.read()
        rows, columns = struct.unpack_from(">ii", content, 24)
        assert len(content) == 32 + 8 * rows * columns and columns == 2
        _, rank, thread, _, _, _ = base(path).removesuffix(".metric-db").rsplit("-", 5)
        numbers = struct.unpack_from(f">{rows * columns}d", content, 32)
        ranks[f"{int(rank)}.{int(thread)}"] = dict(enumerate(zip(numbers[::2], numbers[1::2]), 1))
    # The sums that the experiment states are those over ranks, to six digits.
    stated = 0
    for element in data.iter():
        for value in element.findall("M"):
            if element is not data:
                total = sum(rows[int(element.get("i"))][int(value.get("n")) - 2] for rows in ranks.values())
                assert abs(total - float(value.get("v"))) <= 5e-6 * total, (element.attrib, total)
                stated += 1
    tree = Tree()

    def visit(element, parent, procedure):
        tag, number = element.tag, int(element.get("i"))
        children = [child for child in element if child.tag != "M"]
        line = int(element.get("l"))
        node = parent
        if tag == "PF":
            procedure = (table["Procedure"][element.get("n")], base(table["File"][element.get("f")]),
                         base(table["LoadModule"][element.get("lm")]), line)
            node = tree.node(parent, "function", procedure[:3], procedure[0])
        elif tag == "L":
            node = tree.statement(parent, "loop", procedure, line, base(table["File"][element.get("f")]))
        elif tag == "S":
            assert not children
            node = tree.statement(parent, "statement", procedure, line)
        for place, rows in ranks.items():
            inclusive, exclusive = rows[number]
            if tag == "C":
                assert exclusive == 0 and inclusive == sum(rows[int(child.get("i"))][0] for child in children)
                continue
            tree.add("cputime_inclusive_us", node, place, inclusive)
            if tag == "S":
                assert inclusive == exclusive
                tree.add("cputime_exclusive_us", node, place, exclusive)
        for child in children:
            visit(child, node, procedure)

    for child in data:
        if child.tag != "M":
            visit(child, 0, None)
    tree.write(base(folder))
    print(f"# {base(folder)}: {stated} stated sums; exclusive and inclusive over all nodes",
          *(sum(values.values()) for _, values in sorted(tree.values.items())))


class Bytes:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.content = file.read()

    def get(self, form, at):
        return struct.unpack_from("<" + form, self.content, at)

    def text(self, at):
        return self.content[at:self.content.index(0, at)].decode() if at else ""

    def section(self, number):
        return self.get("Q", 24 + 16 * number)[0]


def profiles(folder):
    """Values of every profile: context, metric, value; with rank.thread, none for the sum."""
    file = Bytes(os.path.join(folder, "profile.db"))
    begin, count, size = file.get("QIB", file.section(0))
    for number in range(count):
        num_values, values, num_contexts, indices, id_tuple, is_sum = file.get("QQI4xQQI", begin + size * number)
        ids = {}
        if id_tuple:
            for i in range(file.get("H", id_tuple)[0]):
                kind, _, logical, _ = file.get("BxHIQ", id_tuple + 8 + 16 * i)
                ids[kind] = logical
        firsts = [file.get("IQ", indices + 12 * i) for i in range(num_contexts)] + [(None, num_values)]
        listed = [(context, *file.get("Hd", values + 10 * i)) for (context, first), (_, end) in zip(firsts, firsts[1:])
                  for i in range(first, end)]
        yield None if is_sum else f"{ids[2]}.{ids[3]}", listed


def transposed(folder):
    """The same out of cct.db, but for the sum."""
    file = Bytes(os.path.join(folder, "cct.db"))
    begin, count, size = file.get("QIB", file.section(0))
    for context in range(count):
        num_values, values, num_metrics, indices = file.get("QQH6xQ", begin + size * context)
        firsts = [file.get("HQ", indices + 10 * i) for i in range(num_metrics)] + [(None, num_values)]
        for (metric, first), (_, end) in zip(firsts, firsts[1:]):
            for i in range(first, end):
                profile, value = file.get("Id", values + 12 * i)
                yield profile, context, metric, value


def version4(folder):
    file = Bytes(os.path.join(folder, "meta.db"))
    by_profile = list(profiles(folder))
    flat = sorted((number, *row) for number, (place, listed) in enumerate(by_profile) if place for row in listed)
    assert flat == sorted(transposed(folder))
    point, function, lexical, execution = range(4)
    values = {place: {(context, metric): value for context, metric, value in listed} for place, listed in by_profile if place}
    stated = next(listed for place, listed in by_profile if not place)
    sums = defaultdict(float)
    for listed in values.values():
        for key, value in listed.items():
            sums[key] += value
    differing = [row for row in stated if abs(sums[row[:2]] - row[2]) > 1e-9 * row[2]]
    tree = Tree()

    def path(pointer):
        return base(file.text(file.get("Q", pointer + 8)[0])) if pointer else ""

    def children(size, at):
        end = at + size
        while at < end:
            record = file.get("QQIBBBBH", at)
            yield record, at + 32
            at += 32 + 8 * record[6]

    def visit(record, words, parent, procedure):
        size, below, context, _, _, kind, _, propagation = record
        inner = list(children(size, below))
        node = parent
        if kind == 0:
            name, module, _, source, line, _ = file.get("QQQQII", file.get("Q", words)[0])
            procedure = (file.text(name), path(source), path(module), line)
            node = tree.node(parent, "function", procedure[:3], procedure[0])
        else:
            source, line = file.get("QI", words)
        if kind == 1:
            node = tree.statement(parent, "loop", procedure, line, path(source))
        for place, listed in values.items():
            of = lambda metric, number=context: listed.get((number, metric), 0.0)
            inside = sum(of(function, child[2]) for child, _ in inner if child[7] & 1)
            own_node, inclusive = node, of(execution)
            if kind == 2:
                # Instructions, which meta.db leaves out, are in the line's value.
                assert propagation & 1 and inside == 0
                inclusive -= sum(of(execution, child[2]) for child, _ in inner)
                assert abs(inclusive - of(function)) < 1e-12
                inclusive = of(function)
                if inner and not inclusive:
                    continue
                own_node = tree.statement(parent, "statement", procedure, line, path(source))
                tree.add("cputime_exclusive_s", own_node, place, of(function))
            else:
                assert abs(inside - of(function)) < 1e-12
            tree.add("cputime_inclusive_s", own_node, place, inclusive)
            tree.add("cputime_lex_aware_s", own_node, place, of(lexical))
            assert of(point) == 0
        if kind == 2 and not inner:
            tree.statement(parent, "statement", procedure, line, path(source))
        for child, at in inner:
            visit(child, at, node, procedure)

    begin, count, size = file.get("QHB", file.section(3))
    for number in range(count):
        below_size, below, context, kind, name = file.get("QQIH2xQ", begin + size * number)
        node = tree.node(0, "entry", kind, file.text(name))
        for place, listed in values.items():
            tree.add("cputime_inclusive_s", node, place, listed.get((context, execution), 0.0))
            assert listed[context, execution] == listed[0, execution]
        for record, at in children(below_size, below):
            visit(record, at, node, None)
    tree.write(base(folder))
    print(f"# {base(folder)}: {len(flat)} values in both files; {len(stated) - len(differing)} of {len(stated)} stated sums equal, not",
          *(f"context {context} metric {metric}: {value} for {sums[context, metric]:.6f}" for context, metric, value in differing))


def main():
    sys.setrecursionlimit(10000)
    folder = os.path.join(sys.argv[1], PREFIX)
    for name in ("cpi-4ranks", "osu-allgather-10ranks-2threads"):
        version3(os.path.join(folder, "hpctoolkit-v3", name))
    version4(os.path.join(folder, "hpctoolkit-v4", "ping-pong-2ranks"))


main()
