"""The little of zn5's C API that the interoperability scripts need, through ctypes. Also an example of a binding.

Shapes, offsets and extents are tuples in N5's `dimensions` order; strides are in bytes.
"""

import ctypes
import math

_U64P = ctypes.POINTER(ctypes.c_uint64)
_I64P = ctypes.POINTER(ctypes.c_ssize_t)

STORE_WRITE, STORE_CREATE = 1, 2
LANGUAGE_AUTO, LANGUAGE_N5, LANGUAGE_ZARR = 0, 1, 2
IO_PAD_EDGES = 4


class Zn5Error(Exception):
    """What a call reported: the status by name and the message."""

    def __init__(self, status, message):
        super().__init__(f"{status}: {message}")
        self.status = status


class Library:
    """libzn5, loaded from `path`."""

    def __init__(self, path):
        self.lib = ctypes.CDLL(str(path))
        for name in ("zn5_error_message", "zn5_status_name", "zn5_version_string", "zn5_build_info"):
            getattr(self.lib, name).restype = ctypes.c_char_p
        self.lib.zn5_error_message.argtypes = [ctypes.c_void_p]
        self.lib.zn5_error_free.argtypes = [ctypes.c_void_p]
        for name in ("zn5_codec_free", "zn5_store_free", "zn5_dataset_free"):
            getattr(self.lib, name).argtypes = [ctypes.c_void_p]

    def version(self):
        return self.lib.zn5_version_string().decode()

    def call(self, name, *arguments):
        """Calls the fallible function `name`, whose last parameter is the error, and raises what it reports."""
        error = ctypes.c_void_p()
        function = getattr(self.lib, name)
        function.restype = ctypes.c_int32
        status = function(*arguments, ctypes.byref(error))
        if status != 0:
            message = self.lib.zn5_error_message(error).decode()
            self.lib.zn5_error_free(error)
            raise Zn5Error(self.lib.zn5_status_name(status).decode(), message)

    def text(self, name, *arguments):
        """Calls a function whose result is text: once for the size, once for the text."""
        needed = ctypes.c_size_t()
        self.call(name, *arguments, None, ctypes.c_size_t(0), ctypes.byref(needed))
        buffer = ctypes.create_string_buffer(needed.value)
        self.call(name, *arguments, buffer, needed, ctypes.byref(needed))
        return buffer.raw[: needed.value].decode()

    def block_key(self, grid):
        return self.text("zn5_block_key", ctypes.c_uint32(len(grid)), _u64(grid))


class Codec:
    """A codec made from the text of an attributes.json."""

    def __init__(self, library, attributes):
        self._library = library
        self._handle = ctypes.c_void_p()
        json = attributes.encode()
        library.call(
            "zn5_codec_from_n5_attributes", json, ctypes.c_size_t(len(json)), None, ctypes.byref(self._handle)
        )
        self.element_size = library.lib.zn5_codec_element_size(self._handle)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._library.lib.zn5_codec_free(self._handle)
        self._handle = None

    def to_json(self):
        return self._library.text("zn5_codec_to_json", self._handle)

    def encode_region(self, shape, image, origin, strides):
        """The block of `shape` whose first element is at byte `origin` of `image`."""
        bound = ctypes.c_uint64()
        self._library.call("zn5_codec_encode_bound", self._handle, _u64(shape), ctypes.byref(bound))
        block = ctypes.create_string_buffer(bound.value)
        written = ctypes.c_size_t()
        self._library.call(
            "zn5_encode_region", self._handle, _u64(shape), image, ctypes.c_size_t(len(image)), ctypes.c_size_t(origin),
            _strides(strides), block, ctypes.c_size_t(bound.value), ctypes.byref(written),
        )  # fmt: skip
        return block.raw[: written.value]

    def decode_region(self, block, shape, image, origin, strides):
        """Puts the array of `shape` that `block` holds into the bytearray `image`, its first element at byte `origin`."""
        memory = (ctypes.c_char * len(image)).from_buffer(image)
        self._library.call(
            "zn5_decode_region", self._handle, block, ctypes.c_size_t(len(block)), _u64(shape), None, None,
            memory, ctypes.c_size_t(len(image)), ctypes.c_size_t(origin), _strides(strides),
        )  # fmt: skip


class _IoOptions(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("threads", ctypes.c_uint32),
        ("flags", ctypes.c_uint32),
        ("progress", ctypes.c_void_p),
        ("user_data", ctypes.c_void_p),
    ]


class Store:
    """The container in `folder`, which is made if it is missing."""

    def __init__(self, library, folder):
        self._library = library
        self._handle = ctypes.c_void_p()
        flags = ctypes.c_uint32(STORE_WRITE | STORE_CREATE)
        library.call("zn5_store_open", str(folder).encode(), flags, ctypes.byref(self._handle))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._library.lib.zn5_store_free(self._handle)
        self._handle = None

    def create_group(self, path, language=LANGUAGE_AUTO):
        self._library.call("zn5_group_create", self._handle, path.encode(), ctypes.c_uint32(language))

    def set_attributes(self, path, json):
        json = json.encode()
        self._library.call("zn5_attributes_set", self._handle, path.encode(), json, ctypes.c_size_t(len(json)))


class Dataset:
    """The array `path` in the container `folder`: opened to be read, or made anew if the text of its metadata is given."""

    def __init__(self, library, folder, path, attributes=None):
        self._library = library
        self._handle = ctypes.c_void_p()
        store = ctypes.c_void_p()
        flags = 0 if attributes is None else STORE_WRITE | STORE_CREATE
        library.call("zn5_store_open", str(folder).encode(), ctypes.c_uint32(flags), ctypes.byref(store))
        try:
            if attributes is None:
                library.call("zn5_dataset_open", store, path.encode(), None, ctypes.byref(self._handle))
            else:
                json = attributes.encode()
                library.call(
                    "zn5_dataset_create", store, path.encode(), json, ctypes.c_size_t(len(json)), None,
                    ctypes.byref(self._handle),
                )  # fmt: skip
        finally:
            # The dataset keeps the store alive.
            library.lib.zn5_store_free(store)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._library.lib.zn5_dataset_free(self._handle)
        self._handle = None

    def read(self, offset, extent, image, origin, strides, threads=0, flags=0):
        """Puts a region of the array into the bytearray `image`, its first element at byte `origin`."""
        memory = (ctypes.c_char * len(image)).from_buffer(image)
        self._transfer("zn5_dataset_read", offset, extent, memory, origin, strides, threads, flags)

    def write(self, offset, extent, image, origin, strides, threads=0, flags=0):
        """Writes a region of the array, whose first element is at byte `origin` of the bytes `image`."""
        self._transfer("zn5_dataset_write", offset, extent, image, origin, strides, threads, flags)

    def _transfer(self, name, offset, extent, memory, origin, strides, threads, flags):
        io = _IoOptions(ctypes.sizeof(_IoOptions), threads, flags, None, None)
        self._library.call(
            name, self._handle, _u64(offset), _u64(extent), memory, ctypes.c_size_t(len(memory)), ctypes.c_size_t(origin),
            _strides(strides), ctypes.byref(io),
        )  # fmt: skip


def c_strides(shape, element_size):
    """Byte strides of a contiguous array whose last axis varies fastest."""
    return tuple(element_size * math.prod(shape[axis + 1 :]) for axis in range(len(shape)))


def _u64(values):
    return ctypes.cast((ctypes.c_uint64 * len(values))(*values), _U64P)


def _strides(values):
    return ctypes.cast((ctypes.c_ssize_t * len(values))(*values), _I64P)
