// One array in a folder: its regions are read and written by several threads.
package org.zn5;

import java.nio.Buffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * One array in an N5 container or Zarr v3 group that is a folder. Any number of threads may use a dataset at once.
 *
 * <p>What {@link Zn5Codec} says of arrays, order, closing and failures holds here too: shapes are in the order of N5's {@code dimensions}, and arrays have the first axis fastest
 * unless the options say otherwise. (The C API has the last axis fastest unless asked.) Axis 0 is the first number of N5's {@code dimensions}, usually x, and of Zarr's
 * {@code shape}, usually z or t; nothing is reversed.
 *
 * <p>Between a dataset and a Java array data is copied, slab by slab, which takes some 64 MiB of memory beside the array; direct buffers
 * are used in place.
 */
public final class Zn5Dataset extends NativeObject {
  private static final int WRITE = 1;
  private static final int CREATE = 2;
  // Not the drive letters of Windows.
  private static final Pattern URI = Pattern.compile("file:/|[A-Za-z][A-Za-z0-9+.-]+://");

  private static final int READ_ONLY = 505;

  private final Zn5Codec codec;
  private final long[] shape;
  private final String metadata;
  private final boolean orderC;
  private final boolean isWritable;
  private final String place;

  private Zn5Dataset(long pointer, boolean orderC, boolean isWritable, String place) {
    super("dataset", pointer, Native::datasetFree);
    this.orderC = orderC;
    this.isWritable = isWritable;
    this.place = place;
    long codecPointer = Native.datasetCodec(pointer);
    codec = new Zn5Codec(this, codecPointer);
    shape = Native.codecShape(codecPointer, true);
    metadata = Native.text(Native.datasetMetadata(pointer));
  }

  /**
   * Opens an array for reading: by {@code attributes.json} if that describes one, else by {@code zarr.json}.
   *
   * @param folder the container, such as {@code /data/brain.n5}
   * @param path the array in it, such as {@code volume/s0}; empty for the container itself
   * @return the array
   * @throws Zn5Exception if there is no such array, or zn5 does not support it
   */
  public static Zn5Dataset open(String folder, String path) {
    return open(folder, path, new Zn5CodecOptions());
  }

  /**
   * Opens an array for reading: by {@code attributes.json} if that describes one, else by {@code zarr.json}.
   *
   * @param folder the container, such as {@code /data/brain.n5}
   * @param path the array in it, such as {@code volume/s0}; empty for the container itself
   * @param options order and limits
   * @return the array
   * @throws Zn5Exception if there is no such array, or zn5 does not support it
   */
  public static Zn5Dataset open(String folder, String path, Zn5CodecOptions options) {
    return open(folder, path, null, 0, options);
  }

  /**
   * Opens an array for reading and writing.
   *
   * @param folder the container, such as {@code /data/brain.n5}
   * @param path the array in it, such as {@code volume/s0}; empty for the container itself
   * @param options order and limits
   * @return the array
   * @throws Zn5Exception if there is no such array, or zn5 does not support it
   */
  public static Zn5Dataset openForWriting(String folder, String path, Zn5CodecOptions options) {
    return open(folder, path, null, WRITE, options);
  }

  /**
   * Makes an array without blocks, and the groups above it that its format needs, and opens it for
   * reading and writing.
   *
   * @param folder the container, which is made if it is missing
   * @param path the array in it, such as {@code volume/s0}; empty for the container itself
   * @param metadata the text of an {@code attributes.json}, or of a {@code zarr.json}, which is stored as it is;
   *     that of the container itself gets the version of N5 if it is N5's and has none
   * @param options order and limits
   * @return the array
   * @throws Zn5Exception if there is an array already, or the metadata are not good
   */
  public static Zn5Dataset create(String folder, String path, String metadata, Zn5CodecOptions options) {
    return open(folder, path, Native.utf8(Objects.requireNonNull(metadata, "metadata")), WRITE | CREATE, options);
  }

  private static Zn5Dataset open(String folder, String path, byte[] metadata, int flags, Zn5CodecOptions options) {
    Zn5.require();
    if (URI.matcher(Objects.requireNonNull(folder, "folder")).lookingAt()) {
      throw new IllegalArgumentException(folder + " is a URI; zn5 takes the path of a folder, such as /data/brain.n5");
    }
    byte[] folderBytes = Native.utf8(folder);
    byte[] pathBytes = Native.utf8(Objects.requireNonNull(path, "path"));
    Objects.requireNonNull(options, "options");
    Handle.freeGarbage();
    return new Zn5Dataset(
        Native.datasetOpen(
            folderBytes, pathBytes, metadata, flags, options.order(), options.flags(), options.maxDecodedBytes()),
        options.isOrderC(),
        (flags & WRITE) != 0,
        path.isEmpty() ? folder : path + " in " + folder);
  }

