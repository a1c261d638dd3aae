"""Reliability diagrams as SVG: mean results by mean values, with the line where both are equal."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from campaigns.calibration.reliability import Bin

STYLE: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "tablier",
    "font.family": "sans-serif",
    "font.size": 10,
    "axes.grid": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
}


def diagram(title: str, series: Mapping[int, Sequence[Bin]]) -> str:
    """The diagram of a game: a line for each budget in milliseconds, with two standard errors."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(4.2, 4.2), layout="constrained")
        axes = figure.subplots()
        axes.plot([-1, 1], [-1, 1], color="#999999", linewidth=1, linestyle="--")
        for milliseconds, bins in series.items():
            axes.errorbar(
                [each.value for each in bins],
                [each.result for each in bins],
                yerr=[min(2.0, 2 * each.error) for each in bins],
                marker="o",
                markersize=4,
                linewidth=1.4,
                capsize=2,
                label=f"{milliseconds} ms",
            )
        axes.set(
            xlim=(-1.05, 1.05), ylim=(-1.05, 1.05), title=title, xlabel="value", ylabel="result"
        )
        axes.legend(fontsize=9, loc="upper left")
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    return buffer.getvalue()
