"""Strict JSON as LangGraph's serializer: what goes in comes out, and nothing else goes in.

There is no reviver: a dictionary shaped like a constructor is data like any other. Types are compared
exactly, because a `StrEnum` or a named tuple would come back as a plain `str` or `list` without a word.
"""

from __future__ import annotations

import json
import math
from typing import Any, Final

from store.passport.errors import NotPlainData, PassportUnreadable

MAX_DEPTH: Final = 64
MAX_INT_BITS: Final = 4096
_TYPE_NAME: Final = "json"


def check_plain(value: Any, path: str = "$", depth: int = 0) -> None:
    """Raise `NotPlainData` with the path of the first value that JSON would change or refuse."""
    kind = type(value)
    if kind is str or kind is bool or value is None:
        return
    if depth > MAX_DEPTH:
        raise NotPlainData("the value is nested too deeply", path=path, kind=kind.__name__)
    if kind is dict:
        _check_dict(value, path, depth)
    elif kind is list:
        for index, item in enumerate(value):
            check_plain(item, f"{path}[{index}]", depth + 1)
    elif not _is_plain_number(value):
        raise NotPlainData("only plain JSON values may be stored", path=path, kind=kind.__name__)


def _check_dict(value: dict[Any, Any], path: str, depth: int) -> None:
    for key, item in value.items():
        if type(key) is not str:
            raise NotPlainData("a key is not a string", path=path, kind=type(key).__name__)
        check_plain(item, f"{path}.{key}", depth + 1)


def _is_plain_number(value: Any) -> bool:
    if type(value) is int:
        return value.bit_length() <= MAX_INT_BITS
    return type(value) is float and math.isfinite(value)


def is_plain(value: Any) -> bool:
    """Whether `check_plain` lets the value through."""
    try:
        check_plain(value)
    except NotPlainData:
        return False
    return True


class StrictJsonSerializer:
    """LangGraph's `SerializerProtocol` for plain JSON values.

    `dumps_typed` raises `NotPlainData`; `loads_typed` raises `PassportUnreadable`.
    """

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        """Return `("json", utf-8 bytes)`."""
        check_plain(obj)
        text = json.dumps(obj, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        # surrogatepass: a lone surrogate is legal in a Python string and must come back as it was.
        return _TYPE_NAME, text.encode("utf-8", "surrogatepass")

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """Return the value of `("json", utf-8 bytes)`."""
        type_name, body = data
        if type_name != _TYPE_NAME:
            raise PassportUnreadable("the blob was written by another serializer", reason="serializer")
        try:
            return json.loads(body.decode("utf-8", "surrogatepass"), parse_constant=_refuse_constant)
        except (ValueError, RecursionError) as error:
            # `error` carries the whole text, which must not reach a log through the chain of causes.
            raise PassportUnreadable("the blob is not JSON", reason="json", kind=type(error).__name__) from None


def _refuse_constant(name: str) -> Any:
    raise ValueError(name)
