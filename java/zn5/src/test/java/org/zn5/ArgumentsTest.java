// Wrong arguments are exceptions of Java, and the VM lives: null, wrong lengths, wrong types, ranges, strides, overlaps.
package org.zn5;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.nio.ShortBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class ArgumentsTest {
  private static final String ATTRIBUTES = Support.attributes("30,20", "3,2", "uint16", "{\"type\":\"raw\"}");
  private static final byte[] BLOCK = {0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 2, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6};
  private static final short[] ARRAY = {1, 2, 3, 4, 5, 6};
  private static final long HUGE = Long.MAX_VALUE;

  private Zn5Codec codec;

  @BeforeEach
  void open() {
    codec = Zn5Codec.fromN5Attributes(ATTRIBUTES);
  }

  @AfterEach
  void close() {
    codec.close();
  }

  private static void refused(Executable call) {
    IllegalArgumentException e = assertThrows(IllegalArgumentException.class, call);
    assertTrue(e.getMessage() != null && e.getMessage().length() > 10, String.valueOf(e.getMessage()));
  }

  private static void refused(String words, Executable call) {
    String message = assertThrows(IllegalArgumentException.class, call).getMessage();
    assertTrue(message.contains(words), message);
  }

  private static void isNull(Executable call) {
    assertThrows(NullPointerException.class, call);
  }

  private static ByteBuffer block() {
    return ByteBuffer.wrap(BLOCK);
  }

  @Test
  void nullIsRefused() {
    isNull(() -> Zn5Codec.fromN5Attributes(null));
    isNull(() -> Zn5Codec.fromZarrMetadata(null));
    for (Executable noOptions :
        new Executable[] {
          () -> Zn5Codec.fromN5Attributes(ATTRIBUTES, null),
          () -> Zn5Codec.fromZarrMetadata("{}", null),
          () -> Zn5Dataset.open("a", "b", null),
          () -> Zn5Dataset.openForWriting("a", "b", null),
          () -> Zn5Dataset.create("a", "b", ATTRIBUTES, null)
        }) {
      assertEquals("options", assertThrows(NullPointerException.class, noOptions).getMessage());
    }
    isNull(() -> codec.decode(null));
    isNull(() -> codec.decode((byte[]) null, new short[6]));
    isNull(() -> codec.decode(BLOCK, null));
    isNull(() -> codec.decode((ByteBuffer) null, null, new short[6]));
    isNull(() -> codec.decodeRegion(block(), null, null, null, null, 0, null));
    isNull(() -> codec.encode(null));
    isNull(() -> codec.fill(null, null));
    isNull(() -> Zn5.blockKey((long[]) null));
    isNull(() -> Zn5.isCompressionAvailable(null));
    isNull(() -> Zn5BlockHeader.of(null));
    isNull(() -> Zn5Dataset.open(null, "a"));
    isNull(() -> Zn5Dataset.open("a", null));
    isNull(() -> new Zn5Utf32(4, null));
    isNull(() -> new Zn5Utf32(4, ByteOrder.BIG_ENDIAN).encode("a", null));
    isNull(() -> new Zn5Utf32(4, ByteOrder.BIG_ENDIAN).decode((byte[]) null));
  }

  @Test
  void wrongLengthsAreRefused() {
    refused(() -> codec.decode(BLOCK, new short[5]));
    refused(() -> codec.decode(BLOCK, new short[0]));
    refused(() -> codec.decode(block(), new long[] {3}, new short[6]));
    refused(() -> codec.decode(block(), new long[] {3, 2, 1}, new short[6]));
    refused(() -> codec.decode(block(), new long[] {3, -2}, new short[6]));
    refused(() -> codec.decode(block(), new long[] {HUGE, 2}, new short[6]));
    refused(() -> codec.decode(block(), new long[] {1L << 31, 1L << 31}, new short[6]));
    refused(() -> codec.encode(new short[5]));
    refused(() -> codec.encode(new short[7]));
    refused(() -> codec.encode(new long[] {2, 2}, ARRAY));
    refused(() -> codec.encode(new long[] {0, 2}, new short[0]));
    refused(() -> codec.fill(null, new short[5]));
    refused(() -> codec.newArray(new long[] {1L << 20, 1L << 20}));
    // What lies behind the array's part stays.
    short[] longer = new short[8];
    Arrays.fill(longer, (short) 9);
    codec.decode(BLOCK, longer);
    assertArrayEquals(new short[] {1, 2, 3, 4, 5, 6, 9, 9}, longer);
    codec.fill(null, longer);
    assertArrayEquals(new short[] {0, 0, 0, 0, 0, 0, 9, 9}, longer);
  }

  @Test
  void wrongTypesAreRefused() {
    Object[] wrong = {
      new byte[12], new int[6], new long[6], new float[6], new double[6], new char[6], new boolean[6], new Short[6], new short[6][1], "text",
      ShortBuffer.allocate(6), ByteBuffer.allocate(12), Support.direct(24).asIntBuffer(), Support.direct(12).asCharBuffer(),
      Support.direct(24).asFloatBuffer()
    };
    for (Object array : wrong) {
      refused(() -> codec.decode(BLOCK, array));
      refused(() -> codec.encode(array));
      refused(() -> codec.fill(null, array));
    }
    try (Zn5Codec floats = Zn5Codec.fromN5Attributes(Support.attributes("3", "3", "float32", "{\"type\":\"raw\"}"))) {
      refused(() -> floats.encode(new int[3]));
      assertEquals(20, floats.encode(new float[3]).length);
    }
  }

  @Test
  void messagesCountElements() {
    refused("of 6 elements (12 bytes) from element 0 on, does not lie in an array or buffer of 5 elements (10 bytes)", () -> codec.decode(BLOCK, new short[5]));
    refused("the array has 7 elements (14 bytes); what has the extents [3, 2] has 6 elements (12 bytes)", () -> codec.encode(new short[7]));
    refused(
        "reach from element 4 to element 23, does not lie in an array or buffer of 20 elements (40 bytes)",
        () -> codec.decodeRegion(block(), null, null, null, new short[20], 4, new long[] {1, 17}));
    refused("it takes short[], a direct ShortBuffer or a direct ByteBuffer", () -> codec.decode(BLOCK, new int[6]));
    try (Zn5Codec bytes = Zn5Codec.fromN5Attributes(Support.attributes("3", "3", "uint8", "{\"type\":\"raw\"}"))) {
      refused("it takes byte[] or a direct ByteBuffer", () -> bytes.encode(new int[3]));
      refused("the array has 2 elements; what has the extents [3] has 3 elements", () -> bytes.encode(new byte[2]));
    }
  }

  @Test
  void codecsSayWhatTheyAre() {
    assertEquals("Zn5Codec[uint16, chunks of [3, 2], raw]", codec.toString());
  }

  @Test
  void buffersOfTheOtherByteOrderAreRefused() {
    ByteOrder other = ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
    refused(() -> codec.decode(BLOCK, ByteBuffer.allocateDirect(12).order(other)));
    refused(() -> codec.decode(BLOCK, ByteBuffer.allocateDirect(12).order(other).asShortBuffer()));
    refused(() -> codec.decode(BLOCK, Support.direct(12).asReadOnlyBuffer()));
    // The order of a block's buffer says nothing.
    ByteBuffer source = ByteBuffer.allocateDirect(BLOCK.length).order(other);
    source.put(BLOCK).flip();
    short[] array = new short[6];
    codec.decode(source, null, array);
    assertArrayEquals(ARRAY, array);
    codec.decode(ByteBuffer.wrap(BLOCK).asReadOnlyBuffer(), null, array);
    assertArrayEquals(ARRAY, array);
  }

  @Test
  void positionsAndLimitsCount() {
    ShortBuffer shorts = Support.direct(20).asShortBuffer();
    shorts.position(2).limit(8);
    codec.decode(BLOCK, shorts);
    assertEquals(2, shorts.position());
    short[] content = new short[10];
    shorts.duplicate().clear().get(content);
    assertArrayEquals(new short[] {0, 0, 1, 2, 3, 4, 5, 6, 0, 0}, content);
    shorts.limit(7);
    refused(() -> codec.decode(BLOCK, shorts));
    assertArrayEquals(BLOCK, codec.encode(Support.array(Zn5DataType.UINT16, new byte[] {1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0})));
    // A slice begins at its own byte.
    ByteBuffer all = Support.direct(21);
    all.position(3);
    ByteBuffer slice = all.slice().order(ByteOrder.nativeOrder());
    codec.decode(BLOCK, slice);
    assertEquals(1, slice.getShort(0));
    assertEquals(6, slice.getShort(10));
    assertEquals(0, all.get(2));
  }

  @Test
  void regionsThatLeaveTheirImageAreRefused() {
    short[] image = new short[100];
    long[] origin = {0, 0};
    long[] two = {2, 2};
    refused(() -> codec.decodeRegion(block(), null, origin, two, image, -1, new long[] {1, 10}));
    refused(() -> codec.decodeRegion(block(), null, origin, two, image, 90, new long[] {1, 10}));
    refused(() -> codec.decodeRegion(block(), null, origin, two, image, HUGE, new long[] {1, 10}));
    refused(() -> codec.decodeRegion(block(), null, origin, two, image, HUGE / 2, new long[] {1, 10}));
    refused(() -> codec.decodeRegion(block(), null, origin, two, image, 0, new long[] {-1, 10}));
    refused(() -> codec.decodeRegion(block(), null, origin, two, image, 0, new long[] {1, HUGE}));
    refused(() -> codec.decodeRegion(block(), null, origin, two, image, 0, new long[] {1, Long.MIN_VALUE}));
    refused(() -> codec.decodeRegion(block(), null, origin, two, image, 0, new long[] {1}));
    refused(() -> codec.decodeRegion(block(), null, origin, two, image, 0, new long[] {1, 1}));
    refused(() -> codec.decodeRegion(block(), null, origin, two, image, 0, new long[] {0, 1}));
    refused(() -> codec.decodeRegion(block(), null, new long[] {2, 0}, two, image, 0, null));
    refused(() -> codec.decodeRegion(block(), null, new long[] {HUGE, 0}, two, image, 0, null));
    refused(() -> codec.decodeRegion(block(), null, new long[] {-1, 0}, two, image, 0, null));
    refused(() -> codec.decodeRegion(block(), null, new long[] {0}, two, image, 0, null));
    refused(() -> codec.decodeRegion(block(), null, null, new long[] {4, 1}, image, 0, null));
    refused(() -> codec.encodeRegion(null, image, 99, null));
    refused(() -> codec.encodeRegion(null, image, 0, new long[] {1, 99}));
    assertArrayEquals(new short[100], image);
    codec.decodeRegion(block(), null, new long[] {1, 0}, two, image, 14, new long[] {-1, 10});
    assertEquals(2, image[14]);
    assertEquals(3, image[13]);
    assertEquals(5, image[24]);
    assertEquals(6, image[23]);
    assertEquals(16, sum(image));
    // Reading the same element many times is no harm.
    assertArrayEquals(
        new byte[] {0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 2, 0, 2, 0, 2, 0, 2, 0, 2, 0, 2, 0, 2},
        codec.encodeRegion(null, image, 14, new long[] {0, 0}));
    // An empty box is nothing, wherever it is.
    codec.decodeRegion(block(), null, new long[] {3, 2}, null, image, 100, new long[] {HUGE / 4, 1});
    assertEquals(16, sum(image));
  }

  private static int sum(short[] values) {
    int sum = 0;
    for (short value : values) {
      sum += value;
    }
    return sum;
  }

  @Test
  void overlapsAreRefused() {
    ByteBuffer both = Support.direct(64);
    both.put(BLOCK).flip();
    ByteBuffer target = both.duplicate().order(ByteOrder.nativeOrder());
    target.position(20).limit(40);
    IllegalArgumentException e =
        assertThrows(IllegalArgumentException.class, () -> codec.decode(both, null, target));
    assertEquals("ZN5_ERROR_BUFFERS_OVERLAP", ((Zn5Exception) e.getCause()).statusName());
    target.position(24);
    codec.decode(both, null, target.limit(36));
    assertEquals(1, target.getShort(24));
    // The same byte[] for both is copied first, or refused; the VM lives either way.
    byte[] same = new byte[64];
    System.arraycopy(BLOCK, 0, same, 0, BLOCK.length);
    try (Zn5Codec bytes = Zn5Codec.fromN5Attributes(Support.attributes("6,2", "6,2", "uint8", "{\"type\":\"raw\"}"))) {
      byte[] block = bytes.encode(new byte[12]);
      assertEquals(24, block.length);
      try {
        bytes.decode(ByteBuffer.wrap(block), null, block);
      } catch (IllegalArgumentException refused) {
        assertEquals("ZN5_ERROR_BUFFERS_OVERLAP", ((Zn5Exception) refused.getCause()).statusName());
      }
    }
  }

  /** The native methods do not believe the classes above them. */
  @Test
  void theNativeCodeChecksAgain() {
    long pointer = Native.codecNew(Native.utf8(ATTRIBUTES), false, 1, 0, 0);
    try {
      long[] shape = {3, 2};
      short[] array = new short[6];
      Executable[] wrong = {
        () -> decode(pointer, BLOCK, 0, 25, shape, shape, array, 0, 12, 0, null),
        () -> decode(pointer, BLOCK, -1, 24, shape, shape, array, 0, 12, 0, null),
        () -> decode(pointer, BLOCK, 25, 0, shape, shape, array, 0, 12, 0, null),
        () -> decode(pointer, BLOCK, 0, -1, shape, shape, array, 0, 12, 0, null),
        () -> decode(pointer, BLOCK, HUGE, HUGE, shape, shape, array, 0, 12, 0, null),
        () -> decode(pointer, BLOCK, 0, 24, shape, shape, array, 0, 13, 0, null),
        () -> decode(pointer, BLOCK, 0, 24, shape, shape, array, 2, 12, 0, null),
        () -> decode(pointer, BLOCK, 0, 24, shape, shape, array, HUGE, 12, 0, null),
        () -> decode(pointer, BLOCK, 0, 24, shape, shape, array, 0, HUGE, 0, null),
        () -> decode(pointer, BLOCK, 0, 24, shape, shape, array, 0, 12, 2, null),
        () -> decode(pointer, BLOCK, 0, 24, shape, shape, array, 0, 12, -2, null),
        () -> decode(pointer, BLOCK, 0, 24, shape, shape, array, 0, 12, HUGE, null),
        () -> decode(pointer, BLOCK, 0, 24, shape, shape, array, 0, 12, 0, new long[] {2, 8}),
        () -> decode(pointer, BLOCK, 0, 24, shape, shape, array, 0, 12, 0, new long[] {2, -6}),
        () -> decode(pointer, BLOCK, 0, 24, shape, shape, array, 0, 12, 0, new long[] {HUGE, HUGE}),
        () -> decode(pointer, BLOCK, 0, 24, shape, shape, array, 0, 12, 0, new long[] {Long.MIN_VALUE, 6}),
        () -> decode(pointer, BLOCK, 0, 24, shape, shape, array, 0, 12, 0, new long[] {2}),
        () -> decode(pointer, BLOCK, 0, 24, new long[] {3}, shape, array, 0, 12, 0, null),
        () -> decode(pointer, BLOCK, 0, 24, new long[] {3, -1}, shape, array, 0, 12, 0, null),
        () -> decode(pointer, BLOCK, 0, 24, shape, new long[] {HUGE, HUGE}, array, 0, 12, 0, null),
        () -> decode(pointer, BLOCK, 0, 24, shape, shape, new int[6], 0, 12, 0, null),
        () -> decode(pointer, BLOCK, 0, 24, shape, shape, new Object[6], 0, 12, 0, null),
        () -> decode(pointer, BLOCK, 0, 24, shape, shape, "array", 0, 12, 0, null),
        () -> decode(pointer, BLOCK, 0, 24, shape, shape, IntBuffer.allocate(6), 0, 12, 0, null),
        () -> decode(pointer, BLOCK, 0, 24, shape, shape, ShortBuffer.allocate(6), 0, 12, 0, null),
        () -> decode(pointer, array, 0, 12, shape, shape, array, 0, 12, 0, null),
        () -> Native.encode(pointer, shape, array, 0, 12, 0, new long[] {HUGE, 2}),
        () -> Native.encode(pointer, shape, array, 0, 14, 0, null),
        () -> Native.fill(pointer, shape, array, 0, 10),
        () -> Native.codecSize(pointer, new long[] {1}, true),
        () -> Native.utf32Encode(new byte[4], new long[0], 1, 4),
        () -> Native.utf32Encode(new byte[4], new long[] {0, 5}, 1, 4),
        () -> Native.utf32Encode(new byte[4], new long[] {3, 2}, 1, 4),
        () -> Native.utf32Encode(new byte[4], new long[] {-3, 2}, 1, 4),
        () -> Native.utf32Decode(new byte[8], 0, 8, 1, 4, new long[2]),
        () -> Native.utf32Decode(new byte[8], 4, 8, 1, 4, new long[3]),
        () -> Native.utf32Validate(new byte[8], 0, 8, HUGE, 1, 4),
        () -> Native.blockHeader(new byte[8], 0, 9)
      };
      for (Executable call : wrong) {
        assertThrows(RuntimeException.class, call);
      }
      Executable[] nulls = {
        () -> decode(0, BLOCK, 0, 24, shape, shape, array, 0, 12, 0, null),
        () -> decode(pointer, null, 0, 24, shape, shape, array, 0, 12, 0, null),
        () -> decode(pointer, BLOCK, 0, 24, null, shape, array, 0, 12, 0, null),
        () -> decode(pointer, BLOCK, 0, 24, shape, null, array, 0, 12, 0, null),
        () -> decode(pointer, BLOCK, 0, 24, shape, shape, null, 0, 12, 0, null),
        () -> Native.encode(0, shape, array, 0, 12, 0, null),
        () -> Native.encode(pointer, null, array, 0, 12, 0, null),
        () -> Native.codecNew(null, false, 1, 0, 0),
        () -> Native.codecShape(0, true),
        () -> Native.codecFillValue(0),
        () -> Native.codecJson(0),
        () -> Native.blockKey(null),
        () -> Native.convertMetadata(null, true, 0),
        () -> Native.datasetTransfer(0, false, shape, shape, array, 0, 12, 0, null, 1, 0, null),
        () -> Native.datasetVerify(0, null, 1, 0, null),
        () -> Native.datasetMetadata(0)
      };
      for (Executable call : nulls) {
        isNull(call);
      }
      assertArrayEquals(new short[6], array);
      decode(pointer, BLOCK, 0, 24, shape, shape, array, 0, 12, 0, null);
      assertArrayEquals(ARRAY, array);
    } finally {
      Native.codecFree(pointer);
    }
  }

  private static void decode(
      long codec, Object block, long blockFirst, long blockLen, long[] shape, long[] extent, Object image, long first, long len, long origin,
      long[] strides) {
    Native.decode(codec, block, blockFirst, blockLen, shape, null, extent, image, first, len, origin, strides);
  }

  @Test
  void badDocumentsAndOptionsAreRefused() {
    assertEquals(
        "ZN5_ERROR_INVALID_JSON",
        assertThrows(Zn5Exception.class, () -> Zn5Codec.fromN5Attributes("{")).statusName());
    assertEquals(
        "ZN5_ERROR_UNSUPPORTED_COMPRESSION",
        assertThrows(
                Zn5Exception.class,
                () -> Zn5Codec.fromN5Attributes(Support.attributes("3", "3", "uint8", "{\"type\":\"jpeg\"}")))
            .statusName());
    refused(() -> new Zn5CodecOptions().maxDecodedBytes(-1));
    refused(() -> new Zn5IoOptions().threads(-1));
    Zn5Exception limit =
        assertThrows(
            Zn5Exception.class,
            () -> {
              try (Zn5Codec small = Zn5Codec.fromN5Attributes(ATTRIBUTES, new Zn5CodecOptions().maxDecodedBytes(11))) {
                small.decode(BLOCK);
              }
            });
    assertEquals("ZN5_ERROR_LIMIT_EXCEEDED", limit.statusName());
    assertEquals(309, limit.status());
    assertTrue(limit.toString().contains("ZN5_ERROR_LIMIT_EXCEEDED"), limit.toString());
    byte[] longer = Arrays.copyOf(BLOCK, 25);
    assertEquals(
        "ZN5_ERROR_TRAILING_DATA", assertThrows(Zn5Exception.class, () -> codec.decode(longer)).statusName());
    // Halves of surrogate pairs are no text.
    refused(() -> new Zn5Utf32(8, ByteOrder.BIG_ENDIAN).encode("ok", "\ud800"));
    refused(() -> new Zn5Utf32(8, ByteOrder.BIG_ENDIAN).decode(new byte[12]));
    assertEquals(
        "ZN5_ERROR_STRING_TOO_LONG",
        assertThrows(Zn5Exception.class, () -> new Zn5Utf32(8, ByteOrder.BIG_ENDIAN).encode("abc")).statusName());
    assertEquals(
        "ZN5_ERROR_INVALID_LENGTH",
        assertThrows(Zn5Exception.class, () -> new Zn5Utf32(7, ByteOrder.BIG_ENDIAN)).statusName());
  }
}
