"""Play the games of a match in parallel, in local processes or on a Ray cluster."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from multiprocessing import get_context, parent_process
from typing import Any

from tablier_cli.matches.games import GameResult, Match, play_game

# Seconds between reports on games that are under way.
REPORT_SECONDS = 0.2

# Called with the number of moves so far. A game can take minutes, but moves are made all the time.
Report = Callable[[int], None]


def play_here(
    match: Match, games: int, processes: int, report: Report | None = None
) -> Iterator[GameResult]:
    """Play games in local processes and yield their results as they end."""
    context = get_context("spawn")
    # One number per game, each written by one process: no lock is needed.
    moves = context.RawArray("Q", games)
    with ProcessPoolExecutor(
        processes, mp_context=context, initializer=count_in, initargs=(moves,)
    ) as pool:
        under_way = {pool.submit(play_counted, match, number) for number in range(games)}
        try:
            while under_way:
                ended, under_way = wait(under_way, REPORT_SECONDS, FIRST_COMPLETED)
                if report is not None:
                    report(sum(moves))
                for game in ended:
                    yield game.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


# The moves of every game, which worker processes share with their parent; set when they start.
counts: Any = None


def count_in(moves: Any) -> None:
    """Let this process count the moves of its games."""
    global counts
    counts = moves
    end_with_parent()


def end_with_parent() -> None:
    """Let this process end when its parent does.

    A pool that is killed leaves its processes behind: each waits for work at a pipe of which it
    holds the other end itself.
    """

    def wait_for_end() -> None:
        parent = parent_process()
        assert parent is not None
        parent.join()
        os._exit(1)

    threading.Thread(target=wait_for_end, name="parent", daemon=True).start()


def play_counted(match: Match, number: int) -> GameResult:
    """Play a game of a match and count its moves."""

    def count() -> None:
        counts[number] += 1

    return play_game(match, number, count)


def play_on_ray(
    match: Match, games: int, address: str, report: Report | None = None
) -> Iterator[GameResult]:
    """Play games on a Ray cluster, whose machines must all have Tablier installed."""
    try:
        import ray
    except ImportError:
        raise RuntimeError("Ray is not installed: pip install 'tablier[ray]'") from None
    ray.init(address=None if address == "local" else address, log_to_driver=False)
    try:
        play: Any = ray.remote(play_game)
        under_way = [play.remote(match, number) for number in range(games)]
        moves = 0
        while under_way:
            ended, under_way = ray.wait(under_way)
            for result in ray.get(ended):
                moves += sum(result.moves)
                if report is not None:
                    report(moves)
                yield result
    finally:
        ray.shutdown()


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0))
