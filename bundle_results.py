"""Bundle the published results for the wheel: each folder of `results/` as one small file."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class BundledResults(BuildHookInterface[Any]):
    """Adds ``mlbench/_bundled/results/NAME.json.xz`` to the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the bundles; an editable installation has the folders themselves."""
        self.made = Path(tempfile.mkdtemp(prefix="mlbench-bundles-"))
        if version == "editable":
            return
        sys.path.insert(0, self.root)
        from mlbench.bundle import EXPORT, SUFFIX, pack, published_texts

        for export in sorted(Path(self.root, "results").glob(f"*/{EXPORT}")):
            bundle = self.made / f"{export.parent.name}{SUFFIX}"
            bundle.write_bytes(pack(published_texts(export.parent)))
            build_data["force_include"][str(bundle)] = f"mlbench/_bundled/results/{bundle.name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the bundles."""
        shutil.rmtree(self.made, ignore_errors=True)
