// N5 datasets as images of ImgLib2: read at once, or cell by cell when they are looked at.
package org.zn5.imglib2;

import java.lang.ref.SoftReference;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import net.imglib2.img.Img;
import net.imglib2.img.array.ArrayImgs;
import net.imglib2.img.basictypeaccess.DataAccess;
import net.imglib2.img.basictypeaccess.array.ByteArray;
import net.imglib2.img.basictypeaccess.array.DoubleArray;
import net.imglib2.img.basictypeaccess.array.FloatArray;
import net.imglib2.img.basictypeaccess.array.IntArray;
import net.imglib2.img.basictypeaccess.array.LongArray;
import net.imglib2.img.basictypeaccess.array.ShortArray;
import net.imglib2.img.cell.Cell;
import net.imglib2.img.cell.CellGrid;
import net.imglib2.img.cell.LazyCellImg;
import net.imglib2.type.NativeType;
import net.imglib2.type.numeric.RealType;
import net.imglib2.type.numeric.integer.ByteType;
import net.imglib2.type.numeric.integer.IntType;
import net.imglib2.type.numeric.integer.LongType;
import net.imglib2.type.numeric.integer.ShortType;
import net.imglib2.type.numeric.integer.UnsignedByteType;
import net.imglib2.type.numeric.integer.UnsignedIntType;
import net.imglib2.type.numeric.integer.UnsignedLongType;
import net.imglib2.type.numeric.integer.UnsignedShortType;
import net.imglib2.type.numeric.real.DoubleType;
import net.imglib2.type.numeric.real.FloatType;
import org.zn5.Zn5Codec;
import org.zn5.Zn5DataType;
import org.zn5.Zn5Dataset;
import org.zn5.Zn5IoOptions;

/**
 * Opens datasets as images. The type of the pixels is that of the dataset: {@code uint16} becomes {@link UnsignedShortType}, {@code float32} becomes {@link FloatType}, and so on;
 * it is the caller who says which one is expected, by the type of the variable, and that is not checked: a wrong one is a {@link ClassCastException} where a pixel is used.
 *
 * <p>Axes keep their order: axis 0 is the first number of N5's {@code dimensions}, usually x, and of Zarr's {@code shape}, usually z or t. {@code Views.permute(image, 0, 2)}
 * brings an image of z, y, x into x, y, z.
 */
public final class Zn5Images {
  private Zn5Images() {}

  /**
   * Reads a whole dataset into an image.
   *
   * @param <T> the type of the pixels
   * @param folder the container, such as {@code /data/brain.n5}
   * @param path the dataset in it, such as {@code volume/s0}
   * @return an ArrayImg
   * @throws org.zn5.Zn5Exception if the dataset cannot be read
   * @throws IllegalArgumentException if it has more than 2<sup>31</sup> - 1 pixels ({@link #openLazily} takes such), or no dimension, or its elements are no numbers
   */
  public static <T extends NativeType<T> & RealType<T>> Img<T> open(String folder, String path) {
    try (Zn5Dataset dataset = Zn5Dataset.open(folder, path)) {
      checkKind(dataset);
      if (hasMorePixelsThanAnArray(dataset.shape())) {
        throw new IllegalArgumentException(dataset + " has more pixels than a Java array holds; openLazily makes images of that size");
      }
      return arrayImg(dataset.dataType(), dataset.read(null, null), dataset.shape());
    }
  }

  /**
   * Makes an image of a dataset that reads each block when it is looked at, and keeps it while memory allows; so it may be larger than memory. What is written into the
   * image is not stored, and may be forgotten.
   *
   * @param <T> the type of the pixels
   * @param dataset the dataset, opened with F order; it must stay open as long as the image is used
   * @return a LazyCellImg with a cell for each block
   * @throws IllegalArgumentException if the dataset has C order, no dimension or one of 0, or blocks of more than 2<sup>31</sup> - 1 pixels, or its elements are no numbers
   * @throws IllegalStateException if the dataset is closed
   */
  public static <T extends NativeType<T> & RealType<T>> Img<T> openLazily(Zn5Dataset dataset) {
    checkKind(dataset);
    if (dataset.isOrderC()) {
      throw new IllegalArgumentException("the dataset was opened with C order; images of ImgLib2 have F order");
    }
    long[] shape = dataset.codec().arrayShape();
    if (Arrays.stream(shape).anyMatch(extent -> extent == 0)) {
      throw new IllegalArgumentException(dataset + " has no pixels");
    }
    if (hasMorePixelsThanAnArray(cellShape(dataset))) {
      throw new IllegalArgumentException(dataset + " has blocks of more pixels than a Java array holds; Zn5Dataset.read takes smaller regions");
    }
    return cellImg(dataset);
  }

  private static boolean hasMorePixelsThanAnArray(long[] shape) {
    double count = 1;
    for (long extent : shape) {
      count *= extent;
    }
    return count > Integer.MAX_VALUE;
  }

