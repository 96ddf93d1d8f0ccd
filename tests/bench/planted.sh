#!/usr/bin/env bash
# Records program `planted` without a change and with each of its changes, and explains the difference. Prints how often
# the planted change is the first cause, and how often two cohorts without a change have a cause: the table of
# docs/explaining.md. Nothing else may run meanwhile.
#
# usage: planted.sh GRAINSHEAF PROGRAMS [TRIALS] [RUNS]
#   PROGRAMS is the folder of the built programs; each trial has RUNS runs on either side
set -euo pipefail
grainsheaf=$(realpath "$1")
programs=$(realpath "$2")
trials=${3:-20}
runs=${4:-7}
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
cd "$folder"

# record CHANGE TRIAL RUN THREADS PROGRAM...
record() {
    "$grainsheaf" --store store -q record --threads "$4" --name "$1-$2-$3" --param "change=$1" --param "trial=$2" \
        -- "${@:5}" > /dev/null
}

# The sides of a trial alternate, so that a machine that becomes slower slows both.
for trial in $(seq "$trials"); do
    for run in $(seq "$runs"); do
        for change in none slower cut_off chunk lock cache; do
            record "$change" "$trial" "$run" 2 "$programs/planted" "$change"
        done
        record again "$trial" "$run" 2 "$programs/planted"
        record threads "$trial" "$run" 4 "$programs/planted"
        record renamed "$trial" "$run" 2 "$programs/version2/planted"
    done
    echo "trial $trial of $trials" >&2
done

# The first real cause of a trial's difference, as "kind definition"; empty if there is none.
first_cause() {
    "$grainsheaf" --store store explain "change == none and trial == $2" "change == $1 and trial == $2" --json |
        python3 -c '
import json, sys
answer = json.load(sys.stdin)
real = [it for it in answer["causes"] if it["verdict"] in ("slower", "faster") and it["by"] == answer["views"][0]["by"]]
for cause in real[:1]:
    print(cause["kind"], *cause["path"])'
}

# row CHANGE DESCRIPTION PATTERN: the first cause of every trial must fit the pattern.
row() {
    local found=0 cause
    for trial in $(seq "$trials"); do
        cause=$(first_cause "$1" "$trial")
        if [[ $cause =~ $3 ]]; then
            found=$((found + 1))
        else
            echo "$1, trial $trial: ${cause:-no cause}" >&2
        fi
    done
    echo "| $2 | $found of $trials |"
}

echo "| planted change | first cause in |"
echo "|---|---|"
row slower "\`filter\` does 20 % more" '^inflation filter '
row cut_off "half the cut-off of \`split\`" '^(new|grains) split '
row chunk "one chunk of the loop in \`smooth\` ten times heavier" '^inflation smooth '
row lock "a critical section in every task of \`filter\`" '^lock filter '
row threads "4 threads instead of 2 on 2 processors" '^workers'
row cache "the buffer of \`gather\` leaves the cache" '^inflation gather '
row renamed "\`filter\` renamed \`sift\`, moved and 30 % slower" '^inflation filter .* → sift '
row again "none: any cause is a false alarm" '^[a-z_]+ '
