"""Load a service, and judge it: `python -m loadtests run`, `users`, `compare`, `knees`."""

from __future__ import annotations

import sys
from pathlib import Path

import click
from rich.console import Console

from loadtests import report
from loadtests.arrivals import shape_named
from loadtests.compare import compare
from loadtests.knees import knees
from loadtests.requests import needs_grpc, scenario
from loadtests.run import Options, exit_code, run
from loadtests.swarm import users


@click.group()
def main() -> None:
    """Load tests with an open loop: requests are sent when they are due."""


def known_scenario(_: click.Context, __: click.Parameter, name: str) -> str:
    """Check the name of a scenario."""
    try:
        scenario(name)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None
    return name


def known_shape(_: click.Context, __: click.Parameter, name: str) -> str:
    """Check the name of a shape, or its file."""
    try:
        shape_named(name)
    except (OSError, ValueError, KeyError) as error:
        raise click.BadParameter(str(error)) from None
    return name


@main.command("run")
@click.option(
    "--scenario",
    default="mixed",
    show_default=True,
    callback=known_scenario,
    help="Scenario, or a single call such as ApplyMoves or Batch/apply_moves.",
)
@click.option("--seconds", default=60.0, show_default=True, help="Duration of everything.")
@click.option(
    "--shape",
    default="steady",
    show_default=True,
    callback=known_shape,
    help="steady, ramp, spike, steps, soak, or a CSV file with the curve of a day.",
)
@click.option(
    "--arrivals",
    type=click.Choice(["poisson", "constant"]),
    default="poisson",
    show_default=True,
    help="Distances between requests.",
)
@click.option("--rate", default=0.0, help="Requests per second, instead of the objective's.")
@click.option(
    "--transport",
    "transports",
    type=click.Choice(["grpc", "rest"]),
    multiple=True,
    default=("grpc", "rest"),
    show_default=True,
    help="How requests travel.",
)
@click.option("--generators", default=1, show_default=True, help="Processes that send requests.")
@click.option("--steps", default=8, show_default=True, help="Steps to find the knee; 0 for none.")
@click.option("--sealed", is_flag=True, help="Seal the tokens of the new service.")
@click.option("--host", default="", help="A service that runs: HOST:PORT,http://HOST:PORT.")
@click.option("--api-key", default="", envvar="TABLIER_API_KEY", help="Its API key.")
@click.option("--ca-file", type=click.Path(path_type=Path, exists=True), help="Its authority.")
@click.option(
    "--seal-keys-file",
    type=click.Path(path_type=Path, exists=True),
    help="Its seal keys, if it seals tokens.",
)
@click.option("--requests", default=2000, show_default=True, help="Different requests prepared.")
@click.option("--seed", default=1, show_default=True, help="Seed of games and arrivals.")
@click.option("--out", default="", help="Name of the report, instead of the scenario's.")
def run_command(
    scenario: str,
    shape: str,
    arrivals: str,
    api_key: str,
    ca_file: Path | None,
    seal_keys_file: Path | None,
    out: str,
    **given: object,
) -> None:
    """Run a scenario, write the report, and exit with 1 if an objective broke.

    2 means that the generator was the limit, so there is no verdict.
    """
    if given["transports"] == ("rest",) and needs_grpc(scenario):
        raise click.BadParameter(f"{scenario} consists of streams, which only gRPC can carry")
    keys = seal_keys_file.read_text() if seal_keys_file else ""
    options = Options(
        scenario=scenario,
        shape=shape,
        poisson=arrivals == "poisson",
        key=api_key,
        authority=ca_file,
        seal_keys=keys,
        **given,  # type: ignore[arg-type]
    )
    errors = Console(stderr=True)
    result = run(options, errors.print)
    console = Console(width=None if sys.stdout.isatty() else 120)
    console.print(report.table(result))
    for line in report.summary_of(result):
        console.print(line)
    html, data = report.write(result, out or scenario.replace("/", "-"))
    console.print(f"Report: {html}, {data}")
    sys.exit(exit_code(result))


main.add_command(compare)
main.add_command(users)
main.add_command(knees)

if __name__ == "__main__":
    main()
