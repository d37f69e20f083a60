#!/usr/bin/env python3
"""Writes the demo dataset, examples/data/cat.n5, with z5py, a program that has nothing in common with zn5.

Run it again only to change the picture; the result is committed. In a virtual environment:

    python3.11 -m venv target/venv/demo-data
    target/venv/demo-data/bin/pip install scikit-image==0.26.0 pillow==13.0.0 z5py==3.0.2
    target/venv/demo-data/bin/python tools/make_demo_data.py
"""

import hashlib
import pathlib
import shutil

import skimage.data
import z5py

DATA = pathlib.Path(__file__).resolve().parent.parent / "examples" / "data"
# Rows, columns, channels: z5py lists the slowest axis first, N5 the fastest. Neither 300 nor 451 is a multiple of its block
# extent, so the last row and the last column of blocks are cut.
BLOCK_SHAPE = (64, 96, 3)


def main():
    pixels = skimage.data.chelsea()
    container = DATA / "cat.n5"
    shutil.rmtree(container, ignore_errors=True)
    with z5py.File(str(container), "a") as file:
        file.create_dataset("photo", data=pixels, chunks=BLOCK_SHAPE, compression="blosc", codec="zstd", shuffle=0)
    # What the tests compare the demo's PNG with: taken from the photograph itself, not from the dataset.
    digest = hashlib.sha256(pixels.tobytes()).hexdigest()
    (DATA / "cat.sha256").write_text(f"{digest}  451x300 RGB pixels, row by row\n")


if __name__ == "__main__":
    main()
