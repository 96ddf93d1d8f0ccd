#!/usr/bin/env bash
# Measures speed and cost on this machine and prints what BENCHMARKS.md reports: `make bench`.
#
# usage: tests/bench.sh [recorder|programs|kernels|import|answers|grains|growth|package|views]...
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- recorder programs kernels import answers grains growth package views

for what in "$@"; do
    case $what in
        recorder)
            cargo build --release --quiet -p sheaf-recorder
            crates/recorder/benches/cost.sh
            crates/recorder/benches/cost.sh 4000000 2
            ;;
        programs)
            cargo build --release --quiet -p sheaf-recorder
            make --silent -C data/programs OUT="$PWD/target/programs" all
            python3 tests/bench/recorder.py target/release/libsheaf_recorder.so target/programs
            ;;
        kernels)
            cargo bench -p sheaf-analysis
            cargo bench -p sheaf-store
            ;;
        import)
            cargo build --release --quiet -p grainsheaf
            python3 tests/bench/import.py target/release/grainsheaf
            ;;
        answers)
            cargo build --release --quiet -p grainsheaf -p sheaf-ensemble --bins --example answers --example profiles
            tests/bench/answers.sh target/release
            ;;
        grains)
            cargo build --release --quiet -p sheaf-store -p sheaf-analysis --example grain_stats --example grain_diff
            tests/bench/grains.sh target/release
            ;;
        growth)
            cargo build --release --quiet -p sheaf-ensemble --example answers --example profiles
            tests/bench/growth.sh target/release
            ;;
        package)
            tests/setup.sh package
            if [ -z "${WHEEL:-}" ]; then
                cargo build --release --quiet -p sheaf-python -p grainsheaf -p sheaf-recorder
                WHEEL=$(.venv-package/bin/python crates/python/dev_wheel.py target/release target/python)
            fi
            .venv-package/bin/pip install --quiet --disable-pip-version-check --no-deps --no-index --force-reinstall "$WHEEL"
            .venv-package/bin/python tests/bench/tables.py
            .venv-package/bin/python tests/bench/peers.py "${GRAINSHEAF_SHARED:-../shared}/data/call-profiles"
            ;;
        views)
            (cd frontend && npm ci --silent && cd e2e && node run.mjs speed.ts)
            ;;
        *)
            echo "bench: no such part: $what (recorder, programs, kernels, import, answers, grains, growth, package, views)" >&2
            exit 1
            ;;
    esac
done
