"""Adds a game to the project: `make new-game NAME=blue-dice`.

It copies the template game (templates/game) under the new name, registers it, and generates
everything that follows from its sources: protocol stubs, compiled modules, types and tables of its
options, catalogues of texts, golden play-throughs and pictures. The result is a complete, playable
game that passes all tests. Change it step by step into your own; CONTRIBUTING.md explains every
file.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TEMPLATE = ROOT / "templates" / "game"
REGISTRY = ROOT / "core_ext" / "tablier_core" / "registry.py"
PROTOCOL = ROOT / "proto" / "tablier" / "v1" / "game.proto"
VARIANTS = ROOT / "tests" / "core" / "variants.py"
CATALOGUES = ROOT / "core_ext" / "tablier_core" / "languages"
# The texts of the template game: `fr.po` and so on.
TEXTS = ROOT / "templates" / "languages"
# Options that together reach all rules and seat counts of the template.
TEMPLATE_VARIANTS = '[{}, {"seats": 2}, {"seats": 4, "hand_size": 2}]'
MAX_NAME = 32


class Refused(Exception):
    """The name cannot be used."""


class Names:
    """The new name in all its spellings, and the placeholders of the template."""

    def __init__(self, name: str) -> None:
        words = name.split("-")
        self.name = name
        self.package = "_".join(words)
        self.message = "".join(word.capitalize() for word in words)
        self.title = " ".join(word.capitalize() for word in words)

    def rename(self, text: str) -> str:
        """Replace the placeholders in a file or a path."""
        for placeholder, name in (
            ("my_game", self.package),
            ("my-game", self.name),
            ("MyGame", self.message),
            ("My Game", self.title),
        ):
            text = text.replace(placeholder, name)
        return text


def check_name(name: str, taken: list[str]) -> None:
    """Raise Refused unless the name is well-formed and cannot be confused with another game."""
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name) or len(name) > MAX_NAME:
        raise Refused(
            f"{name!r} is not a valid name: use lower-case letters, digits and dashes, start with a"
            f" letter, at most {MAX_NAME} characters"
        )
    for other in taken:
        if name == other or name.startswith(f"{other}-") or other.startswith(f"{name}-"):
            raise Refused(f"{name!r} is too similar to the game {other!r}")


def registered() -> list[str]:
    """Return the names of the registered games."""
    folders = re.search(r"FOLDERS = \((.*?)\)", REGISTRY.read_text("utf-8"), re.DOTALL)
    if folders is None:
        raise Refused(f"{REGISTRY} has no FOLDERS")
    return [folder.replace("_", "-") for folder in re.findall(r'"(\w+)"', folders[1])]


def new_files(names: Names) -> dict[Path, str]:
    """Return the files of the new game with their contents; raise Refused if one exists."""
    found = {}
    for path in sorted(TEMPLATE.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            target = ROOT / names.rename(path.relative_to(TEMPLATE).as_posix())
            if target.exists():
                raise Refused(f"{target.relative_to(ROOT)} exists already")
            found[target] = names.rename(path.read_text("utf-8"))
    return found


def add_to_registry(text: str, names: Names) -> str:
    """Add the folder of the game, in alphabetical order."""
    before, folders, after = re.split(r"(?<=FOLDERS = \(\n)(.*?)(?=\))", text, flags=re.DOTALL)
    lines = sorted([*folders.splitlines(keepends=True), f'    "{names.package}",\n'])
    return before + "".join(lines) + after


def add_to_protocol(text: str, names: Names) -> str:
    """Import the game's proto and add a member to the oneof of GameView."""
    imports = re.findall(r'^import "tablier/v1/\w+\.proto";\n', text, re.MULTILINE)
    own = f'import "tablier/v1/{names.package}.proto";\n'
    text = text.replace("".join(imports), "".join(sorted([*imports, own])))
    found = re.search(r"message GameView \{.*?oneof game \{\n(.*?)  \}\n", text, re.DOTALL)
    if found is None:
        raise Refused("game.proto has no oneof in GameView")
    number = max(map(int, re.findall(r"= (\d+);", found[1]))) + 1
    member = (
        f"    // View of `{names.name}`.\n    {names.message}View {names.package} = {number};\n"
    )
    return text[: found.end(1)] + member + text[found.end(1) :]


