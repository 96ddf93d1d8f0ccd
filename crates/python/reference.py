"""Writes the reference of the Python package from its docstrings: docs/python-reference.md.

usage: reference.py     prints the page; `make types` writes it
"""

import ast
import re
from pathlib import Path

SOURCES = Path(__file__).parent / "python" / "grainsheaf"
WIDTH = 100
HEAD = """# Reference of the Python package

Everything below is part of the package `grainsheaf`, here `gs`. [Python and notebooks](python.md) explains how to use
it. Types are those of the annotations in the package. `make types` writes this page from the docstrings.
"""
# Classes that users make themselves.
CONSTRUCTED = ("Widget",)
# Headings, and what is below them: a module and names in it.
PARTS = [
    ("Functions", "__init__", ["open"]),
    (None, "_add", ["add"]),
    (None, "_record", ["record"]),
    (None, "_frames", ["from_dataframe", "from_hatchet", "from_thicket"]),
    ("Ensemble", "_ensemble", ["Ensemble"]),
    ("Answer", "_answer", ["Answer"]),
    ("Picture", "_picture", ["Picture"]),
    ("Widget", "_widget", ["Widget"]),
    ("Errors", "_errors", ["GrainsheafError", "BadQuestionError"]),
]


def main() -> None:
    print(page(), end="")


def page() -> str:
    """The text of the page."""
    lines = [HEAD]
    for heading, module, names in PARTS:
        tree = ast.parse((SOURCES / f"{module}.py").read_text(encoding="utf-8"))
        found = {node.name: node for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
        if heading:
            lines.append(f"## {heading}\n")
        for name in names:
            node = found[name]
            lines += of_class(node) if isinstance(node, ast.ClassDef) else of_function(node, f"gs.{name}")
    return "\n".join(lines)


def of_class(node: ast.ClassDef) -> list[str]:
    """A class with what is public in it, in the order of the source."""
    named = (ast.unparse(base) for base in node.bases)
    bases = ", ".join(base for base in named if not base.startswith("_"))
    lines = [f"`gs.{node.name}`" + (f" (`{bases}`)" if bases else "") + "\n", prose(node)]
    made = [child for child in node.body if isinstance(child, ast.FunctionDef) and child.name == "__init__"]
    # Ensembles and answers are made by functions and methods.
    if made and node.name in CONSTRUCTED:
        lines.append(f"```python\n{wrapped(f'gs.{node.name}', arguments(made[0]), '')}\n```\n")
    traits = [row for child in node.body for row in trait(child)]
    if traits:
        lines += ["| trait | type | content |", "|---|---|---|", *traits, ""]
    for child in node.body:
        if not isinstance(child, ast.FunctionDef) or child.name.startswith("_") or not ast.get_docstring(child):
            continue
        if any(isinstance(each, ast.Call) for each in child.decorator_list):
            continue
        lines += of_function(child, child.name)
    return lines


def of_function(node: ast.FunctionDef, name: str) -> list[str]:
    is_property = any(ast.unparse(each) == "property" for each in node.decorator_list)
    result = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    if is_property:
        signature = f"{name}: {ast.unparse(node.returns)}" if node.returns else name
    else:
        signature = wrapped(name, arguments(node), result)
    return [f"### `{name.removeprefix('gs.')}`\n", f"```python\n{signature}\n```\n", prose(node)]


def arguments(node: ast.FunctionDef) -> list[str]:
    """Arguments with their types and defaults, without `self`."""
    given = node.args
    names = [*given.posonlyargs, *given.args]
    defaults = [None] * (len(names) - len(given.defaults)) + list(given.defaults)
    parts = [argument(one, default) for one, default in zip(names, defaults) if one.arg != "self"]
    if given.vararg:
        parts.append(f"*{argument(given.vararg, None)}")
    elif given.kwonlyargs:
        parts.append("*")
    parts += [argument(one, default) for one, default in zip(given.kwonlyargs, given.kw_defaults)]
    return parts + ([f"**{given.kwarg.arg}"] if given.kwarg else [])


def argument(one: ast.arg, default: "ast.expr | None") -> str:
    kind = f": {ast.unparse(one.annotation)}" if one.annotation else ""
    return one.arg + kind + (f" = {ast.unparse(default)}" if default else "")


def wrapped(name: str, parts: list[str], result: str) -> str:
    line = f"{name}({', '.join(parts)}){result}"
    if len(line) <= WIDTH:
        return line
    return "\n".join([f"{name}(", *(f"    {part}," for part in parts), f"){result}"])


def trait(node: ast.stmt) -> list[str]:
    """The row of a trait of a widget that has a help text."""
    if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
        return []
    call = node.value
    while isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "tag":
        call = call.func.value
    if not isinstance(call, ast.Call):
        return []
    texts = [word.value.value for word in call.keywords if word.arg == "help" and isinstance(word.value, ast.Constant)]
    kind = ast.unparse(call.func).removeprefix("t.")
    return [f"| `{node.targets[0].id}` | {kind} | {text} |" for text in texts]


def prose(node: ast.AST) -> str:
    """The docstring; what is indented in it is code."""
    text = ast.get_docstring(node) or ""
    blocks = []
    for block in re.split(r"\n\s*\n", text):
        lines = block.split("\n")
        is_code = all(line.startswith("    ") for line in lines)
        blocks.append("```python\n" + "\n".join(line[4:] for line in lines) + "\n```" if is_code else block)
    return "\n\n".join(blocks) + "\n"


if __name__ == "__main__":
    main()
