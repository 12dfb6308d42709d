"""The envelope around every stored value: size limit, compression and an optional seal.

Layout: format (1 byte), flags (1 byte), seal (32 bytes when flagged), body. The body is the serializer's
type name, a zero byte and the serializer's bytes, deflated when that helps; older checkpoints are deflated as a
difference to the next newer one, which halves what an idle conversation costs. The seal is HMAC-SHA256 over
the place (thread, namespace, checkpoint) and the rest, so a blob moved to another conversation is refused too.
"""

from __future__ import annotations

import hashlib
import hmac
import zlib
from collections.abc import Sequence
from typing import Any, Final

from langgraph.checkpoint.serde.base import SerializerProtocol

from store.passport.errors import PassportError, PassportTooLarge, PassportUnreadable

FORMAT: Final = 1
DEFLATED: Final = 1
SEALED: Final = 2
DIFFERENCE: Final = 4
SEAL_BYTES: Final = 32
COMPRESS_ABOVE_BYTES: Final = 1024
DEFAULT_LIMIT_BYTES: Final = 256 * 1024

Place = tuple[str, ...]


class BlobCodec:
    """Turns values into blobs and back.

    `seal_keys`: the first signs, all of them are accepted (rotation); empty means no seal is asked for.
    `limit_bytes` counts the serialized value before compression, in both directions.
    """

    def __init__(self, *, seal_keys: Sequence[bytes] = (), limit_bytes: int = DEFAULT_LIMIT_BYTES) -> None:
        self._seal_keys = tuple(seal_keys)
        self._limit_bytes = limit_bytes

    def pack(self, serde: SerializerProtocol, value: Any, place: Place) -> bytes:
        """Return the blob of `value`; raises `PassportTooLarge`, or what the serializer raises."""
        return self.enclose(self.serialize(serde, value), place)

    def unpack(self, serde: SerializerProtocol, blob: bytes, place: Place) -> Any:
        """Return the value of a blob; raises `PassportUnreadable` whatever is wrong with it."""
        return self.parse(serde, self.open(blob, place))

    def serialize(self, serde: SerializerProtocol, value: Any) -> bytes:
        """Return the body of a value; raises `PassportTooLarge`, or what the serializer raises."""
        type_name, data = serde.dumps_typed(value)
        if len(data) > self._limit_bytes:
            raise PassportTooLarge("too much to store", size_bytes=len(data), limit_bytes=self._limit_bytes)
        return type_name.encode() + b"\0" + data

    def parse(self, serde: SerializerProtocol, body: bytes) -> Any:
        """Return the value of a body; raises `PassportUnreadable`."""
        type_name, separator, data = body.partition(b"\0")
        if not separator:
            raise PassportUnreadable("the blob has no type", reason="layout")
        try:
            return serde.loads_typed((type_name.decode("ascii"), data))
        except PassportError:
            raise
        except Exception as error:  # a foreign serializer may raise anything on hostile bytes
            raise PassportUnreadable("the serializer refused the blob", reason="serializer") from error

    def enclose(self, body: bytes, place: Place) -> bytes:
        """Return the blob of a body."""
        small = zlib.compress(body, 6) if len(body) > COMPRESS_ABOVE_BYTES else body
        if len(small) < len(body):
            return self._sealed(small, DEFLATED, place)
        return self._sealed(body, 0, place)

    def enclose_difference(self, body: bytes, base: bytes, place: Place) -> bytes:
        """Return the blob of a body as a difference to a similar one, without which it cannot be opened."""
        deflater = zlib.compressobj(6, zdict=base)
        return self._sealed(deflater.compress(body) + deflater.flush(), DIFFERENCE, place)

    def _sealed(self, data: bytes, flags: int, place: Place) -> bytes:
        if not self._seal_keys:
            return bytes((FORMAT, flags)) + data
        head = bytes((FORMAT, flags | SEALED))
        return head + _seal(self._seal_keys[0], place, head, data) + data

    def open(self, blob: bytes, place: Place, base: bytes = b"") -> bytes:
        """Return the body of a blob; `base` is the body of the next newer checkpoint. Raises `PassportUnreadable`."""
        if len(blob) < 2 or blob[0] != FORMAT:
            raise PassportUnreadable("the blob is of another format", reason="format")
        head, flags, body = blob[:2], blob[1], blob[2:]
        if flags & SEALED:
            seal, body = body[:SEAL_BYTES], body[SEAL_BYTES:]
            self._check_seal(seal, place, head, body)
        elif self._seal_keys:
            raise PassportUnreadable("the blob carries no seal", reason="seal_missing")
        if flags & DIFFERENCE:
            return self._inflate(body, base)
        return self._inflate(body, b"") if flags & DEFLATED else body

    def _check_seal(self, seal: bytes, place: Place, head: bytes, body: bytes) -> None:
        if not self._seal_keys:
            return
        if not any(hmac.compare_digest(seal, _seal(key, place, head, body)) for key in self._seal_keys):
            raise PassportUnreadable("the seal does not match", reason="seal_wrong")

    def _inflate(self, data: bytes, base: bytes) -> bytes:
        inflater = zlib.decompressobj(zdict=base) if base else zlib.decompressobj()
        try:
            body = inflater.decompress(data, self._limit_bytes + 64)
        except zlib.error as error:
            raise PassportUnreadable("the blob does not inflate", reason="deflate") from error
        if not inflater.eof or inflater.unused_data:
            raise PassportUnreadable("the blob is cut or inflates beyond the limit", reason="deflate")
        return body


def _seal(key: bytes, place: Place, head: bytes, body: bytes) -> bytes:
    mac = hmac.new(key, digestmod=hashlib.sha256)
    for part in place:
        raw = part.encode("utf-8", "surrogatepass")
        mac.update(len(raw).to_bytes(4, "big") + raw)
    mac.update(head + body)
    return mac.digest()
