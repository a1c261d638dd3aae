"""The environments of every game pass the check of stable-baselines3: `make learn-check`.

It runs in an environment of its own, because stable-baselines3 needs torch.
"""

from __future__ import annotations

import sys
import warnings

from stable_baselines3.common.env_checker import check_env
from tablier_adapters.gymnasium import SeatEnv

from tests.core.variants import ALL_GAMES, every_seat_count


def main() -> None:
    """Check the first and the last seat of every game, variant and number of seats."""
    checked = 0
    # Bounds that are equal, or an observation that is no picture, are worth a warning there.
    warnings.simplefilter("ignore")
    for game, options in every_seat_count():
        last = game.start(options, 0).seats - 1
        for seat in (0, last):
            check_env(SeatEnv(game.name, options, seat=seat), skip_render_check=True)
            checked += 1
    sys.stdout.write(
        f"stable-baselines3 accepts {checked} environments of {len(ALL_GAMES)} games\n"
    )


if __name__ == "__main__":
    main()
