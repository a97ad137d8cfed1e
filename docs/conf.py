"""Settings of Sphinx; `tools/docs.py` collects the sources and calls it."""

from __future__ import annotations

import re
import warnings
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.util.nodes import make_refnode

import bnlab
from tools.docs import modules

warnings.filterwarnings("ignore", category=DeprecationWarning)

project, author, copyright = "bnlab", "The bnlab developers", "The bnlab developers"
version = release = bnlab.__version__

extensions = [
    "myst_nb",
    "sphinx_design",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.doctest",
    "numpydoc",
]
default_role = "py:obj"

# Notebooks show what is stored in them. Their charts and widgets are static pictures there: nothing needs a script.
nb_execution_mode = "off"
nb_ipywidgets_js: dict[str, Any] = {}
nb_mime_priority_overrides = [("html", "text/html", 0)]
myst_enable_extensions = ["colon_fence", "dollarmath", "attrs_inline"]
myst_heading_anchors = 4
myst_heading_slug_func = "tools.docs.heading_anchor"
highlight_language = "python"

# Types are in the docstrings; the signature stays readable.
autodoc_typehints = "none"
autodoc_member_order = "bysource"
autosummary_generate = False
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
doctest_test_doctest_blocks = ""  # examples of docstrings are tested by pytest
doctest_global_setup = "import bnlab"

html_theme = "pydata_sphinx_theme"
html_title = "bnlab"
html_static_path = ["_static"]
html_css_files = ["bnlab.css"]
html_show_sourcelink = False
html_copy_source = False
html_math_renderer = "mathml"
html_sidebars = {"index": [], "install": [], "widgets": [], "coming_from": [], "notation": [], "CHANGELOG": []}
html_theme_options = {
    "logo": {"text": "bnlab"},
    "navbar_align": "left",
    "navigation_with_keys": False,
    "show_prev_next": False,
    "secondary_sidebar_items": {"**": ["page-toc"], "index": []},
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}

# Where each public name is documented: the name alone, if one module has it, and with its module.
PLACES: dict[str, str] = {}
for _module, _content in modules().items():
    if _module != "bnlab":
        for _name in _content.__all__:
            _value = getattr(_content, _name)
            PLACES.setdefault(_name, f"{_module}.{_name}")
            PLACES[f"{_module}.{_name}"] = f"{_module}.{_name}"
            if isinstance(_value, type):
                PLACES[f"{_value.__module__}.{_value.__qualname__}"] = f"{_module}.{_name}"
for _name in bnlab.__all__:
    PLACES[f"bnlab.{_name}"] = PLACES.get(_name, f"bnlab.{_name}")


def find_public_name(app: Sphinx, env: Any, node: Any, content: nodes.Node) -> nodes.Node | None:
    """Link of a name that is written without its module, or with that of the front door; other code stays code."""
    place = PLACES.get(node.get("reftarget", "").removesuffix("()"))
    known = env.domains["py"].objects.get(place) if place else None
    if node.get("refdomain") != "py" or known is None:
        return None
    return make_refnode(app.builder, node["refdoc"], known.docname, known.node_id, [content], place)


def mathml(formula: str, display: str = "inline") -> str:
    """Formula in MathML, which browsers draw without a script, with a space between a function and its argument."""
    text: str = convert(formula, display=display)
    text = text.replace('<mo stretchy="false">&#x0007C;</mo>', '<mo stretchy="false" lspace="0" rspace="0">|</mo>')
    return re.sub(r"(<mi>(?:log|ln|Pr|exp)</mi>)(?=<m(?:i|sub|frac)\b)", r'\1<mspace width="0.17em"/>', text)


def inline_math(writer: Any, node: Any) -> None:
    """Write a formula in the line."""
    writer.body.append(mathml(node.astext()))
    raise nodes.SkipNode


def block_math(writer: Any, node: Any) -> None:
    """Write a formula on its own lines."""
    writer.body.append(f'<div class="formula">{mathml(node.astext(), "block")}</div>')
    raise nodes.SkipNode


def leave_out_routing(app: Sphinx, what: str, name: str, value: Any, skip: bool, options: Any) -> bool | None:
    """Leave out the methods that scikit-learn adds for the routing of metadata, whose links need its own pages."""
    return True if name.startswith("set_") and name.endswith("_request") else None


def setup(app: Sphinx) -> None:
    """Add what is defined here."""
    app.connect("autodoc-skip-member", leave_out_routing)
    app.connect("missing-reference", find_public_name)
    app.add_html_math_renderer("mathml", (inline_math, None), (block_math, None))
