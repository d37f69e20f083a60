// Whole datasets: made, written and read in parts by several threads, with progress, cancelling and what callbacks throw.
package org.zn5;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class DatasetTest {
  private static final String ATTRIBUTES = Support.attributes("50,40,30", "16,16,16", "int16", "{\"type\":\"gzip\",\"level\":1}");
  private static final int COUNT = 50 * 40 * 30;
  private static final Zn5CodecOptions DEFAULTS = new Zn5CodecOptions();

  private static short[] image() {
    return (short[]) Support.array(Zn5DataType.INT16, EncodeTest.content(2 * COUNT));
  }

  @Test
  void regionsAreWrittenAndRead() throws Exception {
    // A folder whose name is not ASCII.
    Path folder = Support.emptyFolder("datasets").resolve("größe 体积.n5");
    short[] image = image();
    try (Zn5Dataset dataset = Zn5Dataset.create(folder.toString(), "volume/s0", ATTRIBUTES, DEFAULTS)) {
      assertArrayEquals(new long[] {50, 40, 30}, dataset.shape());
      assertArrayEquals(new long[] {4, 3, 2}, dataset.gridShape());
      assertEquals(ATTRIBUTES, dataset.metadata());
      assertArrayEquals(new short[COUNT], (short[]) dataset.read(null, null));
      dataset.write(null, null, image);
    }
    assertTrue(Files.isRegularFile(folder.resolve("volume/s0/3/2/1")));
    try (Zn5Dataset dataset = Zn5Dataset.open(folder.toString(), "volume/s0")) {
      assertArrayEquals(image, (short[]) dataset.read(null, null));
      ByteBuffer direct = Support.direct(2 * COUNT);
      dataset.read(null, null, direct, 0, null, new Zn5IoOptions().threads(3));
      assertArrayEquals(Support.littleEndian(image), Support.content(direct));
      short[] part = (short[]) dataset.read(new long[] {10, 20, 5}, new long[] {30, 2, 20});
      assertEquals(image[10 + 7 + 50 * (20 + 1 + 40 * (5 + 13))], part[7 + 30 * (1 + 2 * 13)]);
      Zn5Exception readOnly = assertThrows(Zn5Exception.class, () -> dataset.write(null, null, image));
      assertEquals("ZN5_ERROR_READ_ONLY", readOnly.statusName());
      // The number is that of the native library.
      assertEquals(readOnly.statusName(), Native.statusName(readOnly.status()));
      assertTrue(readOnly.getMessage().contains("Zn5Dataset.openForWriting"), readOnly.getMessage());
      assertThrows(IllegalArgumentException.class, () -> dataset.read(new long[] {40, 0, 0}, new long[] {11, 1, 1}));
      assertThrows(IllegalArgumentException.class, () -> dataset.read(null, new long[] {51, 1, 1}));
      assertThrows(IllegalArgumentException.class, () -> dataset.read(null, null, new short[COUNT - 1], 0, null, null));
      assertThrows(IllegalArgumentException.class, () -> dataset.read(null, null, new int[COUNT], 0, null, null));
    }
    // A part that covers blocks in part, from within a larger image, with the axes the other way round.
    try (Zn5Dataset dataset = Zn5Dataset.openForWriting(folder.toString(), "volume/s0", DEFAULTS)) {
      short[] part = new short[20 * 10 * 5 + 7];
      for (int i = 0; i < part.length; i++) {
        part[i] = (short) (i - 7);
      }
      long[] offset = {5, 25, 14};
      dataset.write(offset, new long[] {20, 10, 5}, part, 7, new long[] {50, 5, 1}, null);
      short[] expected = image.clone();
      for (int z = 0; z < 5; z++) {
        for (int y = 0; y < 10; y++) {
          for (int x = 0; x < 20; x++) {
            expected[5 + x + 50 * (25 + y + 40 * (14 + z))] = (short) (50 * x + 5 * y + z);
          }
        }
      }
      assertArrayEquals(expected, (short[]) dataset.read(null, null));
    }
  }

  @Test
  void wrongPlacesAreRefused() throws Exception {
    Path folder = Support.emptyFolder("wrong-places");
    String container = folder.resolve("a.n5").toString();
    assertEquals("ZN5_ERROR_NOT_FOUND", assertThrows(Zn5Exception.class, () -> Zn5Dataset.open(container, "x")).statusName());
    Zn5Dataset.create(container, "x", ATTRIBUTES, DEFAULTS).close();
    assertEquals(
        "ZN5_ERROR_ALREADY_EXISTS",
        assertThrows(Zn5Exception.class, () -> Zn5Dataset.create(container, "x", ATTRIBUTES, DEFAULTS)).statusName());
    assertEquals("ZN5_ERROR_NOT_AN_ARRAY", assertThrows(Zn5Exception.class, () -> Zn5Dataset.open(container, "")).statusName());
    assertThrows(IllegalArgumentException.class, () -> Zn5Dataset.open(container, "../a.n5/x"));
    assertThrows(IllegalArgumentException.class, () -> Zn5Dataset.open(container, "x\0y"));
    assertThrows(IllegalArgumentException.class, () -> Zn5Dataset.open("", "x"));
    for (String uri : new String[] {"file://" + container, "file:" + container, "s3://bucket/a.n5"}) {
      String message = assertThrows(IllegalArgumentException.class, () -> Zn5Dataset.open(uri, "x")).getMessage();
      assertTrue(message.contains(uri + " is a URI"), message);
    }
    assertThrows(Zn5Exception.class, () -> Zn5Dataset.create(container, "y", "{", DEFAULTS));
  }

  @Test
  void wrongLengthsAreRefused() throws Exception {
    Path folder = Support.emptyFolder("wrong-lengths");
    String attributes = Support.attributes("5,4,3", "2,2,2", "uint8", "{\"type\":\"raw\"}");
    try (Zn5Dataset dataset = Zn5Dataset.create(folder.toString(), "x", attributes, DEFAULTS)) {
      for (int length : new int[] {59, 61}) {
        String message = assertThrows(IllegalArgumentException.class, () -> dataset.write(null, null, new byte[length])).getMessage();
        assertTrue(message.contains("has " + length + " elements") && message.contains("[5, 4, 3] has 60"), message);
      }
      assertTrue(!Files.exists(folder.resolve("x/0")), "a block was stored");
      // Of a larger image, a part in one piece.
      byte[] image = new byte[70];
      Arrays.fill(image, 7, 67, (byte) 1);
      dataset.write(null, null, image, 7, null, null);
      byte[] ones = new byte[60];
      Arrays.fill(ones, (byte) 1);
      assertArrayEquals(ones, (byte[]) dataset.read(null, null));
      String extent = assertThrows(IllegalArgumentException.class, () -> dataset.read(null, new long[] {1, 2})).getMessage();
      assertTrue(extent.startsWith("the extent [1, 2] has 2 numbers"), extent);
      extent = assertThrows(IllegalArgumentException.class, () -> dataset.write(null, new long[] {1, 2}, new byte[2])).getMessage();
      assertTrue(extent.startsWith("the extent [1, 2] has 2 numbers"), extent);
      assertEquals("Zn5Dataset[x in " + folder + ", shape [5, 4, 3], uint8, chunks of [2, 2, 2], raw]", dataset.toString());
    }
  }

  @Test
  void progressIsToldAndCanCancel() throws Exception {
    Path folder = Support.emptyFolder("progress");
    short[] image = image();
    Thread caller = Thread.currentThread();
    try (Zn5Dataset dataset = Zn5Dataset.create(folder.toString(), "x", ATTRIBUTES, DEFAULTS)) {
      List<Long> told = new ArrayList<>();
      Zn5IoOptions options =
          new Zn5IoOptions()
              .threads(2)
              .progress(
                  (done, total) -> {
                    assertSame(caller, Thread.currentThread());
                    assertEquals(24, total);
                    told.add(done);
                    return true;
                  });
      dataset.write(null, null, image, 0, null, options);
      assertEquals(0, told.get(0));
      assertEquals(24, told.get(told.size() - 1));
      told.clear();
      short[] read = new short[COUNT];
      dataset.read(null, null, read, 0, null, options);
      assertArrayEquals(image, read);
      assertEquals(24, told.get(told.size() - 1));

      Zn5IoOptions cancel = new Zn5IoOptions().progress((done, total) -> done < 3);
      Zn5Exception cancelled =
          assertThrows(Zn5Exception.class, () -> dataset.read(null, null, read, 0, null, cancel));
      assertEquals("ZN5_ERROR_CANCELLED", cancelled.statusName());

      // What progress throws is thrown by the call: the same object, checked or not.
      for (Throwable thrown : new Throwable[] {new IllegalStateException("mine"), new StackOverflowError(), new java.io.IOException("x")}) {
        Zn5IoOptions failing =
            new Zn5IoOptions()
                .progress(
                    (done, total) -> {
                      throw Sneaky.<RuntimeException>sneak(thrown);
                    });
        assertSame(thrown, assertThrows(Throwable.class, () -> dataset.read(null, null, read, 0, null, failing)));
        assertSame(thrown, assertThrows(Throwable.class, () -> dataset.write(null, null, read, 0, null, failing)));
        assertSame(thrown, assertThrows(Throwable.class, () -> dataset.verify(failing)));
      }
      // Progress may use the dataset; it cannot close it.
      Zn5IoOptions using =
          new Zn5IoOptions()
              .progress(
                  (done, total) -> {
                    String refused = assertThrows(IllegalStateException.class, dataset::close).getMessage();
                    assertEquals("the dataset cannot be closed while a call uses it", refused);
                    return image[0] == ((short[]) dataset.read(null, new long[] {1, 1, 1}))[0];
                  });
      dataset.write(null, null, image);
      dataset.read(null, null, read, 0, null, using);
      assertArrayEquals(image, read);
    }
  }

  private static final class Sneaky {
    @SuppressWarnings("unchecked")
    static <E extends Throwable> E sneak(Throwable thrown) throws E {
      throw (E) thrown;
    }
  }

  @Test
  void verifyFindsWhatIsWrong() throws Exception {
    Path folder = Support.emptyFolder("verify");
    try (Zn5Dataset dataset = Zn5Dataset.create(folder.toString(), "x", ATTRIBUTES, DEFAULTS)) {
      dataset.write(null, null, image());
      assertEquals(0, dataset.verify((Zn5IoOptions) null).size());
      Path block = folder.resolve("x/1/0/0");
      byte[] bytes = Files.readAllBytes(block);
      bytes[bytes.length / 2] ^= 0x55;
      Files.write(block, bytes);
      Files.write(folder.resolve("x/2/0/0"), new byte[0]);
      Files.write(folder.resolve("x/3/0/9"), bytes);
      List<Zn5Problem> problems = dataset.verify(new Zn5IoOptions().threads(2));
      assertEquals(3, problems.size());
      assertEquals("x/1/0/0", problems.get(0).key());
      assertEquals("ZN5_ERROR_CORRUPT_PAYLOAD", problems.get(0).statusName());
      assertTrue(problems.get(0).message().startsWith("x/1/0/0"), problems.get(0).toString());
      assertEquals("ZN5_ERROR_EMPTY_BLOCK", problems.get(1).statusName());
      assertEquals("x/3/0/9", problems.get(2).key());
      assertEquals(2, dataset.verify(new Zn5IoOptions().emptyAsMissing(true)).size());
      Zn5Exception bad = assertThrows(Zn5Exception.class, () -> dataset.read(null, null));
      assertTrue(bad.getMessage().startsWith("x/1/0/0"), bad.getMessage());
      RuntimeException mine = new RuntimeException("mine");
      assertSame(
          mine,
          assertThrows(
              RuntimeException.class,
              () ->
                  dataset.verify(
                      problem -> {
                        throw mine;
                      },
                      null)));
      List<Zn5Problem> first = new ArrayList<>();
      Zn5Exception ended =
          assertThrows(
              Zn5Exception.class,
              () ->
                  dataset.verify(
                      problem -> {
                        first.add(problem);
                        return false;
                      },
                      null));
      assertEquals("ZN5_ERROR_CANCELLED", ended.statusName());
      assertEquals(1, first.size());
    }
  }

  /** Regions that are copied in several slabs: in both orders, whole and in part, with strides, and with progress of the whole. */
  @Test
  void largeRegionsGoInSlabs() throws Exception {
    Path folder = Support.emptyFolder("slabs");
    String attributes = Support.attributes("300,310,1000", "128,128,90", "uint8", "{\"type\":\"zstd\",\"level\":1}");
    byte[] image = new byte[300 * 310 * 1000];
    for (int i = 0; i < image.length; i++) {
      image[i] = (byte) (i / 300 * 31 + i % 300 + i / 93_000 * 7);
    }
    assertTrue(image.length > Slab.BYTES);
    List<Long> told = new ArrayList<>();
    Zn5IoOptions options =
        new Zn5IoOptions()
            .progress(
                (done, total) -> {
                  assertEquals(3 * 3 * 12, total);
                  told.add(done);
                  return true;
                });
    try (Zn5Dataset dataset = Zn5Dataset.create(folder.toString(), "x", attributes, DEFAULTS)) {
      dataset.write(null, null, image, 0, null, options);
      assertEquals(3 * 3 * 12, told.get(told.size() - 1));
      assertEquals(0, told.get(0));
      for (int i = 1; i < told.size(); i++) {
        assertTrue(told.get(i) >= told.get(i - 1), "progress goes back");
      }
      assertArrayEquals(image, (byte[]) dataset.read(null, null));
      // Not at the borders of chunks; then upside down.
      long[] offset = {3, 1, 45};
      long[] extent = {297, 309, 900};
      byte[] part = (byte[]) dataset.read(offset, extent);
      byte[] turned = new byte[part.length];
      dataset.read(offset, extent, turned, 297L * 309 * 899, new long[] {1, 297, -297 * 309}, null);
      for (int z = 0; z < 900; z++) {
        for (int y = 0; y < 309; y++) {
          int from = 3 + 300 * (1 + y + 310 * (45 + z));
          assertEquals(-1, Arrays.mismatch(image, from, from + 297, part, 297 * (y + 309 * z), 297 * (y + 309 * z + 1)));
          int to = 297 * (y + 309 * (899 - z));
          assertEquals(-1, Arrays.mismatch(image, from, from + 297, turned, to, to + 297));
        }
      }
    }
    try (Zn5Dataset dataset = Zn5Dataset.open(folder.toString(), "x", new Zn5CodecOptions().orderC(true))) {
      byte[] c = (byte[]) dataset.read(null, null);
      for (int x = 0; x < 300; x++) {
        for (int y = 0; y < 310; y++) {
          for (int z = 0; z < 1000; z += 37) {
            assertEquals(image[x + 300 * (y + 310 * z)], c[z + 1000 * (y + 310 * x)]);
          }
        }
      }
    }
  }

  @Test
  void edgesAndFill() throws Exception {
    Path folder = Support.emptyFolder("edges");
    try (Zn5Dataset dataset = Zn5Dataset.create(folder.toString(), "x", ATTRIBUTES, DEFAULTS)) {
      dataset.write(null, null, new short[COUNT]);
      assertTrue(!Files.exists(folder.resolve("x/0/0/0")), "a block of fill values was stored");
      dataset.write(null, null, new short[COUNT], 0, null, new Zn5IoOptions().writeFill(true));
      byte[] cut = Files.readAllBytes(folder.resolve("x/3/2/1"));
      assertArrayEquals(new long[] {2, 8, 14}, Zn5BlockHeader.of(ByteBuffer.wrap(cut)).extents());
      dataset.write(null, null, new short[COUNT], 0, null, new Zn5IoOptions().writeFill(true).padEdges(true));
      byte[] padded = Files.readAllBytes(folder.resolve("x/3/2/1"));
      assertArrayEquals(new long[] {16, 16, 16}, Zn5BlockHeader.of(ByteBuffer.wrap(padded)).extents());
    }
  }

  @Test
  void datasetsAndTheirCodecsClose() throws Exception {
    Path folder = Support.emptyFolder("closing");
    Zn5Dataset dataset = Zn5Dataset.create(folder.toString(), "x", ATTRIBUTES, DEFAULTS);
    Zn5Codec codec = dataset.codec();
    byte[] block = codec.encode(new short[16 * 16 * 16]);
    codec.close();
    assertEquals(16 * 16 * 16, ((short[]) codec.decode(block)).length);
    dataset.close();
    dataset.close();
    assertThrows(IllegalStateException.class, () -> dataset.read(null, null));
    assertThrows(IllegalStateException.class, () -> dataset.write(null, null, image()));
    assertThrows(IllegalStateException.class, () -> dataset.verify((Zn5IoOptions) null));
    assertThrows(IllegalStateException.class, () -> codec.decode(block));
    assertEquals("int16", dataset.dataType().n5Name());
  }
}
