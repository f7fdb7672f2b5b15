"""A multilayer perceptron in PyTorch with early stopping: an example of a method of one's own."""

from __future__ import annotations

import numpy as np
import torch
from scipy import sparse
from sklearn.model_selection import train_test_split
from sklearn.utils import check_random_state
from torch import nn

from mlbench.methods.base import MultiLabelMethod
from mlbench.methods.parameters import require_count, require_positive

BATCH = 64
VALIDATION = 0.1
"""Share of the training rows on which the number of epochs is decided."""


class TorchMLP(MultiLabelMethod):
    """One hidden layer, a logistic loss for each label, as many epochs as validation favors.

    Parameters
    ----------
    hidden : int, default=256
        Units of the hidden layer.
    dropout : float, default=0.2
        Share of hidden units that each step leaves out.
    learning_rate : float, default=1e-3
        Of AdamW.
    max_epochs : int, default=200
    patience : int, default=10
        Epochs without a smaller validation loss after which training ends.
    random_state : int, RandomState or None, default=None
    """

    label_order_counts = True  # the first weights differ from label to label

    def __init__(
        self,
        hidden=256,
        dropout=0.2,
        learning_rate=1e-3,
        max_epochs=200,
        patience=10,
        random_state=None,
    ):
        self.hidden = hidden
        self.dropout = dropout
        self.learning_rate = learning_rate
        self.max_epochs = max_epochs
        self.patience = patience
        self.random_state = random_state

    def _check_parameters(self):
        for name in ("hidden", "max_epochs", "patience"):
            require_count(self, name)
        require_positive(self, "learning_rate")

    def fit(self, X, Y):
        """Fit the network; its weights are those of the epoch with the least validation loss."""
        X, Y, _ = self._check_training(X, Y)
        self._constants = Y[0, self.constant_labels_]
        self.varied_ = np.flatnonzero(_dense(X.min(axis=0)) != _dense(X.max(axis=0)))
        seed = check_random_state(self.random_state).randint(2**31 - 1)
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            self.network_ = nn.Sequential(
                nn.Linear(len(self.varied_), self.hidden),
                nn.ReLU(),
                nn.Dropout(self.dropout),
                nn.Linear(self.hidden, Y.shape[1]),
            ).double()
            train, validation = train_test_split(
                np.arange(len(Y)), test_size=VALIDATION, random_state=seed
            )
            self._train(self._tensor(X), torch.as_tensor(Y).double(), train, validation)
        return self

    def _train(self, X, Y, train, validation):
        loss = nn.BCEWithLogitsLoss()
        optimizer = torch.optim.AdamW(self.network_.parameters(), lr=self.learning_rate)
        best, best_epoch = np.inf, 0
        for epoch in range(1, self.max_epochs + 1):
            self.network_.train()
            for batch in torch.as_tensor(train)[torch.randperm(len(train))].split(BATCH):
                optimizer.zero_grad()
                loss(self.network_(X[batch]), Y[batch]).backward()
                optimizer.step()
            found = float(loss(self._logits(X[validation]), Y[validation]))
            if found < best:
                best, best_epoch = found, epoch
                kept = {name: value.clone() for name, value in self.network_.state_dict().items()}
            if epoch - best_epoch == self.patience:
                break
        self.network_.load_state_dict(kept)
        self.fit_report_ = {"epochs": best_epoch, "validation_loss": best}

    def _scores(self, X, tasks):
        """Return probabilities, (m, k)."""
        scores = torch.sigmoid(self._logits(self._tensor(X))).numpy()
        scores[:, self.constant_labels_] = self._constants
        return scores

    def _logits(self, X):
        self.network_.eval()
        with torch.no_grad():
            return self.network_(X)

    def _tensor(self, X):
        return torch.as_tensor(_dense(X[:, self.varied_])).double()


def _dense(array):
    return array.toarray() if sparse.issparse(array) else array
