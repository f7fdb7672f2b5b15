"""What each method is fitted with: settings that reach different code, and grids for paths.

A solution that is exact to six digits is the same on every processor. So tolerances are tight,
and where a solver cannot reach any, its steps are few.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

Settings = list[dict[str, Any]]


def _all(**values: Sequence[Any]) -> Settings:
    """Combine each value with all others; the last named runs fastest."""
    return [dict(zip(values, point, strict=True)) for point in product(*values.values())]


_EXACT = {"solver": "newton-cg", "tol": 1e-10}
_SEEDED = {"random_state": 0}
_MARGINS = {"base": "ridge", "alpha": 2.0}
_TREE = {"base": "tree", "max_depth": 3}
_F1 = {"tol": 1e-8, "loss": "f1"}  # solved in a hundredth of the time that 1e-10 takes

FIXED: dict[str, dict[str, Any]] = {
    "rakel": _SEEDED,
    "ecc": _SEEDED,
    "homer": _SEEDED,
    "insdif": _SEEDED,
    "mlcssp": _SEEDED,
    "mtsda_i": {"tol": 1e-12, "max_rounds": 1000},
    "mtsda_eq": {"tol": 1e-12, "max_rounds": 1000},
    "smtl": {"tol": 1e-10, "max_iter": 100_000},
    "mtl_cls": {"tol": 1e-10, "max_iter": 100_000},
    "mtl_reg": {"tol": 1e-13},
    "struct_svm": {"tol": 1e-10},
    "mlsvm_t_l1": {"tol": 1e-11},
    "mlsvm_f_l1": {"tol": 1e-11},
    "mlsvm_t_l2": {"tol": 1e-11},
    "mlsvm_f_l2": {"tol": 1e-11},
}
"""Parameters of every case of a method, where it does not state others."""

_REDUCED: Settings = [
    {},
    {"n_components": 2, "ridge": 1.0},
    {"n_components": 1, "ridge": 0.0, "rank_tol": 0.05},
]

_OF_MAPS: Settings = [
    {},
    {"C": 0.3, "r": 1, "round": True},
    {"C": 3.0, "r": 0.75},
    {"C": 0.5, "r": 1.0},
    {"only": ("dense", "sparse"), "C": 0.3, "r": 2, "solver": "fw", "max_iter": 8},
    {"only": ("dense",), "C": 0.3, "r": 2, "solver": "paper", "max_iter": 2, "random_state": 0},
]
_OF_FEATURES: Settings = [
    *(one | {"C": 10 * one["C"]} if one else one for one in _OF_MAPS),
    {"mu": 1.0, "r": 1, "C": 10.0},
]

_LOSSES = [
    (loss, penalty, lam)
    for loss, lam in (("f1", 0.5), ("auc", 3.0), ("auc-labeling", 0.5))
    for penalty in ("l21", "trace")
]

_SPARSE_SCORING: Settings = [
    {},
    {"lam1": 0.05, "lam2": 1.0, "standardize": False},
    {"lam1": 0.1, "center": "x", "init": "paper"},
    {"lam1": 2.0, "lam2": 4.0, "units": "absolute"},
    {"lam1": 0.3, "theta_step": "paper", "max_rounds": 5},
]

SETTINGS: dict[str, Settings] = {
    "br": [
        _EXACT,
        {**_EXACT, "C": 0.1, "class_weight": "balanced"},
        _MARGINS,
        _TREE | _SEEDED,
        {"base": "linear_svc", "dual": False, "tol": 1e-10, "max_iter": 10_000},
        {"base": "svc", "tol": 1e-10},
        {"base": "knn", "n_neighbors": 4},
        {"only": ("dense", "tasks"), "base": "naive_bayes"},
        {"only": ("sparse",), "base": "multinomial_nb"},
        {"only": ("dense", "tasks"), "base": "weka_naive_bayes"},
        {"only": ("dense",), "base": "weka_naive_bayes", "kernel": True, "binary": "nominal"},
    ],
    "lp": [_EXACT, {**_EXACT, "scores": "mulan"}, _MARGINS, _TREE | _SEEDED],
    "rakel": [
        _EXACT,
        {**_MARGINS, "labelset_size": 2, "n_labelsets": 3, "scores": "marginal"},
        {**_TREE, "labelset_size": 2, "n_labelsets": 2, "cover": False, "random_state": 1},
        {**_MARGINS, "labelset_size": 1},
    ],
    "ecc": [
        _EXACT,
        {**_MARGINS, "n_chains": 3, "order": "natural", "sampling": "subsample"},
        {**_MARGINS, "n_chains": 4, "sampling": None, "random_state": 1},
        {**_TREE, "n_chains": 5, "scores": "votes"},
    ],
    "homer": [
        _EXACT,
        {**_EXACT, "n_clusters": 2, "random_state": 1},
        {**_MARGINS, "n_clusters": 2, "scores": "mulan"},
        {**_MARGINS, "n_clusters": 2, "clustering": "random"},
    ],
    "mlknn": [{}, {"k": 3, "s": 0.5}, {"k": 5, "normalize": None}, {"k": 100}],
    "adaboost_mh": [
        {},
        {"n_rounds": 7, "smoothing": 0.1},
        {"n_rounds": 1, "variant": "mulan"},
        {"n_rounds": 20, "variant": "mulan"},
    ],
    "insdif": [{}, {"ratio": 0.4, "intercept": True, "random_state": 1}, {"ratio": 0.01}],
    "mlcssp": [
        _EXACT,
        {**_EXACT, "kappa": 3, "variant": "mulan"},
        {**_MARGINS, "kappa": 0.3},
        {"base": "sklearn.linear_model.Ridge", "kappa": 1.0, "random_state": 1},
    ],
    "lspc": [
        {},
        {"width": 0.5, "rho": 1.0, "scores": "raw"},
        {"width": 2.0, "n_basis": 9, "random_state": 0},
    ],
    "mt_lspc": [
        {},
        {"width": 0.5, "w0": 0.3, "w": [0.5, 1.0, 2.0], "scores": "raw"},
        {"w0": 3.0, "w": 0.2, "n_basis": 9, "random_state": 0},
    ],
    "mt_lspc_pair": [
        {},
        {"width": 0.5, "lam": [0.1, 0.2, 1.0], "gamma": 0.0, "scores": "raw"},
        {"gamma": [[0, 1, 0.2], [1, 0, 0], [0.2, 0, 0]], "n_basis": 9, "random_state": 0},
    ],
    "ml_lspc": [
        {},
        {"width": 0.5, "lam": 1.0, "gamma": 1.0, "similarity": "cosine", "scores": "raw"},
        {"gamma": 0.5, "similarity": "abs_pearson", "solver": "cg", "tol": 1e-13},
        {"gamma": 0.5, "solver": "naive"},
        {"gamma": 1.0, "n_basis": 9, "random_state": 0},
    ],
    "svm_ovr": [{}, {"C": 0.1, "loss": "squared_hinge"}, {"C": 0.3, "scale": True}],
    "lda_svm": [
        {},
        {"ridge": 1.0, "C": 0.1, "loss": "squared_hinge"},
        {"ridge": 0.1, "C": 10.0, "rank_tol": 0.1},
    ],
    "hsml": [
        {},
        {"laplacian": "clique", "n_components": 2, "ridge": 1.0, "C": 10.0},
        {"laplacian": "star", "edge_weight": "inverse_size", "scaled": False, "C": 0.1},
        {"edge_weight": "inverse_size", "loss": "squared_hinge", "C": 0.1},
    ],
    "opls_ls": _REDUCED,
    "cca_ls": _REDUCED,
    "lda_ls": _REDUCED,
    "cca_svm": [
        {},
        {"n_components": 2, "scaled": True, "C": 3.0},
        {"ridge": 1.0, "loss": "squared_hinge", "C": 0.1},
        {"n_components": 1, "ridge": 0.1, "rank_tol": 0.05},
    ],
    "mtsda_i": _SPARSE_SCORING,
    "mtsda_eq": [*_SPARSE_SCORING, {"rho": 0.8, "lam1": 0.05}, {"rho": -0.02, "lam1": 0.1}],
    "smtl": [
        {},
        *({"loss": loss, "penalty": penalty, "lam": lam} for loss, penalty, lam in _LOSSES),
        {"loss": "auc", "penalty": "l11", "lam": 3.0},
        {"only": ("dense", "tasks"), "penalty": "l11", "lam": 0.5},
        {"only": ("sparse",), "penalty": "l11", "lam": 0.1},
        {"only": ("dense", "tasks"), "loss": "auc-labeling", "penalty": "l11", "lam": 0.5},
        {"only": ("sparse",), "loss": "auc-labeling", "penalty": "l11", "lam": 0.1},
        {"fit_intercept": False, "lam": 3.0},
    ],
    "mtl_cls": [
        {},
        *_all(penalty=["l11", "l21", "trace"], lam=[0.5]),
        {"fit_intercept": False},
    ],
    "mtl_reg": [
        {},
        *_all(penalty=["l11", "l21", "trace"], lam=[0.5]),
        {"fit_intercept": False, "penalty": "trace", "lam": 0.3},
    ],
    "struct_svm": [
        {},
        {"C": 10.0},
        _F1,
        {**_F1, "C": 10.0, "fit_intercept": False},
    ],
    **dict.fromkeys(("mlsvm_t_l1", "mlsvm_t_l2"), _OF_MAPS),
    **dict.fromkeys(("mlsvm_f_l1", "mlsvm_f_l2"), _OF_FEATURES),
    "morp_svm": [
        {},
        {"beta": 0.9, "gamma": 1.0, "n_components": 3, "loss": "squared_hinge"},
        {"n_components": 4, "width": 0.5, "solver": "approx", "center": False, "C": 0.1},
        {"beta": 1.0, "n_components": None, "rank_tol": 1e-3, "C": 100.0},
    ],
    "morp_linear": [
        {},
        {"beta": 0.9, "form": "direct", "n_components": 2, "loss": "squared_hinge"},
        {"gamma": 0.1, "center": False, "C": 0.1},
        {"beta": 0.9, "form": "direct", "rank_tol": 1e-2, "n_components": None},
    ],
    "kcca_svm": [
        {},
        {"kappa": 1.0, "scaled": True, "loss": "squared_hinge"},
        {"n_components": 2, "width": 0.5, "center": False, "C": 3.0},
        {"rank_tol": 1e-2, "C": 10.0},
    ],
    "kpca_svm": [
        {},
        {"n_components": 3, "width": 0.5, "loss": "squared_hinge"},
        {"n_components": None, "center": False, "rank_tol": 1e-3, "C": 0.1},
    ],
    "rbf_svm": [{}, {"width": 0.5, "C": 10.0}, {"C": 0.1, "loss": "squared_hinge"}],
}
"""The first ones meet all forms of data; those with ``only`` meet no others than that says."""

_STRENGTHS: Settings = _all(lam=[0.3, 1.0, 0.5])
_PROJECTIONS: Settings = _all(n_components=[1, None], ridge=[0.01, 1.0])

GRIDS: dict[str, Settings] = {
    "br": _all(base__n_neighbors=[4, 2, 6]),
    "lp": _all(base__alpha=[2.0, 0.5], scores=["marginal", "mulan"]),
    "homer": _all(base__n_neighbors=[4, 2, 6]),
    "rakel": _all(labelset_size=[1, 2], n_labelsets=[3, 2], scores=["votes", "marginal"]),
    "ecc": _all(n_chains=[4, 1], scores=["probability", "votes"]),
    "mlknn": _all(k=[3, 7], s=[0.5, 1.0]),
    "adaboost_mh": _all(n_rounds=[5, 2, 20]),
    "mlcssp": _all(kappa=[1, 0.7, 2]),
    "lspc": _all(width=[0.5, 1.0], rho=[0.01, 1.0]),
    "mt_lspc": _all(width=[0.5, 1.0], w=[0.1, 1.0]),
    "mt_lspc_pair": _all(width=[0.5, 1.0], gamma=[0.1, 1.0]),
    "ml_lspc": _all(width=[0.5, 1.0], lam=[0.01, 1.0], gamma=[1.0]),
    "svm_ovr": _all(C=[1.0, 0.01], loss=["hinge", "squared_hinge"]),
    "lda_svm": _all(ridge=[0.1, 1.0], C=[3.0, 0.1]),
    "hsml": _all(laplacian=["zhou", "clique"], C=[3.0, 0.1]),
    "cca_svm": _all(scaled=[True, False], C=[3.0, 0.1]),
    **dict.fromkeys(("opls_ls", "cca_ls", "lda_ls"), _PROJECTIONS),
    "mtsda_i": _all(lam1=[0.05, 0.5], lam2=[1.0, 0.1]),
    "mtsda_eq": _all(lam1=[0.05, 0.5], rho=[0.3, -0.01]),
    **dict.fromkeys(("smtl", "mtl_cls", "mtl_reg"), _STRENGTHS),
    "struct_svm": [_F1 | {"C": 3.0}, _F1 | {"C": 0.1}, *_all(loss=["auc"], C=[3.0, 0.1])],
    **dict.fromkeys(("mlsvm_t_l1", "mlsvm_t_l2"), _all(r=[2, 1], C=[1.0, 0.3])),
    **dict.fromkeys(("mlsvm_f_l1", "mlsvm_f_l2"), _all(r=[2, 1], C=[30.0, 3.0])),
    "morp_svm": _all(beta=[0.5, 1.0], gamma=[1e-2, 1.0], C=[10.0]),
    "morp_linear": _all(form=["direct"], beta=[0.5, 0.9], C=[3.0, 0.1]),
    "kcca_svm": _all(kappa=[1e-2, 1.0], C=[3.0, 0.1]),
    "kpca_svm": _all(n_components=[3, 6], C=[3.0, 0.3]),
    "rbf_svm": _all(width=[0.5, 1.0], C=[3.0, 0.1]),
}
"""The points of a path are out of order, as the grid of a search may be."""

BASE_OF_PATHS: dict[str, dict[str, Any]] = {
    "br": {"base": "knn"},
    "homer": {"base": "knn"},
    **dict.fromkeys(("lp", "rakel", "ecc", "mlcssp"), _MARGINS),
}
"""What the models of a path have in common besides `FIXED`."""
