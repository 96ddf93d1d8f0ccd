"""Measures the import of the Python package, and the hand-over of a million rows to pandas, Polars and DuckDB.

usage: tables.py     with the package, pyarrow, pandas, polars and duckdb
"""

import subprocess
import sys
import time

import duckdb
import pandas
import polars
import pyarrow
from grainsheaf import _grainsheaf

ROWS = 1_000_000
ROUNDS = 15
IMPORT = "import time; begun = time.process_time(); import grainsheaf; print(time.process_time() - begun)"


def table():
    """A million rows of an integer, a number and a text, as the service sends them."""
    columns = {
        "time_ns": pyarrow.array(range(ROWS), pyarrow.int64()),
        "share": pyarrow.array([0.5] * ROWS, pyarrow.float64()),
        "path": pyarrow.array([f"main / work {row % 1000}" for row in range(ROWS)], pyarrow.large_string()),
    }
    rows = pyarrow.table(columns)
    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(sink, rows.schema) as writer:
        writer.write_table(rows)
    return _grainsheaf.Reply(200, "application/vnd.apache.arrow.stream", None, sink.getvalue().to_pybytes()).batches()


def fastest(convert):
    """Processor milliseconds, all threads included."""
    times = []
    for _ in range(ROUNDS):
        begun = time.process_time()
        convert()
        times.append(time.process_time() - begun)
    return 1000 * min(times)


def counted(million):
    """DuckDB finds tables by the names of variables."""
    rows = pyarrow.table(million)  # noqa: F841 the query names it
    return duckdb.sql("select count(*), sum(share) from rows").fetchall()


def main():
    imports = [subprocess.run([sys.executable, "-I", "-c", IMPORT], capture_output=True, text=True, check=True) for _ in range(ROUNDS)]
    print(f"import: {1000 * min(float(one.stdout) for one in imports):.0f} CPU ms")
    million = table()
    numbers = pyarrow.table(million).select(["time_ns", "share"])
    ours = {chunk.buffers()[1].address for chunk in pyarrow.table(million)["time_ns"].chunks}
    series = polars.DataFrame(million)["time_ns"].to_arrow()
    frame = pyarrow.table(million).select(["time_ns"]).to_pandas(split_blocks=True, zero_copy_only=True)
    print("| to | CPU ms | integers at the same address |")
    print("|---|---|---|")
    again = pyarrow.table(million)["time_ns"].chunks[0].buffers()[1].address in ours
    print(f"| pyarrow | {fastest(lambda: pyarrow.table(million)):.2f} | {again} |")
    print(f"| Polars | {fastest(lambda: polars.DataFrame(million)):.2f} | {series.buffers()[1].address in ours} |")
    address = frame["time_ns"].to_numpy().__array_interface__["data"][0]
    print(f"| pandas, one column, split blocks | {fastest(lambda: numbers.to_pandas(split_blocks=True)):.2f} | {address in ours} |")
    print(f"| pandas, numbers | {fastest(numbers.to_pandas):.2f} | copied |")
    print(f"| pandas, all columns | {fastest(lambda: pyarrow.table(million).to_pandas()):.2f} | texts are made anew |")
    print(f"| DuckDB, count and sum | {fastest(lambda: counted(million)):.2f} | it scans them there |")
    print(f"pandas {pandas.__version__}, polars {polars.__version__}, duckdb {duckdb.__version__}, pyarrow {pyarrow.__version__}")


if __name__ == "__main__":
    main()
