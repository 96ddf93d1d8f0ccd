"""Writes the samples of grain graphs: the program `walk` of ../mir/make.py, drawn.

Reduced, unreduced and diagnosed graphs are written by igraph (`pip install igraph`); `walk.nested.graphml` has the form
that ggraph writes, by hand. `python3 make.py`
"""

import os
import sys

import igraph

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "mir"))
import make as tables  # noqa: E402

FOLDER = os.path.dirname(os.path.abspath(__file__))
TEXTS = ("tag", "metadata", "wait_instants", "lineage", "leaf", "last_to_finish")


def write(graph, path):
    for name in graph.vs.attributes():
        if any(isinstance(value, str) for value in graph.vs[name]):
            graph.vs[name] = ["NA" if value is None else value for value in graph.vs[name]]
        elif any(value is None for value in graph.vs[name]):
            graph.vs[name] = [float("nan") if value is None else value for value in graph.vs[name]]
    graph.write_graphml(path)
    # This writer prints `NaN` where the one of R leaves the element out.
    with open(path, encoding="utf-8") as file:
        lines = [line for line in file if ">NaN<" not in line and ">nan<" not in line]
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(lines)


def attributes(item):
    columns = {}
    for name, value in item.items():
        if isinstance(value, bool):
            value = "TRUE" if value else "FALSE"
        columns[name] = value if value is None or name in TEXTS else float(value)
    return columns


class Drawing:
    def __init__(self):
        self.nodes, self.edges = {}, []

    def node(self, name, kind, **further):
        self.nodes.setdefault(name, dict(name=name, type=kind, **further))
        return name

    def edge(self, source, target, kind, weight):
        self.edges.append((source, target, dict(type=kind, weight=float(weight))))

    def graph(self):
        graph = igraph.Graph(directed=True)
        names = {key for node in self.nodes.values() for key in node}
        order = [*dict.fromkeys(key for node in self.nodes.values() for key in node)]
        assert set(order) == names
        graph.add_vertices(len(self.nodes), {name: [node.get(name) for node in self.nodes.values()] for name in order})
        place = {name: at for at, name in enumerate(self.nodes)}
        graph.add_edges([(place[a], place[b]) for a, b, _ in self.edges],
                        {name: [edge[2][name] for edge in self.edges] for name in ("type", "weight")})
        return graph


def reduced(rows):
    drawing = Drawing()
    drawing.node("E", "end", label="E", shape="rectangle", color="#DEB887", width="15", height=15.0)
    sets = tables.groups(rows, lambda item: (item["parent"], item["joins_at"]))
    for parent, at in sets:
        drawing.node(f"j.{parent}.{at}", "join", label="*", shape="circle", width="10", height=10.0)
        drawing.node(f"f.{parent}.{at}", "fork", label="^", shape="circle", width="10", height=10.0)
    drawing.node("0", "start", label="S", shape="rectangle", width="15", height=15.0)
    for item in rows:
        drawing.node(str(item["task"]), "task", label=str(item["task"]), width="30", height=20.0, **attributes(item))
    by_task = {item["task"]: item for item in rows}
    drawing.edge("0", "f.0.0", "scope", 0)
    for (parent, at), same in sets.items():
        for item in same:
            drawing.edge(f"f.{parent}.{at}", str(item["task"]), "create", 0)
            if item["num_children"] == 0:
                drawing.edge(str(item["task"]), f"j.{parent}.{at}", "sync", -item["work_cycles"])
            else:
                drawing.edge(str(item["task"]), f"f.{item['task']}.0", "scope", -item["work_cycles"])
        if (parent, at + 1) in sets:
            after = f"f.{parent}.{at + 1}"
        elif parent in by_task:
            after = f"j.{by_task[parent]['parent']}.{by_task[parent]['joins_at']}"
        else:
            after = "E"
        drawing.edge(f"j.{parent}.{at}", after, "continue", 0)
    return drawing


def unreduced(rows, raw):
    drawing = Drawing()
    instants = {item["task"]: item["wait_instants"] for item in raw}
    children = tables.groups(rows, lambda item: item["parent"])
    drawing.node("f.0.1", "fork", label="^")
    for item in rows:
        task = item["task"]
        cuts = [(child["create_instant"], f"f.{task}.{child['child_number']}", "fork")
                for child in children.get(task, [])]
        cuts += [(at, f"j.{task}.{number}", "join") for number, at in enumerate(instants[task])]
        begin, before = 1, f"f.{item['parent']}.{item['child_number']}"
        for number, (at, name, kind) in enumerate([*sorted(cuts), (item["exec_cycles"] + 1, None, None)], 1):
            own = dict(attributes(item), exec_cycles=float(at - begin))
            drawing.node(f"{task}.{number}", "fragment", label=f"{task}.{number}", **own)
            drawing.edge(before, f"{task}.{number}", "scope", 0)
            after = name or f"j.{item['parent']}.{item['joins_at']}"
            drawing.node(after, kind or "join", label="^" if kind == "fork" else "*")
            drawing.edge(f"{task}.{number}", after, "scope", at - begin)
            begin, before = at, name
    return drawing


