"""The types of arrays."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
Matrix = Any
"""An (n, d) float64 array or CSR matrix; scipy does not state the types of the latter."""
