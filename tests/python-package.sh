#!/usr/bin/env bash
# Makes a wheel of the development build, installs it into fresh environments, and runs the tests of the package.
#
# usage: [WHEEL=FILE] tests/python-package.sh [PYTEST_ARGUMENTS]    after `make build`, or with a wheel of `make wheel`
set -euo pipefail
cd "$(dirname "$0")/.."

tests/setup.sh package
wheel=${WHEEL:-$(.venv-package/bin/python crates/python/dev_wheel.py target/debug target/python)}
install() { .venv-package/bin/pip --python "$1" install --quiet --disable-pip-version-check \
    --no-deps --no-index --no-compile --force-reinstall "$wheel"; }
install .venv-package/bin/python
# One without any other package.
rm -rf target/python/empty
.venv-package/bin/python -m venv --without-pip target/python/empty
install target/python/empty/bin/python
export GRAINSHEAF_EMPTY=$PWD/target/python/empty/bin/python
exec .venv-package/bin/python -m pytest -q -p no:cacheprovider crates/python/tests "$@"
