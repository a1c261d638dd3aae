"""Options and profiles for all tests."""

from __future__ import annotations

import os
import signal

import hypothesis
import pytest

pytest_plugins = ("tests.live_server",)

# Examples depend only on the test, so that a failure can be reproduced here and in CI.
# HYPOTHESIS_PROFILE=explore draws new ones, and more of them.
hypothesis.settings.register_profile("default", derandomize=True, deadline=None, database=None)
hypothesis.settings.register_profile("explore", deadline=None, max_examples=500)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

# Several tests run at once, and NumPy's threads would wait for each other on busy cores.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# A shell lets its background jobs ignore Ctrl-C, and programs that tests start would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="rewrite the golden files with the current output; review the difference",
    )


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update-golden"))
