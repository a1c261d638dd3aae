"""Sealed tokens: unreadable, unforgeable, and of few lengths."""

from __future__ import annotations

import base64
import hashlib

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCMSIV
from pydantic import ValidationError
from tablier_core import codec
from tablier_core.errors import TokenMalformed
from tablier_core.position import Position
from tablier_core.registry import GAMES
from tablier_core.testing.games import TESTING_GAMES
from tablier_service.security.sealing import (
    BUCKETS,
    MAX_RECENT,
    PlainTokens,
    SealedTokens,
    pad,
    read_keys,
    token_hash,
    unpad,
)
from tablier_service.settings import Settings

KEYS = {1: bytes(range(32)), 2: bytes(range(32, 64))}
ALL = {**GAMES, **TESTING_GAMES}


@pytest.fixture
def position() -> Position:
    return TESTING_GAMES["kuhn-poker"].start({}, 3)


def test_opens_what_it_has_sealed(position: Position):
    tokens = SealedTokens(ALL, KEYS)
    token = tokens.write(position)
    # By itself, which remembers it, and by another worker.
    for opener in (tokens, SealedTokens(ALL, KEYS)):
        assert opener.open(token) == (position, b"")
    assert codec.encode(position) not in token
    assert tokens.write(position) != token


def test_opens_a_token_again_without_its_key(position: Position, monkeypatch: pytest.MonkeyPatch):
    tokens, other = SealedTokens(ALL, KEYS), SealedTokens(ALL, KEYS)
    token = tokens.write(position, "match", b"another")
    first = other.open(token, "match")
    for opener in (tokens, other):
        monkeypatch.setattr(opener, "_unseal", None)
        assert opener.open(token, "match") == first


def test_forgets_open_tokens_with_their_key(position: Position):
    tokens = SealedTokens(ALL, KEYS)
    token = tokens.write(position)
    tokens.use({2: KEYS[2]})
    with pytest.raises(TokenMalformed):
        tokens.open(token)


def test_remembers_a_limited_number_of_tokens(position: Position):
    tokens = SealedTokens(ALL, KEYS)
    for _ in range(2 * MAX_RECENT + 1):
        tokens.write(position)
        assert len(tokens._recent) <= MAX_RECENT


def test_view_tokens_remain_views(position: Position):
    token = SealedTokens(ALL, KEYS).write(position.view_of(1))
    assert SealedTokens(ALL, KEYS).open(token).position.viewer == 1


def test_rejects_every_modified_token_with_the_same_message(position: Position):
    tokens = SealedTokens(ALL, KEYS)
    token = tokens.write(position)
    messages = set()
    for at in range(len(token)):
        with pytest.raises(TokenMalformed) as failure:
            tokens.open(token[:at] + bytes([token[at] ^ 1]) + token[at + 1 :])
        messages.add((failure.value.field, failure.value.message))
    for cut in range(len(token)):
        with pytest.raises(TokenMalformed) as failure:
            tokens.open(token[:cut])
        messages.add((failure.value.field, failure.value.message))
    with pytest.raises(TokenMalformed) as failure:
        tokens.open(codec.encode(position))
    messages.add((failure.value.field, failure.value.message))
    assert len(messages) == 1


def test_a_token_has_the_documented_layout(position: Position):
    """The table in the documentation of sealing.py."""
    made_from, game = b"another token", position.game
    token = SealedTokens(ALL, KEYS).write(position, "a match", made_from)
    name = game.name.encode()
    version = game.rules_version.to_bytes(2, "little")
    assert game.rules_version > 0
    head = b"TS\x01" + bytes([1, len(name)]) + name + version
    assert token.startswith(head)
    nonce, sealed = token[len(head) : len(head) + 12], token[len(head) + 12 :]
    content = AESGCMSIV(KEYS[1]).decrypt(nonce, sealed, head + b"a match")
    plain = codec.encode(position)
    expected = token_hash(made_from) + len(plain).to_bytes(2, "little") + plain
    assert content == expected.ljust(len(content), b"\0")
    assert len(content) in BUCKETS


