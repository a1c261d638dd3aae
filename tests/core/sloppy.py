"""Moves as people and models write them: sloppy inputs for tests of interpretation.

`sloppy_input` writes a legal move in one of many careless ways: with another case or spacing, in
markdown, in JSON, with synonyms, as a list number, in first person. What it writes still says which
move is meant. It shares no code and no tables with the interpretation that it tests.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import NamedTuple

from tablier_core.languages import IN_ENGLISH, catalogue
from tablier_core.position import Game, Position

from tests.core.variants import Options

FRENCH = catalogue("fr")


class Meant(NamedTuple):
    """A legal move that an input means."""

    position: Position
    seat: int
    move: int
    notation: str
    number: int  # in the list of legal moves, from 1


def meant_moves(position: Position, seat: int) -> list[Meant]:
    """All legal moves of a seat."""
    listed = zip(position.moves(seat), position.notations(seat), strict=True)
    return [
        Meant(position, seat, move, notation, number)
        for number, (move, notation) in enumerate(listed, 1)
    ]


def sloppy_inputs(
    game: Game, variants: Sequence[Options], count: int, seed: int
) -> Iterator[tuple[Meant, str]]:
    """Yield sloppy inputs for positions of random games."""
    chance = Random(seed)
    written = 0
    while written < count:
        position = game.start(chance.choice(variants), chance.getrandbits(64))
        while not position.over and written < count:
            seat = chance.choice(position.actors)
            if chance.random() < 0.5:
                meant = meant_moves(position, seat)
                one = chance.choice(meant)
                text = sloppy_input(one, chance)
                # "3" is sloppy for the third move of a list, unless it is the notation of another.
                if all(text != other.notation for other in meant):
                    yield one, text
                    written += 1
            position = position.apply(seat, chance.choice(position.moves(seat)))


def sloppy_input(meant: Meant, chance: Random) -> str:
    """Write a move in a careless way."""
    kind = chance.choices((_as_notation, _as_words, _as_number, _as_json), (5, 5, 1, 2))[0]
    return _spaced_out(kind(meant, chance), chance)


def decorated(notation: str, chance: Random) -> str:
    """Write a notation as it is, in one of many decorations, alone or in an object."""
    text = _decorated(notation, chance, chance.choice(LABELS))
    if chance.random() < 0.3:
        text = json.dumps({chance.choice(("move", "notation", "coup")): text})
    return _spaced_out(text, chance)


# ---- Notations -----------------------------------------------------------------------------------

DASHES = ("-", "\N{EN DASH}", "\N{EM DASH}", "\N{MINUS SIGN}", "\N{NON-BREAKING HYPHEN}", " - ")
WAYS = (" to ", "->", " -> ", "\N{RIGHTWARDS ARROW}", " ", "", " \u00e0 ", " vers ", "=>", ",", ":")
CAPTURES = ("x", "X", " x ", "\N{MULTIPLICATION SIGN}", " takes ", " captures ", " prend ", "*")
CASES: tuple[Callable[[str], str], ...] = (str, str, str.upper, str.capitalize, str.title)


def _as_notation(meant: Meant, chance: Random) -> str:
    return _decorated(_respelled(meant.notation, chance), chance, chance.choice(LABELS))


def _respelled(notation: str, chance: Random) -> str:
    """Write a notation with other separators and in another case."""
    return chance.choice(CASES)(_separated(notation, chance))


def _separated(notation: str, chance: Random) -> str:
    if re.fullmatch(r"[a-z]\d([-x][a-z]\d)+", notation):
        text = notation.replace("-", chance.choice((*DASHES, *WAYS)))
        return text.replace("x", chance.choice(CAPTURES))
    if sowing := re.fullmatch(r"(\d+)([-+])([\d.]+)", notation):
        pit, sign, drops = sowing.groups()
        sign = chance.choice(DASHES) if sign == "-" else chance.choice(("+", " + ", "+ "))
        return pit + sign + drops.replace(".", chance.choice((".", ",", " ", ", ", "/", "-", "")))
    text = notation
    if re.search(r"[a-z]-[a-z]", text):
        text = re.sub(r"(?<=[a-z])-(?=[a-z])", chance.choice((*DASHES, " ", "_")), text)
    return text.replace(" ", chance.choice((" ", " ", "  ", "_", "\t", ": ", "\N{NO-BREAK SPACE}")))


# ---- Words ---------------------------------------------------------------------------------------

SUBJECT = re.compile(
    r"(Seat \d+|The Godfather|The table|Red|Blue|Green|Yellow|X|O"
    r"|La place \d+|Le Parrain|La table|Rouge|Bleu|Vert|Jaune) "
)
ENGLISH_SYNONYMS = {
    "moves": ("goes", "slides", "shifts", "brings"),
    "sows": ("spreads", "distributes", "drops"),
    "captures": ("takes", "beats"),
    "chooses": ("picks", "selects"),
    "places": ("puts", "lays"),
    "puts": ("places", "sets"),
    "plays": ("uses", "lays"),
    "keeps": ("hides", "retains"),
    "takes": ("grabs", "picks up"),
    "draws": ("takes", "picks"),
    "discards": ("throws away", "gets rid of"),
    "bids": ("offers", "bets"),
    "announces": ("declares",),
    "declines": ("refuses",),
    "says": ("claims", "states"),
    "accuses": ("blames",),
    "stays": ("remains", "keeps"),
    "ends": ("finishes",),
    "pays": ("spends",),
    "pawn": ("piece",),
    "bead": ("marble", "stone", "seed"),
    "beads": ("marbles", "stones", "seeds"),
    "pit": ("hole", "cup"),
    "box": ("cigar box",),
    "marks": ("takes", "plays"),
    "disc": ("piece", "counter"),
    "die": ("dice",),
    "into": ("in", "to"),
    "from": ("out of",),
    "two": ("2",),
    "and": ("&",),
}
FRENCH_SYNONYMS = {
    "d\u00e9place": ("bouge", "avance"),
    "s\u00e8me": ("r\u00e9partit", "distribue"),
    "capture": ("prend", "mange"),
    "choisit": ("s\u00e9lectionne", "prend"),
    "pose": ("place", "met"),
    "met": ("place", "pose"),
    "garde": ("conserve",),
    "prend": ("ramasse", "pioche"),
    "ramasse": ("prend", "r\u00e9cup\u00e8re"),
    "rejette": ("d\u00e9fausse", "jette"),
    "annonce": ("d\u00e9clare",),
    "dit": ("affirme", "d\u00e9clare"),
    "termine": ("finit",),
    "renonce": ("refuse",),
    "perle": ("bille", "graine"),
    "perles": ("billes", "graines"),
    "alv\u00e9ole": ("trou", "case"),
    "joue": ("pose",),
    "marque": ("coche",),
    "paie": ("paye",),
    "dans": ("en",),
    "en": ("\u00e0", "vers"),
}
NUMBERS = {
    "en": ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    "fr": ("z\u00e9ro", "un", "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf"),
}
ENGLISH_ARTICLES = re.compile(r"\b(the|a|an) ")
FRENCH_ARTICLES = re.compile(r"\b(le|la|les|un|une|des) |l[\u2019']")


def _as_words(meant: Meant, chance: Random) -> str:
    french = chance.random() < 0.5
    text = meant.position.words(meant.seat, FRENCH if french else IN_ENGLISH, [meant.move])[0]
    for change in chance.sample(WORD_CHANGES, chance.randint(0, 3)):
        text = change(text, french, chance)
    return _decorated(text, chance, chance.choice(SHORT_LABELS))


def _in_first_person(text: str, french: bool, chance: Random) -> str:
    subject = SUBJECT.match(text)
    if subject is None:
        return text
    rest = text[subject.end() :]
    if french:
        rest = re.sub(r"^(ne )?(\w+i)t\b", r"\1\2s", rest)
        rest = re.sub(r"^(ne )?(prend|met)\b", r"\1\2s", rest)
        vowel = unicodedata.normalize("NFD", rest)[0] in "aeiouh"
        return chance.choice(("J\u2019", "j'") if vowel else ("Je ", "je ")) + rest
    verb, _, others = rest.partition(" ")
    verb = "pass" if verb == "passes" else verb.removesuffix("s")
    start = chance.choice(("I ", "I'll ", "I will ", "I want to ", "Let me ", "I would like to "))
    return f"{start}{verb} {others}".strip()


def _without_subject(text: str, french: bool, chance: Random) -> str:
    subject = SUBJECT.match(text)
    return text[subject.end() :] if subject else text


def _with_synonyms(text: str, french: bool, chance: Random) -> str:
    table = FRENCH_SYNONYMS if french else ENGLISH_SYNONYMS
    present = [word for word in table if re.search(rf"\b{word}\b", text)]
    for word in chance.sample(present, min(len(present), 2)):
        # Only where it occurs first: "takes" as a verb, not within a question.
        text = re.sub(rf"\b{word}\b", chance.choice(table[word]), text, count=1)
    return text


def _with_number_words(text: str, french: bool, chance: Random) -> str:
    names = NUMBERS["fr" if french else "en"]
    found = list(re.finditer(r"(?<!\w)\d(?![\w\u00bd])", text))
    if not found:
        return text
    digit = chance.choice(found)
    name = names[int(digit[0])]
    # "un" is also an article, so that nobody could tell.
    if name == "un":
        return text
    return text[: digit.start()] + name + text[digit.end() :]


def _without_articles(text: str, french: bool, chance: Random) -> str:
    return (FRENCH_ARTICLES if french else ENGLISH_ARTICLES).sub("", text)


def _without_accents(text: str, french: bool, chance: Random) -> str:
    plain = unicodedata.normalize("NFD", text.replace("\u2019", "'"))
    return "".join(each for each in plain if not unicodedata.combining(each))


def _with_other_punctuation(text: str, french: bool, chance: Random) -> str:
    text = text.replace(" :", ":").replace(":", chance.choice((":", " -", ",", " :", ";")))
    return text.replace("(", "").replace(")", "") if chance.random() < 0.5 else text


def _in_another_case(text: str, french: bool, chance: Random) -> str:
    return chance.choice((str.upper, str.lower, str.title))(text)


WORD_CHANGES: tuple[Callable[[str, bool, Random], str], ...] = (
    _in_first_person,
    _without_subject,
    _with_synonyms,
    _with_number_words,
    _without_articles,
    _without_accents,
    _with_other_punctuation,
    _in_another_case,
)


# ---- List numbers and JSON -----------------------------------------------------------------------

NUMBERED = (
    *("{}", "{}.", "#{}", "({})", "{})", "no. {}", "number {}", "option {}", "Option #{}", "[{}]"),
    *("choice {}", "num\u00e9ro {}", "n\u00b0 {}", "N\u00b0{}", "Number {}!", "**{}**", "item {}"),
)


def _as_number(meant: Meant, chance: Random) -> str:
    return chance.choice(("", "", "Move: ", "I play ", "Je joue ")) + chance.choice(
        NUMBERED
    ).format(meant.number)


def _as_json(meant: Meant, chance: Random) -> str:
    spelled = chance.choice((meant.notation, _respelled(meant.notation, chance)))
    words = meant.position.words(meant.seat, chance.choice((IN_ENGLISH, FRENCH)), [meant.move])[0]
    answer: object = chance.choice(
        (
            {"move": spelled},
            {"notation": spelled},
            {"action": spelled},
            {"seat": meant.seat, "move": spelled},
            {"seat": meant.seat, "notation": meant.notation},
            {"seat": meant.seat, "action": meant.move},
            {"action": meant.move},
            {"seat": meant.seat, "notation": meant.notation, "action": meant.move},
            {"move": {"seat": meant.seat, "notation": meant.notation}},
            {"move": {"seat": meant.seat, "action": meant.move}},
            {"moves": [{"notation": meant.notation}]},
            {"reasoning": "This looks best to me.", "move": spelled},
            {"thought": "It is my turn, so I think.", "action": meant.move},
            {"move": words},
            {"coup": spelled},
            [spelled],
            spelled,
        )
    )
    text = json.dumps(
        answer, indent=chance.choice((None, None, 2)), ensure_ascii=chance.random() < 0.5
    )
    return chance.choice(
        (
            text,
            text,
            f"```json\n{text}\n```",
            f"```\n{text}\n```",
            f"Here is my move:\n{text}",
            f"`{text}`",
            repr(answer),
            f"Move: {text}",
        )
    )


# ---- Decoration ----------------------------------------------------------------------------------

SHORT_LABELS = (
    *("", "", "", "", "Move: ", "My move: ", "Answer: ", "Final answer: ", "Action: ", "> ", "- "),
    *("* ", "1. ", "1) ", "(1) ", "Coup : ", "Mon coup : ", "R\u00e9ponse : ", "OK, ", "Sure! "),
    *("MOVE = ", "Move:\n", "**Move:** ", "### Move\n", "I think I do this: "),
)
LABELS = (
    *SHORT_LABELS,
    *("I play ", "I'll play ", "I choose ", "I choose to ", "My move is ", "Let's play "),
    *("I'd like to play ", "I will go with ", "I go with ", "Play ", "Je joue ", "Je choisis "),
    *("Mon coup est ", "Je vais jouer ", "Jouons ", "I am going to play ", "We play "),
)
MARKS = (
    *("{}", "{}", "{}", "{}", "{}", "**{}**", "`{}`", '"{}"', "'{}'", "*{}*", "_{}_", "__{}__"),
    *(
        "\N{LEFT DOUBLE QUOTATION MARK}{}\N{RIGHT DOUBLE QUOTATION MARK}",
        "\u00ab {} \u00bb",
        "<{}>",
    ),
    *("```\n{}\n```", "**`{}`**", "({})", "[{}]", "<move>{}</move>", "\\boxed{{{}}}"),
)
ENDS = ("", "", "", "", ".", "!", ";", ",", " .", "...", ", please", ", please.", " (my move)")


def _decorated(text: str, chance: Random, label: str) -> str:
    return label + chance.choice(MARKS).format(text) + chance.choice(ENDS)


def _spaced_out(text: str, chance: Random) -> str:
    return (
        chance.choice(("", "", "", " ", "\n", "\t", "  "))
        + text
        + chance.choice(("", "", "", " ", "\n", "\r\n", "\n\n"))
    )
