#!/usr/bin/env python3
"""Makes c_tests/vectors.tsv, what the C tests need to know of tests/vectors/manifest.json: C programs need no JSON parser then.

Run it from the project's root after the vectors changed; tests/c_abi.rs notices when the table is out of date."""

import json
from pathlib import Path

HEADER = """\
# Made by tools/make_vector_table.py from tests/vectors/manifest.json.
# dataset: id, folder, expected array, bytes an element, shape, chunk shape, stored blocks, missing blocks, zarr.json documents
# malformed: id, folder, key of its block, chunk shape, bytes an element, the array in hexadecimal where acceptance is allowed
# string: id, folder, expected array, length_bytes, shape, chunk shape, stored chunks, missing chunks, NumPy dtype, key separator,
#   codec after `bytes`, fill value, each element's text in hexadecimal (- where it is none). A dtype means Zarr v2: no zarr.json there.
# string_unit: id, folder, key of its chunk, length_bytes, element count, each element's code units and text (- where it is none) in
#   hexadecimal; both lists are empty where the chunk has the wrong size
# string_document: id, path, accept or reject or either, the fill value's code points in hexadecimal
"""
SIZES = {name + bits: int(bits) // 8 for name in ("uint", "int", "float") for bits in ("8", "16", "32", "64")}


def comma(values):
    return ",".join(str(value) for value in values)


def units_hex(units):
    return "".join(f"{unit:08x}" for unit in units)


def texts_hex(elements):
    return comma("-" if element["utf8"] is None else element["utf8"] for element in elements)


def codec_of_v2(compressor):
    """The Zarr v3 codec, as JSON text, that undoes what a Zarr v2 compressor did; empty for none."""
    if compressor is None:
        return ""
    codecs = {
        "gzip": lambda: {"name": "gzip", "configuration": {"level": compressor["level"]}},
        "zstd": lambda: {"name": "zstd", "configuration": {"level": compressor["level"], "checksum": False}},
    }
    return json.dumps(codecs[compressor["id"]]())


def string_row(vector):
    row = ["string", vector["id"], vector["path"], vector["expected"]["path"], vector["length_bytes"], comma(vector["shape"])]
    row += [comma(vector["chunk_shape"]), len(vector["chunks"]), len(vector["missing"])]
    if vector["zarr_format"] == 2:
        array = json.loads(Path("tests/vectors", vector["path"], ".zarray").read_text())
        assert array["order"] == "C" and array["filters"] is None, vector["id"]
        row += [array["dtype"], array.get("dimension_separator", "."), codec_of_v2(array["compressor"]), json.dumps(array["fill_value"])]
    else:
        row += ["", "/", "", ""]
    return row + [texts_hex(vector["elements"])]


def unit_row(vector):
    (count,) = vector["shape"]
    elements = vector["elements"] or []
    assert (vector["expect"] == "units") == bool(elements) and vector["endian"] == "little", vector["id"]
    row = ["string_unit", vector["id"], vector["path"], vector["key"], vector["length_bytes"], count]
    return row + [comma(units_hex(element["units"]) for element in elements), texts_hex(elements)]


def document_row(vector):
    expect = {"reject-or-accept": "either"}.get(vector["expect"], vector["expect"])
    return ["string_document", vector["id"], vector["path"], expect, units_hex(vector["fill_code_points"] or [])]


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
    rows += [string_row(vector) for vector in manifest["strings"]]
    rows += [unit_row(vector) for vector in manifest["string_units"]]
    rows += [document_row(vector) for vector in manifest["string_documents"]]
    lines = ["\t".join(str(field) for field in row) for row in rows]
    Path("c_tests/vectors.tsv").write_text(HEADER + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
