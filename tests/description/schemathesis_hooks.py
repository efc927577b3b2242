"""Lets schemathesis send a real video beside arbitrary bytes, so that some uploads are accepted."""

import os
import pathlib

import schemathesis
from hypothesis import strategies
from schemathesis.transport.serialization import Binary

CLIP = pathlib.Path(os.environ["FILE"]).read_bytes()

schemathesis.openapi.format("binary", strategies.one_of(strategies.just(CLIP), strategies.binary()).map(Binary))

# The bytes of an upload in several requests.
schemathesis.serializer.alias("application/offset+octet-stream", "application/octet-stream")
