"""Measures what recording costs each sample program: processor time with and without the recorder.

usage: recorder.py RECORDER PROGRAM_FOLDER [REPEATS]

Runs alternate, so that drift of the machine meets both sides; medians are compared. Wall time is
not used: it is too noisy on a shared machine. Prints a Markdown table.
"""

import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

CASES = [
    ("fib", ["22", "0"]),
    ("sort", ["2097152"]),
    ("nqueens", []),
    ("sparselu_task", []),
    ("strassen", []),
    ("fft", []),
    ("uts", []),
    ("imbalance", []),
    ("depend", []),
]


def processor_seconds(command, environment):
    """User and system time of a command and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(recorder, command, threads, repeats):
    """Median processor seconds without and with the recorder, and bytes of the trace."""
    common = {**os.environ, "OMP_NUM_THREADS": str(threads)}
    without, recorded, size = [], [], 0
    for _ in range(repeats):
        without.append(processor_seconds(command, {**common, "OMP_TOOL": "disabled"}))
        folder = tempfile.mkdtemp(prefix="grainsheaf-bench-", dir="/dev/shm")
        try:
            tool = {"OMP_TOOL_LIBRARIES": recorder, "GRAINSHEAF_TRACE_DIR": folder}
            recorded.append(processor_seconds(command, {**common, **tool}))
            size = sum(entry.stat().st_size for entry in os.scandir(folder))
        finally:
            shutil.rmtree(folder)
    return statistics.median(without), statistics.median(recorded), size


def main():
    """Prints a row per program and thread count."""
    recorder, folder = os.path.abspath(sys.argv[1]), sys.argv[2]
    repeats = int(sys.argv[3]) if len(sys.argv) > 3 else 7
    print("| program | threads | without (CPU ms) | recorded (CPU ms) | cost | trace |")
    print("|---|---|---|---|---|---|")
    for name, arguments in CASES:
        command = [os.path.join(folder, name), *arguments]
        for threads in (1, 2):
            without, recorded, size = measure(recorder, command, threads, repeats)
            cost = 100 * (recorded / without - 1)
            print(
                f"| `{' '.join([name, *arguments])}` | {threads} | {1e3 * without:.0f} "
                f"| {1e3 * recorded:.0f} | {cost:+.1f} % | {size / 1e3:.0f} kB |",
                flush=True,
            )


if __name__ == "__main__":
    main()
