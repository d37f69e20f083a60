// One bad block, or one file that is no block, as verifying a dataset finds it.
package org.zn5;

/** What {@link Zn5Dataset#verify(Zn5IoOptions)} says of one file of a dataset. */
public final class Zn5Problem {
  private final int status;
  private final String statusName;
  private final String key;
  private final long offset;
  private final String message;

  Zn5Problem(int status, String statusName, String key, long offset, String message) {
    this.status = status;
    this.statusName = statusName;
    this.key = key;
    this.offset = offset;
    this.message = message;
  }

  /**
   * Returns the kind of problem: the status that reading the block would have.
   *
   * @return a number of {@code zn5.h}
   */
  public int status() {
    return status;
  }

  /**
   * Returns the name of the status.
   *
   * @return such as {@code ZN5_ERROR_CORRUPT_PAYLOAD}
   */
  public String statusName() {
    return statusName;
  }

  /**
   * Returns which block it is.
   *
   * @return the key in the container, such as {@code volume/s0/3/1/0}
   */
  public String key() {
    return key;
  }

  /**
   * Returns where in the block the problem was noticed.
   *
   * @return a byte offset; -1 if unknown
   */
  public long offset() {
    return offset;
  }

  /**
   * Returns what is wrong, in one line that begins with the key.
   *
   * @return the line
   */
  public String message() {
    return message;
  }

  /**
   * Returns the message.
   *
   * @return the message
   */
  @Override
  public String toString() {
    return message;
  }
}
