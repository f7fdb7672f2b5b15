"""Run the quickstart, write its page, and take the README's pictures of it: `make sample-report`.

This needs selenium (extra dev), and Debian's packages chromium and chromium-driver.
"""

from __future__ import annotations

import base64
import shutil
import sys
from pathlib import Path

from selenium import webdriver

import mlbench as mb

DOCS = Path(__file__).parent
FOLDER = DOCS.parent / "build/sample-report"
WIDTH, HEIGHT = 1200, 900


def open_browser() -> webdriver.Chrome:
    """Return a browser without a window."""
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or shutil.which("chromium-browser") or ""
    for switch in ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"):
        options.add_argument(switch)
    return webdriver.Chrome(options, webdriver.ChromeService(shutil.which("chromedriver")))


def take_picture(browser: webdriver.Chrome, page: Path, colors: str, picture: Path) -> None:
    """Save what a page shows at first, in light or dark colors."""
    size = {"width": WIDTH, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    features = [{"name": "prefers-color-scheme", "value": colors}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    browser.get(page.resolve().as_uri())
    shot = browser.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})
    picture.write_bytes(base64.b64decode(shot["data"]))


def main() -> None:
    """Write the page and both pictures."""
    page = FOLDER / "report.html"
    mb.run("quickstart", out=FOLDER).to_html(page)
    browser = open_browser()
    try:
        for colors in ("light", "dark"):
            picture = DOCS / f"figures/report-{colors}.png"
            take_picture(browser, page, colors, picture)
            print(f"wrote {picture}", file=sys.stderr)
    finally:
        browser.quit()


if __name__ == "__main__":
    main()
