// Decodes and encodes the blocks of one array.
package org.zn5;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;

/**
 * Decodes and encodes the blocks of one N5 or Zarr array. Any number of threads may use a codec at once.
 *
 * <p><b>Arrays.</b> Where a method takes an {@code Object} for an array, it is a {@code byte[]}, {@code short[]}, {@code int[]}, {@code long[]}, {@code float[]} or
 * {@code double[]}, as {@link #dataType()} says, or a direct buffer of the same elements, or a direct {@link ByteBuffer}; a buffer has the machine's byte order and
 * is used from its position to its limit, which stay as they are. Anything else is an {@link IllegalArgumentException}.
 *
 * <p><b>Order.</b> Shapes, offsets and extents are in the order of N5's {@code dimensions}, axis 0 first. Arrays have the <i>first</i> axis fastest (F order), as
 * ImgLib2 has them and as an N5 block stores them: a block of extents (3,2) that stores 1 2 3 4 5 6 becomes {1, 2, 3, 4, 5, 6}, and element (x,y) is
 * number x + 3y. With {@link Zn5CodecOptions#orderC(boolean)} the last axis is fastest, and the array is {1, 4, 2, 5, 3, 6}.
 *
 * <p><b>Closing.</b> A codec holds memory outside of the Java heap: close it. A codec that is closed throws {@link IllegalStateException}; so does {@link #close()} while
 * a call uses the codec.
 *
 * <p><b>Failures.</b> Damaged blocks and bad metadata are a {@link Zn5Exception}; wrong arguments an {@link IllegalArgumentException}; where the native library does not load,
 * every method that needs it throws an {@link UnsatisfiedLinkError} that says why.
 */
public final class Zn5Codec extends NativeObject {
  // Of a codec that belongs to a dataset.
  private final Zn5Dataset owner;
  private final long pointerOfOwner;

  private final Zn5DataType dataType;
  private final long elementSize;
  private final long[] chunkShape;
  private final String compression;

  private Zn5Codec(long pointer) {
    super("codec", pointer, Native::codecFree);
    owner = null;
    pointerOfOwner = 0;
    dataType = Zn5DataType.of(Native.codecDtype(pointer));
    elementSize = Native.codecElementSize(pointer);
    chunkShape = Native.codecShape(pointer, false);
    compression = Native.codecCompression(pointer);
  }

  /** The codec of a dataset, which is in use meanwhile. */
  Zn5Codec(Zn5Dataset owner, long pointer) {
    super("codec", 0, null);
    this.owner = owner;
    pointerOfOwner = pointer;
    dataType = Zn5DataType.of(Native.codecDtype(pointer));
    elementSize = Native.codecElementSize(pointer);
    chunkShape = Native.codecShape(pointer, false);
    compression = Native.codecCompression(pointer);
  }

  /**
   * Makes a codec from the text of an {@code attributes.json}.
   *
   * @param json the document of an array
   * @return a codec with F order
   * @throws Zn5Exception if the document is not JSON, is no array's, or asks for something that zn5 does not support
   */
  public static Zn5Codec fromN5Attributes(String json) {
    return fromN5Attributes(json, new Zn5CodecOptions());
  }

  /**
   * Makes a codec from the text of an {@code attributes.json}.
   *
   * @param json the document of an array
   * @param options order and limits
   * @return a codec
   * @throws Zn5Exception if the document is not JSON, is no array's, or asks for something that zn5 does not support
   */
  public static Zn5Codec fromN5Attributes(String json, Zn5CodecOptions options) {
    return create(json, false, options);
  }

  /**
   * Makes a codec from the text of a {@code zarr.json} (Zarr v3), whose codecs are {@code n5_default}, or {@code bytes} and compressors.
   *
   * @param json the document of an array
   * @return a codec with F order
   * @throws Zn5Exception if the document is not JSON, is no array's, or asks for something that zn5 does not support
   */
  public static Zn5Codec fromZarrMetadata(String json) {
    return fromZarrMetadata(json, new Zn5CodecOptions());
  }

  /**
   * Makes a codec from the text of a {@code zarr.json} (Zarr v3), whose codecs are {@code n5_default}, or {@code bytes} and compressors.
   *
   * @param json the document of an array
   * @param options order and limits
   * @return a codec
   * @throws Zn5Exception if the document is not JSON, is no array's, or asks for something that zn5 does not support
   */
  public static Zn5Codec fromZarrMetadata(String json, Zn5CodecOptions options) {
    return create(json, true, options);
  }

