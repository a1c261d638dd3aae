"""A bot in ten lines: it asks for advice and plays against random moves."""

import random

from tablier_client import Client

with Client("127.0.0.1:50051") as client:
    state = client.start("contigo-alignment", seed=7)
    while not state.over:
        if state.actors[0] == 0:
            state = state.play(state.suggest(milliseconds=20).suggestions[0].move)
        else:
            state = state.play(random.choice(state.moves()))
    print(state.draw(), state.returns)
