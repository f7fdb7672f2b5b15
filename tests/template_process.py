"""A process that has imported what commands import, and read their code; it forks for each command.

It is given the number of a socket. A message there has the module, the words, the working folder
and the environment of a command, and its standard streams; the answer is the number of its process,
whose parent is the process that asked, if that is a subreaper.
"""

import atexit
import gc
import json
import os
import signal
import socket
import sys
import threading
import traceback
from contextlib import suppress
from importlib import import_module
from multiprocessing import forkserver, process, resource_tracker, util
from pathlib import Path
from pkgutil import walk_packages
from runpy import run_module

spawn = util.spawnv_passfds


def import_everything():
    import sklearn.linear_model
    import sklearn.metrics
    import sklearn.neighbors
    import sklearn.svm
    import sklearn.tree  # noqa: F401

    import mlbench
    from mlbench.registry import code_hash

    for module in walk_packages(mlbench.__path__, "mlbench."):
        if not module.name.endswith((".__main__", ".preload")):
            import_module(module.name)
    for path in Path(mlbench.__file__).parent.rglob("*.py"):
        code_hash._read(path.read_bytes())
    with suppress(ImportError):
        import distributed  # noqa: F401
    gc.freeze()


def serve(listening):
    """Fork for each message, until the other end closes; return the module in the new process."""
    while True:
        message, streams, *_ = socket.recv_fds(listening, 2**18, 3)
        if not message:
            sys.exit()
        reading, writing = os.pipe()
        between = os.fork()
        if not between:
            if pid := os.fork():
                os.write(writing, str(pid).encode())
                os._exit(0)
            for own in (reading, writing, listening.detach()):
                os.close(own)
            return become(streams, **json.loads(message))
        os.waitpid(between, 0)  # its child has the new parent then
        listening.send(os.read(reading, 20))
        for own in (reading, writing, *streams):
            os.close(own)


def become(streams, module, words, folder, environment, new_session):
    """Make this process the one that the command would have had to itself; return its module."""
    if new_session:
        os.setsid()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.argv = [module, *words]
    process.ORIGINAL_DIR = os.path.realpath(folder)
    if not sys.flags.safe_path:
        sys.path[0] = process.ORIGINAL_DIR
    util.spawnv_passfds = fork_fork_server
    sys.modules["numpy"].random.seed()
    return module


def fork_fork_server(path, args, passfds):
    """Fork what has mlbench's preload to import; start any other program."""
    code = args[-1]
    if "mlbench.executors.preload" not in code or threading.active_count() > 1:
        return spawn(path, args, passfds)
    if pid := os.fork():
        return pid
    try:
        for number in signal.valid_signals():
            if callable(signal.getsignal(number)):
                signal.signal(number, signal.SIG_DFL)
        last = 2
        for kept in (*sorted(passfds), os.sysconf("SC_OPEN_MAX")):
            os.closerange(last + 1, kept)
            last = kept
        util.spawnv_passfds = spawn
        resource_tracker._resource_tracker.__init__()
        forkserver._forkserver.__init__()
        exec(code, {})
    except Exception:
        traceback.print_exc()
    finally:
        os._exit(0)


def end(code):
    """End as Python does, but leave modules as they are: to clear them would copy all memory."""
    threading._shutdown()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


import_everything()
module = serve(socket.socket(fileno=int(sys.argv[1])))
code = 0
try:
    run_module(module, run_name="__main__", alter_sys=True)
except SystemExit as ended:
    code = ended.code or 0
end(code)
