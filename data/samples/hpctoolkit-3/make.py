#!/usr/bin/env python3
"""Writes the databases beside this file.

ranks          two ranks and a stream of a GPU; two metrics; loops in loops, inlined procedures
               with and without a name, calls of one procedure from two lines and by itself,
               a statement without a line, names that XML escapes
without-ranks  no metric-db files: values of all ranks together, in the experiment itself
"""
import pathlib
import struct

HERE = pathlib.Path(__file__).parent
MODULES = {2: "/home/user/bin/my-solver", 3: "/usr/lib64/libm-2.31.so", 4: "<unknown load module>"}
FILES = {5: "./src/main.cpp", 6: "/home/user/src/solve.cpp", 7: "include/norm.h", 8: "<unknown file> [libm-2.31.so]"}
PROCEDURES = {10: "<program root>", 11: "main", 12: "solve<double>(std::vector<double>&)", 13: "norm", 14: "sqrt",
              15: "\"quoted\" & 'named'", 16: "", 17: "<partial call paths>"}

# tag, attributes, own samples (rank 0, rank 1, stream), children
TREE = [
    ("PF", {"l": 0, "lm": 2, "f": 5, "n": 10}, [
        ("C", {"l": 0}, [
            ("PF", {"l": "10-20", "lm": 2, "f": 5, "n": 11}, [
                ("S", {"l": 12}, (4, 2, 0)),
                ("C", {"l": 14}, [("PF", {"l": 30, "lm": 2, "f": 6, "n": 12}, [
                    ("L", {"l": 33, "f": 6}, [
                        ("L", {"l": 35, "f": 6}, [("S", {"l": 36}, (20, 30, 7))]),
                        ("S", {"l": 34}, (1, 1, 0)),
                        ("Pr", {"l": 5, "f": 7, "n": 13, "a": 1}, [
                            ("S", {"l": 7}, (3, 0, 0)),
                            ("C", {"l": 8}, [("PF", {"l": 0, "lm": 3, "f": 8, "n": 14}, [("S", {"l": 0}, (2, 5, 0))])]),
                        ]),
                    ]),
                    ("Pr", {"l": 9, "f": 7, "n": 16, "a": 1}, [("S", {"l": 9}, (0, 1, 0))]),
                    ("C", {"l": 40}, [("PF", {"l": 30, "lm": 2, "f": 6, "n": 12}, [("S", {"l": 36}, (1, 0, 0))])]),
                ])]),
                # The same call from another line: the same node of ours.
                ("C", {"l": 18}, [("PF", {"l": 30, "lm": 2, "f": 6, "n": 12}, [
                    ("L", {"l": 33, "f": 6}, [("S", {"l": 34}, (0, 2, 0))]),
                ])]),
                # Sampled in the call itself: one more than its callee.
                ("C", {"l": 19}, [("PF", {"l": 60, "lm": 2, "f": 6, "n": 15}, [("S", {"l": 61}, (6, 0, 0))])], (1, 0, 0)),
            ]),
        ]),
    ]),
    ("PF", {"l": 0, "lm": 4, "f": 8, "n": 17}, [("S", {"l": 0}, (0, 0, 0))]),
]
# Microseconds and cycles per sample.
UNITS = (("CPUTIME (usec)", 2500.5), ("PAPI_TOT_CYC", 7000001.0))
RANKS = ("000000-000-007f0101-4711-0", "000001-000-007f0101-4712-0", "000001-500-007f0101-4712-0")


