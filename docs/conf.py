"""Sphinx's configuration: the pages of docs/ and results/ as they stand, notebooks, and a gallery.

The source folder is the checkout, not docs/, so that links between pages lead where they do in it.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from sphinx_gallery.scrapers import figure_rst
from sphinx_gallery.sorting import FileNameSortKey

from mlbench import __version__

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "docs"))

project = "mlbench"
author = "The mlbench developers"
copyright = author
version = release = __version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "numpydoc",
    "inherited_parameters",
    "myst_nb",
    "sphinx_gallery.gen_gallery",
]
root_doc = "docs/index"
exclude_patterns = ["docs/_templates", "docs/auto_examples/*.ipynb"]
suppress_warnings = [
    "toc.not_included",  # the tables of results, to which their pages link
    "config.cache",
]
include_patterns = ["docs/**", "results/**", "CONTRIBUTING.md", "CHANGELOG.md"]
templates_path = [str(ROOT / "docs/_templates")]

myst_heading_anchors = 4
nb_execution_mode = "off"
nb_ipywidgets_js = {}

autosummary_generate = True
autodoc_typehints = "none"
default_role = "py:obj"
numpydoc_show_class_members = False


def save_figures(block, variables, gallery):
    """Save the figure of a block: it is none of pyplot's, which the gallery would find itself."""
    figure = variables["example_globals"].pop("figure", None)
    if figure is None:
        return ""
    path = next(variables["image_path_iterator"])
    figure.savefig(path, dpi=200)
    return figure_rst([path], gallery["src_dir"])


def forget_runs(gallery, file):
    """Let each example run anew: rows of an earlier build may be those of other code."""
    shutil.rmtree(ROOT / "examples/runs", ignore_errors=True)


sphinx_gallery_conf = {
    "examples_dirs": str(ROOT / "examples"),
    "gallery_dirs": str(ROOT / "docs/auto_examples"),
    "within_subsection_order": FileNameSortKey,
    "download_all_examples": False,
    "image_scrapers": (save_figures,),
    "reset_modules": (forget_runs,),
    "show_memory": False,
    "write_computation_times": False,
}

html_theme = "pydata_sphinx_theme"
html_title = "mlbench"
html_theme_options = {"show_toc_level": 2, "navigation_with_keys": False}
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_additional_pages = {"index": "redirect.html"}


def skip_member(app, what, name, member, skip, options):
    """Leave out the parameters of tests, and what scikit-learn's own pages describe."""
    module = getattr(member, "__module__", None) or ""
    return True if name == "example_grid" or module.startswith("sklearn.") else None


def add_title(app, page, source):
    """Give the tables of results a title: the folder and name of their file."""
    if not source[0].startswith("#") and page.startswith("results/"):
        source[0] = f"# {page.removeprefix('results/')}\n\n{source[0]}"


def setup(app):
    """Connect the functions above."""
    app.connect("source-read", add_title)
    app.connect("autodoc-skip-member", skip_member)
