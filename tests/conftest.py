"""Settings of the whole test house."""

from __future__ import annotations

import os

import hypothesis
import pytest

pytest_plugins = ("tests.live_server",)

# Examples are derived from the test itself: a run that fails can be repeated, here and in CI.
# HYPOTHESIS_PROFILE=explore draws fresh ones, and more of them.
hypothesis.settings.register_profile("default", derandomize=True, deadline=None, database=None)
hypothesis.settings.register_profile("explore", deadline=None, max_examples=500)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="write the golden files anew from what the code does now; review the difference",
    )


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update-golden"))
