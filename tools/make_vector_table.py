#!/usr/bin/env python3
"""Makes c_tests/vectors.tsv, what the C tests need to know of tests/vectors/manifest.json: C programs need no JSON parser then.

Run it from the project's root after the vectors changed; tests/c_abi.rs notices when the table is out of date."""

import json
from pathlib import Path

HEADER = """\
# Made by tools/make_vector_table.py from tests/vectors/manifest.json.
# dataset: id, folder, expected array, bytes an element, shape, chunk shape, stored blocks, missing blocks, zarr.json documents
# malformed: id, folder, key of its block, chunk shape, bytes an element, the array in hexadecimal where acceptance is allowed
"""
SIZES = {name + bits: int(bits) // 8 for name in ("uint", "int", "float") for bits in ("8", "16", "32", "64")}


def comma(values):
    return ",".join(str(value) for value in values)


def main():
    manifest = json.loads(Path("tests/vectors/manifest.json").read_text())
    rows = []
    for dataset in manifest["datasets"]:
        documents = [path for path in dataset["documents"].values() if not path.startswith("error")]
        view = dataset["zarr_v3"]
        rows.append(
            ["dataset", dataset["id"], dataset["path"], dataset["expected"]["path"], dataset["item_size"], comma(view["shape"])]
            + [comma(view["chunk_shape"]), len(dataset["blocks"]), len(dataset["missing"]), comma(documents)]
        )
    for vector in manifest["malformed"]:
        attributes = vector["attributes"]
        assert attributes["dimensions"] == attributes["blockSize"], vector["id"]
        rows.append(
            ["malformed", vector["id"], vector["path"], vector["key"], comma(attributes["blockSize"])]
            + [SIZES[attributes["dataType"]], vector["if_accepted"] or ""]
        )
    lines = ["\t".join(str(field) for field in row) for row in rows]
    Path("c_tests/vectors.tsv").write_text(HEADER + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
