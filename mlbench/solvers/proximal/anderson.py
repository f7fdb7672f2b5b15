"""Anderson acceleration: the next point of a fixed-point map, extrapolated from the last ones.

References
----------
Walker & Ni (2011), Anderson acceleration for fixed-point iterations. SIAM Journal on Numerical
Analysis 49, 1715-1735.
"""

import numpy as np

from mlbench.solvers.arrays import Floats

REGULARIZATION = 1e-10
"""Of the least squares problem, relative to the trace of its normal matrix."""


class Anderson:
    """Extrapolation of the map x -> g(x) from pairs of g(x) and the residual g(x) - x.

    Parameters
    ----------
    size : int
        The length of x.
    memory : int
        The number of differences used.
    """

    def __init__(self, size: int, memory: int) -> None:
        self.memory = memory
        self._images = np.zeros((memory, size))
        self._residuals = np.zeros((memory, size))
        self._normal = np.zeros((memory, memory))
        self.reset()

    def reset(self) -> None:
        """Drop all differences, for example after a change of the map."""
        self._count = 0
        self._last: tuple[Floats, Floats] | None = None

    def extrapolate(self, image: Floats, residual: Floats) -> Floats | None:
        """Return the next point, or None if there are too few differences.

        Parameters
        ----------
        image, residual : (size,) arrays
            g(x) and g(x) - x at the latest x.
        """
        if self._last is not None:
            place = self._count % self.memory
            np.subtract(image, self._last[0], out=self._images[place])
            np.subtract(residual, self._last[1], out=self._residuals[place])
            self._count += 1
            known = min(self._count, self.memory)
            products = self._residuals[:known] @ self._residuals[place]
            self._normal[place, :known] = products
            self._normal[:known, place] = products
        self._last = image, residual
        known = min(self._count, self.memory)
        if known < 2:
            return None
        normal = self._normal[:known, :known]
        ridge = REGULARIZATION * np.trace(normal)
        if ridge == 0:
            return None
        weights = np.linalg.solve(
            normal + ridge * np.eye(known), self._residuals[:known] @ residual
        )
        return np.asarray(image - weights @ self._images[:known])
