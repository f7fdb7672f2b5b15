"""Hypergraph spectral learning: features that follow which rows share labels."""

from dataclasses import dataclass

import numpy as np

from mlbench.methods.parameters import require_one_of
from mlbench.methods.projection.linear_projection import SVMProjection
from mlbench.solvers.arrays import Floats

LAPLACIANS = ("zhou", "clique", "star")
EDGE_WEIGHTS = ("one", "inverse_size")


def hypergraph_factor(H: Floats, laplacian: str = "zhou", edge_weight: str = "one") -> Floats:
    """Return C of the normalized similarity ``S = C C'`` of a hypergraph's vertices.

    Every label is an edge that joins its rows; W holds the weights of the edges, D_e their sizes.

    - ``zhou``: ``S = D_v^-1/2 H W D_e^-1 H' D_v^-1/2``, D_v the weights of a vertex's edges;
    - ``clique``: ``S = D_c^-1/2 H W H' D_c^-1/2``, D_c the row sums of ``H W H'``;
    - ``star``: the graph of vertices and edges, ``H W``, normalized by the degrees of both. Its
      vertices have the S of ``zhou``.

    A vertex without edges has a row of zeros.

    Parameters
    ----------
    H : (n, k) array of 0 and 1
        Incidence; no column is empty.
    laplacian : {"zhou", "clique", "star"}, default="zhou"
    edge_weight : {"one", "inverse_size"}, default="one"

    References
    ----------
    Zhou, Huang & Schölkopf (2006), Learning with hypergraphs, NIPS; Sun, Ji & Ye (2008),
    Hypergraph spectral learning for multi-label classification, KDD.
    """
    size = H.sum(axis=0)
    weight = np.ones(len(size)) if edge_weight == "one" else 1 / size
    if laplacian == "clique":
        degree, factor = H @ (weight * size), np.sqrt(weight)
    else:
        degree, factor = H @ weight, np.sqrt(weight / size)
    inverse = 1 / np.sqrt(np.where(degree > 0, degree, 1))
    return inverse[:, None] * H * factor


@dataclass(eq=False, repr=False)
class HSML(SVMProjection):
    """Hypergraph spectral multi-label learning, followed by a linear SVM for every label.

    Labels are the edges of a hypergraph and rows its vertices; the features are the linear
    functions that vary least, under a ridge, between rows that share labels. Constant labels are
    not edges.

    Parameters
    ----------
    n_components : int, optional
        The number of features; by default one per label, or the smaller of the ranks.
    laplacian : {"zhou", "clique", "star"}, default="zhou"
        The similarity of rows, see `hypergraph_factor`; ``star`` gives the features of ``zhou``.
    edge_weight : {"one", "inverse_size"}, default="one"
        The weight of the edge of a label: 1, or the reciprocal of its number of rows.
    scaled : bool, default=True
        Multiply every feature by the root of its eigenvalue, which gives the features of ridge
        regression. If False, all features have variance 1, or less with a ridge.

    Attributes
    ----------
    correlations_ : (r,) array
        The roots of the eigenvalues.

    References
    ----------
    Sun, Ji & Ye (2008), Hypergraph spectral learning for multi-label classification, KDD.
    """

    laplacian: str = "zhou"
    edge_weight: str = "one"
    scaled: bool = True

    _target_parameters = ("laplacian", "edge_weight")

    example_grid = (
        *({"ridge": ridge, "C": C} for ridge in (0.0, 1.0) for C in (0.1, 10.0)),
        {"laplacian": "clique", "n_components": 2},
        {"laplacian": "star", "edge_weight": "inverse_size", "scaled": False},
        {"edge_weight": "inverse_size", "loss": "squared_hinge"},
    )

    def _check_parameters(self) -> None:
        super()._check_parameters()
        require_one_of(self, "laplacian", LAPLACIANS)
        require_one_of(self, "edge_weight", EDGE_WEIGHTS)

    def _target(self, Y: Floats) -> Floats:
        return hypergraph_factor(Y, self.laplacian, self.edge_weight)
