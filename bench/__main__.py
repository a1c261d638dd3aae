"""Run every benchmark; the exit status says whether all required ratios were reached."""

from __future__ import annotations

import sys

from bench import core, doors, guarded, lanes, search, states, workers

BENCHMARKS = (core, states, search, doors, guarded, lanes, workers)

if __name__ == "__main__":
    sys.exit(max(benchmark.main() for benchmark in BENCHMARKS))
