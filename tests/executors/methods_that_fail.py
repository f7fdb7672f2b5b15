"""Methods that do what methods should not, next to some that behave."""

import os
import resource
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import joblib
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import RidgeClassifier


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


class FindsAnOddShape(Prior):
    def fit(self, X, Y):
        raise ValueError("the shape is odd")


class Hangs(Prior):
    """Also leaves a child behind, which must not survive it."""

    def fit(self, X, Y):
        child = subprocess.Popen(["sleep", "600"])
        (Path(os.environ["LAB"]) / "child.pid").write_text(str(child.pid))
        while True:
            time.sleep(1)


class Spins(Prior):
    def fit(self, X, Y):
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
        print("leaving")
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


class Patches(Prior):
    """Changes a class of scikit-learn for whoever uses it next."""

    def fit(self, X, Y):
        RidgeClassifier.decision_function = lambda self, X: X[:, :3]
        return super().fit(X, Y)


class SwapsTheGlobalGenerator(Prior):
    def fit(self, X, Y):
        np.random.set_bit_generator(np.random.PCG64(1))
        return super().fit(X, Y)


class LeavesAThreadThatDraws(Prior):
    def fit(self, X, Y):
        def draw():
            while True:
                np.random.rand()

        threading.Thread(target=draw, daemon=True).start()
        return super().fit(X, Y)


class LeavesAnAlarm(Prior):
    def fit(self, X, Y):
        signal.setitimer(signal.ITIMER_REAL, 0.5, 0.01)
        signal.signal(signal.SIGALRM, lambda *_: os._exit(9))
        self.left_ = threading.Thread(target=time.sleep, args=(600,))
        self.left_.start()  # not a daemon: an ordinary end of the process would wait for it
        return super().fit(X, Y)


class LeaksDescriptors(Prior):
    def fit(self, X, Y):
        self.leaked_ = [os.open(os.devnull, os.O_RDONLY) for _ in range(300)]
        return super().fit(X, Y)


class LowersLimits(Prior):
    def fit(self, X, Y):
        resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))
        resource.setrlimit(resource.RLIMIT_NOFILE, (20, 20))
        self.noise_ = np.zeros(Y.shape[1])
        return self


class LeavesDaemons(Prior):
    """A child in a session of its own, and a grandchild whose parent has ended."""

    def fit(self, X, Y):
        child = subprocess.Popen(["sleep", "600"], start_new_session=True)
        if (middle := os.fork()) == 0:
            os.setsid()
            if (grandchild := os.fork()) == 0:
                os.execlp("sleep", "sleep", "600")
            self._note(child.pid, grandchild)
            os._exit(0)
        os.waitpid(middle, 0)
        return super().fit(X, Y)

    @staticmethod
    def _note(*pids):
        (Path(os.environ["LAB"]) / "daemons").write_text(" ".join(map(str, pids)))


class LeavesDaemonsAndHangs(LeavesDaemons):
    def fit(self, X, Y):
        super().fit(X, Y)
        while True:
            time.sleep(1)


class PrintsMuch(Prior):
    def fit(self, X, Y):
        for _ in range(400):
            print("x" * 2**16)
        return super().fit(X, Y)


class GrandchildEatsMemory(Prior):
    """The grandchild that takes too much has no living parent, and a session of its own."""

    def fit(self, X, Y):
        if os.fork() == 0:
            os.setsid()
            if os.fork():
                os._exit(0)
            resource.setrlimit(resource.RLIMIT_DATA, 2 * (resource.RLIM_INFINITY,))
            hoard = b"x" * 10**9
            time.sleep(600 + len(hoard) / 10**12)
        time.sleep(600)


class SharesMemory(Prior):
    """Ten processes that share most of what each has: the sum is far above what they take."""

    def fit(self, X, Y):
        shared = np.ones(25 * 10**6)
        children = []
        for _ in range(10):
            if (child := os.fork()) == 0:
                time.sleep(1)
                os._exit(int(shared[0]) - 1)
            children.append(child)
        for child in children:
            os.waitpid(child, 0)
        return super().fit(X, Y)


class UsesSharedMemory(Prior):
    def fit(self, X, Y):
        (Path(os.environ["LAB"]) / "workers").write_text(str(os.getpid()))
        joblib.Parallel(n_jobs=2)(joblib.delayed(np.sum)(np.ones(10**6)) for _ in range(2))
        return super().fit(X, Y)


class ReusesItsBuffer(Prior):
    """Returns scores in an array that its next call overwrites."""

    def decision_function(self, X):
        self.buffer_ = getattr(self, "buffer_", np.empty((len(X), len(self.noise_))))
        self.buffer_[:] = super().decision_function(X)
        return self.buffer_

    def predict(self, X):
        labels = (self.decision_function(X) > 0).astype(int)
        self.buffer_[:] = 0
        return labels


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