def escape(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;").replace("'", "&apos;")


class Node:
    """A node with its samples: of its own, inclusive, and exclusive as HPCToolkit counts them."""

    def __init__(self, description, ids):
        self.tag, self.attributes = description[:2]
        rest = description[2:]
        lists = [part for part in rest if isinstance(part, list)]
        samples = [part for part in rest if isinstance(part, tuple)]
        self.own = samples[0] if samples else (0, 0, 0)
        self.id = next(ids)
        self.children = [Node(child, ids) for child in (lists[0] if lists else [])]
        self.inclusive = tuple(map(sum, zip(self.own, *(child.inclusive for child in self.children))))
        inside = [child.exclusive for child in self.children if child.tag != "PF"]
        self.exclusive = tuple(map(sum, zip(self.own, *inside))) if self.tag != "C" else self.own

    def walk(self):
        yield self
        for child in self.children:
            yield from child.walk()


def digits(value):
    return f"{value:.6g}"


def experiment(roots, has_ranks):
    lines = ['<?xml version="1.0"?>', "<!DOCTYPE HPCToolkitExperiment [", "<!-- an internal subset, with entities that nothing expands -->",
             '<!ENTITY ours "not expanded">', "<!ELEMENT HPCToolkitExperiment (Header, (SecCallPathProfile|SecFlatProfile)*)>", "]>",
             '<HPCToolkitExperiment version="2.1">', '<Header n="my-solver">', "  <Info>",
             '<NV n="command" v="my-solver --size 64"/><NV n="size" v="64"/></Info>', "</Header>",
             '<SecCallPathProfile i="0" n="my-solver">', "<SecHeader>", "  <MetricTable>"]
    numbers = []
    for number, (name, scale) in enumerate(UNITS):
        for at, (letter, sort) in enumerate((("I", "inclusive"), ("E", "exclusive"))):
            i = 100 + 2 * number + at
            numbers.append((i, scale, sort))
            lines.append(f'<Metric i="{i}" n="{name}:Sum ({letter})" v="derived-incr" t="{sort}" partner="{i ^ 1}">'
                         '<MetricFormula t="finalize" frm="$2"/><Info><NV n="units" v="events"/></Info></Metric>')
    lines.append('<Metric i="104" n="CPUTIME (usec):Mean (I)" v="derived-incr" t="inclusive"/>')
    lines.append("  </MetricTable>")
    if has_ranks:
        lines.append("  <MetricDBTable>")
        for i, (_, _, sort) in enumerate(numbers):
            name = UNITS[i // 2][0]
            lines.append(f'<MetricDB i="{i}" n="{name} ({"IE"[i % 2]})" t="{sort}" partner="{i ^ 1}" db-glob="*.metric-db" '
                         f'db-id="{i}" db-num-metrics="4" db-header-sz="24"/>')
        lines.append("  </MetricDBTable>")
    for table, entry, entries in (("LoadModuleTable", "LoadModule", MODULES), ("FileTable", "File", FILES),
                                  ("ProcedureTable", "Procedure", PROCEDURES)):
        lines.append(f"  <{table}>")
        lines += [f'    <{entry} i="{i}" n="{escape(name)}"/>' for i, name in entries.items()]
        lines.append(f"  </{table}>")
    lines += ["</SecHeader>", "<SecCallPathProfileData>"]

    def values(inclusive, exclusive):
        line = ""
        for i, scale, sort in numbers:
            value = sum(inclusive if sort == "inclusive" else exclusive) * scale
            if value:
                line += f'<M n="{i}" v="{digits(value)}"/>'
        mean = sum(inclusive) * UNITS[0][1] / 3
        return line + (f'<M n="104" v="{digits(mean)}"/>' if mean else "")

    def write(node):
        attributes = "".join(f' {key}="{value}"' for key, value in node.attributes.items())
        lines.append(f'<{node.tag} i="{node.id}" s="{node.id + 500}"{attributes}>{values(node.inclusive, node.exclusive)}')
        for child in node.children:
            write(child)
        lines.append(f"</{node.tag}>")

    lines.append(values(tuple(map(sum, zip(*(root.inclusive for root in roots)))), ()))
    for root in roots:
        write(root)
    lines += ["</SecCallPathProfileData>", "</SecCallPathProfile>", "</HPCToolkitExperiment>", ""]
    return "\n".join(lines)


def metric_db(roots, rank):
    rows = {node.id: [value * scale for _, scale in UNITS for value in (node.inclusive[rank], node.exclusive[rank])]
            for root in roots for node in root.walk()}
    rows[1] = [value * scale for _, scale in UNITS for value in (sum(root.inclusive[rank] for root in roots), 0)]
    count = max(rows)
    values = [value for i in range(1, count + 1) for value in rows.get(i, [0.0] * 4)]
    return b"HPCPROF-metricdb__00.10b" + struct.pack(f">ii{4 * count}d", count, 4, *values)


def main():
    # The invisible root is 1; 2 stays free, as ids need not follow each other.
    ids = iter(range(3, 1000))
    roots = [Node(description, ids) for description in TREE]
    for folder, has_ranks in (("ranks", True), ("without-ranks", False)):
        (HERE / folder).mkdir(exist_ok=True)
        (HERE / folder / "experiment.xml").write_text(experiment(roots, has_ranks))
    for rank, name in enumerate(RANKS):
        (HERE / "ranks" / f"1.my-solver-{name}.metric-db").write_bytes(metric_db(roots, rank))


main()