  /** That of a chunk, but no larger than the dataset. */
  private static long[] cellShape(Zn5Dataset dataset) {
    long[] cell = dataset.codec().chunkShape();
    long[] shape = dataset.shape();
    for (int axis = 0; axis < cell.length; axis++) {
      cell[axis] = Math.min(cell[axis], shape[axis]);
    }
    return cell;
  }

  private static void checkKind(Zn5Dataset dataset) {
    if (dataset.numDimensions() == 0 || dataset.dataType() == Zn5DataType.UTF32) {
      throw new IllegalArgumentException(
          "a dataset of " + dataset.dataType().n5Name() + " with " + dataset.numDimensions() + " dimensions is no image");
    }
  }

  // The caller names T; a wrong one shows as ClassCastException where a pixel is used.
  @SuppressWarnings("unchecked")
  private static <T> Img<T> arrayImg(Zn5DataType type, Object array, long[] shape) {
    switch (type) {
      case UINT8:
        return (Img<T>) ArrayImgs.unsignedBytes((byte[]) array, shape);
      case INT8:
        return (Img<T>) ArrayImgs.bytes((byte[]) array, shape);
      case UINT16:
        return (Img<T>) ArrayImgs.unsignedShorts((short[]) array, shape);
      case INT16:
        return (Img<T>) ArrayImgs.shorts((short[]) array, shape);
      case UINT32:
        return (Img<T>) ArrayImgs.unsignedInts((int[]) array, shape);
      case INT32:
        return (Img<T>) ArrayImgs.ints((int[]) array, shape);
      case UINT64:
        return (Img<T>) ArrayImgs.unsignedLongs((long[]) array, shape);
      case INT64:
        return (Img<T>) ArrayImgs.longs((long[]) array, shape);
      case FLOAT32:
        return (Img<T>) ArrayImgs.floats((float[]) array, shape);
      case FLOAT64:
        return (Img<T>) ArrayImgs.doubles((double[]) array, shape);
      default:
        throw new IllegalArgumentException(type.n5Name());
    }
  }

  @SuppressWarnings("unchecked")
  private static <T> Img<T> cellImg(Zn5Dataset dataset) {
    switch (dataset.dataType()) {
      case UINT8:
        return (Img<T>) cells(dataset, new UnsignedByteType(), array -> new ByteArray((byte[]) array));
      case INT8:
        return (Img<T>) cells(dataset, new ByteType(), array -> new ByteArray((byte[]) array));
      case UINT16:
        return (Img<T>) cells(dataset, new UnsignedShortType(), array -> new ShortArray((short[]) array));
      case INT16:
        return (Img<T>) cells(dataset, new ShortType(), array -> new ShortArray((short[]) array));
      case UINT32:
        return (Img<T>) cells(dataset, new UnsignedIntType(), array -> new IntArray((int[]) array));
      case INT32:
        return (Img<T>) cells(dataset, new IntType(), array -> new IntArray((int[]) array));
      case UINT64:
        return (Img<T>) cells(dataset, new UnsignedLongType(), array -> new LongArray((long[]) array));
      case INT64:
        return (Img<T>) cells(dataset, new LongType(), array -> new LongArray((long[]) array));
      case FLOAT32:
        return (Img<T>) cells(dataset, new FloatType(), array -> new FloatArray((float[]) array));
      case FLOAT64:
        return (Img<T>) cells(dataset, new DoubleType(), array -> new DoubleArray((double[]) array));
      default:
        throw new IllegalArgumentException(dataset.dataType().n5Name());
    }
  }

  /** Makes what ImgLib2 wants around an array. */
  private interface Access<A> {
    A of(Object array);
  }

  private static <T extends NativeType<T>, A extends DataAccess> Img<T> cells(Zn5Dataset dataset, T type, Access<A> access) {
    Zn5Codec codec = dataset.codec();
    int[] cellDimensions = Arrays.stream(cellShape(dataset)).mapToInt(Math::toIntExact).toArray();
    CellGrid grid = new CellGrid(dataset.shape(), cellDimensions);
    Zn5IoOptions oneThread = new Zn5IoOptions().threads(1);
    Map<Long, SoftReference<Cell<A>>> cache = new ConcurrentHashMap<>();
    // Two threads that miss the same cell both read it, and either result does.
    return new LazyCellImg<>(
        grid,
        type,
        index -> {
          SoftReference<Cell<A>> kept = cache.get(index);
          Cell<A> cell = kept == null ? null : kept.get();
          if (cell == null) {
            long[] corner = new long[grid.numDimensions()];
            int[] extent = new int[corner.length];
            grid.getCellDimensions(index, corner, extent);
            long[] box = Arrays.stream(extent).asLongStream().toArray();
            Object array = codec.newArray(box);
            dataset.read(corner, box, array, 0, null, oneThread);
            cell = new Cell<>(extent, corner, access.of(array));
            cache.put(index, new SoftReference<>(cell));
          }
          return cell;
        });
  }
}
