#!/usr/bin/env bash
# Times distributions over 20 million grains and comparisons grain by grain, beside DuckDB (P3, P4); about 2 GB in
# a temporary folder.
#
# usage: grains.sh TARGET    where TARGET holds the examples
set -euo pipefail
target=$(realpath "$1")
bench=$(dirname "$(realpath "$0")")
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
cd "$folder"

"$target/examples/grain_diff" 100000 1
"$target/examples/grain_diff" 100000 199 ./written
# The second reads what the first made.
"$target/examples/grain_stats" store > /dev/null
"$target/examples/grain_stats" store
# The peer, where it can be had.
if python3 -m venv peer && peer/bin/pip install --quiet duckdb; then
    peer/bin/python "$bench/grains.py" store written/grains.csv
fi
