"""Writes the samples beside it: one small profile in both forms, and others with traps.

The forms are those of Taskflow's profiler; no program was run.
"""

import json
import struct
from pathlib import Path

HERE = Path(__file__).parent
KINDS = ["static", "subflow", "condition", "module", "async"]

# executor -> (worker, level) -> segments (begin, end, name, kind), in order of completion
PROFILE = [
    {
        (0, 0): [
            (100, 140, "init", 0),
            (140, 400, "tree", 1),
            (400, 400, "again?", 2),
            (401, 450, "step", 0),
            (450, 450, "again?", 2),
            (450, 480, "done", 0),
        ],
        (0, 1): [(150, 300, "leaf/0", 0), (310, 350, "leaf/1", 0)],
        (0, 2): [(160, 200, "", 4)],
        (1, 0): [(145, 290, "leaf/2", 0), (300, 300, "", 0), (300, 330, "wärme", 3)],
    },
    {},
]


def as_json(profile):
    executors = []
    for number, blocks in enumerate(profile):
        if not blocks:
            executors.append("{}")
            continue
        texts = []
        for (worker, level), segments in blocks.items():
            listed = ",".join(
                '{"span":[%d,%d],"name":"%s","type":"%s"}'
                % (begin, end, name or f"{worker}_{index}", KINDS[kind])
                for index, (begin, end, name, kind) in enumerate(segments)
            )
            texts.append('{"worker":%d,"level":%d,"data":[%s]}' % (worker, level, listed))
        executors.append('{"executor":"%d","data":[%s]}' % (number, ",".join(texts)))
    return "[\n" + ",\n".join(executors) + "\n]\n"


def varint(number):
    number &= (1 << 64) - 1
    out = bytearray()
    while True:
        byte = number & 0x7F
        number >>= 7
        out.append(byte | (0x80 if number else 0))
        if not number:
            return bytes(out)


def as_binary(profile, origin=5_000_000_000):
    out = bytearray(b"TFPX" + struct.pack("<HHI", 1, 0, len(profile)))
    for number, blocks in enumerate(profile):
        names, places = bytearray(), {}
        for segments in blocks.values():
            for _, _, name, _ in segments:
                text = name.encode()[:31]
                if text and text not in places:
                    places[text] = len(names)
                    names += text
        out += struct.pack("<QqII", number, origin, len(names), len(blocks)) + names
        for (worker, level), segments in blocks.items():
            out += struct.pack("<III", worker, level, len(segments))
            before = 0
            for begin, end, name, kind in segments:
                text = name.encode()[:31]
                out += varint(begin - before) + varint(end - begin)
                out += struct.pack("<IB", places.get(text, 0), kind << 5 | len(text))
                before = begin
    return bytes(out)


UNESCAPED = [
    {
        (0, 0): [
            (0, 5, 'say "hi"', 0),
            (5, 9, r"C:\dir", 0),
            (9, 12, 'a","b', 0),
            (12, 15, "</script><b>", 0),
            (15, 16, "new\nline", 0),
            (16, 20, "x" * 40, 0),
        ]
    }
]

TWO = [
    {(0, 0): [(0, 10, "a", 0)], (3, 0): [(2, 4, "b", 0)]},
    {(0, 0): [(1, 8, "c", 0)]},
]

# The second segment of the first level overlaps the first: its clock went back.
OVERLAP = [{(0, 0): [(0, 10, "a", 0), (5, 15, "b", 0)]}]

if __name__ == "__main__":
    (HERE / "nested.json").write_text(as_json(PROFILE))
    (HERE / "nested.tfp").write_bytes(as_binary(PROFILE))
    (HERE / "unescaped.json").write_text(as_json(UNESCAPED))
    (HERE / "unescaped.tfp").write_bytes(as_binary(UNESCAPED))
    (HERE / "two-executors.json").write_text(as_json(TWO))
    (HERE / "two-executors.tfp").write_bytes(as_binary(TWO))
    (HERE / "overlap.tfp").write_bytes(as_binary(OVERLAP))
    spaced = json.dumps([{"executor": "0", "data": [{"data": [{"type": "static", "name": 'q"\n', "span": [1, 2]}], "level": 0, "worker": 1}]}], indent=1)
    (HERE / "escaped.json").write_text(spaced)
    text = as_json(PROFILE)
    (HERE / "cut.json").write_text(text[: text.index("leaf/1")])
