"""The part of zn5's C API that arrays of strings need, through ctypes, on top of zn5_ctypes.

Strings are Python's; between the two lie the layouts that zn5 speaks: code units, and UTF-8 with offsets.
"""

import ctypes
import itertools
import sys

LITTLE, BIG = 1, 2
NATIVE = LITTLE if sys.byteorder == "little" else BIG


class StringCodec:
    """A codec made from the text of the zarr.json of a fixed_length_utf32 array."""

    def __init__(self, library, zarr_json):
        self._library = library
        self._handle = ctypes.c_void_p()
        json = zarr_json.encode()
        library.call("zn5_codec_from_zarr_metadata", json, _size(len(json)), None, ctypes.byref(self._handle))
        library.lib.zn5_codec_element_size.restype = ctypes.c_size_t
        self.length_bytes = library.lib.zn5_codec_element_size(self._handle)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._library.lib.zn5_codec_free(self._handle)
        self._handle = None

    def encode(self, strings):
        """The stored chunk of as many strings as a chunk has."""
        units = encode_array(self._library, strings, NATIVE, self.length_bytes)
        bound = ctypes.c_uint64()
        self._library.call("zn5_codec_encode_bound", self._handle, None, ctypes.byref(bound))
        chunk = ctypes.create_string_buffer(max(bound.value, 1))
        written = ctypes.c_size_t()
        self._library.call(
            "zn5_encode_block", self._handle, None, units, _size(len(units)), chunk, _size(bound.value), ctypes.byref(written)
        )  # fmt: skip
        return chunk.raw[: written.value]

    def decode(self, chunk, count):
        """The `count` strings of a stored chunk; None for a chunk that is not stored."""
        utf8, offsets = self.decode_text(chunk, count)
        return [utf8[start:end].decode() for start, end in itertools.pairwise(offsets)]

    def decode_text(self, chunk, count):
        """The same as one UTF-8 text and the offsets between its strings."""
        units = ctypes.create_string_buffer(count * self.length_bytes)
        if chunk is None:
            self._library.call("zn5_fill_block", self._handle, None, units, _size(len(units)))
        else:
            self._library.call("zn5_decode_block", self._handle, chunk, _size(len(chunk)), None, units, _size(len(units)))
        return decode_array(self._library, units, count, NATIVE, self.length_bytes)


def data_type_json(library, length_bytes):
    return library.text("zn5_utf32_data_type_json", _size(length_bytes))


def encode_array(library, strings, endian, length_bytes):
    texts = [string.encode() for string in strings]
    offsets = (ctypes.c_uint64 * (len(texts) + 1))(0, *itertools.accumulate(map(len, texts)))
    utf8 = b"".join(texts)
    units = ctypes.create_string_buffer(len(texts) * length_bytes)
    library.call(
        "zn5_utf32_encode_array", utf8, _size(len(utf8)), offsets, _size(len(texts)), ctypes.c_uint32(endian),
        _size(length_bytes), units, _size(len(units)),
    )  # fmt: skip
    return units.raw


def decode_array(library, units, count, endian, length_bytes):
    """One UTF-8 text and the offsets between its strings."""
    text = ctypes.create_string_buffer(len(units))
    offsets = (ctypes.c_uint64 * (count + 1))()
    needed = ctypes.c_size_t()
    library.call(
        "zn5_utf32_decode_array", units, _size(len(units)), _size(count), ctypes.c_uint32(endian), _size(length_bytes),
        text, _size(len(text)), offsets, ctypes.byref(needed),
    )  # fmt: skip
    return ctypes.string_at(text, needed.value), offsets


def _size(value):
    return ctypes.c_size_t(value)
