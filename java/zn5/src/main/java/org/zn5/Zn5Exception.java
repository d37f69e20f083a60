// What zn5 throws where metadata, blocks, strings or storage are not as they should be.
package org.zn5;

/**
 * Metadata, a block, a string or storage is not as it should be.
 *
 * <p>Wrong arguments are an {@link IllegalArgumentException} or {@link NullPointerException} instead, whose cause is a {@code Zn5Exception} where the native
 * library noticed; memory that is exhausted is an {@link OutOfMemoryError}, and an object that was closed an {@link IllegalStateException}.
 */
public class Zn5Exception extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The number, as in {@code zn5.h}. */
  private final int status;

  /** The constant's name. */
  private final String statusName;

  /** The byte offset, or -1. */
  private final long offset;

  /** What the compression library said, or 0. */
  private final long nativeCode;

  /**
   * Makes an exception.
   *
   * @param status the number of the status, one of ZN5_ERROR_... in {@code zn5.h}
   * @param statusName the name of that constant
   * @param offset the byte offset in the input where the failure was noticed, or -1
   * @param nativeCode the number that the compression library gave, or 0
   * @param message one line that names the value, the place and the remedy
   */
  public Zn5Exception(int status, String statusName, long offset, long nativeCode, String message) {
    super(message);
    this.status = status;
    this.statusName = statusName;
    this.offset = offset;
    this.nativeCode = nativeCode;
  }

  /**
   * Returns the kind of failure, for programs.
   *
   * @return a number of {@code zn5.h}: 2xx metadata, 3xx blocks, 4xx text, 5xx storage, 9xx zn5 itself
   */
  public int status() {
    return status;
  }

  /**
   * Returns the kind of failure, for people.
   *
   * @return such as {@code ZN5_ERROR_CORRUPT_PAYLOAD}
   */
  public String statusName() {
    return statusName;
  }

  /**
   * Returns where in the input the failure was noticed.
   *
   * @return a byte offset in the block, the document or the elements; -1 if unknown
   */
  public long offset() {
    return offset;
  }

  /**
   * Returns what the compression library itself said, for bug reports.
   *
   * @return the library's number; 0 if there is none
   */
  public long nativeCode() {
    return nativeCode;
  }

  /**
   * Returns the class, the name of the status, and the message.
   *
   * @return such as {@code org.zn5.Zn5Exception: ZN5_ERROR_EMPTY_BLOCK: ...}
   */
  @Override
  public String toString() {
    return getClass().getName() + ": " + statusName + ": " + getMessage();
  }
}
