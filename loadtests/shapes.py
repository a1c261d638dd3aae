"""How the load grows: a warm-up, a steady load, a short burst, and the steady load again."""

from __future__ import annotations

from locust import LoadTestShape

# Part of the run, users while it lasts.
STAGES = ((0.1, 4), (0.6, 16), (0.7, 48), (1.0, 16))


class Day(LoadTestShape):
    """The stages, stretched over the time that the run is given."""

    use_common_options = True

    def tick(self) -> tuple[int, float] | None:
        """The number of users now and how fast to get there; None ends the run."""
        assert self.runner is not None
        options = self.runner.environment.parsed_options
        assert options is not None
        part = self.get_run_time() / options.run_time
        for end, users in STAGES:
            if part < end:
                return users, 100.0
        return None
