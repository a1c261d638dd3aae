"""The option schemas: valid JSON Schema, and read exactly as JSON Schema says."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy
from jsonschema import Draft202012Validator
from tablier_core.errors import OptionError
from tablier_core.options import OptionSchema, Schema, describe
from tablier_core.position import Game
from tablier_core.registry import GAMES

from tests.options.values import bad_options, good_options

every_game = pytest.mark.parametrize("game", GAMES.values(), ids=sorted(GAMES))
SMALL: SearchStrategy[Any] = (
    st.none() | st.booleans() | st.integers(-2, 130) | st.floats(-1, 7) | st.text(max_size=6)
)
JSON: SearchStrategy[Any] = st.recursive(
    SMALL,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner),
    max_leaves=6,
)


def is_read(options: OptionSchema, value: dict[str, Any]) -> bool:
    try:
        options.read(value)
    except OptionError:
        return False
    return True


def values(schema: Schema) -> SearchStrategy[Any]:
    """All values that a schema accepts."""
    if "anyOf" in schema:
        return st.one_of([values(one) for one in schema["anyOf"]])
    kind = schema["type"]
    if kind == "boolean":
        return st.booleans()
    if kind == "integer":
        whole = st.integers(schema["minimum"], schema["maximum"])
        return whole | whole.map(float)
    if kind == "number":
        step = schema.get("multipleOf")
        low, high = schema["minimum"], schema["maximum"]
        if step is None:
            return st.floats(low, high) | st.integers(low, high)
        return st.integers(round(low / step), round(high / step)).map(lambda count: count * step)
    if kind == "string":
        if "enum" in schema:
            return st.sampled_from(schema["enum"])
        return st.from_regex(schema["pattern"].strip("^$"), fullmatch=True)
    if kind == "array":
        fewest = schema.get("minItems", 0)
        # Long lists take long, and the table of values has the longest.
        return st.lists(
            values(schema["items"]),
            min_size=fewest,
            max_size=min(schema["maxItems"], fewest + 6),
            unique=schema.get("uniqueItems", False),
        )
    required = schema.get("required", ())
    parts = {name: values(one) for name, one in schema["properties"].items()}
    return st.fixed_dictionaries(
        {name: part for name, part in parts.items() if name in required},
        optional={name: part for name, part in parts.items() if name not in required},
    )


@st.composite
def changed(draw: DrawFn, value: Any) -> Any:
    """A value with one change anywhere in it."""
    if isinstance(value, dict) and value and draw(st.booleans()):
        name = draw(st.sampled_from(sorted(value)))
        if draw(st.booleans()):
            return {key: item for key, item in value.items() if key != name}
        return {**value, name: draw(changed(value[name]))}
    if isinstance(value, list) and value and draw(st.booleans()):
        at = draw(st.integers(0, len(value) - 1))
        action = draw(st.sampled_from(("change", "remove", "repeat")))
        middle = {"change": [draw(changed(value[at]))], "remove": [], "repeat": [value[at]] * 2}
        return value[:at] + middle[action] + value[at + 1 :]
    if isinstance(value, dict) and draw(st.booleans()):
        return {**value, draw(st.text(max_size=6)): draw(JSON)}
    return draw(JSON)


@every_game
def test_is_a_valid_schema_whose_defaults_are_valid(game: Game) -> None:
    document = game.options.document
    Draft202012Validator.check_schema(document)
    assert json.loads(json.dumps(document)) == document
    defaults = {
        name: schema["default"]
        for name, schema in game.options.properties.items()
        if "default" in schema
    }
    Draft202012Validator(document).validate(defaults)
    # Defaults are what a game without options has.
    assert game.pack_options(defaults) == game.pack_options({})


@every_game
def test_reads_what_the_schema_accepts(game: Game) -> None:
    validator = Draft202012Validator(game.options.document)

    @settings(max_examples=40)
    @given(values(game.options.document))
    def check(options: dict[str, Any]) -> None:
        validator.validate(options)
        read = game.options.read(options)
        assert read.keys() == game.options.properties.keys()
        assert {name: read[name] for name in options} == options
        # Reading again changes nothing, so everything has one form.
        given = {name: read[name] for name in options}
        assert repr(game.options.read(given)) == repr(read)

    check()


@every_game
def test_rejects_what_the_schema_rejects(game: Game) -> None:
    validator = Draft202012Validator(game.options.document)
    verdicts = set()

    @settings(max_examples=60)
    @given(st.data())
    def check(data: st.DataObject) -> None:
        options = data.draw(values(game.options.document).flatmap(changed))
        assume(isinstance(options, dict))
        verdict = validator.is_valid(options)
        assert is_read(game.options, options) == verdict
        verdicts.add(verdict)

    check()
    assert verdicts == {True, False}


@every_game
def test_the_schema_agrees_with_the_table_of_values(game: Game) -> None:
    validator = Draft202012Validator(game.options.document)
    for options in good_options(game.name):
        assert validator.is_valid(options), options
    for options, _ in bad_options(game.name):
        # A library cannot decide about NaN, which is not JSON.
        if "NaN" not in json.dumps(options):
            assert not validator.is_valid(options), options


WHOLE = {"type": "integer", "minimum": 0, "maximum": 9}


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({**WHOLE, "multipleOf": 2}, "not read: multipleOf"),
        ({**WHOLE, "exclusiveMinimum": 2}, "not read: exclusiveMinimum"),
        ({"type": "object", "properties": {}, "additionalProperties": True}, "must be false"),
        ({"anyOf": [WHOLE, {**WHOLE, "type": "number"}]}, "different types"),
        ({"anyOf": [WHOLE], "minimum": 2}, "other keywords"),
    ],
)
def test_a_schema_that_would_not_be_enforced_is_an_error(schema: Schema, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        OptionSchema({"option": schema})


def test_a_default_must_be_valid() -> None:
    with pytest.raises(OptionError, match="from 0 to 9"):
        OptionSchema({"option": {**WHOLE, "default": 10}})


def test_errors_repeat_only_the_beginning_of_an_unknown_name() -> None:
    with pytest.raises(OptionError) as caught:
        OptionSchema({"option": WHOLE}).read({"x" * 10_000: 1})
    assert caught.value.field == "x" * 64


def test_describes_values_in_words() -> None:
    words = {
        name: describe(schema)
        for game in GAMES.values()
        for name, schema in game.options.properties.items()
    }
    assert words["expert"] == "true or false"
    assert words["copper_card"] == "a number from 0 to 3 in steps of 0.5"
    assert words["questions"] == "a whole number from 0 to 96, or `table`"
    assert words["deck"] == "a list of 15 to 120 lists of 12 numbers from 0 to 1"
    assert words["traffics"] == (
        "an object with `first` and `second` (each a list of 4 whole numbers from 0 to 20)"
    )
    assert words["tokens"].startswith(
        "an object with any of `loyal` (a whole number from 0 to 5), "
    )


def test_reports_an_option_without_a_name() -> None:
    with pytest.raises(OptionError, match="has an empty name; choose from: seats, expert, deck"):
        GAMES["contrast"].options.read({"": 1})


def test_text_that_is_too_deep_for_json_is_not_an_option() -> None:
    options = GAMES["contrast"].options
    with pytest.raises(OptionError) as caught:
        options.read({"deck": options.parse("deck", "[" * 100_000)})
    assert caught.value.field == "deck"
