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

# The error of predictions for the later repeats in percent, as "median | largest | difference of repeats". Each of them goes
# to standard error, behind the number of workers that it is predicted from.
error_of() {
    "$grainsheaf" --store store what-if "case == '$1' and repeat > $((repeats / 2))" --check --json "${@:2}" |
        python3 -c '
import json, sys
answer = json.load(sys.stdin)
trust = answer["trust"]
errors = ["%d: %+.1f" % (row["from"], 100 * row["error"]) for row in answer["rows"]]
print(sys.argv[1], *errors, file=sys.stderr)
print("%.1f | %.1f" % (100 * trust["median"], 100 * trust["largest"]), "| %.1f" % (100 * trust["repeats"]))' "$1"
}

record sort "$programs/sort" 8388608
record nqueens "$programs/nqueens" 14 3
record sparselu_task "$programs/sparselu_task" 40
record sparselu_for "$programs/sparselu_for" 40
record fib "$programs/fib" 38 26
record imbalance "$programs/imbalance" 32768 64 dynamic
record strassen "$programs/strassen"
record uts "$programs/uts"

echo "| program | repeats differ by (%) | median error (%) | largest (%) | median with reference (%) | largest (%) |"
echo "|---|---|---|---|---|---|"
for name in sort nqueens sparselu_task sparselu_for fib imbalance strassen uts; do
    plain=$(error_of "$name")
    carried=$(error_of "$name" --reference "case == '$name' and repeat <= $((repeats / 2))")
    echo "| $name | ${plain##*| } | ${plain% | *} | ${carried% | *} |"
done
