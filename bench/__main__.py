"""Run every benchmark; the exit status says whether all required ratios were reached.

The memory of a worker needs ten minutes of load, so `make bench-memory` measures it separately.
"""

from __future__ import annotations

import sys

from bench import core, lanes, latency, search, secured, states, telling, transports, workers

BENCHMARKS = (core, states, telling, search, transports, secured, lanes, latency, workers)

if __name__ == "__main__":
    sys.exit(max(benchmark.main() for benchmark in BENCHMARKS))
