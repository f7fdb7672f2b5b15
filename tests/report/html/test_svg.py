from __future__ import annotations

import re

from mlbench.report.html.svg import inlined

DRAWING = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
<svg xmlns:xlink="http://www.w3.org/1999/xlink" xmlns="http://www.w3.org/2000/svg"
     width="40pt" height="30pt" viewBox="0 0 40 30">
 <metadata>made by somebody</metadata>
 <style>*{fill: red}</style>
 <script>window.hacked = 1</script>
 <defs><path id="m" d="M 0 0"/><clipPath id="c"><rect width="1" height="1"/></clipPath></defs>
 <!-- > a name <script>window.hacked = 2</script> -->
 <g id="axes" clip-path="url(#c)">
  <use xlink:href="#m" style="stroke: #000000; fill: #ffffff"/>
  <a xlink:href="javascript:hack()"><path d="M 1 1"/></a>
  <path d="M 2 2" style="stroke: #0072b2"/>
 </g>
</svg>"""


def test_what_is_not_drawn_is_left_out():
    text = str(inlined(DRAWING, "one", "a drawing"))
    for word in ("<!", "<?", "script", "metadata", "hack", "somebody", "fill: red", "style>"):
        assert word not in text
    assert "M 2 2" in text


def test_ids_are_of_this_drawing_alone_and_its_references_follow():
    text = str(inlined(DRAWING, "one", "a drawing"))
    ids = set(re.findall(r' id="([^"]*)"', text))
    assert ids == {"one-m", "one-c", "one-axes"}
    assert set(re.findall(r'href="#([^"]*)"', text)) == {"one-m"}
    assert set(re.findall(r"url\(#([^)]*)\)", text)) == {"one-c"}


def test_a_drawing_is_an_image_with_a_label():
    start = str(inlined(DRAWING, "one", "a <drawing>")).partition("<defs")[0]
    assert 'role="img"' in start
    assert 'aria-label="a &lt;drawing&gt;"' in start


def test_black_and_white_are_ink_and_paper_and_colors_stay():
    text = str(inlined(DRAWING, "one", "a drawing"))
    assert "stroke: currentColor; fill: var(--paper)" in text
    assert "#0072b2" in text


def test_a_drawing_is_as_wide_as_its_place():
    text = str(inlined(DRAWING, "one", "a drawing"))
    assert 'viewBox="0 0 40 30"' in text
    assert 'width="40pt"' not in text
