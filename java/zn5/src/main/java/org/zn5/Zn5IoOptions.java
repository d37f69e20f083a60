// How a call reads or writes the blocks of a dataset.
package org.zn5;

/** Threads, progress and details of reading and writing. Each setter returns the object, so that calls can be chained. */
public final class Zn5IoOptions {
  private static final int EMPTY_AS_MISSING = 1;
  private static final int WRITE_FILL = 2;
  private static final int PAD_EDGES = 4;

  private int threads;
  private int flags;
  private Zn5Progress progress;

  /** Makes the defaults: as many threads as cores, nobody is told of progress. */
  public Zn5IoOptions() {}

  /**
   * Sets the threads of a call, the calling one among them.
   *
   * @param threads 0 for as many as cores, 1 for the calling thread only; inside Spark and other programs that have a thread a core, 1 is right
   * @return this
   * @throws IllegalArgumentException if the number is negative
   */
  public Zn5IoOptions threads(int threads) {
    if (threads < 0) {
      throw new IllegalArgumentException("threads is " + threads + "; 0 or more are allowed");
    }
    this.threads = threads;
    return this;
  }

  /**
   * Sets who is told of progress and can end the call.
   *
   * @param progress is called on the thread that makes the call; null for nobody
   * @return this
   */
  public Zn5IoOptions progress(Zn5Progress progress) {
    this.progress = progress;
    return this;
  }

  /**
   * Takes blocks of 0 bytes, which a writer left that was interrupted, for missing ones; otherwise they are errors.
   *
   * @param emptyAsMissing whether to
   * @return this
   */
  public Zn5IoOptions emptyAsMissing(boolean emptyAsMissing) {
    return flag(EMPTY_AS_MISSING, emptyAsMissing);
  }

  /**
   * Stores blocks also where they hold nothing but the fill value; otherwise such blocks are erased, or not written.
   *
   * @param writeFill whether to
   * @return this
   */
  public Zn5IoOptions writeFill(boolean writeFill) {
    return flag(WRITE_FILL, writeFill);
  }

  /**
   * Stores N5 blocks at the array's edge with the extents of a whole chunk, padded with the fill value; otherwise they are cut.
   *
   * @param padEdges whether to
   * @return this
   */
  public Zn5IoOptions padEdges(boolean padEdges) {
    return flag(PAD_EDGES, padEdges);
  }

  private Zn5IoOptions flag(int flag, boolean on) {
    flags = on ? flags | flag : flags & ~flag;
    return this;
  }

  int threads() {
    return threads;
  }

  int flags() {
    return flags;
  }

  Zn5Progress progress() {
    return progress;
  }
}