  /**
   * Returns the codec of the array's blocks. It is closed with the dataset; to close it alone does nothing.
   *
   * @return the codec
   */
  public Zn5Codec codec() {
    return codec;
  }

  /**
   * Tells the order of the arrays that are read and written.
   *
   * @return true for C order, the last axis fastest; false for F order
   */
  public boolean isOrderC() {
    return orderC;
  }

  /**
   * Returns the type of the elements.
   *
   * @return the type
   */
  public Zn5DataType dataType() {
    return codec.dataType();
  }

  /**
   * Returns the number of dimensions.
   *
   * @return the number
   */
  public int numDimensions() {
    return shape.length;
  }

  /**
   * Returns the shape of the array: N5's {@code dimensions}.
   *
   * @return the extents, axis 0 first
   */
  public long[] shape() {
    return shape.clone();
  }

  /**
   * Returns how many chunks there are along each axis.
   *
   * @return the extents of the grid of chunks, axis 0 first
   */
  public long[] gridShape() {
    long[] chunk = codec.chunkShape();
    long[] grid = new long[shape.length];
    for (int axis = 0; axis < grid.length; axis++) {
      grid[axis] = shape[axis] / chunk[axis] + (shape[axis] % chunk[axis] == 0 ? 0 : 1);
    }
    return grid;
  }

  /**
   * Returns the document that describes the array, as it was stored when the array was opened.
   *
   * @return the text of {@code attributes.json} or {@code zarr.json}
   */
  public String metadata() {
    return metadata;
  }

  /**
   * Reads a region into a new array, with as many threads as there are cores.
   *
   * @param offset where the region begins; null for the array's corner
   * @param extent the extents of the region; null for the rest
   * @return a new {@code byte[]}, {@code short[]}, {@code int[]}, {@code long[]}, {@code float[]} or {@code double[]}, as {@link #dataType()} says
   * @throws Zn5Exception if a block is damaged or cannot be read
   * @throws IllegalArgumentException if the region leaves the array, or has more elements than a Java array holds
   */
  public Object read(long[] offset, long[] extent) {
    long[] corner = offset == null ? new long[shape.length] : Box.checkExtents("the offset", offset, shape.length);
    long[] box = extent == null ? Box.rest(shape, corner) : Box.checkExtents("the extent", extent, shape.length);
    Box.checkInside(corner, box, shape);
    Object array = codec.newArray(box);
    read(corner, box, array, 0, null, null);
    return array;
  }

  /**
   * Reads a region into an image. Blocks that are missing read as the fill value. Only elements of the region are written.
   *
   * @param offset where the region begins; null for the array's corner
   * @param extent the extents of the region; null for the rest
   * @param image the array that holds the image
   * @param origin the number of the element in the image where the region begins
   * @param strides how many elements of the image one step along each axis is; may be negative; null for a region in one piece
   * @param options threads and progress; null for the defaults
   * @throws Zn5Exception if a block is damaged or cannot be read, or if progress ended the call
   * @throws IllegalArgumentException if the region leaves the array or the image, if its elements would lie over each other, or if the image is of another type
   */
  public void read(
      long[] offset, long[] extent, Object image, long origin, long[] strides, Zn5IoOptions options) {
    transfer(false, offset, extent, image, origin, strides, options);
  }

  /**
   * Writes a region, which lies in one piece, with as many threads as there are cores.
   *
   * @param offset where the region begins; null for the array's corner
   * @param extent the extents of the region; null for the rest
   * @param array the elements, exactly as many as the region has, in the dataset's order
   * @throws Zn5Exception if a block cannot be written, or one that must be completed is damaged
   * @throws IllegalArgumentException if the region leaves the array, or the Java array is of another length or type
   */
  public void write(long[] offset, long[] extent, Object array) {
    long[] corner = offset == null ? new long[shape.length] : Box.checkExtents("the offset", offset, shape.length);
    long[] box = extent == null ? Box.rest(shape, corner) : Box.checkExtents("the extent", extent, shape.length);
    Box.checkInside(corner, box, shape);
    Memory source = Memory.ofElements(array, dataType(), codec.elementSize(), false);
    Box.checkLength(box, source, codec.elementSize(), "The write that takes an origin writes parts of arrays");
    write(corner, box, array, 0, null, null);
  }

