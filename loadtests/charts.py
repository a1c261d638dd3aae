"""Charts as SVG for a page: their colours are variables of the page, which is light or dark."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from zlib import crc32

import matplotlib as mpl
from matplotlib import ticker
from matplotlib.figure import Figure

# What charts are drawn with stands for variables of the page.
INK, PAPER, GRID = "#010203", "#040506", "#070809"
SERIES = tuple(f"#0a0b{number:02x}" for number in range(1, 9))
VARIABLES = {
    INK: "--ink",
    PAPER: "--paper",
    GRID: "--grid",
    **{colour: f"--series-{number}" for number, colour in enumerate(SERIES, 1)},
}
STYLE: Any = {
    # Text stays text, in the font of the page.
    "svg.fonttype": "none",
    "svg.hashsalt": "tablier",
    "font.family": "sans-serif",
    "font.size": 11,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.facecolor": "none",
    "axes.grid": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": GRID,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "figure.facecolor": "none",
    "legend.frameon": False,
}
# A percentile is drawn where one in so many is slower.
NINES = {50: 2, 90: 10, 99: 100, 99.9: 1000, 99.99: 10000}

Points = tuple[Sequence[float], Sequence[float]]


@contextmanager
def chart(
    x: str, y: str, size: tuple[float, float] = (7.2, 3.0)
) -> Iterator[tuple[Any, list[str]]]:
    """Axes to draw on; afterwards, the list has the SVG."""
    drawn: list[str] = []
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=size, layout="constrained")
        axes = figure.subplots()
        axes.set_xlabel(x)
        axes.set_ylabel(y)
        yield axes, drawn
        if axes.get_legend_handles_labels()[0]:
            axes.legend(fontsize=9)
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    drawn.append(for_page(buffer.getvalue()))


def use_logarithms(axes: Any) -> None:
    """Make the vertical axis logarithmic, with plain numbers at 1, 2, 5, 10 and so on."""
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(ticker.LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.yaxis.set_major_formatter(ticker.FormatStrFormatter("%g"))
    axes.yaxis.set_minor_formatter(ticker.NullFormatter())


def for_page(svg: str) -> str:
    """An SVG document as part of a page: without its head, its size and its own colours."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(
        r'<svg[^>]*?viewBox="([^"]*)"[^>]*>', r'<svg viewBox="\1" role="img">', svg, count=1
    )
    for colour, variable in VARIABLES.items():
        svg = svg.replace(colour, f"var({variable})")
    # Names must not collide with those of the other charts of the page.
    number = crc32(svg.encode())
    return re.sub(r'(id="|url\(#|href="#)', rf"\g<1>c{number}-", svg)


def lines(
    series: Mapping[str, Points],
    x: str,
    y: str,
    *,
    log: bool = False,
    marks: Sequence[tuple[float, str]] = (),
) -> str:
    """Lines over time or a rate; `marks` are vertical lines with a name."""
    with chart(x, y) as (axes, drawn):
        for (name, (xs, ys)), colour in zip(series.items(), SERIES, strict=False):
            dots = "o" if len(xs) < 15 else ""
            axes.plot(xs, ys, color=colour, label=name, marker=dots, markersize=4, linewidth=1.6)
        for at, name in marks:
            axes.axvline(at, color=INK, linestyle="--", linewidth=1)
            axes.annotate(
                name,
                (at, 0.02),
                xycoords=("data", "axes fraction"),
                fontsize=9,
                xytext=(4, 0),
                textcoords="offset points",
            )
        if log:
            use_logarithms(axes)
        else:
            axes.margins(y=0.1)
            axes.set_ylim(bottom=0)
    return drawn[0]


def percentiles(series: Mapping[str, Sequence[float]]) -> str:
    """Latency by percentile, at the percentiles of `NINES`, with room for the slowest."""
    with chart("percentile", "ms") as (axes, drawn):
        for (name, values), colour in zip(series.items(), SERIES, strict=False):
            axes.plot(
                list(NINES.values())[: len(values)],
                values,
                color=colour,
                label=name,
                marker="o",
                markersize=4,
                linewidth=1.6,
            )
        axes.set_xscale("log")
        use_logarithms(axes)
        axes.set_xticks(list(NINES.values()), [f"{each:g}" for each in NINES])
        axes.xaxis.minorticks_off()
    return drawn[0]
