"""Locust users that play whole games, over gRPC and over REST."""

from __future__ import annotations

import random
import time
from typing import Any, ClassVar

import grpc
import grpc.experimental.gevent
from google.api import annotations_pb2
from google.protobuf import json_format, message_factory
from google.protobuf.message import Message
from locust import FastHttpUser, User, constant, task
from tablier.v1 import game_service_pb2 as pb

from loadtests.scenarios import Scenario, whole_game

# Locust's users are greenlets, so gRPC must wait cooperatively.
grpc.experimental.gevent.init_gevent()

SERVICE = pb.DESCRIPTOR.services_by_name["GameService"]


def play(scenario: Scenario, call: Any) -> None:
    """Run a scenario until it ends or a call fails; `call` returns None for a failed call."""
    try:
        request = next(scenario)
        while True:
            answer = call(*request)
            if answer is None:
                return
            request = scenario.send(answer)
    except StopIteration:
        return


class GrpcUser(User):
    """Plays over gRPC; each user has its own connection."""

    wait_time = constant(0)
    address: ClassVar[str]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        options = [("grpc.use_local_subchannel_pool", 1)]
        self._channel = grpc.insecure_channel(self.address, options)
        self._calls = {
            method.name: self._channel.unary_unary(
                f"/{SERVICE.full_name}/{method.name}",
                request_serializer=lambda request: request.SerializeToString(),
                response_deserializer=message_factory.GetMessageClass(
                    method.output_type
                ).FromString,
            )
            for method in SERVICE.methods
        }
        listed = self.call("ListGames", pb.ListGamesRequest())
        self._games = [game.name for game in listed.games] if listed else []

    def call(self, name: str, request: Message) -> Any:
        """Make a call and report it to locust."""
        begun = time.perf_counter()
        answer, failure, size = None, None, 0
        try:
            answer = self._calls[name](request, timeout=30)
            size = answer.ByteSize()
        except grpc.RpcError as error:
            failure = error
        self.environment.events.request.fire(
            request_type="gRPC",
            name=name,
            response_time=(time.perf_counter() - begun) * 1000,
            response_length=size,
            exception=failure,
        )
        return answer

    @task
    def game(self) -> None:
        """Play a whole game."""
        play(whole_game(self._games, random.Random()), self.call)

    def on_stop(self) -> None:
        """Close the user's channel."""
        self._channel.close()


class RestUser(FastHttpUser):
    """Plays over REST."""

    wait_time = constant(0)

    def on_start(self) -> None:
        """Fetch the list of games."""
        listed = self.call("ListGames", pb.ListGamesRequest())
        self._games = [game.name for game in listed.games] if listed else []

    def call(self, name: str, request: Message) -> Any:
        """Make a call by its HTTP rule; locust's client reports it."""
        method = SERVICE.methods_by_name[name]
        rule = method.GetOptions().Extensions[annotations_pb2.http]
        body = json_format.MessageToDict(request)
        path = (rule.get or rule.post).replace("{game}", str(body.pop("game", "")))
        verb = "GET" if rule.get else "POST"
        with self.client.request(
            verb, path, json=body if rule.post else None, name=name, catch_response=True
        ) as response:
            if response.status_code != 200:
                response.failure(f"{response.status_code}: {response.text}")
                return None
            answer = message_factory.GetMessageClass(method.output_type)()
            return json_format.ParseDict(response.json(), answer)

    @task
    def game(self) -> None:
        """Play a whole game."""
        play(whole_game(self._games, random.Random()), self.call)
