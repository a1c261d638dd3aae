"""Compiles every core_ext/**/*.pyx, so that a new game changes no build file.

TABLIER_BUILD selects the kind of build:

    release   the default
    debug     with all checks, without optimisation
    sanitize  with AddressSanitizer and UndefinedBehaviorSanitizer; see `make sanitize`
    fuzz      the games report covered code and compared values; see `make fuzz`
    none      compiles nothing; the Makefile installs first and compiles later
"""

import multiprocessing
import os
import tomllib
from pathlib import Path

from Cython.Build import cythonize
from Cython.Compiler import Options
from setuptools import Extension, setup

FLAGS = {
    "release": ["-O3", "-g0"],
    "debug": ["-O0", "-g"],
    "sanitize": [
        "-O1", "-g", "-fno-omit-frame-pointer",
        "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined",
    ],
    "fuzz": ["-O2", "-g"],
    "none": [],
}  # fmt: skip
TRACE = ["-fsanitize-coverage=trace-pc,trace-cmp", "-DTABLIER_TRACED"]

build = os.environ.get("TABLIER_BUILD", "release")
if build not in FLAGS:
    raise SystemExit(f"TABLIER_BUILD must be one of {', '.join(FLAGS)}, not {build!r}")

Options.warning_errors = True
# The processes of `cythonize` must inherit this option. By default, from Python 3.14 on, they would
# not, and would run this file again.
multiprocessing.set_start_method("fork", force=True)

root = Path("core_ext")
sources = sorted(root.rglob("*.pyx"))
if not sources:
    raise SystemExit("found no .pyx file in core_ext: these sources are incomplete")

extensions = [
    Extension(
        ".".join(source.relative_to(root).with_suffix("").parts),
        [str(source)],
        include_dirs=[str(source.parent)],
        extra_compile_args=[
            *FLAGS[build],
            *(TRACE if build == "fuzz" and "games" in source.parts else []),
            "-std=c11",
            # No fused multiply-add: it rounds differently, and advice by iterations must be the
            # same on every machine.
            "-ffp-contract=off",
            "-Wall",
            "-Wextra",
            "-Wno-unused-function",
            "-Wno-sign-compare",
        ],
        extra_link_args=FLAGS[build],
    )
    for source in sources
    if build != "none"
]

# The service uses the messages of the client, so both must have the same version.
client = f"tablier-client=={Path('VERSION').read_text().strip()}"
dependencies = tomllib.loads(Path("pyproject.toml").read_text())["tool"]["tablier"]["dependencies"]

jobs = int(os.environ.get("TABLIER_JOBS", "2"))

setup(
    options={"build_ext": {"parallel": jobs}},
    install_requires=[client, *dependencies],
    ext_modules=cythonize(
        extensions,
        include_path=[str(root)],
        build_dir="build/cython-" + build,
        nthreads=jobs,
        compiler_directives={
            "language_level": 3,
            "boundscheck": build != "release",
            "wraparound": False,
            "initializedcheck": build != "release",
            "cdivision": True,
            "embedsignature": True,
        },
    ),
)
