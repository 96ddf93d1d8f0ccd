#!/usr/bin/env bash
# Fuzzes the trace reader for a bounded time: `make fuzz`, FUZZ_SECONDS=60 by default.
#
# cargo-fuzz asks the compiler for sanitiser coverage, which a stable compiler gives when it is told
# that this is meant.
set -euo pipefail
cd "$(dirname "$0")/../crates/ingest"
command -v cargo-fuzz >/dev/null 2>&1 || cargo install --locked cargo-fuzz
mkdir -p fuzz/corpus/trace
# What is found goes to the first folder, which is not committed.
RUSTC_BOOTSTRAP=1 cargo fuzz run trace fuzz/corpus/trace fuzz/seeds -- -max_total_time="${FUZZ_SECONDS:-60}" -rss_limit_mb=2048
