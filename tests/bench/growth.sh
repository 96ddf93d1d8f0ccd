#!/usr/bin/env bash
# How answers about an ensemble grow: processor time of the next answer while runs, contexts or ranks double.
#
# usage: growth.sh TARGET    where TARGET holds the examples
set -euo pipefail
target=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
cd "$folder"

# Prints one line: what was asked, and milliseconds for each size.
row() {
    local name=$1
    shift
    local cells=""
    for store in "${stores[@]}"; do
        local spent
        spent=$("$target/examples/answers" "$store" "$@" | sed -n 's/^next answers: \([0-9.]*\) ms.*/\1/p')
        cells="$cells | $spent"
    done
    echo "| $name$cells |"
}

questions() {
    row "\`stats\`" stats
    row "Sankey" sankey
    row "Sankey, greatest rank" sankey over ranks=max
    row "\`diff\` of halves" diff "diff 'size <= 4' to 'size > 4'"
    row "\`gate\` of halves" gate "diff 'size <= 4' to 'size > 4'"
    row "\`noise\` by version" noise by version
    row "\`scale\` by size" scale=size
    row "\`history\` by version" history=version
    row "\`similar\` by structure" similar=structure
    row "\`similar\` by work" similar=work
    row "\`similar\` by metrics" similar=metrics
}

sweep() {
    local axis=$1
    shift
    stores=()
    for size in "$@"; do
        # shellcheck disable=SC2086 # three numbers
        "$target/examples/profiles" "$axis-$size" ${shape//N/$size}
        stores+=("$axis-$size")
    done
    echo "== $axis: $* (shape: runs contexts ranks = $shape)"
    questions
    rm -r "${stores[@]}"
}

shape="N 100 1" sweep runs 125 250 500 1000
shape="100 N 1" sweep contexts 250 500 1000 2000
shape="50 200 N" sweep ranks 16 32 64 128
