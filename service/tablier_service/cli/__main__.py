"""`python -m tablier_service.cli` is the command `tablier`."""

from tablier_service.cli import main

main(prog_name="tablier")
