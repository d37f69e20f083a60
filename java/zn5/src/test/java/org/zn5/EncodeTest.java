// What Java encodes is byte for byte what C encodes, for each compression and type, and decodes to what it was.
package org.zn5;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class EncodeTest {
  static final String[] COMPRESSIONS = {
    "{\"type\":\"raw\"}",
    "{\"type\":\"gzip\",\"level\":5}",
    "{\"type\":\"gzip\",\"level\":1,\"useZlib\":true}",
    "{\"type\":\"bzip2\",\"blockSize\":3}",
    "{\"type\":\"xz\",\"preset\":1}",
    "{\"type\":\"lz4\",\"blockSize\":1024}",
    "{\"type\":\"blosc\",\"cname\":\"lz4\",\"clevel\":5,\"shuffle\":1,\"blocksize\":0,\"nthreads\":1}",
    "{\"type\":\"blosc\",\"cname\":\"zstd\",\"clevel\":3,\"shuffle\":2,\"blocksize\":0,\"nthreads\":1}",
    "{\"type\":\"zstd\",\"level\":3}"
  };
  private static final long[] CHUNK = {17, 9, 5};

  static List<Arguments> compressionsAndTypes() {
    List<Arguments> all = new ArrayList<>();
    for (String compression : COMPRESSIONS) {
      for (Zn5DataType type : Zn5DataType.values()) {
        if (type != Zn5DataType.UTF32) {
          all.add(Arguments.of(compression, type));
        }
      }
    }
    return all;
  }

  /** Bytes that compress somewhat. */
  static byte[] content(int len) {
    byte[] bytes = new byte[len];
    Random random = new Random(len);
    for (int i = 0; i < len; i++) {
      bytes[i] = (byte) (random.nextInt(4) == 0 ? random.nextInt() : i / 7);
    }
    return bytes;
  }

  @ParameterizedTest(name = "{0} {1}")
  @MethodSource("compressionsAndTypes")
  void blocksAreThoseOfC(String compression, Zn5DataType type) throws Exception {
    String attributes = Support.attributes("40,20,10", "17,9,5", type.n5Name(), compression);
    Path folder = Support.emptyFolder("encode");
    Files.write(folder.resolve("attributes.json"), attributes.getBytes(StandardCharsets.UTF_8));
    try (Zn5Codec codec = Zn5Codec.fromN5Attributes(attributes)) {
      int size = (int) codec.elementSize();
      for (long[] shape : new long[][] {CHUNK, {6, 9, 2}}) {
        byte[] bytes = content((int) Support.product(shape) * size);
        Object array = Support.array(type, bytes);
        byte[] fromC = encodedByC(folder, bytes, shape);
        assertArrayEquals(fromC, codec.encode(shape, array));
        // From a direct buffer that has something before it.
        ByteBuffer direct = Support.direct(bytes.length + size);
        direct.position(size);
        direct.put(bytes).flip().position(size);
        assertArrayEquals(fromC, codec.encode(shape, direct));
        assertEquals(size, direct.position());
        // From the middle of an image that is upside down.
        long[] strides = {1, shape[0] + 2, -(shape[0] + 2) * shape[1]};
        long origin = 3 - strides[2] * (shape[2] - 1);
        Object image = type.newArray((int) (origin + strides[1] * shape[1] + 3));
        long[] index = new long[3];
        int element = 0;
        do {
          System.arraycopy(array, element++, image, (int) (origin + Support.dot(index, strides)), 1);
        } while (Support.next(index, shape));
        assertArrayEquals(fromC, codec.encodeRegion(shape, image, origin, strides));

        Object decoded = codec.newArray(shape);
        codec.decode(ByteBuffer.wrap(fromC), shape, decoded);
        assertArrayEquals(bytes, Support.littleEndian(decoded));
        Zn5BlockHeader header = Zn5BlockHeader.of(ByteBuffer.wrap(fromC));
        assertArrayEquals(shape, header.extents());
        assertEquals(Support.product(shape), header.elementCount());
        assertEquals(16, header.headerLength());
        assertEquals(0, header.mode());
      }
    }
  }

  private static byte[] encodedByC(Path folder, byte[] elements, long[] shape) throws Exception {
    Path file = folder.resolve("elements");
    Path block = folder.resolve("block");
    Files.write(file, elements);
    List<String> command =
        new ArrayList<>(
            Arrays.asList(
                Paths.get(System.getProperty("zn5.programs"), "encode").toString(), folder.resolve("attributes.json").toString(), file.toString(),
                block.toString()));
    for (long extent : shape) {
      command.add(Long.toString(extent));
    }
    Support.Output output = Support.run(command);
    assertEquals(0, output.status, output.text);
    return Files.readAllBytes(block);
  }

  @Test
  void theExampleOfTheDocumentation() {
    String attributes = Support.attributes("3,2", "3,2", "uint8", "{\"type\":\"raw\"}");
    byte[] block = {0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 2, 1, 2, 3, 4, 5, 6};
    try (Zn5Codec f = Zn5Codec.fromN5Attributes(attributes);
        Zn5Codec c = Zn5Codec.fromN5Attributes(attributes, new Zn5CodecOptions().orderC(true))) {
      assertArrayEquals(new byte[] {1, 2, 3, 4, 5, 6}, (byte[]) f.decode(block));
      assertArrayEquals(new byte[] {1, 4, 2, 5, 3, 6}, (byte[]) c.decode(block));
      assertArrayEquals(block, f.encode(new byte[] {1, 2, 3, 4, 5, 6}));
      assertArrayEquals(block, c.encode(new byte[] {1, 4, 2, 5, 3, 6}));
    }
  }

  /** Blocks of megabytes go another way between Java and C than small ones, and so do raw ones. */
  @Test
  void largeBlocksGoThereAndBack() {
    for (String compression : new String[] {COMPRESSIONS[0], COMPRESSIONS[8]}) {
      String attributes = Support.attributes("200,100,100", "200,100,100", "uint16", compression);
      try (Zn5Codec codec = Zn5Codec.fromN5Attributes(attributes)) {
        short[] array = (short[]) Support.array(Zn5DataType.UINT16, content(4_000_000));
        byte[] block = codec.encode(array);
        assertArrayEquals(array, (short[]) codec.decode(block));
        short[] part = new short[30 * 20 * 10];
        codec.decodeRegion(ByteBuffer.wrap(block), null, new long[] {50, 40, 30}, new long[] {30, 20, 10}, part, 0, null);
        for (int z = 0; z < 10; z++) {
          for (int y = 0; y < 20; y++) {
            for (int x = 0; x < 30; x++) {
              assertEquals(array[50 + x + 200 * (40 + y + 100 * (30 + z))], part[x + 30 * (y + 20 * z)]);
            }
          }
        }
      }
    }
  }

  @Test
  void keysAndMetadata() {
    assertEquals("0/3/1", Zn5.blockKey(0, 3, 1));
    assertEquals("9223372036854775807", Zn5.blockKey(Long.MAX_VALUE));
    assertThrows(IllegalArgumentException.class, () -> Zn5.blockKey(1, -1));
    String attributes = Support.attributes("3,2", "3,2", "uint8", "{\"type\":\"gzip\",\"level\":1}");
    String zarr = Zn5.toZarrMetadata(attributes);
    try (Zn5Codec codec = Zn5Codec.fromZarrMetadata(zarr)) {
      assertEquals("gzip", codec.compression());
      assertEquals(codec.toZarrCodec().contains("n5_default"), true);
      assertArrayEquals(new byte[1], codec.fillValue());
    }
    assertEquals(attributes, Zn5.toN5Attributes(zarr));
    Zn5Exception e =
        assertThrows(
            Zn5Exception.class,
            () -> Zn5.toZarrMetadata(Support.attributes("3", "3", "uint8", "{\"type\":\"lz4\",\"blockSize\":99}")));
    assertEquals("ZN5_ERROR_NOT_REPRESENTABLE", e.statusName());
    assertEquals(Zn5.VERSION, Zn5.version());
    assertEquals(true, Zn5.buildInfo().contains("zstd"));
    assertEquals(true, Zn5.isCompressionAvailable("blosc"));
    assertEquals(false, Zn5.isCompressionAvailable("jpeg"));
  }
}
