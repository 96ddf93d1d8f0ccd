"""Checks a wheel to publish: what is in it, its size, and the glibc that all of its programs need.

usage: check_wheel.py WHEEL
"""

import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

MOST_BYTES = 40_000_000
WANTED = (
    r"grainsheaf/_grainsheaf\.abi3\.so",
    r"grainsheaf/_grainsheaf\.pyi",
    r"grainsheaf/py\.typed",
    r"grainsheaf/static/widget\.js",
    r"grainsheaf-[^/]*\.data/scripts/grainsheaf",
    r"grainsheaf-[^/]*\.data/data/lib/grainsheaf/libsheaf_recorder\.so",
    r"grainsheaf-[^/]*\.data/data/share/doc/grainsheaf/(LICENSE-MIT|LICENSE-APACHE|licences\.txt)",
)
SYMBOL = re.compile(r"\bGLIBC_(\d+)\.(\d+)")


def needed(program: Path) -> tuple[int, int]:
    """The oldest glibc with all versions of symbols that an ELF file names."""
    text = subprocess.run(["objdump", "-p", program], capture_output=True, text=True, check=True).stdout
    return max((int(major), int(minor)) for major, minor in SYMBOL.findall(text))


def main(wheel: Path) -> None:
    size = wheel.stat().st_size
    tag = re.search(r"-cp310-abi3-manylinux_(\d+)_(\d+)_\w+\.whl$", wheel.name)
    if tag is None:
        sys.exit(f"wheel: `{wheel.name}` is not a manylinux wheel for CPython 3.10 and newer")
    if size > MOST_BYTES:
        sys.exit(f"wheel: it has {size} bytes; {MOST_BYTES} is the limit")
    with zipfile.ZipFile(wheel) as archive, tempfile.TemporaryDirectory() as folder:
        names = archive.namelist()
        missing = [wanted for wanted in WANTED if not any(re.fullmatch(wanted, name) for name in names)]
        if missing:
            sys.exit(f"wheel: it has no {', '.join(missing)}")
        if any("__pycache__" in name for name in names):
            sys.exit("wheel: it has compiled Python files")
        newest = (0, 0)
        for name in names:
            program = Path(archive.extract(name, folder))
            if program.is_file() and program.read_bytes()[:4] == b"\x7fELF":
                newest = max(newest, needed(program))
        if newest > (int(tag[1]), int(tag[2])):
            sys.exit(f"wheel: a program in it needs glibc {newest[0]}.{newest[1]}, newer than the tag of `{wheel.name}`")
    print(f"{wheel.name}: {size / 1e6:.1f} MB, needs glibc {newest[0]}.{newest[1]}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
