// Checks of shapes, boxes and strides before they go to the native code, so that messages name the caller's numbers.
package org.zn5;

import java.util.Arrays;

final class Box {
  private Box() {}

  static long[] checkList(String what, long[] list, int ndim) {
    if (list.length != ndim) {
      throw new IllegalArgumentException(
          what + " " + Arrays.toString(list) + " has " + list.length + " numbers; the array has " + ndim + " dimensions");
    }
    return list;
  }

  /** A copy, which the caller cannot change meanwhile. */
  static long[] checkExtents(String what, long[] list, int ndim) {
    long[] copy = checkList(what, list, ndim).clone();
    for (long number : copy) {
      if (number < 0) {
        throw new IllegalArgumentException(what + " " + Arrays.toString(copy) + " has a negative number");
      }
    }
    return copy;
  }

  static void checkInside(long[] offset, long[] extent, long[] shape) {
    for (int axis = 0; axis < shape.length; axis++) {
      if (offset[axis] > shape[axis] || extent[axis] > shape[axis] - offset[axis]) {
        throw new IllegalArgumentException(
            "the region at " + Arrays.toString(offset) + " of extents " + Arrays.toString(extent) + " leaves the array of shape "
                + Arrays.toString(shape) + " on axis " + axis);
      }
    }
  }

  /** The extents from an offset to the end of the array. */
  static long[] rest(long[] shape, long[] offset) {
    long[] rest = new long[shape.length];
    for (int axis = 0; axis < rest.length; axis++) {
      rest[axis] = Math.max(0, shape[axis] - offset[axis]);
    }
    return rest;
  }

  static long product(long[] extent, long elementSize) {
    long product = elementSize;
    for (long number : extent) {
      if (number == 0) {
        return 0;
      }
    }
    try {
      for (long number : extent) {
        product = Math.multiplyExact(product, number);
      }
    } catch (ArithmeticException overflow) {
      throw tooLarge(extent, overflow);
    }
    return product;
  }

  /** The length of a new Java array for a box. */
  static int arrayLength(long[] extent, long widthOfBytes) {
    long length = product(extent, widthOfBytes);
    if (length > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          Arrays.toString(extent) + " has more elements than a Java array holds; read smaller regions, or into a direct buffer");
    }
    return (int) length;
  }

  /**
   * Checks that a box lies in an image, and returns the strides in bytes. Without strides it is one piece.
   *
   * @param isWritten then no two elements may share memory
   */
  static long[] checkStrides(
      long[] extent, Memory image, long origin, long[] strides, long elementSize, boolean isWritten) {
    long len = product(extent, elementSize);
    if (origin < 0) {
      throw new IllegalArgumentException("the origin " + origin + " is negative");
    }
    try {
      long first = Math.multiplyExact(origin, elementSize);
      if (strides == null) {
        if (Math.addExact(first, len) > image.len) {
          throw outside(extent, "of " + size(len, elementSize) + " from element " + origin + " on", image, elementSize);
        }
        return null;
      }
      long[] bytes = checkList("the list of strides", strides, extent.length).clone();
      long low = first;
      long high = first;
      for (int axis = 0; axis < bytes.length; axis++) {
        bytes[axis] = Math.multiplyExact(bytes[axis], elementSize);
        if (len > 0) {
          long reach = Math.multiplyExact(bytes[axis], extent[axis] - 1);
          low = Math.addExact(low, Math.min(0, reach));
          high = Math.addExact(high, Math.max(0, reach));
        }
      }
      if (len > 0 && (low < 0 || Math.addExact(high, elementSize) > image.len)) {
        String where = "whose strides reach from element " + low / elementSize + " to element " + high / elementSize;
        throw outside(extent, where, image, elementSize);
      }
      if (isWritten && len > 0) {
        checkDistinct(extent, bytes, elementSize, strides);
      }
      return bytes;
    } catch (ArithmeticException overflow) {
      throw tooLarge(extent, overflow);
    }
  }

  /** Each axis must step over all that the axes of smaller strides reach: then no two elements meet. */
  private static void checkDistinct(long[] extent, long[] bytes, long elementSize, long[] strides) {
    Integer[] axes = new Integer[extent.length];
    Arrays.setAll(axes, axis -> axis);
    Arrays.sort(axes, (a, b) -> Long.compare(Math.abs(bytes[a]), Math.abs(bytes[b])));
    long reach = elementSize;
    for (int axis : axes) {
      if (extent[axis] > 1) {
        if (Math.abs(bytes[axis]) < reach) {
          throw new IllegalArgumentException(
              "with the strides " + Arrays.toString(strides) + " elements of a region of extents " + Arrays.toString(extent)
                  + " would lie over each other");
        }
        reach = Math.addExact(reach, Math.multiplyExact(Math.abs(bytes[axis]), extent[axis] - 1));
      }
    }
  }

  private static IllegalArgumentException outside(long[] extent, String where, Memory image, long elementSize) {
    return new IllegalArgumentException(
        "a region of extents " + Arrays.toString(extent) + ", " + where + ", does not lie in an array or buffer of "
            + size(image.len, elementSize));
  }

  /** A number of bytes, with the elements that these are. */
  static String size(long len, long elementSize) {
    return elementSize > 1 ? len / elementSize + " elements (" + len + " bytes)" : len + " elements";
  }

  /** Of an array that is to be read from its beginning to its end. */
  static void checkLength(long[] extent, Memory source, long elementSize, String remedy) {
    long len = product(extent, elementSize);
    if (source.len != len) {
      throw new IllegalArgumentException(
          "the array has " + size(source.len, elementSize) + "; what has the extents " + Arrays.toString(extent) + " has " + size(len, elementSize)
              + ". " + remedy);
    }
  }

  private static IllegalArgumentException tooLarge(long[] extent, ArithmeticException overflow) {
    return new IllegalArgumentException(
        "a region of extents " + Arrays.toString(extent) + " has more bytes than a long counts", overflow);
  }
}
