"""A program for pyinstrument, whose sessions are the samples:

    pyinstrument -r json -o session.json -i 0.001 work.py
"""

import time


def leaf(seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        sum(range(100))


def recurse(depth):
    leaf(0.004)
    if depth:
        recurse(depth - 1)


class Solver:
    def step(self):
        leaf(0.006)
        time.sleep(0.005)


def main():
    recurse(3)
    for _ in range(3):
        Solver().step()


main()
