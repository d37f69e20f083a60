// Who wants to know how far a call has come.
package org.zn5;

/** Is told how many blocks are done, and can end the call. */
@FunctionalInterface
public interface Zn5Progress {
  /**
   * Takes the progress of a call, on the thread that made the call: at the beginning, after blocks, at the end.
   *
   * <p>What this throws ends the call and is thrown by it.
   *
   * @param done the blocks that are done
   * @param total all blocks of the call
   * @return true to go on; false ends the call with a {@link Zn5Exception} named {@code ZN5_ERROR_CANCELLED}
   */
  boolean update(long done, long total);
}
