"""`tablier serve`: one flag per setting."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from tablier_service.settings import Settings


class SettingsCommand(click.Command):
    """A command with a flag for every setting, which loads the settings only when it is used."""

    @cached_property
    def flags(self) -> list[click.Parameter]:
        """One flag per field of Settings; pydantic parses its text like an environment variable."""
        from tablier_service.settings import Settings

        prefix = Settings.model_config["env_prefix"]
        return [
            click.Option(
                [flag_of(name), name],
                metavar="VALUE",
                help=f"{field.description}  "
                f"[{prefix}{name.upper()}; default: {shown(field.default)}]",
            )
            for name, field in Settings.model_fields.items()
        ]

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        return [*self.flags, *super().get_params(ctx)]


def shown(default: object) -> str:
    """Format the default of a setting."""
    return str(default) if str(default) not in ("", "None") else "none"


def flag_of(name: str) -> str:
    """Name the flag of a setting."""
    return f"--{name.replace('_', '-')}"


def read_settings(flags: Mapping[str, str | None]) -> Settings:
    """Read the settings from flags and, where a flag is not given, from the environment."""
    from pydantic import ValidationError
    from tablier_service.settings import Settings

    given = {name: text for name, text in flags.items() if text is not None}
    try:
        return Settings.model_validate(given)
    except ValidationError as error:
        fault = error.errors()[0]
        if not fault["loc"]:
            # The combination of several settings is invalid.
            raise click.UsageError(str(fault["ctx"]["error"])) from None
        name = str(fault["loc"][0])
        variable = f"{Settings.model_config['env_prefix']}{name.upper()}"
        raise click.BadParameter(fault["msg"], param_hint=f"{flag_of(name)} ({variable})") from None
