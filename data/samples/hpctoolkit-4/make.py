#!/usr/bin/env python3
"""Writes the database beside this file.

ranks  two ranks and a stream of a GPU; two metrics in four scopes; main thread and an application
       thread; loops, lines with and without calls, an inlined call, an instruction, an anonymous
       function; a line with its module too; records longer than their fields; a value of a context that
       meta.db does not have; a stated sum that is not the sum; a trace
"""
import pathlib
import struct

HERE = pathlib.Path(__file__).parent / "ranks"
SCOPES = (("point", 1, 255), ("function", 3, 0), ("lex_aware", 0, 255), ("execution", 2, 255))
METRICS = ("CPUTIME (sec)", "GMEM:LUM (B)")
FUNCTION, LOOP, LINE, INSTRUCTION = range(4)
LEXICAL, CALL, INLINED = range(3)


class File:
    """Bytes at places that are handed out in order, and a section table before them."""

    def __init__(self, kind, num_sections):
        self.bytes = bytearray(b"HPCTOOLKIT" + kind + bytes((4, 0)) + bytes(16 * num_sections))
        self.texts = {}

    def place(self, size):
        self.bytes += bytes(-len(self.bytes) % 8)
        at = len(self.bytes)
        self.bytes += bytes(size)
        return at

    def put(self, at, form, *values):
        struct.pack_into("<" + form, self.bytes, at, *values)

    def text(self, text):
        if text is None:
            return 0
        if text not in self.texts:
            data = text.encode() + b"\0"
            self.texts[text] = self.place(len(data))
            self.bytes[self.texts[text]:self.texts[text] + len(data)] = data
        return self.texts[text]

    def section(self, number, begin):
        self.put(16 + 16 * number, "QQ", len(self.bytes) - begin, begin)

    def finish(self, name, tail):
        self.bytes += bytes(-len(self.bytes) % 8) + tail
        (HERE / name).write_bytes(self.bytes)


class Context:
    count = 0

    def __init__(self, kind, relation, what, own, *children):
        """what: function; file and line; module and offset; or the last two; own: per profile, per metric."""
        self.kind, self.relation, self.what, self.own, self.children = kind, relation, what, own, children
        Context.count += 1
        self.id = Context.count


NONE = ((0, 0), (0, 0), (0, 0))
MAIN, SOLVE, NORM = ("main", "/home/user/bin/app", "src/main.c", 10), ("solve", "/home/user/bin/app", "src/solve.c", 30), \
    ("norm", "/home/user/bin/app", "include/norm.h", 5)
SQRT, NOBODY = ("sqrt [libm.so.6]", "/usr/lib64/libm.so.6", "[libm.so.6]", 0), (None, "/usr/lib64/libm.so.6", None, 0)


def line(number, own, *children, file="src/solve.c"):
    return Context(LINE, LEXICAL, (file, number), own, *children)


def call(function, *children, relation=CALL):
    return Context(FUNCTION, relation, function, NONE, *children)


ENTRIES = (
    (1, "main thread", (call(MAIN,
        line(12, ((4, 0), (2, 0), (0, 0)), file="src/main.c"),
        line(14, ((1, 0), (0, 0), (0, 0)), call(SOLVE,
            Context(LOOP, LEXICAL, ("src/solve.c", 33), NONE,
                Context(LOOP, LEXICAL, ("src/solve.c", 35), NONE, line(36, ((20, 0), (30, 0), (0, 640)))),
                line(34, ((1, 0), (1, 0), (0, 0)),
                    call(NORM, line(7, ((3, 0), (0, 0), (0, 0)), file="include/norm.h"), relation=INLINED)),
                line(37, NONE,
                    Context(INSTRUCTION, LEXICAL, ("/home/user/bin/app", 0x4a0), ((0, 0), (2, 0), (0, 0)),
                        call(SQRT, line(0, ((2, 0), (5, 0), (0, 0)), file="[libm.so.6]"))))),
            line(40, NONE, call(SOLVE, line(36, ((1, 0), (0, 0), (0, 0))))),
        ), file="src/main.c"),
        line(18, NONE, call(SOLVE, Context(LOOP, LEXICAL, ("src/solve.c", 33), NONE, line(34, ((0, 0), (2, 0), (0, 0))))),
            file="src/main.c")),)),
    (2, "application thread", (call(NOBODY,
        Context(LINE, LEXICAL, ("[libm.so.6]", 0, "/usr/lib64/libm.so.6", 0x99), ((0, 0), (1, 0), (0, 0)))),)),
)
SCALES = (0.005, 1.0)
TUPLES = (((1, 1, 0, 99), (2, 0, 0, 0), (3, 0, 0, 0)), ((1, 1, 0, 99), (2, 0, 1, 1), (3, 0, 0, 0)),
          ((1, 1, 0, 99), (2, 0, 1, 1), (4, 0, 0, 7), (5, 0, 0, 1), (6, 0, 2, 2)))


