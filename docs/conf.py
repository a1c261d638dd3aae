"""The docs site, built with Sphinx from the pages of this repository: `make docs`.

The source folder is the repository itself, so every page stays where it is, and links between
pages work here as well as on the site. The README is the front page; docs/contents.md, the
navigation, is added to it.
"""

import re
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.nodes import TextElement
from pygments.lexers.special import TextLexer  # type: ignore[import-untyped]
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from docs import messages

project = "Tablier"
author = "the Tablier maintainers"
root_doc = "README"
include_patterns = [
    "*.md",
    "docs/*.md",
    "docs/*/*.md",
    "core_ext/tablier_core/games/*/rules.*.md",
    "clients/*/README.md",
    "campaigns/README.md",
    "examples/README.md",
    "loadtests/README.md",
]
exclude_patterns = ["docs/contents.md"]

extensions = ["myst_parser", "autoapi.extension"]
myst_enable_extensions = ["html_image"]
myst_heading_anchors = 4
# Docstrings use single backticks for code.
default_role = "code"

# Stubs and sources are read, not imported: the core is compiled, and its stubs have the types.
autoapi_dirs = ["core_ext/tablier_core", "clients/python/tablier_client"]
autoapi_ignore = ["*/tablier_core/games/*", "*/tablier_core/testing/*"]
autoapi_file_patterns = ["*.pyi", "*.py"]
autoapi_generate_api_docs = False
autodoc_member_order = "bysource"
python_use_unqualified_type_names = True

html_theme = "furo"
html_title = "Tablier"
html_extra_path = ["index.html"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#1f5f8b", "color-brand-content": "#1f5f8b"},
    "dark_css_variables": {"color-brand-primary": "#7fb8e0", "color-brand-content": "#7fb8e0"},
}


# The pages that stand for a folder get a list of its other pages. One has a list of its own.
LIST = "\n```{toctree}\n:glob:\n:maxdepth: 1\n[0-9a-z]*\n```\n"
PLAYER_PAGES = (
    "\n```{toctree}\n:glob:\n:hidden:\n:maxdepth: 1\n/core_ext/tablier_core/games/*/rules.*\n```\n"
)
FOLDERS = {
    "docs/adr/README": LIST.replace(":glob:", ":glob:\n:hidden:"),
    "docs/games/README": PLAYER_PAGES,
    "docs/reference/README": LIST,
}


def add_contents(app: Sphinx, page: str, source: list[str]) -> None:
    """Add the navigation to the front page and to the pages of folders."""
    if page == root_doc:
        source[0] += (Path(app.confdir) / "contents.md").read_text("utf-8")
    source[0] += FOLDERS.get(page, "")


def skip_member(
    app: Sphinx, kind: str, name: str, member: Any, skip: bool, options: object
) -> bool:
    """Describe everything once, under the name to import it by, and only what is our own."""
    public = member.id.startswith("tablier_client.") and member.id.count(".") == 1
    foreign = member.inherited and any(hasattr(base, name) for base in (str, tuple, Exception))
    type_variable = re.fullmatch("[A-Z](_co)?", name) is not None
    return skip or (member.imported and not public) or foreign or type_variable


def find_public_name(
    app: Sphinx, env: BuildEnvironment, node: pending_xref, content: TextElement
) -> nodes.reference | None:
    """Let the types in signatures of the client lead to the names to import them by."""
    package, _, path = node.get("reftarget", "").partition(".")
    if package != "tablier_client":
        return None
    name = f"{package}.{path.rpartition('.')[2]}"
    domain = env.domains.python_domain
    return domain.resolve_xref(
        env, node["refdoc"], app.builder, node["reftype"], name, node, content
    )


def setup(app: Sphinx) -> None:
    """Add what is our own to the build."""
    app.connect("source-read", add_contents)
    app.connect("autodoc-skip-member", skip_member)
    app.connect("missing-reference", find_public_name)
    app.add_directive("messages", messages.Messages)
    # The examples in the pages for players.
    app.add_lexer("moves", TextLexer)
