#!/usr/bin/env python3
"""Writes the array of strings that examples/utf32_strings.c reads, examples/data/greetings.zarr, with zarr-python 3.

Run it again only to change the words; the result is committed. In a virtual environment:

    python3.11 -m venv target/venv/utf32-data
    target/venv/utf32-data/bin/pip install zarr==3.1.6
    target/venv/utf32-data/bin/python tools/make_utf32_data.py
"""

import pathlib
import shutil

import numpy
import zarr
import zarr.codecs

ARRAY = pathlib.Path(__file__).resolve().parent.parent / "examples" / "data" / "greetings.zarr"

# A language and its greeting. The arrangement is a table of two columns; what no row fills, the fill value does.
GREETINGS = [
    ("English", "Hello"),
    ("Deutsch", "Grüß Gott"),
    ("Íslenska", "Góðan daginn"),
    ("Ελληνικά", "Γεια σας"),
    ("Українська", "Привіт"),
    ("ქართული", "გამარჯობა"),
    ("עברית", "שלום"),
    ("العربية", "مرحبا"),
    ("हिन्दी", "नमस्ते"),
    ("ไทย", "สวัสดี"),
    ("日本語", "こんにちは"),
    ("한국어", "안녕하세요"),
    ("𐌲𐌿𐍄𐌹𐍃𐌺", "𐌷𐌰𐌹𐌻𐍃"),
    ("Emoji", "👋🌍"),
]
ROWS = 18
CHUNK = (5, 2)


def main():
    shutil.rmtree(ARRAY, ignore_errors=True)
    array = zarr.create_array(
        str(ARRAY),
        shape=(ROWS, 2),
        chunks=CHUNK,
        dtype="<U12",
        fill_value="—",
        compressors=zarr.codecs.ZstdCodec(level=5),
        attributes={"columns": ["language", "greeting"]},
    )
    array[: len(GREETINGS)] = numpy.array(GREETINGS, dtype="<U12")


if __name__ == "__main__":
    main()