def propagation(context):
    return 1 if context.relation != CALL and context.kind != FUNCTION or context.relation == INLINED else 0


def values(context, profile, metric, into):
    """point, function, lex_aware, execution of a context, for all below it too."""
    own = context.own[profile][metric] * SCALES[metric]
    point = function = lexical = execution = own
    for child in context.children:
        _, child_function, child_lexical, child_execution = values(child, profile, metric, into)
        execution += child_execution
        if propagation(child):
            function += child_function
            lexical += child_lexical if child.kind in (LINE, INSTRUCTION) else 0
    into[context.id] = (point, function, lexical, execution)
    return into[context.id]


def meta(entry_ids):
    file = File(b"meta", 8)
    at = file.place(16)
    file.put(at, "QQ", file.text("app"), file.text("two ranks\nand a stream"))
    file.section(0, at)
    kinds = ("SUMMARY", "NODE", "RANK", "THREAD", "GPUDEVICE", "GPUCONTEXT", "GPUSTREAM", "CORE")
    at, names = file.place(16), file.place(8 * len(kinds))
    file.put(at, "QB", names, len(kinds))
    for number, kind in enumerate(kinds):
        file.put(names + 8 * number, "Q", file.text(kind))
    file.section(1, at)
    # Eight bytes more per record than its fields need.
    metric_size, instance_size, summary_size, scope_size = 0x28, 0x18, 0x20, 0x18
    at = file.place(0x20)
    metrics, scopes = file.place(metric_size * len(METRICS)), file.place(scope_size * len(SCOPES))
    file.put(at, "QIBBBxQHB", metrics, len(METRICS), metric_size, instance_size, summary_size, scopes, len(SCOPES), scope_size)
    for number, (name, kind, bit) in enumerate(SCOPES):
        file.put(scopes + scope_size * number, "QBB", file.text(name), kind, bit)
    for number, name in enumerate(METRICS):
        instances, summaries = file.place(instance_size * len(SCOPES)), file.place(summary_size * (len(SCOPES) + 1))
        file.put(metrics + metric_size * number, "QQQHH", file.text(name), instances, summaries, len(SCOPES), len(SCOPES) + 1)
        for scope in range(len(SCOPES)):
            pointer = scopes + scope_size * scope
            file.put(instances + instance_size * scope, "QH", pointer, 4 * number + scope)
            file.put(summaries + summary_size * scope, "QQBxH", pointer, file.text("$$"), 0, 40 + 4 * number + scope)
        file.put(summaries + summary_size * len(SCOPES), "QQBxH", scopes, file.text("$$"), 2, 60 + number)
    file.section(2, at)
    records = {}

    def record(key, build):
        if key not in records:
            records[key] = build()
        return records[key]

    def path(text):
        def build():
            at = file.place(16)
            file.put(at, "IxxxxQ", 1, file.text(text))
            return at
        return record(text, build) if text else 0

    def function(what):
        def build():
            name, module, source, number = what
            pointers = file.text(name), path(module), path(source)
            at = file.place(0x28)
            file.put(at, "QQQQII", pointers[0], pointers[1], 0x400, pointers[2], number, 0)
            return at
        return record(what, build)

    def words(context):
        if context.kind == FUNCTION:
            flags, form = 1, [("Q", function(context.what))]
        elif context.kind == INSTRUCTION:
            flags, form = 4, [("Q", path(context.what[0])), ("Q", context.what[1])]
        else:
            flags, form = 2, [("Q", path(context.what[0])), ("Ixxxx", context.what[1])]
            if len(context.what) > 2:
                flags, form = 6, form + [("Q", path(context.what[2])), ("Q", context.what[3])]
        return flags, form

    def children(contexts):
        described = [(context, *words(context), children(context.children)) for context in contexts]
        size = sum(0x20 + 8 * len(form) for _, _, form, _ in described)
        begin = at = file.place(size) if size else 0
        for context, flags, form, (below_size, below) in described:
            file.put(at, "QQIBBBBH", below_size, below, context.id, flags, context.relation, context.kind, len(form),
                     propagation(context))
            for number, (letter, value) in enumerate(form):
                file.put(at + 0x20 + 8 * number, letter, value)
            at += 0x20 + 8 * len(form)
        return size, begin

    at, entries = file.place(16), file.place(0x28 * len(ENTRIES))
    file.put(at, "QHB", entries, len(ENTRIES), 0x28)
    for number, ((kind, name, contexts), entry) in enumerate(zip(ENTRIES, entry_ids)):
        size, begin = children(contexts)
        file.put(entries + 0x28 * number, "QQIHxxQ", size, begin, entry, kind, file.text(name))
    file.section(3, at)
    for number in range(4, 8):
        file.put(16 + 16 * number, "QQ", 0, len(file.bytes))
    file.finish("meta.db", b"_meta.db")


