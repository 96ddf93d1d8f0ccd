#!/usr/bin/env bash
# Installs what building and testing need where that is allowed, and says what to install where it
# is not. Does nothing when everything is there.
#
# usage: tests/setup.sh all|node|packages|runtime|intel|python|package
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf 'setup: %s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; elif sudo -n true 2>/dev/null; then sudo -n "$@"; else return 1; fi
}

node_is_there() {
    command -v node >/dev/null 2>&1 || fail "node is missing: install Node.js 20 or newer"
    local major
    major=$(node -p 'process.versions.node.split(".")[0]')
    [ "$major" -ge 20 ] || fail "node $major is too old: install Node.js 20 or newer"
    command -v npm >/dev/null 2>&1 || fail "npm is missing: install it with Node.js"
}

missing_packages() {
    command -v clang-19 >/dev/null 2>&1 || echo clang-19
    ls /usr/lib/llvm-19/lib/libomp.so >/dev/null 2>&1 || echo libomp-19-dev
    command -v gcc >/dev/null 2>&1 || echo gcc
    command -v chromium >/dev/null 2>&1 || echo chromium
    command -v mpicc >/dev/null 2>&1 || echo libopenmpi-dev
    command -v mpirun >/dev/null 2>&1 || echo openmpi-bin
    command -v mpicc.mpich >/dev/null 2>&1 || echo libmpich-dev
    command -v gfortran >/dev/null 2>&1 || echo gfortran
    command -v mpirun.mpich >/dev/null 2>&1 || echo mpich
    python3 -c 'import venv, ensurepip' 2>/dev/null || echo python3-venv
}

packages_are_there() {
    local missing
    missing=$(missing_packages | tr '\n' ' ')
    [ -z "${missing// /}" ] && return 0
    command -v apt-get >/dev/null 2>&1 || fail "install these (Debian names): $missing"
    say "installing $missing"
    # shellcheck disable=SC2086
    if ! { as_root apt-get update -q && as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -q --no-install-recommends $missing; } >&2; then
        fail "could not install; run as root: apt-get install $missing"
    fi
}

# Debian's runtimes of LLVM 15 and 19 exclude each other, so the older one is only unpacked.
older_runtime_is_there() {
    local folder=.tools/llvm-15
    [ -e "$folder/usr/lib/llvm-15/lib/libomp.so.5" ] && return 0
    command -v apt-get >/dev/null 2>&1 && command -v dpkg-deb >/dev/null 2>&1 || {
        say "LLVM 15's OpenMP runtime is not there; tests that record with it will say so"
        return 0
    }
    say "unpacking LLVM 15's OpenMP runtime into $folder"
    mkdir -p "$folder"
    (
        cd "$folder"
        apt-get download -q libomp5-15 >&2 2>/dev/null ||
            { as_root apt-get update -q >&2 && apt-get download -q libomp5-15 >&2; }
        dpkg-deb -x libomp5-15_*.deb .
        rm -f libomp5-15_*.deb
    )
}

intel_runtime_is_there() {
    local folder=.tools/intel
    [ -e "$folder/lib/libiomp5.so" ] && return 0
    say "installing Intel's OpenMP runtime into $folder"
    python3 -m venv "$folder"
    "$folder/bin/pip" install --quiet --disable-pip-version-check intel-openmp >&2
    [ -e "$folder/lib/libiomp5.so" ] || fail "the wheel intel-openmp holds no libiomp5.so"
}

# An environment in a folder, with the packages that a file lists.
environment_is_there() {
    local folder=$1 wanted=$2 stamp=$1/.installed
    [ -f "$stamp" ] && cmp -s "$wanted" "$stamp" && return 0
    command -v python3 >/dev/null 2>&1 || fail "python3 is missing: install Python 3.10 or newer"
    say "installing Python packages for the tests into $folder"
    python3 -m venv "$folder"
    "$folder/bin/pip" install --quiet --disable-pip-version-check -r "$wanted" >&2
    cp "$wanted" "$stamp"
}

python_is_there() { environment_is_there .venv tests/python/requirements.txt; }

package_is_there() { environment_is_there .venv-package crates/python/tests/requirements.txt; }

case "${1:-all}" in
    node) node_is_there ;;
    packages) packages_are_there ;;
    python) python_is_there ;;
    package) package_is_there ;;
    intel) intel_runtime_is_there ;;
    runtime) older_runtime_is_there ;;
    all)
        command -v cargo >/dev/null 2>&1 || fail "cargo is missing: install Rust 1.89 or newer"
        node_is_there
        packages_are_there
        older_runtime_is_there
        intel_runtime_is_there
        python_is_there
        package_is_there
        ;;
    *) fail "usage: tests/setup.sh all|node|packages|runtime|intel|python|package" ;;
esac
