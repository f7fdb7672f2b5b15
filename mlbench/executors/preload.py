"""What the fork server does before it forks workers: import libraries, and fill caches."""

from contextlib import suppress

import numpy as np
import sklearn.linear_model
import sklearn.metrics
import sklearn.neighbors
import sklearn.svm
import sklearn.tree  # noqa: F401
from sklearn.preprocessing import StandardScaler

import mlbench.executors.worker  # noqa: F401
from mlbench.environment import environment, processor
from mlbench.errors import MethodError
from mlbench.metrics.user_metrics import is_user_metric
from mlbench.registry import resolve
from mlbench.registry.code_hash import provenance

environment()
processor()
is_user_metric("sklearn.metrics.f1_score")
with suppress(MethodError):  # two packages announce the same name; planning says so
    provenance(resolve("sklearn.dummy.DummyClassifier"))
StandardScaler().fit(np.zeros((2, 1)))
