"""Contract's views as protocol messages."""

from __future__ import annotations

from tablier.v1 import contract_pb2 as pb
from tablier_core.position import REFEREE
from tablier_core.registry import GAMES
from tablier_service.views.contract import MESSAGES

GAME = GAMES["contract"]


def test_shows_hidden_information_to_the_referee_only():
    position = GAME.start({}, 8)
    seat, referee = (
        pb.ContractView.FromString(MESSAGES.writer.write(position.observe(viewer)))
        for viewer in (0, REFEREE)
    )
    assert [bool(shown.hand.HasField("kinds")) for shown in seat.seats] == [True, False, False]
    assert all(shown.hand.HasField("kinds") for shown in referee.seats)
    assert not seat.row[0].mafioso.HasField("value")
    assert referee.row[0].mafioso.HasField("value")
    assert (len(seat.deck), len(seat.pile), seat.HasField("chance")) == (0, 0, False)
    assert (len(referee.deck), len(referee.pile), referee.HasField("chance")) == (15, 38, True)
    assert not seat.HasField("action")
    assert not seat.copper_card.HasField("holder")
