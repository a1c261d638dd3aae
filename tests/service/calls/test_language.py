"""Which language the texts of an answer are in."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tablier.v1 import game_service_pb2 as pb
from tablier_core.languages import LANGUAGES, catalogue
from tablier_core.options import title_of
from tablier_core.registry import GAMES
from tablier_core.rulebook import text_page
from tablier_service.calls.language import MAX_LENGTH, choose_language, look_up
from tablier_service.lifecycle import Endpoint
from tablier_service.service import Service
from tablier_service.transports.grpc.asyncio_call import unary_handler

from tests.service.assembly import Ask
from tests.service.transports.grpc.contexts import Context


@pytest.mark.parametrize(
    ("wanted", "chosen"),
    [
        ("", "en"),
        ("fr", "fr"),
        ("FR", "fr"),
        ("fr-CA", "fr"),
        ("fr-Latn-CA", "fr"),
        ("en-GB", "en"),
        ("de", "en"),
        ("frr", "en"),
        ("de-CH, fr;q=0.8, en;q=0.7", "fr"),
        ("fr;q=0.5,en;q=0.9", "en"),
        ("en;q=0.8, fr", "fr"),
        ("fr;q=0", "en"),
        ("de,*", "en"),
        ("*,fr", "fr"),
        ("fr;q=x", "en"),
        (", ;q=1,--,fr", "fr"),
        ("fr_CA", "en"),
        ("nan;q=nan,fr;q=nan", "en"),
        ("fr" + ",de" * MAX_LENGTH, "en"),
    ],
)
def test_chooses_the_best_language_that_there_is(wanted: str, chosen: str):
    assert choose_language(wanted) == chosen


def test_does_not_remember_long_lists():
    before = look_up.cache_info().currsize
    for number in range(10):
        choose_language("x" * (MAX_LENGTH + number + 1))
    assert look_up.cache_info().currsize == before


def over_grpc(service: Service, request: pb.GetGameRequest, *accepted: str) -> pb.GetGameResponse:
    """Ask for a game with languages in the metadata."""
    handle: Any = unary_handler(Endpoint(service, service.method("GetGame")))
    context = Context(metadata=tuple(("accept-language", each) for each in accepted))
    answer = asyncio.run(handle(request.SerializeToString(), context))
    return pb.GetGameResponse.FromString(answer)


def test_grpc_metadata_name_the_language_of_a_request_that_names_none(service: Service):
    request = pb.GetGameRequest(game="contract")
    assert over_grpc(service, request).language == ""
    assert over_grpc(service, request, "fr-CA,en;q=0.5").language == "fr"
    request.language = "en"
    assert over_grpc(service, request, "fr").language == ""


CONTRACT = pb.GetGameRequest(game="contract")
OPERATIONS = [
    pb.Operation(get_game=CONTRACT),
    pb.Operation(get_game=pb.GetGameRequest(game="contract", language="en")),
    # Without texts.
    pb.Operation(start_game=pb.StartGameRequest(game="contract")),
]


def languages_of(answer: pb.BatchResponse) -> list[str]:
    return [each.get_game.language for each in answer.results if each.HasField("get_game")]


def test_the_language_of_a_batch_is_that_of_operations_that_name_none(ask: Ask):
    assert languages_of(ask(pb.BatchRequest(operations=OPERATIONS))) == ["", ""]
    assert languages_of(ask(pb.BatchRequest(operations=OPERATIONS, language="fr"))) == ["fr", ""]


def test_grpc_metadata_name_the_language_of_a_batch(service: Service):
    handle: Any = unary_handler(Endpoint(service, service.method("Batch")))
    context = Context(metadata=(("accept-language", "fr"),))
    request = pb.BatchRequest(operations=OPERATIONS)
    answer = pb.BatchResponse.FromString(asyncio.run(handle(request.SerializeToString(), context)))
    assert languages_of(answer) == ["fr", ""]


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_of_a_game_is_in_the_language_of_the_answer(name: str, language: str, ask: Ask):
    game, text = GAMES[name], catalogue(language).gettext
    answer = ask(pb.GetGameRequest(game=name, language=language, include_rules=True))
    assert answer.language == ("" if language == "en" else language)
    assert answer.rules == text_page(game, language)
    assert answer.game.summary == text(game.summary)
    forms = [(form.example, form.meaning) for form in answer.game.notation]
    assert forms == [(example, text(meaning)) for example, meaning in game.notation]
    schema = answer.game.options_schema["properties"]
    for option, declared in game.options.properties.items():
        assert schema[option]["description"] == text(declared["description"])
        title = catalogue(language).pgettext("option", title_of(option))
        assert schema[option]["title"] == title
    (listed,) = [
        each for each in ask(pb.ListGamesRequest(language=language)).games if each.name == name
    ]
    assert (listed.summary, listed.notation) == (answer.game.summary, answer.game.notation)


def test_rules_are_only_returned_on_request(ask: Ask):
    plain = ask(pb.GetGameRequest(game="contract"))
    assert plain.rules == ""
    assert plain.language == ""
    french = ask(pb.GetGameRequest(game="contract", language="fr"))
    assert (french.rules, french.language) == ("", "fr")
    # Translating changes nothing in the schema itself.
    assert ask(pb.GetGameRequest(game="contract")) == plain
