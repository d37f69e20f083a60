#!/usr/bin/env python3
"""Makes the first inputs of the fuzz targets from tests/vectors: `fuzz_seeds.py FOLDER` writes FOLDER/TARGET/*.

How an input is put together stands at the head of each file in fuzz/src.
"""

import hashlib
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
VECTORS = ROOT / "tests" / "vectors"
TYPES = ["uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float32", "float64"]
LARGEST = 4096

folder = pathlib.Path(sys.argv[1])
manifest = json.loads((VECTORS / "manifest.json").read_text())
count = 0


def put(target, *parts):
    global count
    data = b"".join(parts)
    if len(data) > LARGEST:
        return
    path = folder / target / hashlib.sha256(data).hexdigest()[:16]
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        path.write_bytes(data)
        count += 1


def files_of(dataset):
    """The blocks of a dataset: files whose path is numbers."""
    for path in sorted(dataset.rglob("*")):
        if path.is_file() and all(part.isdigit() or part == "c" for part in path.relative_to(dataset).parts):
            yield path.read_bytes()


def axes(chunk):
    """Chunk and asked shape are the chunk's, and the box is all of it."""
    return bytes(number for extent in chunk for number in (extent, extent, 0, 255))


def put_blocks(attributes, blocks):
    compression = attributes["compression"]["type"]
    kind, chunk = attributes["dataType"], attributes["blockSize"]
    if kind not in TYPES or len(chunk) > 5 or max(chunk, default=0) > 255 or compression == "jpeg":
        return
    zlib = 4 if attributes["compression"].get("useZlib") else 0
    for number, block in enumerate(blocks):
        put("header", bytes([8]), block[:40])
        flags = zlib | [0, 1, 2, 3, 16, 32, 64, 8][number % 8]
        put(f"block_{compression}", bytes([TYPES.index(kind), flags, len(chunk)]), axes(chunk), block)
        if number < 3:
            put_in_dataset(attributes, block)


def put_in_dataset(attributes, block):
    document = json.dumps(attributes).encode()
    if len(document) < 2000 and len(block) < 128 and len(attributes["blockSize"]) <= 2:
        position = bytes([0, 0, len(attributes["blockSize"]) << 4])
        put("dataset", bytes([8]), len(document).to_bytes(2, "little"), document, bytes([0, 1]), position, bytes([len(block)]), block)


for vector in manifest["datasets"]:
    path = VECTORS / vector["path"]
    put_blocks(vector["attributes"], files_of(path))
for vector in manifest["malformed"]:
    put_blocks(vector["attributes"], [(VECTORS / vector["path"] / vector["key"]).read_bytes()])

documents = [*VECTORS.glob("metadata/*.json"), *VECTORS.glob("n5/*/*/attributes.json"), *VECTORS.glob("zarr/*.json")]
documents += [*VECTORS.glob("strings/*/zarr.json"), *VECTORS.glob("string-documents/*.json"), *VECTORS.glob("string-units/*/zarr.json")]
for path in sorted(documents):
    text = path.read_bytes()
    is_zarr = b"zarr_format" in text
    put("zarr_metadata" if is_zarr else "n5_attributes", text)
    put("convert", bytes([64 if is_zarr else len(text) % 3]), text)
    if len(text) < 1000:
        put("dataset", bytes([9 if is_zarr else 8]), len(text).to_bytes(2, "little"), text, bytes(8))
    try:
        document = json.loads(text)
    except ValueError:
        continue
    if not isinstance(document, dict):
        continue
    for codec in document.get("codecs", []) if isinstance(document.get("codecs"), list) else []:
        shape = document.get("shape", [])
        if len(shape) < 8:
            put("codec_object", bytes([2, len(shape)]), bytes([3] * len(shape)), json.dumps(codec).encode())
    for member in (document.get("data_type"), document.get("fill_value")):
        if member is not None:
            put("utf32_names", bytes([2 * 11]), json.dumps(member).encode())

for vector in manifest["strings"]:
    big = 1 if vector["endian"] == "big" else 0
    length = vector["length_bytes"]
    format_byte = big | (length // 4 - 1) << 1
    data = (VECTORS / vector["expected"]["path"]).read_bytes()
    put("utf32", bytes([format_byte, 4]), data[: 20 * length])
    text = "".join(bytes.fromhex(element["utf8"]).decode() for element in vector["elements"] if element["utf8"])
    put("utf32", bytes([format_byte, 3]), text.encode()[:400])
    put("utf32_names", bytes([format_byte]), json.dumps(text[:12]).encode())
    put("utf32_names", bytes([format_byte]), json.dumps(text[:8], ensure_ascii=False).encode())
    if isinstance(vector["data_type"], str):
        put("utf32_names", bytes([format_byte]), vector["data_type"].encode())
    chunk = vector["chunk_shape"]
    codec = {"gzip": 0, "zstd": 1}.get(vector["compression"], 7)
    for chunk_bytes in files_of(VECTORS / vector["path"]):
        kind = 10 + 11 * ((length // 4 - 1) % 5)
        if length <= 20 and len(chunk) <= 5:
            put("chain", bytes([codec, 7, 7, kind, 4 * big, len(chunk)]), axes(chunk), chunk_bytes)
for vector in manifest["string_units"]:
    format_byte = (1 if vector["endian"] == "big" else 0) | (vector["length_bytes"] // 4 - 1) << 1
    put("utf32", bytes([format_byte, 0]), (VECTORS / vector["path"] / vector["key"]).read_bytes())

# Of arrays that are made up from the input there are no vectors; these have every choice somewhere.
for number in range(64):
    noise = b"".join(hashlib.sha256(bytes([number, part])).digest() for part in range(8))
    put("round_trip", noise)
    put("region", bytes([number % 4, number * 4 | 4, number % 4]), noise)
    put("region", bytes([number % 4, number & 3, 1 + number % 2]), bytes([5, 5, 0, 3, 52] * 2), noise)
    put("keys", noise)
    put("dataset", bytes([number % 8]), noise)
    put("chain", bytes([number % 7, 7, 7, number % 10, number, 2]), axes([4, 3]), noise[:24])
put("keys", bytes(12), b"\x00\x01a\x00\x03a/b\x03\x00\x03\x01a\x02\x01a\x01\x03a/b\x00\x02..\x04\x03/a/")

print(f"{count} new seeds below {folder}")
