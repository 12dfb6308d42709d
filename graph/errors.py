"""What can go wrong in the agent, by who must act.

GraphError
|- ToolNotAllowed        a developer asked for a tool that is not on the list (400 at the door)
|- InvalidArguments      arguments do not fit the tool; nothing was sent
|- Ungrounded            a node said what no fact backs (raised in development; cut otherwise)
`- RunFailed             a run ended without an answer; the message is kept and may be run again (`retryable`)
"""

from __future__ import annotations


class GraphError(Exception):
    """Root of the agent's errors."""

    code = "internal"
    retryable = False


class ToolNotAllowed(GraphError):
    """The tool does not exist or is not on this turn's list."""

    code = "not_allowed"


class InvalidArguments(GraphError):
    """Arguments do not fit the tool."""

    code = "invalid_arguments"


class Ungrounded(GraphError):
    """A sentence claims what no fact backs: a bug of the node that wrote it."""

    code = "ungrounded"


class RunFailed(GraphError):
    """No answer came out. `retryable` says whether running the message again can help."""

    code = "unavailable"
    retryable = True