  private static Zn5Codec create(String json, boolean isZarr, Zn5CodecOptions options) {
    Zn5.require();
    byte[] text = Native.utf8(Objects.requireNonNull(json, "json"));
    Objects.requireNonNull(options, "options");
    Handle.freeGarbage();
    return new Zn5Codec(
        Native.codecNew(text, isZarr, options.order(), options.flags(), options.maxDecodedBytes()));
  }

  @Override
  long acquire() {
    if (owner == null) {
      return super.acquire();
    }
    owner.acquire();
    return pointerOfOwner;
  }

  @Override
  void release() {
    if (owner == null) {
      super.release();
    } else {
      owner.release();
    }
  }

  /**
   * Returns the type of the elements.
   *
   * @return the type
   */
  public Zn5DataType dataType() {
    return dataType;
  }

  /**
   * Returns the size of one element.
   *
   * @return bytes
   */
  public long elementSize() {
    return elementSize;
  }

  /**
   * Returns the number of dimensions.
   *
   * @return 0 to 65535
   */
  public int numDimensions() {
    return chunkShape.length;
  }

  /**
   * Returns the shape of a chunk: N5's {@code blockSize}.
   *
   * @return the extents, axis 0 first
   */
  public long[] chunkShape() {
    return chunkShape.clone();
  }

  /**
   * Returns the compression.
   *
   * @return N5's name, such as {@code gzip}; {@code raw} for none
   */
  public String compression() {
    return compression;
  }

  /**
   * Returns the shape of the whole array: N5's {@code dimensions}.
   *
   * @return the extents, axis 0 first
   */
  public long[] arrayShape() {
    long codec = acquire();
    try {
      return Native.codecShape(codec, true);
    } finally {
      release();
    }
  }

  /**
   * Returns the fill value: what padding and missing chunks hold.
   *
   * @return one element in the machine's byte order
   */
  public byte[] fillValue() {
    long codec = acquire();
    try {
      return Native.codecFillValue(codec);
    } finally {
      release();
    }
  }

  /**
   * Writes the codec as Zarr metadata: the {@code n5_default} object, or an array of codecs.
   *
   * @return JSON
   * @throws Zn5Exception if no Zarr codec says the same, as for N5's lz4
   */
  public String toZarrCodec() {
    long codec = acquire();
    try {
      return Native.text(Native.codecJson(codec));
    } finally {
      release();
    }
  }

  /**
   * Returns the most bytes that an encoded block can have.
   *
   * @param shape the extents of the block; null for the chunk shape
   * @return the bound, header included
   */
  public long encodeBound(long[] shape) {
    long[] extents = shapeOrChunk(shape);
    long codec = acquire();
    try {
      return Native.codecSize(codec, extents, true);
    } finally {
      release();
    }
  }

  /**
   * Makes an array for the elements of a shape.
   *
   * @param shape the extents; null for the chunk shape
   * @return a new {@code byte[]}, {@code short[]}, {@code int[]}, {@code long[]}, {@code float[]} or {@code double[]}
   */
  public Object newArray(long[] shape) {
    return dataType.newArray(Box.arrayLength(shapeOrChunk(shape), dataType == Zn5DataType.UTF32 ? elementSize : 1));
  }

  /**
   * Decodes a block into a new array of the chunk shape.
   *
   * @param block the stored block, whole
   * @return a new array of the type that {@link #newArray(long[])} makes
   * @throws Zn5Exception if the block is damaged
   */
  public Object decode(byte[] block) {
    Object array = newArray(null);
    decode(block, array);
    return array;
  }

  /**
   * Decodes a block into the beginning of an array, with the chunk shape; parts that the block does not cover get the fill value.
   *
   * @param block the stored block, whole
   * @param array gets the elements; what lies behind them stays as it is
   * @throws Zn5Exception if the block is damaged; the content of the array is unspecified then
   * @throws IllegalArgumentException if the array is of another type, or too short
   */
  public void decode(byte[] block, Object array) {
    decode(ByteBuffer.wrap(Objects.requireNonNull(block, "block")), null, array);
  }

  /**
   * Decodes a block into the beginning of an array, with the shape that is asked for: the stored block is cropped, and padded with the fill value, axis by axis.
   *
   * @param block the stored block, from the buffer's position to its limit; direct or not
   * @param shape the extents of the array; null for the chunk shape
   * @param array gets the elements; what lies behind them stays as it is
   * @throws Zn5Exception if the block is damaged; the content of the array is unspecified then
   * @throws IllegalArgumentException if the array is of another type, or too short
   */
  public void decode(ByteBuffer block, long[] shape, Object array) {
    decodeRegion(block, shape, null, null, array, 0, null);
  }

