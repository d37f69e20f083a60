// Times decoding of one block by zn5, and by what a Java program has otherwise, in one VM and alternating; prints ratios.
// Both sides end with the same short[]: decompressed, and turned from big-endian.
package org.zn5.bench;

import com.github.luben.zstd.Zstd;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import net.jpountz.lz4.LZ4BlockInputStream;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4FastDecompressor;
import org.zn5.Zn5BlockHeader;
import org.zn5.Zn5Codec;

/** The program. */
public final class Decode {
  private static final int SIDE = 128;
  private static final int ELEMENTS = SIDE * SIDE * 64;
  private static final int BYTES = 2 * ELEMENTS;
  private static final int ROUNDS = 41;
  private static final int WARM_UP_MS = 1500;

  private Decode() {}

  private interface Work {
    void run() throws Exception;
  }

  /** The other way to decode a block. */
  private interface Other {
    void decode(byte[] payload, int from, short[] array) throws Exception;
  }

  /**
   * Prints the table.
   *
   * @param arguments none are looked at
   * @throws Exception if one of the libraries fails
   */
  public static void main(String[] arguments) throws Exception {
    System.out.printf(
        "One block of %d x %d x %d uint16, decoded into a short[]; Java %s, one thread, medians of %d.%n",
        SIDE, SIDE, ELEMENTS / SIDE / SIDE, System.getProperty("java.version"), ROUNDS);
    System.out.println("Ratio: the other time divided by that of zn5; above 1 zn5 is faster.\n");
    System.out.printf("%-22s %9s  %-34s %9s  %6s%n", "block", "zn5", "other", "time", "ratio");
    short[] image = image();
    compare(image, "raw", "{\"type\":\"raw\"}", "ByteBuffer", (payload, from, array) -> swap(payload, from, array));
    compare(image, "gzip 1", "{\"type\":\"gzip\",\"level\":1}", "java.util.zip.Inflater", Decode::inflate);
    compare(image, "gzip 6", "{\"type\":\"gzip\",\"level\":6}", "java.util.zip.Inflater", Decode::inflate);
    byte[] bytes = new byte[BYTES];
    compare(
        image, "zstd 3", "{\"type\":\"zstd\",\"level\":3}", "zstd-jni, byte[]",
        (payload, from, array) -> {
          if (Zstd.decompressByteArray(bytes, 0, BYTES, payload, from, payload.length - from) != BYTES) {
            throw new IllegalStateException("zstd-jni");
          }
          swap(bytes, 0, array);
        });
    compare(
        image, "lz4", "{\"type\":\"lz4\",\"blockSize\":65536}", "lz4-java, LZ4BlockInputStream",
        (payload, from, array) -> {
          try (LZ4BlockInputStream in = new LZ4BlockInputStream(new java.io.ByteArrayInputStream(payload, from, payload.length - from))) {
            for (int have = 0; have < BYTES; ) {
              have += in.read(bytes, have, BYTES - have);
            }
          }
          swap(bytes, 0, array);
        });
    // No Java library decodes Blosc but by a native one that must be installed; its own lz4 is the nearest.
    LZ4FastDecompressor lz4 = LZ4Factory.nativeInstance().fastDecompressor();
    compare(
        image, "blosc lz4",
        "{\"type\":\"blosc\",\"cname\":\"lz4\",\"clevel\":5,\"shuffle\":0,\"blocksize\":0,\"nthreads\":1}",
        "lz4-java, bare LZ4", bareLz4(image, lz4, bytes));
    compare(
        image, "blosc lz4, shuffled",
        "{\"type\":\"blosc\",\"cname\":\"lz4\",\"clevel\":5,\"shuffle\":1,\"blocksize\":0,\"nthreads\":1}",
        "lz4-java, and a loop to unshuffle", shuffledLz4(image, lz4, bytes));
  }

  private static Other bareLz4(short[] image, LZ4FastDecompressor lz4, byte[] bytes) {
    ByteBuffer big = ByteBuffer.allocate(BYTES);
    big.asShortBuffer().put(image);
    byte[] compressed = LZ4Factory.nativeInstance().fastCompressor().compress(big.array());
    return (payload, from, array) -> {
      lz4.decompress(compressed, 0, bytes, 0, BYTES);
      swap(bytes, 0, array);
    };
  }

