"""Generate the Python stubs of the protos: `python proto/generate.py [FOLDER]`, or `make gen`.

Also writes protocol.binpb, the descriptors with their comments: stubs do not keep the comments, and
the OpenAPI document needs them.

Google's protos come from the googleapis-common-protos package, so that none is copied here.
"""

from __future__ import annotations

import shutil
import sys
from importlib.metadata import distribution
from pathlib import Path

import grpc_tools
from grpc_tools import protoc

ROOT = Path(__file__).parent
STUBS = ROOT.parent / "clients" / "python"


def generate(folder: Path) -> None:
    """Write the stubs of every proto to `folder`, replacing existing ones."""
    google = distribution("googleapis-common-protos").locate_file("")
    builtin = Path(grpc_tools.__file__).parent / "_proto"
    target = folder / "tablier" / "v1"
    if target.exists():
        shutil.rmtree(target)
    target.mkdir(parents=True)
    protos = sorted(str(path.relative_to(ROOT)) for path in ROOT.rglob("*.proto"))
    services = [name for name in protos if name.endswith("_service.proto")]
    # The plugins are next to this interpreter, which may not be on the PATH.
    plugins = [
        f"--plugin={name}={Path(sys.executable).parent / name}"
        for name in ("protoc-gen-mypy", "protoc-gen-mypy_grpc")
    ]
    paths = [f"-I{ROOT}", f"-I{google}", f"-I{builtin}", *plugins]
    for outputs, files in (
        ([f"--python_out={folder}", f"--mypy_out=quiet:{folder}"], protos),
        (["--include_source_info", f"--descriptor_set_out={target / 'protocol.binpb'}"], protos),
        ([f"--grpc_python_out={folder}", f"--mypy_grpc_out=quiet:{folder}"], services),
    ):
        if protoc.main(["protoc", *paths, *outputs, *files]) != 0:
            raise SystemExit("protoc failed")
    for package in (target, target.parent):
        text = '"""Generated from proto/tablier/v1 by `make gen`; do not edit."""\n'
        (package / "__init__.py").write_text(text)
    (target.parent / "py.typed").touch()


if __name__ == "__main__":
    generate(Path(sys.argv[1]) if len(sys.argv) > 1 else STUBS)
