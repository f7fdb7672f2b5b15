"""MtSDA against ridge regression, the definition of its problem and what theory says of it."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from mlbench.errors import MethodError
from mlbench.methods.mtsda.mtsda import MtSDAEquicorrelation, MtSDAIdentity
from mlbench.protocol.thresholds import choose_thresholds


@pytest.fixture
def data():
    """Return X, Y, new rows and X standardized, with as many labels as need sparse directions."""
    return make()


def make(n=60, d=12, k=4, seed=0):
    random = np.random.RandomState(seed)
    X = np.where(random.rand(n + 20, d) < 0.7, random.randn(n + 20, d) + 1, 0)
    Y = (X @ random.randn(d, k) + random.randn(n + 20, k) > 2).astype(int)
    X, new, Y = X[:n], X[n:], Y[:n]
    return X, Y, new, (X - X.mean(axis=0)) / X.std(axis=0)


def absolute(**parameters):
    parameters = {"units": "absolute", "tol": 1e-12, "max_rounds": 500, **parameters}
    return MtSDAEquicorrelation(**parameters)


def constraint(model, Y):
    Yc = Y - Y.mean(axis=0)
    theta = model.theta_
    return np.abs(theta.T @ Yc.T @ Yc @ theta / len(Y) - np.eye(theta.shape[1])).max()


@pytest.mark.parametrize("rho", [-0.05, 0.0, 0.6])
@pytest.mark.parametrize("rounds", [1, 3])
def test_without_the_l1_penalty_scores_are_a_generalized_ridge_for_any_scores(data, rho, rounds):
    X, Y, new, A = data
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = absolute(lam1=0, lam2=5.0, rho=rho, tol=1e-21, max_rounds=rounds).fit(X, Y)
    omega = (1 - rho) * np.eye(12) + rho
    W = np.linalg.solve(A.T @ A + 5.0 * omega, A.T @ (Y - Y.mean(axis=0)))
    expected = (new - X.mean(axis=0)) / X.std(axis=0) @ W + Y.mean(axis=0)
    np.testing.assert_allclose(model.decision_function(new), expected, atol=1e-10)


@pytest.mark.parametrize("rho", [-0.05, 0.0, 0.6])
def test_the_fit_is_a_stationary_point_of_the_problem(data, rho):
    X, Y, _, A = data
    lam1, lam2 = 20.0, 5.0
    model = absolute(lam1=lam1, lam2=lam2, rho=rho).fit(X, Y)
    B = model.scalings_.toarray() * X.std(axis=0)[:, None]
    T = (Y - Y.mean(axis=0)) @ model.theta_
    omega = (1 - rho) * np.eye(12) + rho
    gradient = 2 * A.T @ (T - A @ B) - 2 * lam2 * omega @ B
    used = B != 0
    assert 0 < used.sum() < used.size
    np.testing.assert_allclose(gradient[used], lam1 * np.sign(B[used]), atol=1e-3)
    assert np.abs(gradient[~used]).max() <= lam1 + 1e-3
    objective = ((T - A @ B) ** 2).sum() + lam2 * np.trace(B.T @ omega @ B)
    objective = (objective + lam1 * np.abs(B).sum()) / len(X)
    assert model.objectives_[-1] == pytest.approx(objective, rel=1e-10)
    turned = T.T @ A @ B
    np.testing.assert_allclose(turned, turned.T, atol=1e-3)  # the best Theta for this B


@pytest.mark.parametrize("rho", [-0.05, 0.6])
@pytest.mark.parametrize("lam1", [0.05, 0.3, 0.7])
def test_the_objective_falls_and_the_constraint_holds_in_every_round(data, lam1, rho):
    X, Y, _, _ = data
    for rounds in range(1, 8):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = MtSDAEquicorrelation(lam1=lam1, rho=rho, tol=1e-12, max_rounds=rounds)
            model.fit(X, Y)
        assert constraint(model, Y) < 1e-10
    assert model.n_iter_ == 7
    assert (np.diff(model.objectives_) <= 1e-12 * model.objectives_[0]).all()
    assert model.objectives_[-1] < model.objectives_[0]


def test_the_paper_as_printed_breaks_its_constraint(data):
    X, Y, _, _ = data
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = absolute(lam1=5.0, lam2=5.0, theta_step="paper", init="paper", center="x")
        model.set_params(max_rounds=5).fit(X, Y)
    theta = model.theta_
    assert np.abs(theta.T @ Y.T @ Y @ theta / len(Y) - np.eye(4)).max() > 0.1
    np.testing.assert_allclose(model.decision_function(X).mean(axis=0), 0, atol=1e-12)


def test_grouping_bound_of_theorem_1_holds_with_the_factor_that_it_lacks():
    lam2, rho = 20.0, 0.3
    pairs = printed_fails = 0
    for seed in range(8):
        random = np.random.RandomState(seed)
        common = random.randn(50, 3)
        X = np.repeat(common, 8, axis=1) + 0.3 * random.randn(50, 24)
        Y = (common @ random.randn(3, 4) + 0.5 * random.randn(50, 4) > 0).astype(int)
        model = absolute(lam1=4.0, lam2=lam2, rho=rho, max_rounds=3)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(X, Y)  # the theorem is about B given Theta
        B = model.scalings_.toarray() * X.std(axis=0)[:, None]
        targets = (Y - Y.mean(axis=0)) @ model.theta_
        r = np.corrcoef(X.T)
        for b, t in zip(B.T, targets.T, strict=True):
            one, other = np.nonzero(np.triu(np.sign(b)[:, None] * np.sign(b) > 0, 1))
            distances = np.abs(b[one] - b[other]) / np.linalg.norm(t)
            bound = np.sqrt(2 * (1 - r[one, other])) / (lam2 * (1 - rho))
            assert (distances <= np.sqrt(50) * bound).all()
            pairs += len(distances)
            printed_fails += (distances > bound).sum()
    assert pairs > 500
    assert printed_fails > 0


@pytest.mark.parametrize("share", [1.0, 1.0000001, 3.0])
def test_from_the_largest_lam1_on_scores_are_the_labels_means(data, share):
    X, Y, new, A = data
    model = MtSDAEquicorrelation(lam1=share, rho=0.4).fit(X, Y)
    assert model.scalings_.nnz == 0
    assert model.converged_
    np.testing.assert_array_equal(model.decision_function(new), [Y.mean(axis=0)] * len(new))
    targets = (Y - Y.mean(axis=0)) @ model.theta_
    assert model.lam1_max_ == pytest.approx(2 * np.abs(A.T @ targets).max(), rel=1e-12)
    below = MtSDAEquicorrelation(lam1=0.999, rho=0.4, tol=1e-12, max_rounds=500)
    assert below.fit(X, Y).scalings_.nnz > 0


def test_equal_labels_share_scores_and_a_direction(data):
    X, Y, new, _ = data
    model = MtSDAIdentity().fit(X, Y[:, [0, 1, 0, 2]])
    scores = model.decision_function(new)
    assert model.transform(new).shape == (20, 3)
    np.testing.assert_allclose(scores[:, 0], scores[:, 2], atol=1e-10)
    assert np.ptp(scores[:, 0]) > 0.1


def test_rho_0_is_the_identity(data):
    X, Y, new, _ = data
    one = MtSDAEquicorrelation(rho=0.0).fit(X, Y).decision_function(new)
    np.testing.assert_allclose(one, MtSDAIdentity().fit(X, Y).decision_function(new), atol=1e-12)


@pytest.mark.parametrize("rho", [-0.1, 1.0, 1.5, -1 / 11])
def test_a_rho_outside_its_interval_is_refused(data, rho):
    X, Y, _, _ = data
    with pytest.raises(MethodError, match=r"rho must .* 1/\(1 - d\)"):
        MtSDAEquicorrelation(rho=rho).fit(X, Y)
    if rho < 0:
        with pytest.raises(MethodError, match=r"12 features is \(-0.0909091, 1\)"):
            list(MtSDAEquicorrelation().fit_path(X, Y, [{"rho": rho}]))


def test_units_and_grid_say_the_same_problem_in_two_ways(data):
    X, Y, new, _ = data
    one = MtSDAEquicorrelation(lam1=0.2, lam2=0.5, max_rounds=500).fit(X, Y)
    assert one.lam2_ == 30
    other = clone(one).set_params(lam1=one.lam1_, lam2=30.0, units="absolute").fit(X, Y)
    np.testing.assert_allclose(one.decision_function(new), other.decision_function(new), atol=1e-9)


@pytest.mark.parametrize("init", ["symmetric", "paper"])
def test_a_path_holds_the_models_of_fits_of_their_own_whatever_else_is_asked(data, init):
    X, Y, new, _ = data
    grid = [
        {"lam1": lam1, "lam2": lam2, "rho": rho}
        for lam1 in (0.1, 0.6, 0.3)
        for lam2 in (0.1, 2.0)
        for rho in (-0.05, 0.5)
    ]
    prototype = MtSDAEquicorrelation(init=init, max_rounds=500)
    models = dict(prototype.fit_path(X, Y, grid))
    assert sorted(models) == list(range(12))
    for index, point in enumerate(grid):
        alone = MtSDAEquicorrelation(init=init, max_rounds=500, **point).fit(X, Y)
        np.testing.assert_array_equal(
            models[index].decision_function(new), alone.decision_function(new)
        )


def test_centered_sparse_rows_are_the_dense_ones(data):
    X, Y, new, _ = data
    for rho in (-0.05, 0.5):
        dense = MtSDAEquicorrelation(rho=rho, max_rounds=500).fit(X, Y)
        slim = MtSDAEquicorrelation(rho=rho, max_rounds=500).fit(sparse.csr_matrix(X), Y)
        assert slim.transform(sparse.csr_matrix(new)).shape == (20, 4)
        np.testing.assert_allclose(
            slim.decision_function(sparse.csr_matrix(new)),
            dense.decision_function(new),
            atol=1e-10,
        )


def test_constant_features_take_no_part_although_the_sum_could_use_them(data):
    X, Y, new, _ = data
    ones = np.ones((60, 5))
    plain = MtSDAEquicorrelation(rho=0.8, lam2=5.0).fit(X, Y)
    wide = MtSDAEquicorrelation(rho=0.8, lam2=5.0).fit(np.hstack([X, ones]), Y)
    assert wide.scalings_[12:].nnz == 0
    np.testing.assert_allclose(
        wide.decision_function(np.hstack([new, ones[:20]])), plain.decision_function(new)
    )


def test_disjoint_classes_are_those_of_the_nearest_centroid():
    random = np.random.RandomState(0)
    X = random.randn(90, 8)
    Y = np.eye(3, dtype=int)[np.argmax(X[:, :3] + 0.3 * random.randn(90, 3), axis=1)]
    model = MtSDAIdentity(lam1=0.1).fit(X, Y)
    Z, new = model.transform(X), random.randn(50, 8)
    assert Z.shape == (90, 2)  # one less than classes
    shares, scores = Y.mean(axis=0), model.decision_function(new)
    np.testing.assert_allclose(scores.sum(axis=1), 1, atol=1e-10)
    centroids = model.theta_ - shares @ model.theta_
    np.testing.assert_allclose((centroids**2).sum(axis=1), 1 / shares - 1, atol=1e-10)
    distances = ((model.transform(new)[:, None] - centroids) ** 2).sum(axis=2)
    rule = (2 * (scores - shares) / shares) - (1 / shares - 1)
    np.testing.assert_array_equal(np.argmin(distances, axis=1), np.argmax(rule, axis=1))


def test_scores_follow_from_the_projection(data):
    X, Y, new, _ = data
    model = MtSDAIdentity().fit(X, Y)
    scores = model.transform(new) @ np.linalg.pinv(model.theta_) + model.intercept_
    np.testing.assert_allclose(model.decision_function(new), scores, atol=1e-12)
    assert list(model.get_feature_names_out()) == [f"mtsdaidentity{j}" for j in range(4)]
    piped = make_pipeline(StandardScaler(), MtSDAIdentity(), DecisionTreeClassifier(random_state=0))
    assert piped.fit(X, Y).predict(new).shape == (20, 4)


def test_one_threshold_for_all_labels_is_algorithm_1_with_every_count_of_zeros(data):
    X, Y, _, _ = data
    scores = MtSDAIdentity().fit(X, Y).decision_function(X)
    threshold = choose_thresholds("train_f1_global", Y, scores)[0]
    y, s = Y.ravel(), np.sort(scores.ravel())
    f1 = [
        2 * (y * found).sum() / max(1, y.sum() + found.sum())
        for found in ((scores.ravel() > low).astype(int) for low in [-np.inf, *s])
    ]
    best = int(np.argmax(f1))
    assert best > len(Y)  # beyond the paper's k_0 <= n
    assert threshold == pytest.approx((s[best - 1] + s[best]) / 2)


def test_what_ends_a_fit_too_early_is_told(data):
    X, Y, _, _ = data
    with pytest.warns(ConvergenceWarning, match="max_rounds"):
        model = MtSDAIdentity(max_rounds=2, tol=1e-9).fit(X, Y)
    assert model.fit_report_["converged"] is False
    assert model.fit_report_["gap"] is None
    assert model.coefficient_gap_ <= 1e-9
    with pytest.warns(ConvergenceWarning, match="max_sweeps"):
        MtSDAIdentity(lam1=0.01, lam2=1e-4, max_sweeps=1, tol=1e-9).fit(X, Y)
    good = MtSDAIdentity().fit(X, Y).fit_report_
    assert good["converged"] is True
    assert good["coefficient_gap"] <= 1e-5


def test_the_papers_start_depends_on_the_order_of_rows_and_the_default_does_not(data):
    X, Y, new, _ = data
    for init, same in (("symmetric", True), ("paper", False)):
        models = [
            MtSDAIdentity(init=init, max_rounds=500).fit(X[order], Y[order])
            for order in (np.arange(60), np.arange(59, -1, -1))
        ]
        one, other = (model.decision_function(new) for model in models)
        assert bool(np.abs(one - other).max() < 1e-8) is same


@pytest.mark.parametrize(
    "wrong", [{"lam2": 0}, {"lam1": -1}, {"units": "n"}, {"init": "random"}, {"theta_step": "x"}]
)
def test_wrong_parameters_are_refused(data, wrong):
    X, Y, _, _ = data
    with pytest.raises(MethodError, match=next(iter(wrong))):
        MtSDAIdentity(**wrong).fit(X, Y)
