"""Recursion, two functions of one name, builtins and a file in Python 2's form:

    python3 -c "exec(compile(open('calls.py').read(), 'calls.py', 'exec'))"
"""

import cProfile
import profile
import struct


class First:
    def step(self, n):
        return sum(range(n))


class Second:
    def step(self, n):
        return First().step(n) + len("é")


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def ping(n):
    return 0 if n == 0 else pong(n - 1)


def pong(n):
    return 0 if n == 0 else ping(n - 1)


def main():
    fib(12)
    ping(7)
    for n in range(3):
        Second().step(1000 * n)


def python2(value):
    """The value as Python 2 writes it: texts that occurred are numbered."""
    seen = {}

    def write(value):
        if value is None:
            return b"N"
        if isinstance(value, int) and -(2**31) <= value < 2**31:
            return b"i" + struct.pack("<i", value)
        if isinstance(value, int):
            digits = []
            rest = abs(value)
            while rest:
                digits.append(rest & 0x7FFF)
                rest >>= 15
            size = len(digits) if value > 0 else -len(digits)
            return b"l" + struct.pack("<i", size) + struct.pack(f"<{len(digits)}H", *digits)
        if isinstance(value, float):
            text = repr(value).encode()
            return b"f" + bytes([len(text)]) + text
        if isinstance(value, str):
            if value in seen:
                return b"R" + struct.pack("<I", seen[value])
            seen[value] = len(seen)
            return b"t" + struct.pack("<I", len(value.encode())) + value.encode()
        if isinstance(value, tuple):
            return b"(" + struct.pack("<I", len(value)) + b"".join(map(write, value))
        items = b"".join(write(key) + write(value) for key, value in value.items())
        return b"{" + items + b"0"

    return write(value)


if __name__ == "__main__":
    profiler = cProfile.Profile()
    profiler.runcall(main)
    profiler.dump_stats("calls.pstats")
    profiler.create_stats()
    stats = dict(profiler.stats)
    caller = next(key for key in stats if key[2] == "main")
    many = (2**40, 2**40, 0.25, 1.5)
    stats[("calls.py", 99, "many")] = (*many, {caller: many})
    with open("python2.pstats", "wb") as file:
        file.write(python2(stats))
    slow = profile.Profile()
    slow.runcall(main)
    slow.dump_stats("profile.pstats")
