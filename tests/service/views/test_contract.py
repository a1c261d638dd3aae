"""Contract's options and views as protocol messages."""

from __future__ import annotations

import pytest
from tablier.v1 import contract_pb2 as pb
from tablier_core.errors import OptionError
from tablier_core.position import REFEREE
from tablier_core.registry import GAMES
from tablier_service.views import MESSAGES

GAME, CONTRACT = GAMES["contract"], MESSAGES["contract"]


def test_absent_options_get_their_defaults_from_the_core():
    assert CONTRACT.read_options(pb.ContractOptions()) == {}
    assert CONTRACT.read_options(pb.ContractOptions(seats=4)) == {"seats": 4}


def test_reads_nested_options_as_maps_and_lists():
    message = pb.ContractOptions(
        seats=4,
        mafiosi=pb.ContractMafiosi(brakova=range(20), yakaz=[1, 2, 3, 4]),
        traffics=pb.ContractTraffics(first=[1, 2, 3, 4], second=[5, 6, 7, 8]),
        briefcases=pb.ContractBriefcases(
            tiles=[pb.ContractTile(sides=["same-2", "most-twos"], worth=5)]
        ),
        copper_card=0.5,
    )
    options = CONTRACT.read_options(message)
    assert options == {
        "seats": 4,
        "mafiosi": {
            "brakova": list(range(20)),
            "yakaz": [1, 2, 3, 4],
            "rodrigos": [],
            "costa": [],
            "blackmat": [],
        },
        "traffics": {"first": [1, 2, 3, 4], "second": [5, 6, 7, 8]},
        "briefcases": [{"sides": ["same-2", "most-twos"], "worth": 5}],
        "copper_card": 0.5,
    }
    assert GAME.start(options, 1).seats == 4


def test_reads_a_message_without_tiles_as_no_briefcases():
    options = CONTRACT.read_options(pb.ContractOptions(briefcases=pb.ContractBriefcases()))
    assert options == {"briefcases": []}


def test_rejects_an_empty_message_of_mafiosi():
    options = CONTRACT.read_options(pb.ContractOptions(mafiosi=pb.ContractMafiosi()))
    with pytest.raises(OptionError) as caught:
        GAME.start(options, 0)
    assert caught.value.field == "mafiosi"


def test_shows_hidden_information_to_the_referee_only():
    position = GAME.start({}, 8)
    seat, referee = (CONTRACT.write_view(position.observe(viewer)) for viewer in (0, REFEREE))
    assert isinstance(seat, pb.ContractView)
    assert isinstance(referee, pb.ContractView)
    assert [bool(shown.hand.HasField("kinds")) for shown in seat.seats] == [True, False, False]
    assert all(shown.hand.HasField("kinds") for shown in referee.seats)
    assert not seat.row[0].mafioso.HasField("value")
    assert referee.row[0].mafioso.HasField("value")
    assert (len(seat.deck), len(seat.pile), seat.HasField("chance")) == (0, 0, False)
    assert (len(referee.deck), len(referee.pile), referee.HasField("chance")) == (15, 38, True)
    assert not seat.HasField("action")
    assert not seat.copper_card.HasField("holder")