  /** All high bytes before all low ones, as Blosc's shuffle has them, block by block. */
  private static Other shuffledLz4(short[] image, LZ4FastDecompressor lz4, byte[] bytes) {
    byte[] shuffled = new byte[BYTES];
    for (int i = 0; i < ELEMENTS; i++) {
      shuffled[i] = (byte) (image[i] >> 8);
      shuffled[ELEMENTS + i] = (byte) image[i];
    }
    byte[] compressed = LZ4Factory.nativeInstance().fastCompressor().compress(shuffled);
    return (payload, from, array) -> {
      lz4.decompress(compressed, 0, bytes, 0, BYTES);
      for (int i = 0; i < ELEMENTS; i++) {
        array[i] = (short) (bytes[i] << 8 | bytes[ELEMENTS + i] & 0xff);
      }
    };
  }

  private static void inflate(byte[] payload, int from, short[] array) throws DataFormatException {
    byte[] bytes = new byte[BYTES];
    Inflater inflater = new Inflater(true);
    try {
      // Behind the ten bytes of a header without names.
      inflater.setInput(payload, from + 10, payload.length - from - 10);
      for (int have = 0; have < BYTES; ) {
        have += inflater.inflate(bytes, have, BYTES - have);
      }
    } finally {
      inflater.end();
    }
    swap(bytes, 0, array);
  }

  private static void swap(byte[] bytes, int from, short[] array) {
    ByteBuffer.wrap(bytes, from, BYTES).order(ByteOrder.BIG_ENDIAN).asShortBuffer().get(array);
  }

  /** Something like a micrograph: smooth, with noise. */
  private static short[] image() {
    short[] image = new short[ELEMENTS];
    Random random = new Random(1);
    for (int i = 0; i < ELEMENTS; i++) {
      double x = i % SIDE;
      double y = i / SIDE % SIDE;
      image[i] = (short) (1000 + 400 * Math.sin(x / 9) * Math.cos(y / 13) + random.nextInt(16));
    }
    return image;
  }

  private static String attributes(String compression) {
    String shape = "[" + SIDE + "," + SIDE + "," + ELEMENTS / SIDE / SIDE + "]";
    return "{\"dimensions\":" + shape + ",\"blockSize\":" + shape + ",\"dataType\":\"uint16\",\"compression\":" + compression + "}";
  }

  private static void compare(short[] image, String name, String compression, String otherName, Other other) throws Exception {
    try (Zn5Codec codec = Zn5Codec.fromN5Attributes(attributes(compression))) {
      byte[] block = codec.encode(image);
      int from = Zn5BlockHeader.of(ByteBuffer.wrap(block)).headerLength();
      short[] array = new short[ELEMENTS];
      short[] otherArray = new short[ELEMENTS];
      Work ours = () -> codec.decode(block, array);
      Work theirs = () -> other.decode(block, from, otherArray);
      long end = System.nanoTime() + WARM_UP_MS * 1_000_000L;
      while (System.nanoTime() < end) {
        ours.run();
        theirs.run();
      }
      if (!Arrays.equals(image, array) || !Arrays.equals(image, otherArray)) {
        throw new IllegalStateException(name + ": the arrays differ");
      }
      long[] oursNs = new long[ROUNDS];
      long[] theirsNs = new long[ROUNDS];
      for (int round = 0; round < ROUNDS; round++) {
        oursNs[round] = time(ours);
        theirsNs[round] = time(theirs);
      }
      double a = median(oursNs);
      double b = median(theirsNs);
      System.out.printf("%-22s %6.2f ms  %-34s %6.2f ms  %6.2f%n", name, a / 1e6, otherName, b / 1e6, b / a);
    }
  }

  private static long time(Work work) throws Exception {
    long start = System.nanoTime();
    work.run();
    return System.nanoTime() - start;
  }

  private static double median(long[] values) {
    Arrays.sort(values);
    return values[values.length / 2];
  }
}
