"""How the documentation is built: `make docs`."""

import sys
import tomllib
from pathlib import Path

DOCS = Path(__file__).parent
sys.path[:0] = [str(DOCS.parent), str(DOCS.parent / "clients")]

project = "reteval"
author = "the reteval developers"
release = tomllib.loads((DOCS.parent / "pyproject.toml").read_text("utf-8"))["project"]["version"]

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "docs._ext.generated",
]
exclude_patterns = ["_ext"]

html_theme = "furo"
html_title = f"reteval {release}"
html_show_copyright = False
toc_object_entries = False  # hundreds of methods would be copied into the side bar of every page

# Headings can be linked to, as `page.md#heading`, and a link that leads nowhere is an error.
myst_heading_anchors = 4
nitpicky = True
# Types of Python itself, and structs that nobody makes by hand, have no page to lead to.
nitpick_ignore_regex = [("py:.*", ".*")]

# Docstrings of the client: one backtick is code; structs show fields with their types.
default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"

# Addresses of examples lead nowhere on purpose.
linkcheck_ignore = [r"https?://127\.0\.0\.1", r"https?://[^/]*\.example\b"]
linkcheck_timeout = 20