def profile_db(profiles):
    file = File(b"prof", 2)
    size = 0x30
    at, records = file.place(16), file.place(size * len(profiles))
    file.put(at, "QIB", records, len(profiles), size)
    for number, (numbers, id_tuple) in enumerate(profiles):
        listed = [(context, metric, value) for context, of in sorted(numbers.items()) for metric, value in sorted(of.items())]
        contexts = sorted(numbers)
        data, indices = file.place(10 * len(listed)), file.place(12 * len(contexts))
        for place, (_, metric, value) in enumerate(listed):
            file.put(data + 10 * place, "Hd", metric, value)
        for place, context in enumerate(contexts):
            first = next(i for i, (other, _, _) in enumerate(listed) if other == context)
            file.put(indices + 12 * place, "IQ", context, first)
        pointer = 0
        if id_tuple:
            pointer = file.place(8 + 16 * len(id_tuple))
            file.put(pointer, "H", len(id_tuple))
            for place, parts in enumerate(id_tuple):
                file.put(pointer + 8 + 16 * place, "BxHIQ", *parts)
        file.put(records + size * number, "QQIxxxxQQI", len(listed), data, len(contexts), indices, pointer, number == 0)
    file.section(0, at)
    file.section(1, len(file.bytes))
    file.finish("profile.db", b"_prof.db")


def cct_db(profiles):
    file = File(b"ctxt", 1)
    count = 1 + max(context for numbers, _ in profiles for context in numbers)
    at, records = file.place(16), file.place(0x20 * count)
    file.put(at, "QIB", records, count, 0x20)
    for context in range(count):
        by_metric = {}
        for number, (numbers, _) in enumerate(profiles):
            for metric, value in numbers.get(context, {}).items() if number else ():
                by_metric.setdefault(metric, []).append((number, value))
        listed = [pair for metric in sorted(by_metric) for pair in by_metric[metric]]
        data, indices = file.place(12 * len(listed)), file.place(10 * len(by_metric))
        for place, (number, value) in enumerate(listed):
            file.put(data + 12 * place, "Id", number, value)
        first = 0
        for place, metric in enumerate(sorted(by_metric)):
            file.put(indices + 10 * place, "HQ", metric, first)
            first += len(by_metric[metric])
        file.put(records + 0x20 * context, "QQHxxxxxxQ", len(listed), data, len(by_metric), indices)
    file.section(0, at)
    file.finish("cct.db", b"__ctx.db")


def main():
    HERE.mkdir(exist_ok=True)
    entry_ids = [Context.count + 1 + number for number in range(len(ENTRIES))]
    profiles = []
    for profile, id_tuple in enumerate(TUPLES):
        numbers = {}
        for metric in range(len(METRICS)):
            into = {}
            for (_, _, contexts), entry in zip(ENTRIES, entry_ids):
                below = [values(context, profile, metric, into)[3] for context in contexts]
                into[entry] = (0, 0, 0, sum(below))
            into[0] = (0, 0, 0, sum(into[entry][3] for entry in entry_ids))
            for context, of in into.items():
                for scope, value in enumerate(of):
                    if value:
                        numbers.setdefault(context, {})[4 * metric + scope] = value
        profiles.append((numbers, id_tuple))
    profiles[0][0][60] = {0: 0.25}
    summary = {}
    for numbers, _ in profiles:
        for context, of in numbers.items():
            for metric, value in of.items():
                into = summary.setdefault(context, {})
                into[40 + metric] = into.get(40 + metric, 0) + value
    loop = next(context for context in summary if 42 in summary[context])
    summary[loop][42] *= 2
    profiles.insert(0, (summary, None))
    meta(entry_ids)
    profile_db(profiles)
    cct_db(profiles)
    trace = File(b"trce", 1)
    at = trace.place(32)
    trace.section(0, at)
    trace.finish("trace.db", b"_trace.db"[:8])


main()
