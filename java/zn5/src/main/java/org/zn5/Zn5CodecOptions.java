// What a caller can ask of a codec beside the metadata.
package org.zn5;

/** How a {@link Zn5Codec} lays arrays out, and what it refuses. Each setter returns the object, so that calls can be chained. */
public final class Zn5CodecOptions {
  private static final int C = 0;
  private static final int F = 1;
  private static final int STRICT = 1;

  private boolean orderC;
  private boolean strict;
  private long maxDecodedBytes;

  /** Makes the defaults: F order, lenient, blocks of up to 2<sup>31</sup> - 1 bytes. */
  public Zn5CodecOptions() {}

  /**
   * Asks for C order, the last axis fastest, as in NumPy and Zarr. The default is F order, the first axis fastest, as in ImgLib2 and in
   * the N5 block itself.
   *
   * @param orderC whether arrays are in C order
   * @return this
   */
  public Zn5CodecOptions orderC(boolean orderC) {
    this.orderC = orderC;
    return this;
  }

  /**
   * Asks for errors also where a block deviates harmlessly from the formats, such as by bytes behind its payload.
   *
   * @param strict whether to be strict; the default is not
   * @return this
   */
  public Zn5CodecOptions strict(boolean strict) {
    this.strict = strict;
    return this;
  }

  /**
   * Limits what one block may decode to.
   *
   * @param maxDecodedBytes the most bytes; 0 for the default
   * @return this
   * @throws IllegalArgumentException if the number is negative
   */
  public Zn5CodecOptions maxDecodedBytes(long maxDecodedBytes) {
    if (maxDecodedBytes < 0) {
      throw new IllegalArgumentException("maxDecodedBytes is " + maxDecodedBytes + "; 0 or more are allowed");
    }
    this.maxDecodedBytes = maxDecodedBytes;
    return this;
  }

  int order() {
    return orderC ? C : F;
  }

  boolean isOrderC() {
    return orderC;
  }

  int flags() {
    return strict ? STRICT : 0;
  }

  long maxDecodedBytes() {
    return maxDecodedBytes;
  }
}
