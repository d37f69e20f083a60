// Codecs and datasets that are closed, closed while they are used, used by many threads, or left to the garbage collector.
package org.zn5;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class HandleTest {
  private static final String ATTRIBUTES =
      Support.attributes("64,64,16", "64,64,16", "uint16", "{\"type\":\"zstd\",\"level\":1}");

  private static Zn5Codec codec() {
    return Zn5Codec.fromN5Attributes(ATTRIBUTES);
  }

  private static short[] array() {
    return (short[]) Support.array(Zn5DataType.UINT16, EncodeTest.content(64 * 64 * 16 * 2));
  }

  @Test
  void closedCodecsThrow() {
    Zn5Codec codec = codec();
    byte[] block = codec.encode(array());
    codec.close();
    codec.close();
    assertThrows(IllegalStateException.class, () -> codec.decode(block));
    assertThrows(IllegalStateException.class, () -> codec.decode(ByteBuffer.wrap(block), null, new short[64 * 64 * 16]));
    assertThrows(IllegalStateException.class, () -> codec.encode(array()));
    assertThrows(IllegalStateException.class, () -> codec.fill(null, new short[64 * 64 * 16]));
    assertThrows(IllegalStateException.class, codec::arrayShape);
    assertThrows(IllegalStateException.class, codec::fillValue);
    assertThrows(IllegalStateException.class, codec::toZarrCodec);
    assertThrows(IllegalStateException.class, () -> codec.encodeBound(null));
    // What was asked once is known.
    assertEquals(Zn5DataType.UINT16, codec.dataType());
    assertEquals("zstd", codec.compression());
    assertArrayEquals(new long[] {64, 64, 16}, codec.chunkShape());
  }

  @Test
  void sixteenThreadsUseOneCodec() throws Exception {
    try (Zn5Codec codec = codec()) {
      short[] array = array();
      byte[] block = codec.encode(array);
      AtomicReference<Throwable> failure = new AtomicReference<>();
      List<Thread> threads = new ArrayList<>();
      CyclicBarrier start = new CyclicBarrier(16);
      for (int i = 0; i < 16; i++) {
        boolean encodes = i % 4 == 0;
        Thread thread =
            new Thread(
                () -> {
                  try {
                    start.await();
                    for (int round = 0; round < 100; round++) {
                      if (encodes) {
                        assertArrayEquals(block, codec.encode(array));
                      } else {
                        assertArrayEquals(array, (short[]) codec.decode(block));
                      }
                    }
                  } catch (Throwable e) {
                    failure.compareAndSet(null, e);
                  }
                });
        thread.start();
        threads.add(thread);
      }
      for (Thread thread : threads) {
        thread.join();
      }
      assertNull(failure.get());
    }
  }

  /** Each round one thread closes while four decode some blocks; whoever comes too late, or too early, gets an exception. */
  @Test
  void closingWhileOthersDecode() throws Exception {
    AtomicInteger closedTooEarly = new AtomicInteger();
    AtomicInteger usedTooLate = new AtomicInteger();
    AtomicInteger decoded = new AtomicInteger();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    String attributes = Support.attributes("16,16,4", "16,16,4", "uint16", "{\"type\":\"zstd\",\"level\":1}");
    short[] array = (short[]) Support.array(Zn5DataType.UINT16, EncodeTest.content(16 * 16 * 4 * 2));
    for (int round = 0; round < 200; round++) {
      Zn5Codec codec = Zn5Codec.fromN5Attributes(attributes);
      byte[] block = codec.encode(array);
      CyclicBarrier start = new CyclicBarrier(5);
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        threads.add(
            new Thread(
                () -> {
                  try {
                    start.await();
                    for (int n = 0; n < 50; n++) {
                      assertArrayEquals(array, (short[]) codec.decode(block));
                      decoded.incrementAndGet();
                    }
                  } catch (IllegalStateException e) {
                    usedTooLate.incrementAndGet();
                  } catch (Throwable e) {
                    failure.compareAndSet(null, e);
                  }
                }));
      }
      threads.forEach(Thread::start);
      start.await();
      for (boolean isClosed = false; !isClosed; ) {
        try {
          codec.close();
          isClosed = true;
        } catch (IllegalStateException e) {
          closedTooEarly.incrementAndGet();
          Thread.sleep(0, 50_000);
        }
      }
      for (Thread thread : threads) {
        thread.join();
      }
    }
    assertNull(failure.get());
    assertTrue(usedTooLate.get() > 0, "no decode met a closed codec");
    assertTrue(closedTooEarly.get() > 0, "no close met a decode");
    assertTrue(decoded.get() > 0, "nothing was decoded");
  }

  @Test
  void whatNobodyClosedIsFreed() throws Exception {
    Handle.freeGarbage();
    int before = Handle.openCount();
    for (int i = 0; i < 200; i++) {
      codec().decode(EMPTY_BLOCK);
    }
    for (int i = 0; i < 100 && Handle.openCount() > before; i++) {
      System.gc();
      Thread.sleep(10);
      Handle.freeGarbage();
    }
    assertTrue(Handle.openCount() <= before, Handle.openCount() + " are open, before " + before);
  }

  private static final byte[] EMPTY_BLOCK;

  static {
    try (Zn5Codec codec = codec()) {
      EMPTY_BLOCK = codec.encode(new short[64 * 64 * 16]);
    }
  }

  /** Codecs that are garbage at once, while a thread collects and frees: none is freed while it decodes. */
  @Test
  void garbageIsNotFreedWhileItIsUsed() throws Exception {
    AtomicReference<Throwable> failure = new AtomicReference<>();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      threads.add(
          new Thread(
              () -> {
                try {
                  for (int round = 0; round < 500; round++) {
                    codec().decode(EMPTY_BLOCK);
                  }
                } catch (Throwable e) {
                  failure.compareAndSet(null, e);
                }
              }));
    }
    threads.forEach(Thread::start);
    while (threads.stream().anyMatch(Thread::isAlive)) {
      System.gc();
      Handle.freeGarbage();
    }
    assertNull(failure.get());
  }
}
