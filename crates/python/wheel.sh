#!/usr/bin/env bash
# Makes the wheel to publish of the binaries that `make dist` built: module, command, recorder, widget and licences.
#
# usage: crates/python/wheel.sh [PROFILE]    prints the path of the wheel
set -euo pipefail
cd "$(dirname "$0")/../.."
profile=${1:-dist}
built=target/$profile
[ "$profile" = dev ] && built=target/debug

tests/setup.sh package
bin=$PWD/.venv-package/bin
[ -f crates/python/python/grainsheaf/static/widget.js ] || { echo "wheel: build the frontend first" >&2; exit 1; }
data=target/wheel/grainsheaf.data
rm -rf "$data" target/wheel/out
install -D "$built/grainsheaf" "$data/scripts/grainsheaf"
install -D -m 644 "$built/libsheaf_recorder.so" "$data/data/lib/grainsheaf/libsheaf_recorder.so"
install -D -m 644 crates/grainsheaf/src/licences.txt "$data/data/share/doc/grainsheaf/licences.txt"
install -m 644 LICENSE-MIT LICENSE-APACHE "$data/data/share/doc/grainsheaf/"

# maturin chooses the oldest manylinux tag that the module fits, and fails if it fits none.
PATH=$bin:$PATH "$bin/maturin" build --quiet --locked --profile "$profile" --auditwheel check \
    --manifest-path crates/python/Cargo.toml --interpreter "$bin/python" --out target/wheel/out >&2
wheel=$(ls target/wheel/out/grainsheaf-*.whl)
"$bin/python" crates/python/check_wheel.py "$wheel" >&2
echo "$wheel"
