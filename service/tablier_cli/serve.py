"""`tablier serve`: one flag per setting, and `--check`, which only shows and checks them."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from functools import cached_property
from shutil import get_terminal_size
from textwrap import wrap

import click


class SettingsCommand(click.Command):
    """A command with a flag for every setting, which loads the settings only when it is used."""

    @cached_property
    def flags(self) -> list[click.Parameter]:
        """One flag per field of Settings; pydantic parses its text like an environment variable."""
        from tablier_service.settings import Settings, flag_of, is_secret, variable_of

        return [
            click.Option(
                [flag_of(name), name],
                metavar="VALUE",
                hidden=is_secret(name),
                callback=reject_secret if is_secret(name) else None,
                help=f"{field.description}  "
                f"[{variable_of(name)}; default: {shown(field.default) or 'none'}]",
            )
            for name, field in Settings.model_fields.items()
        ]

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        *own, help_flag = super().get_params(ctx)
        return [*own, *self.flags, help_flag]


def reject_secret(context: click.Context, flag: click.Parameter, value: str | None) -> None:
    """Reject a secret on the command line, which every user of the machine can see."""
    from tablier_service.settings import flag_of, variable_of

    if value is not None:
        name = str(flag.name)
        raise click.UsageError(
            f"other users can see the keys in {flag_of(name)}, so they are not accepted; use "
            f"{flag_of(f'{name}_file')}, or the environment variable {variable_of(name)}"
        )


def shown(value: object) -> str:
    """Format the value of a setting, without a password in a URL."""
    return "" if value is None else re.sub(r"(?<=//)[^/@]*@", "…@", str(value))


def serve_until_stopped(flags: Mapping[str, str]) -> None:
    """Serve with these flags and the environment; ends the program if that is not possible."""
    from tablier_service.observability.stderr import log_on_stderr
    from tablier_service.settings import InvalidSettings, read_settings

    try:
        settings = read_settings(flags)
    except InvalidSettings as error:
        report_problems(flags, error.problems)
        raise SystemExit(2) from None
    with log_on_stderr(settings.log_level, settings.log_format) as logger:
        from tablier_service.process import app, supervisor

        try:
            if settings.workers == 1:
                app.run(settings, logger)
            else:
                supervisor.run(settings, logger)
        except (OSError, ValueError) as error:
            logger.error("cannot serve", error=str(error))
            raise SystemExit(1) from None


def report_problems(flags: Mapping[str, str], problems: Sequence[str]) -> None:
    """Report invalid settings: as text in a terminal, elsewhere in the format of the log."""
    from tablier_service.observability.logs import configure_logs
    from tablier_service.settings import given_settings

    log_format = given_settings(flags).get("log_format")
    if sys.stderr.isatty() or (log_format and log_format.text == "console"):
        click.echo(listed(problems), err=True)
    else:
        configure_logs("error", "json").error("invalid settings", problems=problems)


def listed(problems: Sequence[str]) -> str:
    """Write problems as a list."""
    return "\n".join(["The service cannot start:", *(f"- {problem}" for problem in problems)])


def print_settings(rows: Sequence[tuple[str, str, str]]) -> None:
    """Print settings as lines of columns, or below each other where lines would be too long."""
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    # A file has no width.
    width = get_terminal_size((sys.maxsize, 24)).columns
    narrow = width < sum(widths) + 4
    for name, value, source in rows:
        if not narrow:
            click.echo(f"{name:{widths[0]}}  {value:{widths[1]}}  {source}")
            continue
        click.echo(name)
        for text in (value, source):
            for line in wrap(text, width - 2):
                click.echo(f"  {line}")


def check_settings(flags: Mapping[str, str]) -> None:
    """Print the settings and their sources, and every problem; exits with 2 if there is one.

    Files are loaded as the service would load them, but no port is opened.
    """
    from pydantic import SecretStr
    from tablier_service.service import Service
    from tablier_service.settings import InvalidSettings, Settings, given_settings, read_settings

    problems: list[str] = []
    settings: Settings | None = None
    try:
        settings = read_settings(flags)
        Service.assemble(settings).close()
    except InvalidSettings as error:
        problems = error.problems
    except (OSError, ValueError) as error:
        problems = [str(error)]
    given = given_settings(flags)
    rows = [("setting", "value", "from")]
    for name, field in Settings.model_fields.items():
        text, source = given.get(name, (field.default, "default"))
        value: object
        if settings is not None:
            value = getattr(settings, name)
        else:
            value = SecretStr(str(text)) if field.annotation is SecretStr else text
        rows.append((name, shown(value), source))
    print_settings(rows)
    click.echo()
    if problems:
        click.echo(listed(problems))
        raise SystemExit(2)
    click.echo("The service can start with these settings.")
