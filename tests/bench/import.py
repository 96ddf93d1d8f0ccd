"""Measures imports (P1, P8, P15, P16) beside the peers that can be had.

usage: import.py GRAINSHEAF [SCALE]

Generates its inputs (SCALE 1 by default: 1,000 profiles, a million grains), runs each command in a
process of its own and prints a Markdown table: processor seconds, wall seconds, peak memory, rate,
bytes on disk. Thicket is installed into a throw-away virtual environment; without a network its
row says so.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))

THICKET = """
import glob, sys
import thicket
files = sorted(glob.glob(sys.argv[1] + "/*.cali"))
if sys.argv[2] == "one":
    thicket.Thicket.from_caliperreader(files, disable_tqdm=True)
else:
    thicket.Thicket.from_caliperreader(files)
"""


def run(command, environment=None):
    """Processor seconds, wall seconds, peak MiB of a command, or None when it fails."""
    begin = time.monotonic()
    process = subprocess.Popen(
        command, env={**os.environ, **(environment or {})}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    error = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.monotonic() - begin
    if status != 0:
        sys.stderr.write(error.decode(errors="replace")[-2000:])
        return None
    return usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024


def size(path):
    """Bytes of a file, or of all files below a folder."""
    if os.path.isfile(path):
        return os.path.getsize(path)
    return sum(
        os.path.getsize(os.path.join(folder, name)) for folder, _, names in os.walk(path) for name in names
    )


def row(what, measured, source, items=None, unit="", store=None):
    """Prints a row."""
    if measured is None:
        print(f"| {what} | failed |  |  |  |  |", flush=True)
        return
    cpu, wall, peak = measured
    rate = f"{size(source) / cpu / 1e6:.0f} MB/s"
    if items:
        rate += f", {items / cpu / 1e6:.2f} M {unit}/s"
    disk = f"{size(store) / items:.1f} per {unit[:-1]}" if store and items else ""
    print(f"| {what} | {cpu:.2f} | {wall:.2f} | {peak:.0f} | {rate} | {disk} |", flush=True)


def main():
    """Generates, measures, prints."""
    grainsheaf = os.path.abspath(sys.argv[1])
    scale = float(sys.argv[2]) if len(sys.argv) > 2 else 1
    profiles, grains = int(1000 * scale), int(1_000_000 * scale)
    tasks = int(262_142 * scale)  # four nodes per task: 1,048,568 nodes
    folder = tempfile.mkdtemp(prefix="grainsheaf-bench-")
    try:
        print("| what | CPU s | wall s | peak MiB | rate per CPU second | bytes on disk |")
        print("|---|---|---|---|---|---|")
        cases = [
            ("caliper", "profiles", profiles, "runs"),
            ("mir", "grains.csv", grains, "grains"),
            ("dag-recorder", "tasks.dag", tasks, "grains"),
            ("graphml", "grains.graphml", grains // 8, "grains"),
            ("chrome", "events.json", grains, "grains"),
        ]
        for kind, name, count, unit in cases:
            path = os.path.join(folder, name)
            subprocess.run([sys.executable, f"{HERE}/generate.py", kind, path, str(count)], check=True)
            store = os.path.join(folder, f"store-{kind}")
            measured = run([grainsheaf, "--store", store, "add", path])
            row(f"{kind}, {count} {unit}", measured, path, count, unit, store)
        peer(os.path.join(folder, "profiles"), folder)
    finally:
        shutil.rmtree(folder)


def peer(profiles, folder):
    """Thicket on the same profiles."""
    environment = os.path.join(folder, "venv")
    python = os.path.join(environment, "bin", "python")
    made = run([sys.executable, "-m", "venv", environment])
    made = made and run([python, "-m", "pip", "install", "--quiet", "llnl-thicket"])
    if made is None:
        print("| Thicket | could not be installed |  |  |  |  |")
        return
    script = os.path.join(folder, "thicket_import.py")
    with open(script, "w") as file:
        file.write(THICKET)
    row("Thicket, the same profiles", run([python, script, profiles, "one"]), profiles)


if __name__ == "__main__":
    main()
