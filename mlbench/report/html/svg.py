"""Adapt SVG drawings for the page, whose style sheet sets line ends and joins."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from markupsafe import Markup

SVG = "http://www.w3.org/2000/svg"
XLINK = "http://www.w3.org/1999/xlink"
_DRAWN = {
    f"{{{SVG}}}{name}"
    for name in ("g", "defs", "path", "use", "text", "tspan", "clipPath", "pattern", "rect")
}
_INK = {
    "#000000": "currentColor",
    "#ffffff": "var(--paper)",
    "#dddddd": "var(--rule)",
    "#555555": "var(--soft)",
}
_COLOR = re.compile("|".join(_INK))
_REFERENCE = re.compile(r"url\(#([^)]*)\)")


def inlined(svg: str, prefix: str, label: str) -> Markup:
    """Return a whole SVG file as an element of a page with a label.

    Comments, declarations and metadata are removed. Ids get the prefix, which must be unique on
    the page. Black and white become the page's text and background colors.
    """
    root = ElementTree.fromstring(svg)
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag not in _DRAWN:
                parent.remove(child)
    for element in root.iter():
        for name, value in element.attrib.items():
            element.set(name, _adapted(name, value, prefix))
    for size in ("width", "height"):
        root.attrib.pop(size, None)
    root.set("role", "img")
    root.set("aria-label", label)
    ElementTree.register_namespace("", SVG)
    ElementTree.register_namespace("xlink", XLINK)
    return Markup(ElementTree.tostring(root, encoding="unicode"))


def _adapted(name: str, value: str, prefix: str) -> str:
    if name == "id":
        return f"{prefix}-{value}"
    if name in ("href", f"{{{XLINK}}}href"):
        return f"#{prefix}-{value.removeprefix('#')}"
    value = _REFERENCE.sub(rf"url(#{prefix}-\1)", value)
    return _COLOR.sub(lambda found: _INK[found.group()], value)
