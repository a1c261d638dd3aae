"""Debian's Chromium, started so that it contacts nobody else."""

from __future__ import annotations

import shutil

from playwright.sync_api import Browser, Playwright, ViewportSize

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
DESKTOP: ViewportSize = {"width": 1280, "height": 800}
PHONE: ViewportSize = {"width": 390, "height": 844}


def launch(playwright: Playwright) -> Browser:
    """Start the browser."""
    return playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
