#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
#
# Runs every program of the folder given at a small size on 1, 2 and 4 threads.
# Each must end with 0 and print the same line whatever the number of threads,
# and must refuse a bad argument with 2 and a usage text.
set -eu
out=${1:?usage: check.sh FOLDER}
failed=0

fail() {
    echo "FAILED: $*" >&2
    failed=1
}

# Sets $line to what the program prints on $1 threads.
run() {
    threads=$1
    shift
    line=$(OMP_NUM_THREADS=$threads "$@") || fail "status $? on $threads threads: $*"
}

check() {
    program=$out/$1
    shift
    run 1 "$program" "$@"
    first=$line
    for threads in 2 4; do
        run "$threads" "$program" "$@"
        [ "$line" = "$first" ] || fail "\`$line\` instead of \`$first\` on $threads threads: $program $*"
    done
    echo "ok: $program $*: $first"
}

# Weak scaling: the grid, and so the line printed, differs with the threads.
check_weak() {
    for threads in 1 2 4; do
        run "$threads" "$out/stencil" --weak "$@"
        echo "ok: $out/stencil --weak $* on $threads: $line"
    done
}

check_usage() {
    status=0
    message=$("$out/$1" no-such-argument 2>&1) || status=$?
    [ "$status" -eq 2 ] || fail "status $status, not 2, after a bad argument: $1"
    case $message in
    *usage:*) ;;
    *) fail "no usage text after a bad argument: $1" ;;
    esac
}

check fib 20 0
check fib 27 15
check sort 262144 4096 4096
check version2/sort 262144 4096 4096
check nqueens 10 3
check sparselu_task 10 24
check sparselu_for 10 24
check strassen 256 32
check fft 16 1024
check floorplan 9 7
check uts 100 2000
check imbalance 4096 64 dynamic
check imbalance 4096 64 guided
check imbalance 4096 64 static
check stencil 256 256 20 16
check_weak 64 256 20 16
check depend 10 32
check lock 40 200 20000 critical
check lock 40 200 20000 lock
check lock 40 200 20000 ordered
check lock 40 200 20000 doacross
check taskloop 20000 16 5 40
check abort 200 0 1000
check creators 20 30
for change in none slower cut_off chunk lock cache; do
    check planted "$change" 2000
done
check version2/planted 2000
check rename 12 200
check version2/rename 12 200
for name in abort creators depend fft fib floorplan imbalance lock nqueens planted rename sort sparselu_for sparselu_task \
    stencil strassen taskloop uts version2/planted version2/rename version2/sort; do
    check_usage "$name"
done
exit "$failed"