  /**
   * Writes a region from an image. Each block is stored whole: a reader finds the old one or the new one. Blocks that the region covers in part keep their other elements. Calls
   * at the same time on one object may cover parts of the same block, and nothing is lost. Other objects of the same array, in this process or in others, are not waited for:
   * there, align regions to blocks, or serialise the calls.
   *
   * @param offset where the region begins; null for the array's corner
   * @param extent the extents of the region; null for the rest
   * @param image the array that holds the image; it may hold more than the region
   * @param origin the number of the element in the image where the region begins
   * @param strides how many elements of the image one step along each axis is; may be negative or 0; null for a region in one piece
   * @param options threads, progress, padding; null for the defaults
   * @throws Zn5Exception if a block cannot be written, one that must be completed is damaged, or progress ended the call
   * @throws IllegalArgumentException if the region leaves the array or the image, or if the image is of another type
   */
  public void write(
      long[] offset, long[] extent, Object image, long origin, long[] strides, Zn5IoOptions options) {
    transfer(true, offset, extent, image, origin, strides, options);
  }

  private void transfer(
      boolean isWrite, long[] offset, long[] extent, Object image, long origin, long[] strides, Zn5IoOptions options) {
    int ndim = shape.length;
    long[] corner = offset == null ? new long[ndim] : Box.checkExtents("the offset", offset, ndim);
    long[] box = extent == null ? Box.rest(shape, corner) : Box.checkExtents("the extent", extent, ndim);
    Box.checkInside(corner, box, shape);
    long elementSize = codec.elementSize();
    Memory memory = Memory.ofElements(image, dataType(), elementSize, !isWrite);
    long[] bytes = Box.checkStrides(box, memory, origin, strides, elementSize, !isWrite);
    Zn5IoOptions io = options == null ? new Zn5IoOptions() : options;
    List<Slab> slabs =
        image instanceof Buffer
            ? null
            : Slab.of(corner, box, codec.chunkShape(), origin, strides, orderC, elementSize);
    long dataset = acquire();
    try {
      if (isWrite && !isWritable) {
        throw new Zn5Exception(
            READ_ONLY, Native.statusName(READ_ONLY), -1, 0, "the dataset " + place + " was opened for reading; open it by Zn5Dataset.openForWriting");
      }
      if (slabs == null || slabs.size() == 1) {
        Native.datasetTransfer(
            dataset, isWrite, corner, box, memory.object, memory.first, memory.len, origin * elementSize, bytes, io.threads(),
            io.flags(), io.progress());
        return;
      }
      long total = slabs.stream().mapToLong(slab -> slab.blockCount).sum();
      long before = 0;
      for (Slab slab : slabs) {
        Native.datasetTransfer(
            dataset, isWrite, slab.offset, slab.extent, memory.object, memory.first, memory.len, slab.origin * elementSize, bytes,
            io.threads(), io.flags(), shifted(io.progress(), before, total));
        before += slab.blockCount;
      }
    } finally {
      release();
    }
  }

  /**
   * Returns where the array is, its type, shape, chunk shape and compression.
   *
   * @return such as {@code Zn5Dataset[volume/s0 in /data/brain.n5, shape [900, 800, 700], uint16, chunks of [64, 64, 64], gzip]}
   */
  @Override
  public String toString() {
    return "Zn5Dataset[" + place + ", shape " + Arrays.toString(shape) + ", " + codec.description() + "]";
  }

  /** The progress of one slab as that of the whole call. */
  private static Zn5Progress shifted(Zn5Progress progress, long before, long total) {
    return progress == null ? null : (done, ofSlab) -> progress.update(before + done, total);
  }

  /** Takes the problems that {@link Zn5Dataset#verify(ProblemListener, Zn5IoOptions)} finds, one by one. */
  @FunctionalInterface
  public interface ProblemListener {
    /**
     * Takes a problem, on the thread that made the call. What this throws ends the call and is thrown by it.
     *
     * @param problem what is wrong with one block
     * @return true to go on; false ends the call with a {@link Zn5Exception} named {@code ZN5_ERROR_CANCELLED}
     */
    boolean found(Zn5Problem problem);
  }

  /**
   * Reads every stored block whole and reports what is wrong: blocks that cannot be decoded, blocks outside of the grid, files that are no blocks.
   *
   * @param listener takes the problems, in the order of their keys
   * @param options threads and progress; null for the defaults
   * @throws Zn5Exception if the blocks cannot be listed, or the call was ended
   */
  public void verify(ProblemListener listener, Zn5IoOptions options) {
    Objects.requireNonNull(listener, "listener");
    Zn5IoOptions io = options == null ? new Zn5IoOptions() : options;
    long dataset = acquire();
    try {
      Native.datasetVerify(dataset, listener, io.threads(), io.flags(), io.progress());
    } finally {
      release();
    }
  }

  /**
   * Reads every stored block whole and returns what is wrong.
   *
   * @param options threads and progress; null for the defaults
   * @return all problems, in the order of their keys; empty if there are none
   * @throws Zn5Exception if the blocks cannot be listed, or progress ended the call
   */
  public List<Zn5Problem> verify(Zn5IoOptions options) {
    List<Zn5Problem> problems = new ArrayList<>();
    verify(
        problem -> {
          problems.add(problem);
          return true;
        },
        options);
    return problems;
  }
}