def diagnosed(rows):
    """Written, read and written again, with the one problem."""
    graph = reduced(rows).graph()
    graph.vs["id"] = [f"n{at}" for at in range(graph.vcount())]
    graph.vs["color"] = ["#FF000033"] * graph.vcount()
    benefit = graph.vs["parallel_benefit"]
    graph.vs["problematic"] = [0.0 if value is None else float(value < 5) for value in benefit]
    return graph


def nested(rows):
    """Groups for yEd: a task with its children is linear, siblings are in a fork and join."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>',
             '<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:y="http://www.yworks.com/xml/graphml">',
             '<key id="v_name" for="node" attr.name="name" attr.type="string"/>',
             '<key id="v_type" for="node" attr.name="type" attr.type="string"/>',
             '<key id="v_work_cycles" for="node" attr.name="work_cycles" attr.type="double"/>',
             '<key id="v_parallel_benefit" for="node" attr.name="parallel_benefit" attr.type="double"/>',
             '<key id="v_graphics" for="node" yfiles.type="nodegraphics"/>',
             '<graph id="G" edgedefault="undirected">']
    sets = tables.groups(rows, lambda item: (item["parent"], item["joins_at"]))
    counter = iter(range(1000))
    graphics = ('<data key="v_graphics"><y:ProxyAutoBoundsNode><y:Realizers active="0"><y:GroupNode><y:State closed="true"/>'
                '<y:NodeLabel>linear</y:NodeLabel></y:GroupNode></y:Realizers></y:ProxyAutoBoundsNode></data>')

    def group(prefix, kind):
        own = f"{prefix}n{next(counter)}"
        lines.append(f'<node id="{own}" yfiles.foldertype="folder"><data key="v_type">{kind}</data>'
                     f'<data key="v_work_cycles">0.0</data>{graphics}<graph id="{own}:" edgedefault="undirected">')
        return own + "::"

    def leaf(prefix, kind, further=""):
        own = f"{prefix}n{next(counter)}"
        lines.append(f'<node id="{own}"><data key="v_type">{kind}</data>{further}</node>')
        return own

    def edge(source, target):
        if source:
            lines.append(f'<edge source="{source}" target="{target}"/>')

    def task(prefix, item, before):
        families = [same for (parent, _), same in sorted(sets.items()) if parent == item["task"]]
        inner = group(prefix, "linear") if families else prefix
        benefit = item["parallel_benefit"]
        numbers = (f'<data key="v_name">{item["task"]}</data><data key="v_work_cycles">{item["work_cycles"]:.6g}</data>'
                   f'<data key="v_parallel_benefit">{"0.0" if benefit is None else format(benefit, ".6g")}</data>')
        last = leaf(inner, "task", numbers)
        edge(before, last)
        for same in families:
            last = forkjoin(inner, same, last)
        if families:
            lines.append("</graph></node>")
        return last

    def forkjoin(prefix, same, before):
        inner = group(prefix, "forkjoin")
        fork = leaf(inner, "fork")
        edge(before, fork)
        ends = [task(inner, item, fork) for item in same]
        join = f"{inner}n{next(counter)}"
        # The node comes after the edges that lead to it.
        for end in ends:
            edge(end, join)
        lines.append(f'<node id="{join}"><data key="v_type">join</data></node></graph></node>')
        return join

    forkjoin("", sets[0, 0], None)
    return "\n".join([*lines, "</graph>", "</graphml>", ""])


def main():
    rows = tables.processed(tables.WALK, False)
    write(reduced(rows).graph(), os.path.join(FOLDER, "walk.reduced.graphml"))
    write(unreduced(rows, tables.WALK).graph(), os.path.join(FOLDER, "walk.unreduced.graphml"))
    write(diagnosed(rows), os.path.join(FOLDER, "walk.parallel_benefit-problem.graphml"))
    with open(os.path.join(FOLDER, "walk.nested.graphml"), "w", encoding="utf-8") as file:
        file.write(nested(rows))


if __name__ == "__main__":
    main()