def add_to_variants(text: str, names: Names) -> str:
    """Add the options that the game is tested with."""
    found = re.search(r"^VARIANTS: .*? = \{\n.*?(?=^\})", text, re.DOTALL | re.MULTILINE)
    if found is None:
        raise Refused(f"{VARIANTS} has no VARIANTS")
    line = f'    "{names.name}": {TEMPLATE_VARIANTS},\n'
    return text[: found.end()] + line + text[found.end() :]


def add_to_catalogues(names: Names) -> dict[Path, str]:
    """Add the texts of the template to the catalogues; `generate` puts them in order."""
    return {
        CATALOGUES / texts.name: (CATALOGUES / texts.name).read_text("utf-8")
        + "\n"
        + names.rename(texts.read_text("utf-8"))
        for texts in TEXTS.glob("*.po")
    }


def run(*arguments: str | Path) -> None:
    """Run a command of this Python in the repository, and stop if it fails."""
    command = [sys.executable, *map(str, arguments)]
    shown = " ".join(str(argument) for argument in arguments if not isinstance(argument, Path))
    say(f"running {shown}")
    subprocess.run(command, cwd=ROOT, check=True)


def say(text: str) -> None:
    """Print a line at once, before the output of the next command."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def write(names: Names) -> list[Path]:
    """Write all files and registry entries; nothing is written if anything is wrong."""
    written = new_files(names)
    for path, add in (
        (REGISTRY, add_to_registry),
        (PROTOCOL, add_to_protocol),
        (VARIANTS, add_to_variants),
    ):
        written[path] = add(path.read_text("utf-8"), names)
    written.update(add_to_catalogues(names))
    for path, text in written.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return list(written)


def generate(names: Names, written: list[Path]) -> None:
    """Generate what follows from the sources of the game."""
    sources = [path for path in written if path.suffix == ".py"]
    run("-m", "ruff", "format", "--quiet", *sources)  # a longer name may need other line breaks
    run("proto/generate.py")
    run("setup.py", "-q", "build_ext", "--inplace", "-j", "2")
    run("clients/generate.py")
    run("-m", "docs.options")
    run("-m", "docs.features")
    run("-m", "docs.game_list")
    run("-m", "docs.catalogues")
    golden = ("tests/core/test_playthroughs.py", "tests/core/test_feature_layouts.py")
    run("-m", "pytest", *golden, "--update-golden", "-k", names.name)
    run("-m", "docs.pictures")


def main() -> None:
    """Create the game that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", help="lower-case letters, digits and dashes, such as blue-dice")
    name = parser.parse_args().name
    try:
        check_name(name, registered())
        names = Names(name)
        written = write(names)
    except Refused as refusal:
        raise SystemExit(f"new-game: {refusal}") from None
    for path in written:
        say(f"wrote {path.relative_to(ROOT)}")
    generate(names, written)
    say(
        f"\n{names.title} is ready: `tablier play {name}` plays it and `make test-core` tests it.\n"
        "Next:\n"
        f"  1. Settle the rules in docs/reference/{name}.md.\n"
        f"  2. Change core_ext/tablier_core/games/{names.package}/, file by file.\n"
        f"  3. Rewrite tests/reference/{names.package}.py from the page, and the cases in\n"
        f"     tests/core/games/test_{names.package}.py.\n"
        "  4. Explain the game to players in its rules.en.md and rules.fr.md.\n"
        "CONTRIBUTING.md explains every file, and the commands to run after each change."
    )


if __name__ == "__main__":
    main()
