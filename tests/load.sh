#!/usr/bin/env bash
# Asks the service many times over many connections, and prints what became of the requests:
#   tests/load.sh [REQUESTS] [CONNECTIONS]
set -euo pipefail
cd "$(dirname "$0")/.."
export GRAINSHEAF_LOAD_REQUESTS=${1:-100000} GRAINSHEAF_LOAD_CONNECTIONS=${2:-500}
# Both ends of every connection are on this machine, in a process each.
ulimit -n "$(ulimit -Hn)"
cargo build --workspace
cargo test -p sheaf-tests --test service -- --exact load::no_request_is_lost_under_load --nocapture
