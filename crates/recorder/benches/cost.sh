#!/bin/sh
# Measures what an event costs: CPU time of a program that only creates tiny tasks (three
# events each: create, start, end), median of 7 runs with the recorder less median of 7
# without, and the bytes it leaves on disk. Usage: cost.sh [TASKS] [THREADS]
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
tasks=${1:-4000000}
threads=${2:-1}
library=${RECORDER:-$here/../../target/release/libsheaf_recorder.so}
[ -e "$library" ] || { echo "build it first: cargo build --release -p sheaf-recorder" >&2; exit 1; }
place=$(mktemp -d "${TMPDIR:-/dev/shm}/cost.XXXXXX")
trap 'rm -rf "$place"' EXIT
clang-19 -fopenmp -O2 -o "$place/program" "$here/tests/programs/many_tasks.c"

# CPU milliseconds of one run, user and system; arguments go to env.
cpu() {
    LC_ALL=C bash -c 'TIMEFORMAT="%U %S"; time env "$@" >/dev/null' - "$@" \
        "$place/program" "$tasks" "$threads" 2>&1 | awk '{ printf "%d\n", ($1 + $2) * 1000 }'
}

for run in 1 2 3 4 5 6 7; do
    cpu OMP_TOOL=disabled >>"$place/without"
    rm -rf "$place/traces"
    cpu OMP_TOOL_LIBRARIES="$library" GRAINSHEAF_TRACE_DIR="$place/traces" >>"$place/with"
done
without=$(sort -n "$place/without" | sed -n 4p)
with=$(sort -n "$place/with" | sed -n 4p)
bytes=$(du -k "$place/traces" | awk '{ print $1 * 1024 }')
awk -v a="$without" -v b="$with" -v n="$tasks" -v bytes="$bytes" 'BEGIN {
    printf "without %d ms, with %d ms CPU: %.1f ns per event, %.2f bytes per event\n",
        a, b, (b - a) * 1e6 / (3 * n), bytes / (3 * n) }'
