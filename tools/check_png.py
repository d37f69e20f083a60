#!/usr/bin/env python3
"""Compares the pixels of a PNG file with a SHA-256: `check_png.py PICTURE.png DIGEST_FILE`. Needs Python's own library only.

Reads what examples/png.c writes (8 bits a sample, no filters, no interlacing), and says so of anything else.
"""

import hashlib
import struct
import sys
import zlib


def pixels_of(path):
    with open(path, "rb") as file:
        data = file.read()
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        raise ValueError("no PNG signature")
    header, stream, place, kind = b"", b"", 8, b""
    while kind != b"IEND":
        length, kind = struct.unpack(">I4s", data[place : place + 8])
        body = data[place + 8 : place + 8 + length]
        if struct.unpack(">I", data[place + 8 + length : place + 12 + length])[0] != zlib.crc32(kind + body):
            raise ValueError(f"wrong CRC in chunk {kind} at byte {place}")
        header += body if kind == b"IHDR" else b""
        stream += body if kind == b"IDAT" else b""
        place += 12 + length
    if place != len(data):
        raise ValueError("bytes behind IEND")
    width, height, depth, colour, compression, filters, interlace = struct.unpack(">IIBBBBB", header)
    if (depth, compression, filters, interlace) != (8, 0, 0, 0) or colour not in (0, 2):
        raise ValueError(f"not 8 bit grey or RGB: {header.hex()}")
    row_len = width * (3 if colour == 2 else 1)
    rows = zlib.decompress(stream)
    if len(rows) != height * (row_len + 1):
        raise ValueError(f"{len(rows)} bytes of rows, not {height} x {row_len + 1}")
    if any(rows[start] != 0 for start in range(0, len(rows), row_len + 1)):
        raise ValueError("a row is filtered")
    return b"".join(rows[start + 1 : start + 1 + row_len] for start in range(0, len(rows), row_len + 1))


def main():
    picture, digest_file = sys.argv[1:]
    with open(digest_file, encoding="ascii") as file:
        expected = file.read().split()[0]
    found = hashlib.sha256(pixels_of(picture)).hexdigest()
    if found != expected:
        sys.exit(f"{picture}: the pixels have SHA-256 {found}, not {expected}")
    print(f"{picture}: the pixels are the photograph's")


if __name__ == "__main__":
    main()
