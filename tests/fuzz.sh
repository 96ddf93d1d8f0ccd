#!/usr/bin/env bash
# Fuzzes every reader for a bounded time: `make fuzz`; FUZZ_SECONDS=30 for each by default.
#
# usage: tests/fuzz.sh [TARGET]...
#
# Seeds are the samples in data/samples; what is found goes to fuzz/corpus, which is not committed.
# cargo-fuzz asks the compiler for sanitiser coverage, which a stable compiler gives when it is told
# that this is meant.
set -euo pipefail
cd "$(dirname "$0")/../crates/ingest"
command -v cargo-fuzz >/dev/null 2>&1 || cargo install --locked cargo-fuzz
export RUSTC_BOOTSTRAP=1
if [ $# -eq 0 ]; then
    mapfile -t found < <(cargo fuzz list)
    set -- "${found[@]}"
fi

for target in "$@"; do
    corpus=fuzz/corpus/$target
    mkdir -p "$corpus"
    seeds=fuzz/seeds
    if [ "$target" != trace ]; then
        # The fuzzer wants the files of databases side by side.
        seeds=fuzz/corpus/seeds-$target
        mkdir -p "$seeds"
        find "../../data/samples/${target//_/-}" -type f -size -64k | while read -r sample; do
            cp "$sample" "$seeds/$(tr / - <<<"${sample#../../data/samples/}")"
        done
    fi
    echo "fuzz: $target"
    cargo fuzz run "$target" "$corpus" "$seeds" -- \
        -max_total_time="${FUZZ_SECONDS:-30}" -rss_limit_mb=2048 -timeout=20 -print_final_stats=1 2>&1 |
        grep -E "^(SUMMARY|stat::number_of_executed_units|stat::peak_rss_mb|==|artifact_prefix)|panicked|ERROR" || true
    if compgen -G "fuzz/artifacts/$target/*" >/dev/null; then
        echo "fuzz: $target failed; its inputs are in crates/ingest/fuzz/artifacts/$target" >&2
        exit 1
    fi
done
