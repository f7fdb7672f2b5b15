"""What tests do with a page in a browser: Debian's chromium and chromium-driver, or their like."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.processes import PATIENCE

BINARY = shutil.which("chromium") or shutil.which("chromium-browser")
DRIVER = shutil.which("chromedriver")
AXE = Path(__file__).parents[3] / "node_modules" / "axe-core" / "axe.min.js"
MIN_CONTRAST = 4.5
OPEN_ALL = "for (const each of document.querySelectorAll('details')) each.open = true;"
TEXTS = """
const found = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const element = walker.currentNode.parentElement;
  if (!walker.currentNode.data.trim() || element.closest("script, style, svg")) continue;
  let behind = element;
  while (behind && getComputedStyle(behind).backgroundColor === "rgba(0, 0, 0, 0)")
    behind = behind.parentElement;
  const paper = getComputedStyle(behind ?? document.documentElement).backgroundColor;
  found.push([walker.currentNode.data, getComputedStyle(element).color, paper]);
}
return found;
"""

NEEDS_BROWSER = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (BINARY and DRIVER),
        reason="needs a browser: apt-get install chromium chromium-driver",
    ),
]
NEEDS_AXE = pytest.mark.skipif(
    not AXE.is_file(), reason="needs axe-core: npm install --no-save axe-core"
)


def look(browser, address, width=1200, colors="light", scripts=True):
    """Open a page, as wide and in such colors as asked for."""
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    features = [{"name": "prefers-color-scheme", "value": colors}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not scripts})
    browser.get("about:blank")
    for log in ("browser", "performance"):
        browser.get_log(log)
    browser.get(address)
    return browser


def asked_of_the_network(browser):
    """Return every address that the page has asked for."""
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    asked = [
        message["params"]["request"]["url"]
        for message in messages
        if message["method"] == "Network.requestWillBeSent"
    ]
    return [url for url in asked if not url.startswith("data:")]


def widths(browser):
    """Return the width of the page and that of the window."""
    return browser.execute_script(
        "return [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    )


def axe_violations(browser):
    """Return the rules of axe-core that the page breaks, each with an element."""
    browser.execute_cdp_cmd("Runtime.evaluate", {"expression": AXE.read_text(encoding="utf-8")})
    browser.set_script_timeout(PATIENCE)
    found = browser.execute_async_script("axe.run(document).then(arguments[0])")
    assert len(found["passes"]) > 10
    return [(each["id"], each["nodes"][0]["html"]) for each in found["violations"]]


def luminance(color):
    channels = [float(part) / 255 for part in re.findall(r"[\d.]+", color)[:3]]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(text, paper):
    """Return the ratio that WCAG 2 defines."""
    dark, light = sorted((luminance(text), luminance(paper)))
    return (light + 0.05) / (dark + 0.05)


def colors_of_texts(browser):
    """Return the color of every text, and that behind it."""
    return {(text, paper) for _, text, paper in browser.execute_script(OPEN_ALL + TEXTS)}
