from tablier_core.position import Position

def can_force(position: Position, seat: int, own_moves: int) -> bool: ...
def forcing_moves(position: Position, seat: int, own_moves: int) -> list[int]: ...
def opinion(
    position: Position,
    seat: int,
    *,
    iterations: int = 0,
    seconds: float = 0.0,
    seed: int = 0,
) -> tuple[str, dict[int, float], dict[int, tuple[float, ...]]]: ...
