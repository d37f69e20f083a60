// What the header of an N5 block says.
package org.zn5;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;

/** The header of an N5 block: its mode, extents, and where the payload begins. */
public final class Zn5BlockHeader {
  private static final int FIXED = 3;

  private final int mode;
  private final long elementCount;
  private final int headerLength;
  private final long[] extents;

  private Zn5BlockHeader(long[] numbers) {
    mode = (int) numbers[0];
    elementCount = numbers[1];
    headerLength = (int) numbers[2];
    extents = Arrays.copyOfRange(numbers, FIXED, numbers.length);
  }

  /**
   * Reads the header of a block; nothing behind it is looked at.
   *
   * @param block the block, or its beginning, from the buffer's position to its limit
   * @return the header
   * @throws Zn5Exception if the block is empty, ends inside its header, or has an unknown mode
   */
  public static Zn5BlockHeader of(ByteBuffer block) {
    Memory memory = Memory.ofBytes(Objects.requireNonNull(block, "block"));
    Zn5.require();
    return new Zn5BlockHeader(Native.blockHeader(memory.object, memory.first, memory.len));
  }

  /**
   * Returns the mode.
   *
   * @return 0 (default), 1 (varlength) or 2 (object); {@link Zn5Codec} decodes 0 alone
   */
  public int mode() {
    return mode;
  }

  /**
   * Returns the number of elements.
   *
   * @return the count in the header in the modes 1 and 2, else the product of the extents
   */
  public long elementCount() {
    return elementCount;
  }

  /**
   * Returns where the payload begins.
   *
   * @return the bytes of the header
   */
  public int headerLength() {
    return headerLength;
  }

  /**
   * Returns the extents of the block as it is stored; pass them to {@link Zn5Codec#decode(ByteBuffer, long[], Object)} to get it neither cropped nor padded.
   *
   * @return the extents, axis 0 first; none in mode 2
   */
  public long[] extents() {
    return extents.clone();
  }
}
