"""A server that kills itself at the nth writing transaction, before or after its commit. Used by the crash test.

    python dying_server.py PORT NTH before|after

NTH counts from the first chat message on (sessions are not counted); 0 never dies. The crash sits in the seam that
the product offers anyway: the `Database` that wiring hands out.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from sqlmodel import Session

from api.main import build_app
from api.settings import Settings
from api.wiring import build_services
from store.passport import choose_server
from store.sql.unit import Database

PORT, NTH, WHEN = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]


class DyingDatabase(Database):
    """Counts writes once armed, and dies at the chosen one."""

    armed = False
    count = 0

    @contextmanager
    def write(self) -> Iterator[Session]:
        """Open a writing transaction, perhaps the last of this process."""
        cls = type(self)
        cls.count += cls.armed
        fatal = cls.armed and cls.count == NTH
        with super().write() as session:
            yield session
            if fatal and WHEN == "before":
                session.flush()
                os.kill(os.getpid(), signal.SIGKILL)
        if fatal:
            os.kill(os.getpid(), signal.SIGKILL)


def main() -> None:
    """Serve until killed."""
    settings = Settings()
    server = choose_server(settings.redis_url or None, settings.data_dir)
    services = build_services(settings, server, owner="dying", database_type=DyingDatabase)
    app = build_app(services)

    @app.post("/arm")
    async def arm() -> dict[str, bool]:
        DyingDatabase.armed = True
        return {"armed": True}

    uvicorn.run(app, host="127.0.0.1", port=PORT, log_level="error", access_log=False)


if __name__ == "__main__":
    main()
