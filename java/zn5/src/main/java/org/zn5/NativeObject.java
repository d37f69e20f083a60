// What codecs and datasets have in common: a native object that is used by calls and closed once.
package org.zn5;

import java.util.function.LongConsumer;

abstract class NativeObject implements AutoCloseable {
  private final Handle handle;
  private final String what;
  // Written after each use, so that the object is reachable, and not garbage to be freed, until the use is over.
  private volatile boolean isUsed;

  NativeObject(String what, long pointer, LongConsumer free) {
    this.what = what;
    this.handle = pointer == 0 ? null : new Handle(this, pointer, free);
  }

  /** Returns the pointer, to be followed by {@link #release()} in a finally block. */
  long acquire() {
    return handle.acquire(what);
  }

  void release() {
    handle.release();
    isUsed = true;
  }

  /**
   * Frees the native object; closing once more does nothing. What is used afterwards throws {@link IllegalStateException}. If it is not closed, it is freed some
   * time after it became garbage.
   *
   * @throws IllegalStateException if a call uses the object now, on another thread or the one that its callback is on; it stays open then
   */
  @Override
  public void close() {
    if (handle != null) {
      handle.close(what);
    }
  }
}
