"""Play the games of a match in parallel, in local processes or on a Ray cluster."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from typing import Any

from tablier_cli.matches.games import GameResult, Match, play_game


def play_here(match: Match, games: int, processes: int) -> Iterator[GameResult]:
    """Play games in local processes and yield their results as they end."""
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        under_way = [pool.submit(play_game, match, number) for number in range(games)]
        try:
            for game in as_completed(under_way):
                yield game.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def play_on_ray(match: Match, games: int, address: str) -> Iterator[GameResult]:
    """Play games on a Ray cluster, whose machines must all have Tablier installed."""
    try:
        import ray
    except ImportError:
        raise RuntimeError("Ray is not installed: pip install 'tablier[ray]'") from None
    ray.init(address=None if address == "local" else address, log_to_driver=False)
    try:
        play: Any = ray.remote(play_game)
        under_way = [play.remote(match, number) for number in range(games)]
        while under_way:
            ended, under_way = ray.wait(under_way)
            yield from ray.get(ended)
    finally:
        ray.shutdown()


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0))
