"""The load over time: warm-up, steady load, a short burst, steady load."""

from __future__ import annotations

from locust import LoadTestShape

# End of each stage as a share of the run, and its number of users.
STAGES = ((0.1, 4), (0.6, 16), (0.7, 48), (1.0, 16))


class Day(LoadTestShape):
    """The stages, stretched over the run time."""

    use_common_options = True

    def tick(self) -> tuple[int, float] | None:
        """Return the number of users and the spawn rate; None ends the run."""
        assert self.runner is not None
        options = self.runner.environment.parsed_options
        assert options is not None
        part = self.get_run_time() / options.run_time
        for end, users in STAGES:
            if part < end:
                return users, 100.0
        return None
