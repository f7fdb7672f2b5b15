"""Cache the latest result for a matrix, so that the models of a path share it."""

from collections.abc import Callable
from hashlib import blake2b
from typing import Any, Generic, TypeVar

import numpy as np
from scipy import sparse

from mlbench.solvers.arrays import Matrix

Result = TypeVar("Result")


class LastResultCache(Generic[Result]):
    """A function of a matrix that caches its latest result only.

    A matrix is identified by a hash of its content, so that changes in place are noticed. The cache
    is not pickled or copied.
    """

    def __init__(self, function: Callable[[Matrix], Result]) -> None:
        self.function = function
        self._key: bytes | None = None
        self._result: Result | None = None

    def __call__(self, X: Matrix) -> Result:
        """Return ``function(X)``, computed only if X differs from the last one."""
        key = content_key(X)
        if key != self._key or self._result is None:
            self._result = self.function(X)
            self._key = key
        return self._result

    def __getstate__(self) -> dict[str, Any]:
        return {"function": self.function, "_key": None, "_result": None}


def content_key(X: Matrix) -> bytes:
    """Return a hash of a dense or sparse matrix's content."""
    content = blake2b(f"{type(X).__name__}{X.shape}{X.dtype}".encode(), digest_size=16)
    parts = (X.data, X.indices, X.indptr) if sparse.issparse(X) else (X,)
    for part in parts:
        content.update(np.ascontiguousarray(part).data)
    return content.digest()
