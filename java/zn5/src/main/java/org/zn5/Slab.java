// Cuts a large region of a dataset into slabs of whole layers of chunks, so that the copy beside a Java array stays small.
package org.zn5;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** One slab: where it begins in the array and in the image, and the blocks that it touches. */
final class Slab {
  /** The most bytes of a slab, unless one layer of chunks is larger. */
  static final long BYTES = 64L << 20;

  final long[] offset;
  final long[] extent;
  final long origin;
  final long blockCount;

  private Slab(long[] offset, long[] extent, long origin, long[] chunk) {
    this.offset = offset;
    this.extent = extent;
    this.origin = origin;
    long count = 1;
    for (int axis = 0; axis < chunk.length; axis++) {
      long first = offset[axis] / chunk[axis];
      count *= extent[axis] == 0 ? 0 : (offset[axis] + extent[axis] - 1) / chunk[axis] - first + 1;
    }
    blockCount = count;
  }

  /**
   * Cuts along the slowest axis, at the borders of chunks: each block is in one slab, and a region in one piece stays so.
   *
   * @param strides in elements; null for a region in one piece
   */
  static List<Slab> of(
      long[] offset, long[] extent, long[] chunk, long origin, long[] strides, boolean orderC, long elementSize) {
    long len = Box.product(extent, elementSize);
    if (len <= BYTES || chunk.length == 0) {
      return Collections.singletonList(new Slab(offset, extent, origin, chunk));
    }
    int axis = orderC ? 0 : chunk.length - 1;
    long layerLen = len / extent[axis];
    long stride = strides == null ? layerLen / elementSize : strides[axis];
    long chunksOfASlab = Math.max(1, BYTES / layerLen / chunk[axis]);
    List<Slab> slabs = new ArrayList<>();
    long end = offset[axis] + extent[axis];
    for (long first = offset[axis]; first < end; ) {
      long next = Math.min((end - 1) / chunk[axis], first / chunk[axis] + chunksOfASlab - 1) * chunk[axis];
      next = Math.min(end - next, chunk[axis]) + next;
      long[] slabOffset = offset.clone();
      long[] slabExtent = extent.clone();
      slabOffset[axis] = first;
      slabExtent[axis] = next - first;
      slabs.add(new Slab(slabOffset, slabExtent, origin + (first - offset[axis]) * stride, chunk));
      first = next;
    }
    return slabs;
  }
}
