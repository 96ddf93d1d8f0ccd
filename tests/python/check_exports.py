"""Opens exports of a run with the readers of others and prints what they hold as JSON.

usage: check_exports.py graphml|nested|dot|csv|parquet FILE [REFERENCE]

Nothing of Grainsheaf is used. With REFERENCE, a graph that the grain-graphs prototype wrote of the same
program, every node and edge of the two graphs is compared by name, and every attribute that both have.
"""

import collections
import csv
import json
import sys

import networkx

# Drawing, and what the prototype gives nodes that are no grains.
DRAWING = {"color", "width", "height", "border-color", "id", "shape"}


def kinds(graph):
    """How many nodes are of each type."""
    types = networkx.get_node_attributes(graph, "type").values()
    return dict(sorted(collections.Counter(types).items()))


def edge_kinds(graph):
    """How many edges are of each type."""
    types = networkx.get_edge_attributes(graph, "type").values()
    return dict(sorted(collections.Counter(types).items()))


def same(ours, theirs):
    """Whether two values are the same: numbers as numbers, `NA` and nothing as absent."""
    if isinstance(ours, (int, float)) and isinstance(theirs, (int, float)):
        return ours == theirs or abs(ours - theirs) <= 1e-12 * abs(theirs)
    return ours == theirs


def by_name(graph):
    """Nodes by name, each with its attributes."""
    found = {data["name"]: data for _, data in graph.nodes(data=True)}
    if len(found) != graph.number_of_nodes():
        sys.exit("names of nodes are not unique")
    return found


def named_edges(graph):
    """Edges by the names of their ends, each with its attributes."""
    name = networkx.get_node_attributes(graph, "name")
    return {(name[a], name[b]): data for a, b, data in graph.edges(data=True)}


def compare(ours, theirs, skipped):
    """Number of equal values of all things that both have; stops at the first that differs."""
    if set(ours) != set(theirs):
        sys.exit(f"only ours: {set(ours) - set(theirs)}, only theirs: {set(theirs) - set(ours)}")
    compared = 0
    for key, expected in theirs.items():
        for name, value in expected.items():
            if name in skipped or value == "NA":
                continue
            if name == "on_crit_path" and value == 0 and name not in ours[key]:
                continue
            if name in ours[key]:
                if not same(ours[key][name], value):
                    sys.exit(f"{key} {name}: ours {ours[key][name]!r}, theirs {value!r}")
                compared += 1
    return compared


def graphml(path, reference):
    """A flat graph."""
    graph = networkx.read_graphml(path)
    answer = {
        "nodes": kinds(graph),
        "edges": edge_kinds(graph),
        "is_acyclic": networkx.is_directed_acyclic_graph(graph),
        "about": {name: str(value) for name, value in graph.graph.items()},
    }
    works = [name for name in ("work_ns", "work_cycles")
             if any(name in data for _, data in graph.nodes(data=True))]
    tasks = [data for _, data in graph.nodes(data=True) if data["type"] == "task"]
    if works:
        answer["work"] = sum(data.get(works[0], 0) for data in tasks)
        is_exact = all(isinstance(data.get(works[0], 0), int) for data in tasks)
        answer["is_exact"] = is_exact
    if reference:
        theirs = networkx.read_graphml(reference)
        is_reduced = graph.graph["form"] == "reduced"
        answer["compared_nodes"] = compare(by_name(graph), by_name(theirs), DRAWING)
        # The prototype calls every edge of an unreduced graph a scope.
        skipped = {"color"} if is_reduced else {"color", "type"}
        answer["compared_edges"] = compare(named_edges(graph), named_edges(theirs), skipped)
    return answer


def nested(path, _):
    """Groups within groups, with networkx and with a reader of yEd's files."""
    import yedextended

    graph = networkx.read_graphml(path)
    ids = set(graph.nodes)
    inner = [node for node in ids if "::" in node]
    if any(node.rsplit("::", 1)[0] not in ids for node in inner):
        sys.exit("an id names a group that is not there")
    groups = {node: data for node, data in graph.nodes(data=True)
              if data["type"] in ("forkjoin", "linear", "sibling", "unstructured")}
    # Every sum of a group is the sum of what is in it.
    unit = "work_ns" if any("work_ns" in data for data in groups.values()) else "work_cycles"
    sums = collections.Counter()
    for node, data in graph.nodes(data=True):
        if data["type"] == "task" and unit in data:
            parts = node.split("::")
            for depth in range(1, len(parts)):
                sums["::".join(parts[:depth])] += data[unit]
    for node, data in groups.items():
        if unit in data and data[unit] != sums[node]:
            sys.exit(f"{node}: {unit} {data[unit]}, the grains in it {sums[node]}")
    edges = networkx.DiGraph((a, b) for a, b in graph.edges)
    sys.setrecursionlimit(100_000)
    yed = yedextended.Graph().from_existing_graph(path)
    stats = yed.gather_graph_stats()
    return {
        "nodes": kinds(graph),
        "edges": edge_kinds(graph),
        "is_acyclic": networkx.is_directed_acyclic_graph(edges),
        "is_connected": networkx.is_weakly_connected(edges) if edges else True,
        "sums": len(sums),
        "yed": {
            "groups": len(stats.all_groups),
            "nodes": len(stats.all_nodes),
            "edges": len(stats.all_edges),
        },
    }


def dot(path, _):
    """A graph for Graphviz."""
    import pydot

    (parsed,) = pydot.graph_from_dot_file(path)
    unquoted = [node.get_attributes() for node in parsed.get_nodes()
                if node.get_name() not in ("node", "edge", "graph")]
    count = collections.Counter(data["type"].strip('"') for data in unquoted)
    edges = collections.Counter(edge.get("type").strip('"') for edge in parsed.get_edges())
    return {"nodes": dict(sorted(count.items())), "edges": dict(sorted(edges.items()))}


def comma_separated(path, _):
    """A table: as many cells in every row as there are names."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, strict=True))
    if any(None in row or None in row.values() for row in rows):
        sys.exit("a row has more or fewer cells than there are columns")
    return table(rows, list(rows[0]) if rows else [])


def parquet(path, _):
    """The same table."""
    import pyarrow.parquet

    read = pyarrow.parquet.read_table(path)
    undocumented = [field.name for field in read.schema
                    if not (field.metadata or {}).get(b"description")]
    answer = table(read.to_pylist(), read.column_names)
    answer["undocumented"] = undocumented
    answer["about"] = {key.decode(): value.decode() for key, value in read.schema.metadata.items()
                       if key.startswith(b"grainsheaf.")}
    return answer


def table(rows, columns):
    """Sums of integer columns, and how many cells are absent."""
    sums, absent = {}, {}
    for name in columns:
        values = [row[name] for row in rows]
        present = [value for value in values if value not in ("", None)]
        absent[name] = len(values) - len(present)
        try:
            sums[name] = str(sum(int(value) for value in present if not isinstance(value, float)))
        except ValueError:
            sums[name] = "|".join(sorted({str(value) for value in present})[:3])
    return {"rows": len(rows), "columns": columns, "sums": sums, "absent": absent}


def main():
    """Reads the arguments and prints the answer."""
    readers = {"graphml": graphml, "nested": nested, "dot": dot, "csv": comma_separated,
               "parquet": parquet}
    what, path = sys.argv[1:3]
    reference = sys.argv[3] if len(sys.argv) > 3 else None
    print(json.dumps(readers[what](path, reference)))


if __name__ == "__main__":
    main()
