#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
#
# Records the ensembles of this folder again and writes their rows of README.md.
#
#   record-ensembles.sh [threads|versions|runtimes|planted|rows]...
#
# Without arguments: all of them. `rows` only refreshes sizes and checksums.
#
#   GRAINSHEAF      the grainsheaf binary; default: `grainsheaf` in PATH
#   LLVM_OMP_LIB    LLVM's runtime for the GCC build; default: the one that the
#                   clang build uses
#   INTEL_OMP_LIB   Intel's runtime (libiomp5.so); without it no Intel runs
#
# An ensemble is recorded next to the old one and replaces it when complete.
set -euo pipefail

caller=$PWD
cd "$(dirname "$0")"
data=$PWD
new=

stop() {
    echo "record-ensembles: $*" >&2
    exit 1
}

remove_unfinished() {
    [ -z "$new" ] || rm -rf "$data/ensembles/$new" "$data/ensembles/$new.provenance"
}
trap remove_unfinished EXIT

# A relative path that was given is meant from the caller's folder.
from_caller() {
    case $1 in
    /*) echo "$1" ;;
    *) echo "$caller/$1" ;;
    esac
}

find_grainsheaf() {
    local given=${GRAINSHEAF:-grainsheaf}
    grainsheaf=$(cd "$caller" && command -v "$given") || stop "no such program: $given"
    grainsheaf=$(from_caller "$grainsheaf")
}

# A folder of its own, the same on every machine: runs hold the absolute paths of their program,
# recorder and runtime.
stage=/tmp/grainsheaf-samples

sheaf() {
    (cd "$stage" && "$grainsheaf" --store "$data/ensembles/$new" "$@")
}

begin() {
    new=.new-$1
    remove_unfinished
    mkdir -p ensembles
}

# end NAME PROGRAM INPUT RUNTIME - DESCRIPTION
end() {
    sheaf compact
    # Each run was an import of its own, and nobody asks for them.
    rm -rf "ensembles/$new/notes" "ensembles/$new/tmp"
    mkdir -p "ensembles/$new/notes"
    printf '%s\n' "$6" >"ensembles/$new/notes/description.txt"
    printf '%s\t%s\t%s\t%s\t%s\n' "$2" "$3" "$4" "$(machine)" "$("$grainsheaf" --version | head -n 1)" \
        >"ensembles/$new.provenance"
    rm -rf "ensembles/$1"
    mv "ensembles/$new" "ensembles/$1"
    mv "ensembles/$new.provenance" "ensembles/$1.provenance"
    new=
}

machine() {
    local model
    model=$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -n 1)
    printf '%s x %s, %s %s' "$(nproc)" "${model:-unknown processor}" "$(uname -s)" "$(uname -m)"
}

linked_runtime() {
    ldd "$1" | awk '$1 ~ /^lib(omp|iomp5)/ { print $3; exit }'
}

# The file name alone does not tell the version of a runtime, so with a hash.
file_of() {
    printf '%s (sha256 %.16s)' "$(basename "$(readlink -f "$1")")" "$(sha256sum <"$1")"
}

record_threads() {
    begin threads
    sheaf record --threads 1,2,4,8 --repeat 5 -- build/sort 2097152
    end threads sort 'sort 2097152; 1, 2, 4, 8 threads; 5 repeats' "$(file_of "$llvm")" - \
        'A merge sort on 1, 2, 4 and 8 threads of two cores, five times each: see which tasks inflate when workers outnumber cores.'
}

record_versions() {
    begin versions
    sheaf record --threads 4 --repeat 7 --param version=1 -- build/sort 2097152
    sheaf record --threads 4 --repeat 7 --param version=2 -- build/version2/sort 2097152
    end versions 'sort, version2/sort' 'sort 2097152; 4 threads; 7 repeats each' "$(file_of "$llvm")" - \
        'Two versions of the sort, seven runs each: a task was renamed, one is new, and one costs much more time.'
}

record_runtimes() {
    local runtimes
    runtimes="clang and GCC builds: $(file_of "$llvm")"
    begin runtimes
    sheaf record --threads 2 --repeat 5 --param build=clang-llvm -- build/sparselu_task 16 128
    sheaf record --threads 2 --repeat 5 --param build=gcc-llvm --runtime "$llvm" \
        -- build/gcc/sparselu_task 16 128
    if [ -n "$intel" ]; then
        sheaf record --threads 2 --repeat 5 --param build=clang-intel --runtime "$intel" \
            -- build/sparselu_task 16 128
        runtimes="$runtimes; clang build: $(file_of "$intel")"
    fi
    end runtimes sparselu_task 'sparselu_task 16 128; 2 threads; 5 repeats each' "$runtimes" - \
        'A sparse LU factorisation under two runtimes and two compilers: the same task graph, scheduled differently.'
}

# The changes alternate, so that a machine that becomes slower slows all of them.
record_planted() {
    local repeat change
    begin planted
    for repeat in 1 2 3 4 5 6; do
        for change in none slower cut_off chunk lock cache; do
            planted "$change" "$repeat" 2 build/planted "$change"
        done
        planted threads "$repeat" 4 build/planted
        planted renamed "$repeat" 2 build/version2/planted
        planted faster_20 "$repeat" 2 build/planted none 200000 20
        planted faster_50 "$repeat" 2 build/planted none 200000 50
    done
    end planted 'planted, version2/planted' 'each change; 2 threads, change `threads` 4; 6 repeats each' "$(file_of "$llvm")" - \
        'A program with four phases and nine changes of it, six runs each: explain names the slower ones, what-if predicts the faster ones.'
}

# planted CHANGE REPEAT THREADS COMMAND...
planted() {
    sheaf record --threads "$3" --name "$1-$2" --param "change=$1" -- "${@:4}"
}

# Bytes in a file, or in all files of a folder.
size_of() {
    find "$1" -type f -exec cat {} + | wc -c | tr -d ' '
}

# sha256 of a file; of a folder: of the list of its files' sums, by name.
checksum_of() {
    if [ -d "$1" ]; then
        (cd "$1" && find . -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum) | sha256sum
    else
        sha256sum "$1"
    fi | cut -d ' ' -f 1
}

# row SAMPLE PROGRAM INPUT RUNTIME MACHINE TOOL
row() {
    printf '| `%s` | %s | %s | %s | %s | %s | %s | %s B | `%s` |\n' \
        "$@" 'MIT OR Apache-2.0' "$(size_of "$1")" "$(checksum_of "$1")"
}

header() {
    echo '| sample | program | input | runtime | machine | tool and version | licence | size | sha256 |'
    echo '|---|---|---|---|---|---|---|---|---|'
}

program_rows() {
    local source
    header
    for source in programs/*.c programs/version2/*.c programs/*.h; do
        row "$source" "$(basename "$source" .c)" 'programs/README.md' 'any' '-' 'written for this project'
    done
}

ensemble_rows() {
    local name program input runtime machine tool
    header
    for name in threads versions runtimes planted; do
        [ -d "ensembles/$name" ] || continue
        IFS=$'\t' read -r program input runtime machine tool <"ensembles/$name.provenance"
        row "ensembles/$name" "$program" "$input" "$runtime" "$machine" "$tool"
    done
}

# replace_between MARKER: puts standard input between <!-- MARKER --> and <!-- /MARKER -->.
replace_between() {
    local text
    text=$(cat)
    grep -qx "<!-- $1 -->" README.md && grep -qx "<!-- /$1 -->" README.md \
        || stop "README.md lacks the markers of $1"
    TEXT=$text awk -v first="<!-- $1 -->" -v last="<!-- /$1 -->" '
        $0 == last { inside = 0 }
        !inside { print }
        $0 == first { inside = 1; print ENVIRON["TEXT"] }
    ' README.md >README.md.new
    mv README.md.new README.md
}

write_rows() {
    program_rows | replace_between programs
    ensemble_rows | replace_between ensembles
}

prepare() {
    find_grainsheaf
    rm -rf "$stage"
    mkdir -p "$stage"
    make -s -C programs OUT="$stage/build" all gcc
    local recorder=${GRAINSHEAF_RECORDER:-$(dirname "$grainsheaf")/libsheaf_recorder.so}
    [ -f "$recorder" ] || stop "no recorder at $recorder; set GRAINSHEAF_RECORDER"
    cp "$(from_caller "$recorder")" "$stage/libsheaf_recorder.so"
    export GRAINSHEAF_RECORDER="$stage/libsheaf_recorder.so"
    llvm=$(from_caller "${LLVM_OMP_LIB:-$(linked_runtime "$stage/build/sort")}")
    [ -f "$llvm" ] || stop "cannot tell which runtime the programs use; set LLVM_OMP_LIB"
    intel=
    if [ -n "${INTEL_OMP_LIB:-}" ]; then
        intel=$(from_caller "$INTEL_OMP_LIB")
        [ -f "$intel" ] || stop "no such file: $INTEL_OMP_LIB"
        cp "$intel" "$stage/libiomp5.so"
        intel=$stage/libiomp5.so
    fi
}

main() {
    local what
    [ $# -gt 0 ] || set -- threads versions runtimes planted
    for what in "$@"; do
        case $what in
        threads | versions | runtimes | planted | rows) ;;
        *) stop "no such ensemble: $what (threads, versions, runtimes, planted, or rows)" ;;
        esac
    done
    for what in "$@"; do
        [ "$what" != rows ] || continue
        [ -n "${grainsheaf:-}" ] || prepare
        "record_$what"
    done
    write_rows
}

main "$@"
