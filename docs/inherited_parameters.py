"""A Sphinx extension: the page of a method has the parameters that its base classes explain."""

from __future__ import annotations

import inspect

from numpydoc.docscrape import NumpyDocString

from mlbench.methods.base import MultiLabelMethod


def with_inherited_parameters(kind: type) -> str:
    """Return the docstring of a method with all of its parameters, in the order of the signature.

    Parameters
    ----------
    kind : type
        The class of the method. What it explains itself goes before what its bases say.
    """
    docs = [
        NumpyDocString(inspect.cleandoc(each.__doc__ or ""))
        for each in kind.__mro__
        if issubclass(each, MultiLabelMethod)
    ]
    entries = {}
    for doc in reversed(docs):
        for entry in doc["Parameters"]:
            entries |= {name.strip(): entry for name in entry.name.split(",")}
    found = [entries[name] for name in inspect.signature(kind).parameters if name in entries]
    docs[0]["Parameters"] = list({entry.name: entry for entry in found}.values())
    return str(docs[0])


def process(app, what, name, member, options, lines):
    """Replace the docstring of a method before numpydoc reads it."""
    if what == "class" and issubclass(member, MultiLabelMethod):
        lines[:] = with_inherited_parameters(member).splitlines()


def setup(app):
    """Connect the function above, ahead of numpydoc's."""
    app.connect("autodoc-process-docstring", process, priority=400)
    return {"parallel_read_safe": True}
