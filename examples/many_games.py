"""A bot that plays many games at once: advice for its own moves, a session for all other calls.

A session sends cheap calls on one stream, and calls of different games travel together. Advice is
a search, which takes longer, so it is a separate call.
"""

from __future__ import annotations

import asyncio
import random

from tablier_client import AsyncClient, AsyncSession

GAMES = 8
BOT = 0


async def play(client: AsyncClient, session: AsyncSession, seed: int) -> float:
    """Play a game against random opponents and return the result of the bot, from -1 to 1."""
    rng = random.Random(seed)
    state = await session.submit(client.calls.start("contrast", seed=seed, seats=3))
    while not state.over:
        # Choices in this game are simultaneous: several seats may move.
        seat = state.actors[0]
        if seat == BOT:
            advice = await state.suggest(seat, level=8, seed=seed)
            move = advice.suggestions[0].move
        else:
            move = rng.choice(await session.submit(client.calls.moves(state, seat)))
        state = await session.submit(client.calls.play(state, move))
    return state.returns[BOT]


async def main() -> None:
    """Play all games at the same time."""
    async with AsyncClient("127.0.0.1:50051") as client, client.session() as session:
        results = await asyncio.gather(*(play(client, session, seed) for seed in range(GAMES)))
    wins = sum(result > 0 for result in results)
    print(f"{wins} wins in {GAMES} games, mean result {sum(results) / GAMES:+.2f}")


if __name__ == "__main__":
    asyncio.run(main())
