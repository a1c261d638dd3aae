"""`python -m tablier_cli` is the command `tablier`."""

from tablier_cli import main

main(prog_name="tablier")
