"""The settings table in docs/operations.md is generated from the settings class."""

from __future__ import annotations

from pathlib import Path

from tablier_service.settings import Settings

PAGE = Path(__file__).parents[2] / "docs" / "operations.md"
BEGIN, END = "<!-- settings: begin -->\n", "<!-- settings: end -->\n"


def settings_table() -> str:
    rows = ["| variable | default | what it is |", "|---|---|---|"]
    prefix = Settings.model_config["env_prefix"]
    for name, field in Settings.model_fields.items():
        # The description explains a default that depends on the machine.
        default = "by the machine" if name == "search_slots" else field.default
        rows.append(f"| `{prefix}{name.upper()}` | {default} | {field.description} |")
    return "\n".join(rows) + "\n"


def test_the_page_lists_the_settings_of_the_class(update_golden: bool):
    before, rest = PAGE.read_text().split(BEGIN)
    table, after = rest.split(END)
    if update_golden:
        PAGE.write_text(before + BEGIN + settings_table() + END + after)
    else:
        assert table == settings_table()
