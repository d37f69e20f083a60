// Every block, dataset and string that other implementations wrote becomes the expected array in Java; every malformed block is refused,
// or gives the one array that is allowed.
package org.zn5;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class VectorsTest {
  /** How a decoded chunk or image is given to zn5. */
  private enum Into {
    ARRAY,
    DIRECT_BYTES,
    DIRECT_TYPED
  }

  /** A row of the table, which shows as its name. */
  static final class Row {
    final String[] fields;

    Row(String[] fields) {
      this.fields = fields;
    }

    @Override
    public String toString() {
      return fields[0];
    }
  }

  private static List<Row> rows(String kind) {
    return Support.rows(kind).stream().map(Row::new).collect(Collectors.toList());
  }

  static List<Row> datasets() {
    return rows("dataset");
  }

  static List<Row> malformed() {
    return rows("malformed");
  }

  static List<Row> strings() {
    return rows("string");
  }

  static List<Row> stringUnits() {
    return rows("string_unit");
  }

  static List<Row> stringDocuments() {
    return rows("string_document");
  }

  @Test
  void allVectorsAreThere() {
    assertTrue(datasets().size() >= 82, "datasets");
    assertTrue(malformed().size() >= 107, "malformed blocks");
    assertTrue(strings().size() >= 12, "string arrays");
  }

  private static final class Dataset {
    final String id;
    final Path folder;
    final byte[] expectedC;
    final byte[] expectedF;
    final int elementSize;
    final long[] shape;
    final long[] chunkShape;
    final int stored;
    final String[] documents;

    Dataset(String[] row) throws IOException {
      id = row[0];
      folder = Support.VECTORS.resolve(row[1]);
      expectedC = Files.readAllBytes(Support.VECTORS.resolve(row[2]));
      elementSize = Integer.parseInt(row[3]);
      shape = Support.extents(row[4]);
      chunkShape = Support.extents(row[5]);
      stored = Integer.parseInt(row[6]);
      documents = row[8].isEmpty() ? new String[0] : row[8].split(",");
      expectedF = Support.toOrderF(expectedC, shape, elementSize);
    }

    byte[] expected(boolean orderC) {
      return orderC ? expectedC : expectedF;
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("datasets")
  void blocksDecodeIntoTheImage(Row vector) throws IOException {
    String[] row = vector.fields;
    Dataset dataset = new Dataset(row);
    for (boolean orderC : new boolean[] {false, true}) {
      Zn5CodecOptions options = new Zn5CodecOptions().orderC(orderC);
      try (Zn5Codec codec = Zn5Codec.fromN5Attributes(Support.text(dataset.folder.resolve("attributes.json")), options)) {
        check(dataset, codec, orderC);
      }
      for (String document : dataset.documents) {
        try (Zn5Codec codec = Zn5Codec.fromZarrMetadata(Support.text(Support.VECTORS.resolve(document)), options)) {
          check(dataset, codec, orderC);
        }
      }
    }
  }

  private static void check(Dataset dataset, Zn5Codec codec, boolean orderC) throws IOException {
    assertArrayEquals(dataset.shape, codec.arrayShape());
    assertArrayEquals(dataset.chunkShape, codec.chunkShape());
    assertEquals(dataset.elementSize, codec.elementSize());
    byte[] expected = dataset.expected(orderC);
    for (Into into : Into.values()) {
      ByteBuffer bytes = Support.direct(expected.length);
      Object image =
          into == Into.ARRAY
              ? codec.dataType().newArray(expected.length / dataset.elementSize)
              : into == Into.DIRECT_BYTES ? bytes : Support.typed(codec.dataType(), bytes);
      assertEquals(dataset.stored, decodeAll(dataset, codec, image, orderC, into != Into.ARRAY));
      assertArrayEquals(
          expected, into == Into.ARRAY ? Support.littleEndian(image) : swapped(Support.content(bytes), dataset.elementSize));
    }
  }

  private static byte[] swapped(byte[] nativeBytes, int elementSize) {
    if (ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN) {
      return nativeBytes;
    }
    byte[] little = new byte[nativeBytes.length];
    for (int i = 0; i < little.length; i++) {
      little[i] = nativeBytes[i - i % elementSize + elementSize - 1 - i % elementSize];
    }
    return little;
  }

  /** Decodes each stored block into its tile; those that are missing read as 0, which the image has from the beginning. */
  private static int decodeAll(Dataset dataset, Zn5Codec codec, Object image, boolean orderC, boolean blocksAreDirect)
      throws IOException {
    long[] grid = new long[dataset.shape.length];
    long[] gridShape = new long[grid.length];
    for (int axis = 0; axis < grid.length; axis++) {
      gridShape[axis] = (dataset.shape[axis] + dataset.chunkShape[axis] - 1) / dataset.chunkShape[axis];
    }
    long[] strides = Support.strides(dataset.shape, orderC);
    int count = 0;
    do {
      Path file = dataset.folder.resolve(Zn5.blockKey(grid));
      if (Files.isRegularFile(file)) {
        long[] extent = new long[grid.length];
        long[] corner = new long[grid.length];
        for (int axis = 0; axis < grid.length; axis++) {
          corner[axis] = grid[axis] * dataset.chunkShape[axis];
          extent[axis] = Math.min(dataset.chunkShape[axis], dataset.shape[axis] - corner[axis]);
        }
        byte[] block = Files.readAllBytes(file);
        ByteBuffer source = ByteBuffer.wrap(block);
        if (blocksAreDirect) {
          source = ByteBuffer.allocateDirect(block.length + 3);
          source.position(3);
          source.put(block);
          source.flip().position(3);
        }
        codec.decodeRegion(source, null, null, extent, image, Support.dot(corner, strides), strides);
        count++;
      }
    } while (Support.next(grid, gridShape));
    return count;
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("datasets")
  void datasetsRead(Row vector) throws IOException {
    String[] row = vector.fields;
    Dataset expected = new Dataset(row);
    try (Zn5Dataset dataset = Zn5Dataset.open(expected.folder.getParent().toString(), expected.folder.getFileName().toString())) {
      assertArrayEquals(expected.expectedF, Support.littleEndian(dataset.read(null, null)));
      assertEquals(0, dataset.verify((Zn5IoOptions) null).size());
      // A part, upside down on the last axis, into the middle of something larger.
      long[] offset = new long[expected.shape.length];
      long[] extent = expected.shape.clone();
      for (int axis = 0; axis < extent.length; axis++) {
        offset[axis] = expected.shape[axis] / 3;
        extent[axis] -= offset[axis];
      }
      if (extent.length == 0) {
        return;
      }
      long[] strides = Support.strides(extent, false);
      int last = extent.length - 1;
      long origin = 5 + strides[last] * (extent[last] - 1);
      strides[last] = -strides[last];
      int count = (int) Support.product(extent);
      Object image = dataset.dataType().newArray(count + 10);
      dataset.read(offset, extent, image, origin, strides, new Zn5IoOptions().threads(2));
      byte[] bytes = Support.littleEndian(image);
      int size = expected.elementSize;
      assertArrayEquals(new byte[5 * size], Arrays.copyOf(bytes, 5 * size));
      assertArrayEquals(new byte[5 * size], Arrays.copyOfRange(bytes, bytes.length - 5 * size, bytes.length));
      long[] index = new long[extent.length];
      long[] whole = Support.strides(expected.shape, false);
      do {
        int at = (int) (origin + Support.dot(index, strides)) * size;
        int from = (int) (Support.dot(offset, whole) + Support.dot(index, whole)) * size;
        for (int i = 0; i < size; i++) {
          assertEquals(expected.expectedF[from + i], bytes[at + i]);
        }
      } while (Support.next(index, extent));
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("malformed")
  void malformedBlocksAreRefused(Row vector) throws IOException {
    String[] row = vector.fields;
    Path folder = Support.VECTORS.resolve(row[1]);
    byte[] block = Files.readAllBytes(folder.resolve(row[2]));
    byte[] accepted = Support.fromHex(row[5]);
    try (Zn5Codec codec = Zn5Codec.fromN5Attributes(Support.text(folder.resolve("attributes.json")))) {
      Object array = codec.newArray(null);
      try {
        codec.decode(block, array);
        assertTrue(accepted.length > 0, "the block was accepted");
        assertArrayEquals(
            Support.toOrderF(accepted, codec.chunkShape(), (int) codec.elementSize()), Support.littleEndian(array));
      } catch (Zn5Exception e) {
        assertTrue(e.status() > 300 && e.status() < 400, e.toString());
        assertTrue(e.statusName().startsWith("ZN5_ERROR_"), e.toString());
        assertTrue(!e.getMessage().isEmpty() && e.offset() >= -1 && e.offset() <= block.length, e.toString());
      }
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("strings")
  void stringsRead(Row vector) throws IOException {
    String[] row = vector.fields;
    Path folder = Support.VECTORS.resolve(row[1]);
    byte[] expected = Files.readAllBytes(Support.VECTORS.resolve(row[2]));
    int lengthBytes = Integer.parseInt(row[3]);
    String[] texts = row[12].split(",", -1);
    Zn5Utf32 little = new Zn5Utf32(lengthBytes, ByteOrder.LITTLE_ENDIAN);
    checkTexts(little, expected, texts);
    assertEquals(lengthBytes, Zn5Utf32.fromZarrDataType(little.toZarrDataType(), ByteOrder.LITTLE_ENDIAN).lengthBytes());
    if (!row[8].isEmpty()) {
      Zn5Utf32 named = Zn5Utf32.fromNumpy(row[8]);
      assertEquals(lengthBytes, named.lengthBytes());
      assertEquals(row[8], named.toNumpy());
      return;
    }
    // A Zarr v3 array is read as a dataset of such elements.
    try (Zn5Dataset dataset = Zn5Dataset.open(folder.getParent().toString(), folder.getFileName().toString(),
        new Zn5CodecOptions().orderC(true))) {
      assertEquals(Zn5DataType.UTF32, dataset.dataType());
      assertEquals(lengthBytes, dataset.codec().elementSize());
      checkTexts(new Zn5Utf32(lengthBytes, ByteOrder.nativeOrder()), (byte[]) dataset.read(null, null), texts);
    }
  }

  private static void checkTexts(Zn5Utf32 type, byte[] elements, String[] hex) {
    int lengthBytes = (int) type.lengthBytes();
    List<String> texts = new ArrayList<>();
    long firstBad = -1;
    for (int i = 0; i < hex.length; i++) {
      byte[] element = Arrays.copyOfRange(elements, i * lengthBytes, (i + 1) * lengthBytes);
      if (hex[i].equals("-")) {
        firstBad = firstBad < 0 ? i : firstBad;
        Zn5Exception e = assertThrows(Zn5Exception.class, () -> type.decode(element));
        assertEquals("ZN5_ERROR_INVALID_CODE_POINT", e.statusName());
        continue;
      }
      String text = new String(Support.fromHex(hex[i]), StandardCharsets.UTF_8);
      assertArrayEquals(new String[] {text}, type.decode(element));
      assertArrayEquals(element, type.encode(text));
      texts.add(text);
    }
    assertEquals(firstBad, type.firstInvalid(ByteBuffer.wrap(elements)));
    if (firstBad < 0) {
      assertArrayEquals(texts.toArray(new String[0]), type.decode(elements));
      assertArrayEquals(elements, type.encode(texts.toArray(new String[0])));
    } else {
      Zn5Exception e = assertThrows(Zn5Exception.class, () -> type.decode(elements));
      assertEquals(firstBad, e.offset() / lengthBytes);
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("stringUnits")
  void oddCodeUnitsAreNoText(Row vector) throws IOException {
    String[] row = vector.fields;
    Path folder = Support.VECTORS.resolve(row[1]);
    int lengthBytes = Integer.parseInt(row[3]);
    byte[] chunk = Files.readAllBytes(folder.resolve(row[2]));
    try (Zn5Codec codec = Zn5Codec.fromZarrMetadata(Support.text(folder.resolve("zarr.json")))) {
      if (row[5].isEmpty()) {
        assertThrows(Zn5Exception.class, () -> codec.decode(chunk));
        return;
      }
      checkTexts(
          new Zn5Utf32(lengthBytes, ByteOrder.nativeOrder()), (byte[]) codec.decode(chunk), row[6].split(",", -1));
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("stringDocuments")
  void documentsOfStringsAreTakenOrRefused(Row vector) throws IOException {
    String[] row = vector.fields;
    String json = Support.text(Support.VECTORS.resolve(row[1]));
    try (Zn5Codec codec = Zn5Codec.fromZarrMetadata(json)) {
      assertTrue(!row[2].equals("reject"), "the document was taken");
      byte[] fill = codec.fillValue();
      String[] text = new Zn5Utf32((int) codec.elementSize(), ByteOrder.nativeOrder()).decode(fill);
      StringBuilder hex = new StringBuilder();
      text[0].codePoints().forEach(point -> hex.append(String.format("%08x", point)));
      assertEquals(row[3], hex.toString());
    } catch (Zn5Exception e) {
      assertTrue(!row[2].equals("accept"), e.toString());
    }
  }
}