  /**
   * Decodes a box of a block straight into a larger image. Only elements of the box are written, so that several threads may decode into one image.
   *
   * @param block the stored block, from the buffer's position to its limit; direct or not
   * @param shape the extents of the block as a whole; null for the chunk shape
   * @param offset where in it the box begins; null for its corner
   * @param extent the extents of the box; null for the rest
   * @param image the array that holds the image
   * @param origin the number of the element in the image where the box begins
   * @param strides how many elements of the image one step along each axis is; may be negative; null for a box in one piece
   * @throws Zn5Exception if the block is damaged; the content of the box in the image is unspecified then
   * @throws IllegalArgumentException if the box leaves the shape or the image, if its elements would lie over each other, or if the image is of another type
   */
  public void decodeRegion(
      ByteBuffer block, long[] shape, long[] offset, long[] extent, Object image, long origin, long[] strides) {
    Memory source = Memory.ofBytes(Objects.requireNonNull(block, "block"));
    long[] extents = shapeOrChunk(shape);
    long[] corner = offset == null ? new long[numDimensions()] : Box.checkExtents("the offset", offset, numDimensions());
    long[] box = extent == null ? Box.rest(extents, corner) : Box.checkExtents("the extent", extent, numDimensions());
    Box.checkInside(corner, box, extents);
    Memory target = Memory.ofElements(image, dataType, elementSize, true);
    long[] bytes = Box.checkStrides(box, target, origin, strides, elementSize, true);
    long codec = acquire();
    try {
      Native.decode(
          codec, source.object, source.first, source.len, extents, corner, box, target.object, target.first, target.len,
          origin * elementSize, bytes);
    } finally {
      release();
    }
  }

  /**
   * Encodes an array of the chunk shape into a block.
   *
   * @param array the elements, exactly as many as the chunk has
   * @return the block; the same elements always give the same bytes
   * @throws IllegalArgumentException if the array is of another type or length
   */
  public byte[] encode(Object array) {
    return encode(null, array);
  }

  /**
   * Encodes an array into a block of its shape. Pass the cut shape for a truncated block at the array's edge.
   *
   * @param shape the extents of the array and of the block; null for the chunk shape
   * @param array the elements, exactly as many as the shape has
   * @return the block; the same elements always give the same bytes
   * @throws IllegalArgumentException if the array is of another type or length
   */
  public byte[] encode(long[] shape, Object array) {
    Memory source = Memory.ofElements(array, dataType, elementSize, false);
    Box.checkLength(shapeOrChunk(shape), source, elementSize, "encodeRegion takes parts of arrays");
    return encodeRegion(shape, array, 0, null);
  }

  /**
   * Encodes a box of a larger image into a block of the box's shape.
   *
   * @param shape the extents of the box and of the block; null for the chunk shape
   * @param image the array that holds the image
   * @param origin the number of the element in the image where the box begins
   * @param strides how many elements of the image one step along each axis is; may be negative or 0; null for a box in one piece
   * @return the block
   * @throws IllegalArgumentException if the box leaves the image, if the image is of another type, or if N5 has no block of this shape
   */
  public byte[] encodeRegion(long[] shape, Object image, long origin, long[] strides) {
    long[] extents = shapeOrChunk(shape);
    Memory source = Memory.ofElements(image, dataType, elementSize, false);
    long[] bytes = Box.checkStrides(extents, source, origin, strides, elementSize, false);
    long codec = acquire();
    try {
      return Native.encode(codec, extents, source.object, source.first, source.len, origin * elementSize, bytes);
    } finally {
      release();
    }
  }

  /**
   * Fills the beginning of an array with the fill value: what a missing block reads as.
   *
   * @param shape the extents of the array; null for the chunk shape
   * @param array gets the elements; what lies behind them stays as it is
   * @throws IllegalArgumentException if the array is of another type, or too short
   */
  public void fill(long[] shape, Object array) {
    long[] extents = shapeOrChunk(shape);
    Memory target = Memory.ofElements(array, dataType, elementSize, true);
    Box.checkStrides(extents, target, 0, null, elementSize, true);
    long codec = acquire();
    try {
      Native.fill(codec, extents, target.object, target.first, target.len);
    } finally {
      release();
    }
  }

  /**
   * Returns the type, the chunk shape and the compression.
   *
   * @return such as {@code Zn5Codec[uint16, chunks of [64, 64, 64], gzip]}
   */
  @Override
  public String toString() {
    return "Zn5Codec[" + description() + "]";
  }

  String description() {
    return dataType.n5Name() + ", chunks of " + Arrays.toString(chunkShape) + ", " + compression;
  }

  private long[] shapeOrChunk(long[] shape) {
    return shape == null ? chunkShape.clone() : Box.checkExtents("the shape", shape, numDimensions());
  }
}
