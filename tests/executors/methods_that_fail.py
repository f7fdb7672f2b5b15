"""Methods that do what methods should not, next to some that behave."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class Prior(ClassifierMixin, BaseEstimator):
    """Scores every row with its first feature; quick and harmless."""

    def __init__(self, pause=0.0, random_state=None):
        self.pause = pause
        self.random_state = random_state

    def fit(self, X, Y):
        self.noise_ = np.random.RandomState(self.random_state).normal(size=Y.shape[1])
        log = Path(os.environ["LAB"]) / "fits.log"
        with log.open("a") as file:
            file.write(f"{os.getpid()} {self.pause} {len(Y)} {int(Y.sum())}\n")
        time.sleep(self.pause)
        return self

    def decision_function(self, X):
        return X[:, :1] + self.noise_

    def predict(self, X):
        return (self.decision_function(X) > 0).astype(int)


class Waits(Prior):
    """Waits in its fit until the file ``gate`` has a number as high as that of the fit."""

    def fit(self, X, Y):
        super().fit(X, Y)
        lab, own = Path(os.environ["LAB"]), str(os.getpid())
        begun = [line.split()[0] for line in (lab / "fits.log").read_text().splitlines()]
        number = max(i for i, pid in enumerate(begun, start=1) if pid == own)
        while number > self.let_through(lab / "gate"):
            time.sleep(0.02)
        return self

    @staticmethod
    def let_through(gate):
        try:
            return int(gate.read_text())
        except (OSError, ValueError):  # it is not there, or being written
            return 0


class StopsEarly(Prior):
    """Says of its fit that it did not converge."""

    @property
    def fit_report_(self):
        return {"gap": 0.021, "iterations": 7, "converged": False}


class Raises(Prior):
    def fit(self, X, Y):
        raise ArithmeticError("no such root")


class Hangs(Prior):
    """Also leaves a child behind, which must not survive it."""

    def fit(self, X, Y):
        child = subprocess.Popen(["sleep", "600"])
        (Path(os.environ["LAB"]) / "child.pid").write_text(str(child.pid))
        while True:
            pass


class EatsMemory(Prior):
    def fit(self, X, Y):
        self.hoard_ = []
        while True:
            self.hoard_.append(np.ones(10**7))


class ChildrenEatMemory(Prior):
    """Each child stays below the limit; all together do not."""

    def fit(self, X, Y):
        hoard = "x = b'x' * (3 * 10**8); import time; time.sleep(60)"
        children = [subprocess.Popen([sys.executable, "-c", hoard]) for _ in range(3)]
        for child in children:
            child.wait()
        return super().fit(X, Y)


class ReturnsNaN(Prior):
    def decision_function(self, X):
        return super().decision_function(X) * np.nan


class ReturnsWrongShape(Prior):
    def decision_function(self, X):
        return super().decision_function(X)[:, :1]


class ReturnsTwos(Prior):
    def predict(self, X):
        return super().predict(X) + 1


class Exits(Prior):
    def fit(self, X, Y):
        os._exit(7)


class CallsExit(Prior):
    def fit(self, X, Y):
        sys.exit(3)


class Segfaults(Prior):
    def fit(self, X, Y):
        os.kill(os.getpid(), signal.SIGSEGV)


class KillsItself(Prior):
    def fit(self, X, Y):
        os.kill(os.getpid(), signal.SIGKILL)


class Prints(Prior):
    def fit(self, X, Y):
        print("chatter " * 1000)
        print("chatter " * 1000, file=sys.stderr)
        return super().fit(X, Y)


class WritesIntoItsInput(Prior):
    def decision_function(self, X):
        X *= -1
        return super().decision_function(X)


class UsesGlobalRandomNumbers(Prior):
    def decision_function(self, X):
        return np.random.rand(len(X), len(self.noise_))


class LeavesAMess(Prior):
    """Changes whatever a process has; the next cell must not notice."""

    def fit(self, X, Y):
        os.chdir("/")
        os.environ.clear()
        np.seterr(all="raise")
        os.close(1)
        os.close(2)
        self.noise_ = np.zeros(Y.shape[1])
        return self


class ForksAndReturns(Prior):
    def fit(self, X, Y):
        if os.fork() == 0:
            raise RuntimeError("from the child")
        time.sleep(0.2)
        return super().fit(X, Y)


class LeavesAChildAndExits(Prior):
    def fit(self, X, Y):
        child = subprocess.Popen(["sleep", "600"])
        (Path(os.environ["LAB"]) / "child.pid").write_text(str(child.pid))
        os._exit(3)


class CannotSayWhy(Prior):
    def fit(self, X, Y):
        class Mute(BaseException):
            def __str__(self):
                raise OSError("mute")

        raise Mute
