"""Short names for the single-label classifiers that other methods are built upon."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mlbench.errors import MethodError
from mlbench.registry.catalogue import BASE_LEARNERS
from mlbench.registry.loading import is_file_target, load_class
from mlbench.spelling import did_you_mean

BASES: dict[str, tuple[str, dict[str, Any]]] = {
    "logistic": ("sklearn.linear_model:LogisticRegression", {"max_iter": 1000}),
    "ridge": ("sklearn.linear_model:RidgeClassifier", {}),
    "linear_svc": ("sklearn.svm:LinearSVC", {}),
    "svc": ("sklearn.svm:SVC", {}),
    "tree": ("sklearn.tree:DecisionTreeClassifier", {"min_samples_leaf": 2}),
    "forest": ("sklearn.ensemble:RandomForestClassifier", {}),
    "gradient_boosting": ("sklearn.ensemble:HistGradientBoostingClassifier", {}),
    "naive_bayes": ("sklearn.naive_bayes:GaussianNB", {}),
    "multinomial_nb": ("sklearn.naive_bayes:MultinomialNB", {}),
    "weka_naive_bayes": (BASE_LEARNERS["weka_naive_bayes"], {}),
    "knn": ("sklearn.neighbors:KNeighborsClassifier", {}),
}
"""Short name -> class, and the parameters that differ from the class's own defaults.

``tree`` asks for two examples a leaf, as C4.5 does by default.
"""


def make_base(base: Any, folder: Path | None = None) -> Any:
    """Return the estimator that ``base`` stands for.

    Parameters
    ----------
    base
        A short name of `BASES`, a dotted name or ``file.py:Class``; a mapping of ``use`` (one of
        these) and parameters; or an estimator, which is returned as it is.
    folder
        Where a relative path starts.

    Raises
    ------
    MethodError
        There is no such base learner, or it does not take these parameters.
    """
    if isinstance(base, Mapping):
        parameters = dict(base)
        learner = make_base(parameters.pop("use", None), folder)
        try:
            return learner.set_params(**parameters)
        except ValueError as error:
            raise MethodError(f"base {base.get('use')!r}: {error}") from error
    if not isinstance(base, str):
        if hasattr(base, "fit") and hasattr(base, "get_params") and not isinstance(base, type):
            return base
        raise MethodError(
            f"base: {base!r} is no classifier; give a name ({', '.join(BASES)}), a dotted name, "
            "or an estimator object"
        )
    if base in BASES:
        target, parameters = BASES[base]
        return load_class(target)(**parameters)
    if "." not in base and not is_file_target(base):
        raise MethodError(
            f"there is no base learner {base!r}{did_you_mean(base, BASES)}; "
            f"known are {', '.join(BASES)}, any dotted name, and file.py:Class"
        )
    learner_class = load_class(base, folder)
    if not (hasattr(learner_class, "fit") and hasattr(learner_class, "get_params")):
        raise MethodError(f"base {base}: the class is no scikit-learn estimator")
    try:
        return learner_class()
    except TypeError as error:
        raise MethodError(f"base {base}: {error}") from error
