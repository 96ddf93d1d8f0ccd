"""Every number equals the command line's to the last bit."""

import grainsheaf as gs
import pytest
from conftest import ENSEMBLES, command_json, command_rows, same_cell

STORES = {
    "threads": ("threads = 1", "threads = 8", "threads"),
    "versions": ("version = 1", "version = 2", "version"),
    "runtimes": ("runtime = llvm", "runtime = intel", "runtime"),
}


def exclusive(ensemble):
    """The lens with which the command line compares."""
    return ensemble.scope("exclusive")


def run_of(store):
    return command_json(store, "runs")["runs"][0]["run"]


# Name, words of the command line, the same in Python. `A`, `B`, `P` and `RUN` are of the store.
QUESTIONS = [
    ("runs", ["runs"], lambda e, a, b, p, run: e.runs()),
    ("runs_where", ["runs", "--where", "repeat >= 2"], lambda e, a, b, p, run: e.where("repeat >= 2").runs()),
    ("stats", ["stats"], lambda e, a, b, p, run: e.stats()),
    ("stats_by", ["stats", "--by", "P", "--level", "context"], lambda e, a, b, p, run: e.by(p).level("context").stats()),
    ("stats_all", ["stats", "--metric", "all"], lambda e, a, b, p, run: e.stats("all")),
    (
        "stats_over",
        ["stats", "--over", "workers=max", "--level", "module"],
        lambda e, a, b, p, run: e.over(workers="max").level("module").stats(),
    ),
    ("diff", ["diff", "A", "B"], lambda e, a, b, p, run: exclusive(e).diff(a, b)),
    ("explain", ["explain", "A", "B"], lambda e, a, b, p, run: exclusive(e).explain(a, b)),
    ("gate", ["gate", "--baseline", "A", "--candidate", "B"], lambda e, a, b, p, run: exclusive(e).gate(a, b)),
    ("noise", ["noise", "--by", "P"], lambda e, a, b, p, run: exclusive(e).by(p).noise()),
    (
        "what_if",
        ["what-if", "RUN", "--workers", "1,3", "--infinite", "--cut-off", "2"],
        lambda e, a, b, p, run: e.what_if(run, workers=[1, 3], infinite=True, cut_off=2),
    ),
    ("what_first", ["what-if", "RUN", "--first", "--workers", "2"], lambda e, a, b, p, run: e.what_first(run, workers=2)),
    ("what_if_check", ["what-if", "program = sort", "--check"], lambda e, a, b, p, run: e.what_if_check("program = sort")),
    ("similar", ["similar", "--measure", "work"], lambda e, a, b, p, run: e.similar("work")),
    ("history", ["history", "--by", "P"], lambda e, a, b, p, run: exclusive(e).history(p)),
    ("info", ["info", "RUN"], lambda e, a, b, p, run: e.info(run)),
    ("grains", ["grains", "RUN"], lambda e, a, b, p, run: e.grains(run)),
    (
        "grains_sorted",
        ["grains", "RUN", "--sort", "work_ns", "--where", "work_ns > 0", "--limit", "7"],
        lambda e, a, b, p, run: e.grains(run, sort="work_ns", where="work_ns > 0", limit=7),
    ),
    ("problems", ["problems", "RUN"], lambda e, a, b, p, run: e.problems(run)),
    ("paths", ["paths", "RUN"], lambda e, a, b, p, run: e.paths(run)),
    ("loops", ["loops", "RUN"], lambda e, a, b, p, run: e.loops(run)),
    ("scheduling", ["scheduling", "RUN"], lambda e, a, b, p, run: e.scheduling(run)),
    ("parallelism", ["parallelism", "RUN"], lambda e, a, b, p, run: e.parallelism(run)),
    ("tree", ["tree", "RUN"], lambda e, a, b, p, run: e.tree(run)),
    ("scale", ["scale", "--by", "P"], lambda e, a, b, p, run: exclusive(e).by(p).scale(p)),
]
# Scaling needs a parameter of numbers, and a history one that has an order.
# Checks of predictions need several numbers of workers.
WITHOUT = {("versions", "what_if_check"), ("runtimes", "what_if_check"), ("versions", "scale"), ("runtimes", "scale"), ("runtimes", "history")}
CASES = [(store, *question) for store in STORES for question in QUESTIONS if (store, question[0]) not in WITHOUT]


@pytest.mark.parametrize(("store", "name", "words", "ask"), CASES, ids=[f"{case[0]}-{case[1]}" for case in CASES])
def test_answers_are_those_of_the_command_line(store, name, words, ask):
    path = ENSEMBLES / store
    a, b, parameter = STORES[store]
    run = run_of(path)
    words = [{"A": a, "B": b, "P": parameter, "RUN": run}.get(word, word) for word in words]
    answer = ask(gs.open(path), a, b, parameter, run)
    assert answer.json() == command_json(path, *words)
    names, *rows = command_rows(path, *words)
    table = answer.to_arrow()
    assert table.column_names == names
    assert table.num_rows == len(rows) == len(answer)
    for column, name in enumerate(names):
        for row, value in enumerate(table.column(column).to_pylist()):
            written = rows[row][column]
            assert same_cell(written, value), f"{name}, row {row}: {written!r} is not {value!r}"
