"""Types of bands.pyx."""

from tablier_core.drawing import Picture
from tablier_core.games.contract.observe import Briefcase, Mafioso, Place, SeatView, Traffic
from tablier_core.games.contract.pieces import Pieces

class Bands:
    """Bands below each other. Those that are added go below all others."""

    drawn: list[str]
    y: int

    def __init__(self, picture: Picture, pieces: Pieces, x: int, y: int) -> None: ...
    def add_gap(self) -> None: ...
    def add_heading(self, title: str) -> None: ...
    def add_mafioso(
        self, number: int, place: Place, *, now: bool, copper: bool, vicelard: bool
    ) -> None: ...
    def add_prizes(
        self, traffics: tuple[Traffic, ...], briefcases: tuple[Briefcase, ...]
    ) -> None: ...
    def add_seat(
        self,
        number: int,
        points: int,
        seat: SeatView,
        *,
        viewer: bool,
        first: bool,
        moves: bool,
        vicelard: bool,
        copper: bool,
    ) -> None: ...
    def add_piles(self, draw_pile: int, discards: int, deck: int) -> None: ...
    def add_aside(self, vicelard: bool, copper: bool) -> None: ...
    def add_removed(self, mafiosi: tuple[Mafioso, ...]) -> None: ...
    def add_legend(self, copper_points: float) -> None: ...
