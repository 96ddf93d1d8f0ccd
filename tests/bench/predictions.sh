#!/usr/bin/env bash
# Records programs on one and two threads, and predicts the times of one number from runs of the other: without and with
# reference runs, which are other repeats. Prints the table of docs/what-if.md. Nothing else may run meanwhile.
#
# usage: predictions.sh GRAINSHEAF PROGRAMS [REPEATS]    PROGRAMS is the folder of the built programs
set -euo pipefail
grainsheaf=$(realpath "$1")
programs=$(realpath "$2")
repeats=${3:-6}
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
cd "$folder"

record() {
    local name=$1
    shift
    "$grainsheaf" --store store -q record --threads 1,2 --warmup 1 --repeat "$repeats" --name "$name" --param "case=$name" -- "$@" \
        > /dev/null
}

# The error of predictions for the later repeats, as "median largest pairs" in percent.
error_of() {
    "$grainsheaf" --store store what-if "case == '$1' and repeat > $((repeats / 2))" --check --json "${@:2}" |
        python3 -c '
import json, sys
trust = json.load(sys.stdin)["trust"]
print("%.1f | %.1f | %d" % (100 * trust["median"], 100 * trust["largest"], trust["pairs"]))'
}

record sort "$programs/sort"
record nqueens "$programs/nqueens" 13 3
record sparselu_task "$programs/sparselu_task"
record sparselu_for "$programs/sparselu_for"
record fib "$programs/fib"
record imbalance "$programs/imbalance" 16384 64 dynamic
record strassen "$programs/strassen"
record uts "$programs/uts"

echo "| program | median error (%) | largest (%) | predictions | median with reference (%) | largest (%) | predictions |"
echo "|---|---|---|---|---|---|---|"
for name in sort nqueens sparselu_task sparselu_for fib imbalance strassen uts; do
    plain=$(error_of "$name")
    carried=$(error_of "$name" --reference "case == '$name' and repeat <= $((repeats / 2))")
    echo "| $name | $plain | $carried |"
done