def test_keys_rotate_without_a_gap(position: Position):
    old = SealedTokens(ALL, {1: KEYS[1]})
    both = SealedTokens(ALL, {2: KEYS[2], 1: KEYS[1]})
    new = SealedTokens(ALL, {2: KEYS[2]})
    token = old.write(position)
    assert both.open(token).position == position
    assert new.open(both.write(position)).position == position
    with pytest.raises(TokenMalformed):
        new.open(token)


def test_rejects_a_token_of_another_service(position: Position):
    other = SealedTokens(ALL, {1: bytes(32)})
    with pytest.raises(TokenMalformed):
        SealedTokens(ALL, KEYS).open(other.write(position))


def test_lengths_reveal_nothing():
    tokens = SealedTokens(ALL, KEYS)
    for game in ALL.values():
        lengths = set()
        position = game.start({}, 1)
        while not position.over and position.ply < 100:
            lengths.add(len(tokens.write(position)))
            seat = position.actors[0]
            position = position.apply(seat, position.moves(seat)[-1])
        assert len(lengths) <= 2, game.name


@pytest.mark.parametrize("size", [0, 1, 110, 111, 1000, codec.MAX_TOKEN])
def test_removes_the_padding(size: int):
    plain, previous = bytes([7]) * size, bytes(range(16))
    assert len(pad(previous, plain)) in BUCKETS
    assert unpad(pad(previous, plain)) == (previous, plain)


def test_a_token_names_its_predecessor(position: Position):
    tokens = SealedTokens(ALL, KEYS)
    first = tokens.write(position)
    second = tokens.write(position, "", first)
    assert tokens.open(second).previous == token_hash(first) == hashlib.sha256(first).digest()[:16]
    assert len(second) == len(first)
    assert PlainTokens(ALL).write(position, "a match", first) == codec.encode(position)


def test_a_token_opens_only_in_its_match(position: Position):
    """All other matches are rejected with the same message."""
    tokens = SealedTokens(ALL, KEYS)
    messages = set()
    for match, others in {"A": ("", "B", "AA"), "": ("A", " "), "é": ("e", "")}.items():
        token = tokens.write(position, match)
        assert tokens.open(token, match).position == position
        for other in others:
            with pytest.raises(TokenMalformed) as failure:
                tokens.open(token, other)
            messages.add(failure.value.message)
    with pytest.raises(TokenMalformed) as failure:
        tokens.open(b"")
    assert messages == {failure.value.message}


def test_counts_tokens_that_do_not_open(position: Position):
    failures: list[None] = []
    tokens = SealedTokens(ALL, KEYS, lambda: failures.append(None))
    tokens.open(tokens.write(position))
    assert not failures
    for token in (b"", tokens.write(position, "A"), codec.encode(position)):
        with pytest.raises(TokenMalformed):
            tokens.open(token)
    assert len(failures) == 3


def test_uses_new_keys_at_once_and_old_ones_until_they_are_removed(
    position: Position,
):
    tokens = SealedTokens(ALL, {1: KEYS[1]})
    token = tokens.write(position)
    tokens.use({2: KEYS[2], 1: KEYS[1]})
    newer = tokens.write(position)
    assert newer[3] == 2
    assert tokens.open(token).position == tokens.open(newer).position == position
    tokens.use({2: KEYS[2]})
    assert tokens.open(newer).position == position
    with pytest.raises(TokenMalformed):
        tokens.open(token)


def test_reads_keys_in_order():
    parts = [f"{n}:{base64.b64encode(key).decode()}" for n, key in KEYS.items()]
    for text in (
        ", ".join(parts),
        "\n".join(parts),
        "# newest first\n" + "\n\n".join(parts) + "\n",
    ):
        assert list(read_keys(text).items()) == list(KEYS.items())


@pytest.mark.parametrize(
    "text", ["1", "x:AAAA", "1:AAAA", "256:" + "A" * 43 + "=", "1:!", "1:" + "A" * 43 + "=,"]
)
def test_rejects_invalid_keys(text: str):
    with pytest.raises(ValueError, match=r"."):
        read_keys(text)
    with pytest.raises(ValidationError) as failure:
        Settings(seal_keys=text)
    assert failure.value.errors()[0]["loc"] == ("seal_keys",)
