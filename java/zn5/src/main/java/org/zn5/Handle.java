// A pointer to a native object that is freed once, never while a call uses it, and at last when its owner is garbage.
package org.zn5;

import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;

final class Handle extends PhantomReference<Object> {
  private static final long CLOSED = -1;
  private static final ReferenceQueue<Object> GARBAGE = new ReferenceQueue<>();
  // Keeps the references themselves alive.
  private static final Set<Handle> OPEN = ConcurrentHashMap.newKeySet();
  private static final Queue<Handle> USED_GARBAGE = new ConcurrentLinkedQueue<>();

  private final long pointer;
  private final LongConsumer free;
  // The calls that use the object now, or CLOSED.
  private final AtomicLong users = new AtomicLong();

  Handle(Object owner, long pointer, LongConsumer free) {
    super(owner, GARBAGE);
    this.pointer = pointer;
    this.free = free;
    OPEN.add(this);
  }

  /** Frees what nobody closed. Called where new objects are made: a thread of its own would keep class loaders alive. */
  static void freeGarbage() {
    for (Handle handle = USED_GARBAGE.poll(); handle != null; handle = USED_GARBAGE.poll()) {
      if (!handle.freeIfUnused()) {
        USED_GARBAGE.add(handle);
        break;
      }
    }
    for (Reference<?> garbage = GARBAGE.poll(); garbage != null; garbage = GARBAGE.poll()) {
      Handle handle = (Handle) garbage;
      if (!handle.freeIfUnused()) {
        USED_GARBAGE.add(handle);
      }
    }
  }

  static int openCount() {
    return OPEN.size();
  }

  /** Returns the pointer, which stays valid until {@link #release()}. */
  long acquire(String what) {
    for (; ; ) {
      long count = users.get();
      if (count == CLOSED) {
        throw new IllegalStateException("the " + what + " is closed");
      }
      if (users.compareAndSet(count, count + 1)) {
        return pointer;
      }
    }
  }

  void release() {
    users.decrementAndGet();
  }

  void close(String what) {
    if (!freeIfUnused()) {
      throw new IllegalStateException("the " + what + " cannot be closed while a call uses it");
    }
  }

  private boolean freeIfUnused() {
    if (users.compareAndSet(0, CLOSED)) {
      OPEN.remove(this);
      clear();
      free.accept(pointer);
    }
    return users.get() == CLOSED;
  }
}
