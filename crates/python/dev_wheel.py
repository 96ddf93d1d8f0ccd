"""Makes a wheel of what `cargo build --workspace` built, in a second; `make wheel` makes the one to publish.

usage: dev_wheel.py BUILT_FOLDER WHEEL_FOLDER     prints the path of the wheel
"""

import platform
import sys
import zipfile
from pathlib import Path

HERE = Path(__file__).parent
NAME = "grainsheaf-0.0.0.dev0"
TAG = f"cp310-abi3-linux_{platform.machine()}"
METADATA = "Metadata-Version: 2.1\nName: grainsheaf\nVersion: 0.0.0.dev0\nRequires-Python: >=3.10\n"
WHEEL = f"Wheel-Version: 1.0\nGenerator: dev_wheel\nRoot-Is-Purelib: false\nTag: {TAG}\n"


def main(built: Path, folder: Path) -> None:
    sources = HERE / "python" / "grainsheaf"
    files = {f"grainsheaf/{path.relative_to(sources)}": path for path in sorted(sources.rglob("*")) if path.is_file()}
    files = {name: path for name, path in files.items() if "__pycache__" not in name}
    files["grainsheaf/_grainsheaf.abi3.so"] = built / "lib_grainsheaf.so"
    files[f"{NAME}.data/scripts/grainsheaf"] = built / "grainsheaf"
    files[f"{NAME}.data/data/lib/grainsheaf/libsheaf_recorder.so"] = built / "libsheaf_recorder.so"
    folder.mkdir(parents=True, exist_ok=True)
    wheel = folder / f"{NAME}-{TAG}.whl"
    texts = {f"{NAME}.dist-info/METADATA": METADATA, f"{NAME}.dist-info/WHEEL": WHEEL}
    record = f"{NAME}.dist-info/RECORD"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, path in files.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = 0o100755 << 16 if "/scripts/" in name else 0o100644 << 16
            archive.writestr(entry, path.read_bytes())
        for name, text in texts.items():
            archive.writestr(name, text)
        archive.writestr(record, "".join(f"{name},,\n" for name in [*files, *texts, record]))
    print(wheel)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
