#!/usr/bin/env bash
# Times answers from stores made for it (P2, P4, P11, P13); about 500 MB in a temporary folder.
#
# usage: answers.sh TARGET    where TARGET holds the binary `grainsheaf` and the examples
# PEER_SECONDS (600) is how long the peer may take
set -euo pipefail
target=$(realpath "$1")
bench=$(dirname "$(realpath "$0")")
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
cd "$folder"

ask() {
    echo "== $*"
    "$target/examples/answers" "$@"
}

python3 "$bench/generate.py" caliper profiles 1000
"$target/grainsheaf" --store caliper --quiet add profiles > /dev/null
ask caliper stats metric all
for question in similar=metrics projection=metrics projection=structure; do
    ask caliper $question
done
# The peer, where it can be had.
if python3 -m venv peer && peer/bin/pip install --quiet llnl-thicket; then
    timeout "${PEER_SECONDS:-600}" peer/bin/python "$bench/thicket_stats.py" profiles || echo "the peer did not finish in time"
fi

"$target/examples/profiles" hundred 100 1000 64
"$target/examples/profiles" thousand 1000 1000 64
for store in hundred thousand; do
    ask $store sankey
    ask $store sankey over ranks=max
    ask $store sankey over ranks=median
done

"$target/examples/profiles" versions 500 500 1
ask versions history=version
ask versions noise by version
ask versions scale=size
"$target/examples/profiles" wide 1000 500 1
for measure in structure work metrics; do
    ask wide similar=$measure
done

for run in $(seq 0 19); do
    python3 "$bench/generate.py" mir run.csv 100000 "$run"
    "$target/grainsheaf" --store grains --quiet add run.csv --name "run-$run" \
        --param version=$((run / 10)) --param repeat="$run" > /dev/null
done
ask grains gate "diff 'version = 0' to 'version = 1'"
ask grains grain-diff "diff 'repeat = 0' to 'repeat = 1'"
ask grains grain-diff "diff 'repeat = 0' to 'repeat > 0'"
ask grains grain-stats
ask grains similar=structure
