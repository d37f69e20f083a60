// Images of every type have the pixels that were written, read at once and cell by cell; the example runs as it stands.
package org.zn5.imglib2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.lang.reflect.Array;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import net.imglib2.Cursor;
import net.imglib2.RandomAccess;
import net.imglib2.img.Img;
import net.imglib2.img.array.ArrayImg;
import net.imglib2.img.cell.LazyCellImg;
import net.imglib2.type.numeric.integer.UnsignedByteType;
import net.imglib2.type.numeric.integer.UnsignedLongType;
import net.imglib2.view.Views;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.zn5.Zn5CodecOptions;
import org.zn5.Zn5DataType;
import org.zn5.Zn5Dataset;

class Zn5ImagesTest {
  private static final Path ROOT = Paths.get(System.getProperty("zn5.root")).toAbsolutePath().normalize();
  private static final Path WORK = Paths.get(System.getProperty("zn5.work")).toAbsolutePath().normalize();
  private static final long[] SHAPE = {13, 7, 5};
  private static final Zn5CodecOptions LARGE = new Zn5CodecOptions().maxDecodedBytes(1L << 40);

  private static Path emptyFolder(String name) throws Exception {
    Path folder = WORK.resolve(name);
    if (Files.exists(folder)) {
      try (Stream<Path> files = Files.walk(folder)) {
        files.sorted(Comparator.reverseOrder()).forEach(path -> path.toFile().delete());
      }
    }
    return Files.createDirectories(folder);
  }

  /** The value of a pixel; none is the same in another order of axes, and some use the highest bit of their type. */
  private static double value(Zn5DataType type, long x, long y, long z) {
    long number = x + 16 * (y + 8 * z);
    switch (type) {
      case UINT8:
        return number & 0xff;
      case INT8:
        return (byte) number;
      case UINT16:
        return number * 97;
      case UINT32:
        return number * 6_500_000;
      case INT16:
      case INT32:
      case INT64:
        return number * 40 - 9000;
      default:
        return number * 10;
    }
  }

  @ParameterizedTest
  @EnumSource(value = Zn5DataType.class, mode = EnumSource.Mode.EXCLUDE, names = "UTF32")
  void pixelsAreWhereTheyWereWritten(Zn5DataType type) throws Exception {
    String folder = emptyFolder(type.n5Name()).toString();
    String attributes =
        "{\"dimensions\":[13,7,5],\"blockSize\":[4,3,2],\"dataType\":\"" + type.n5Name() + "\",\"compression\":{\"type\":\"zstd\",\"level\":3}}";
    try (Zn5Dataset dataset = Zn5Dataset.create(folder, "image", attributes, new Zn5CodecOptions())) {
      Object array = dataset.codec().newArray(SHAPE);
      for (int i = 0; i < Array.getLength(array); i++) {
        double value = value(type, i % 13, i / 13 % 7, i / 13 / 7);
        switch (type.arrayClass().getComponentType().getName()) {
          case "byte":
            Array.setByte(array, i, (byte) (long) value);
            break;
          case "short":
            Array.setShort(array, i, (short) (long) value);
            break;
          case "int":
            Array.setInt(array, i, (int) (long) value);
            break;
          case "long":
            Array.setLong(array, i, (long) value);
            break;
          case "float":
            Array.setFloat(array, i, (float) value);
            break;
          default:
            Array.setDouble(array, i, value);
        }
      }
      dataset.write(null, null, array);
      check(type, Zn5Images.open(folder, "image"), ArrayImg.class);
      Img<?> lazy = Zn5Images.openLazily(dataset);
      check(type, lazy, LazyCellImg.class);
      check(type, lazy, LazyCellImg.class);
    }
  }

  private static void check(Zn5DataType type, Img<?> image, Class<?> kind) {
    assertInstanceOf(kind, image);
    assertEquals(3, image.numDimensions());
    long count = 0;
    Cursor<?> cursor = image.localizingCursor();
    while (cursor.hasNext()) {
      Object pixel = cursor.next();
      double expected =
          value(type, cursor.getLongPosition(0), cursor.getLongPosition(1), cursor.getLongPosition(2));
      assertEquals(expected, ((net.imglib2.type.numeric.RealType<?>) pixel).getRealDouble());
      count++;
    }
    assertEquals(13 * 7 * 5, count);
    RandomAccess<?> access = image.randomAccess();
    access.setPosition(new long[] {12, 6, 4});
    assertEquals(value(type, 12, 6, 4), ((net.imglib2.type.numeric.RealType<?>) access.get()).getRealDouble());
  }

  @Test
  void threadsShareALazyImage() throws Exception {
    String folder = ROOT.resolve("examples/data/cat.n5").toString();
    Img<UnsignedByteType> whole = Zn5Images.open(folder, "photo");
    AtomicReference<Throwable> failure = new AtomicReference<>();
    try (Zn5Dataset dataset = Zn5Dataset.open(folder, "photo")) {
      Img<UnsignedByteType> lazy = Zn5Images.openLazily(dataset);
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        threads.add(
            new Thread(
                () -> {
                  RandomAccess<UnsignedByteType> access = lazy.randomAccess();
                  Cursor<UnsignedByteType> cursor = whole.localizingCursor();
                  while (cursor.hasNext()) {
                    int expected = cursor.next().get();
                    access.setPosition(cursor);
                    if (access.get().get() != expected) {
                      failure.set(new AssertionError("another pixel"));
                    }
                  }
                }));
        threads.get(i).setUncaughtExceptionHandler((thread, e) -> failure.set(e));
        threads.get(i).start();
      }
      for (Thread thread : threads) {
        thread.join();
      }
    }
    assertNull(failure.get());
  }

  @Test
  void whatIsNoImageIsRefused() throws Exception {
    String folder = emptyFolder("none").toString();
    String attributes = "{\"dimensions\":[],\"blockSize\":[],\"dataType\":\"uint64\",\"compression\":{\"type\":\"raw\"}}";
    try (Zn5Dataset dataset = Zn5Dataset.create(folder, "scalar", attributes, new Zn5CodecOptions())) {
      assertThrows(IllegalArgumentException.class, () -> Zn5Images.<UnsignedLongType>open(folder, "scalar"));
      assertThrows(IllegalArgumentException.class, () -> Zn5Images.<UnsignedLongType>openLazily(dataset));
    }
    String container = ROOT.resolve("examples/data/cat.n5").toString();
    try (Zn5Dataset dataset = Zn5Dataset.open(container, "photo", new Zn5CodecOptions().orderC(true))) {
      assertThrows(IllegalArgumentException.class, () -> Zn5Images.<UnsignedByteType>openLazily(dataset));
    }
    Zn5Dataset closed = Zn5Dataset.open(container, "photo");
    closed.close();
    assertThrows(IllegalStateException.class, () -> Zn5Images.<UnsignedByteType>openLazily(closed));
    refused("has no pixels", folder, "empty", "[5,0]", "[4,4]");
    refused("blocks of more pixels than a Java array holds", folder, "blocks", "[50000,50000]", "[50000,50000]");
    refused("blocks of more pixels than a Java array holds", folder, "long", "[2147483648]", "[2147483648]");
  }

  private static void refused(String words, String folder, String path, String shape, String blockSize) {
    try (Zn5Dataset dataset = Zn5Dataset.create(folder, path, attributes(shape, blockSize), LARGE)) {
      String message = assertThrows(IllegalArgumentException.class, () -> Zn5Images.<UnsignedByteType>openLazily(dataset)).getMessage();
      assertTrue(message.contains(words), message);
    }
  }

  private static String attributes(String shape, String blockSize) {
    return "{\"dimensions\":" + shape + ",\"blockSize\":" + blockSize + ",\"dataType\":\"uint8\",\"compression\":{\"type\":\"raw\"}}";
  }

  @Test
  void largeImages() throws Exception {
    String folder = emptyFolder("large").toString();
    Zn5Dataset.create(folder, "large", attributes("[50000,50000]", "[64,64]"), LARGE).close();
    String message = assertThrows(IllegalArgumentException.class, () -> Zn5Images.<UnsignedByteType>open(folder, "large")).getMessage();
    assertTrue(message.contains("openLazily"), message);
    try (Zn5Dataset dataset = Zn5Dataset.open(folder, "large")) {
      Img<UnsignedByteType> image = Zn5Images.openLazily(dataset);
      assertEquals(0, image.getAt(49_999, 49_999).get());
    }
    // Blocks may be larger than the image.
    try (Zn5Dataset dataset = Zn5Dataset.create(folder, "small", attributes("[3,2]", "[50000,50000]"), LARGE)) {
      Img<UnsignedByteType> image = Zn5Images.openLazily(dataset);
      dataset.write(null, null, new byte[] {1, 2, 3, 4, 5, 6});
      assertEquals(6, image.getAt(2, 1).get());
    }
  }

  /** As the README says of Zarr: the axes of an image of z, y, x are brought into x, y, z. */
  @Test
  void axesOfZarrKeepTheirOrder() throws Exception {
    String folder = emptyFolder("zarr").toString();
    String zarr =
        "{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":[2,3,4],\"data_type\":\"uint8\",\"fill_value\":0,"
            + "\"chunk_grid\":{\"name\":\"regular\",\"configuration\":{\"chunk_shape\":[2,3,4]}},"
            + "\"chunk_key_encoding\":{\"name\":\"default\"},\"codecs\":[{\"name\":\"bytes\"}]}";
    Zn5Dataset.create(folder, "zyx", zarr, new Zn5CodecOptions()).close();
    byte[] chunk = new byte[24];
    for (int i = 0; i < chunk.length; i++) {
      chunk[i] = (byte) i;
    }
    Path file = Files.createDirectories(Paths.get(folder, "zyx", "c", "0", "0")).resolve("0");
    Files.write(file, chunk);
    Img<UnsignedByteType> image = Zn5Images.open(folder, "zyx");
    assertEquals(1 * 12 + 2 * 4 + 3, image.getAt(1, 2, 3).get());
    assertEquals(1 * 12 + 0 * 4 + 3, Views.permute(image, 0, 2).getAt(3, 0, 1).get());
  }

  @Test
  void theExampleRuns() throws Exception {
    Path folder = emptyFolder("example");
    String classes = System.getProperty("java.class.path");
    assertEquals(
        0,
        ToolProvider.getSystemJavaCompiler()
            .run(
                null, null, null, "-Xlint:all", "-Werror", "-proc:none", "-cp", classes, "-d", folder.toString(),
                ROOT.resolve("examples/java/MeanOfImage.java").toString()));
    String container = ROOT.resolve("examples/data/cat.n5").toString();
    Process process =
        new ProcessBuilder(
                Paths.get(System.getProperty("java.home"), "bin", "java").toString(), "--enable-native-access=ALL-UNNAMED", "-cp",
                folder + File.pathSeparator + classes, "MeanOfImage", container, "photo")
            .redirectErrorStream(true)
            .start();
    String printed = new String(process.getInputStream().readAllBytes());
    assertTrue(process.waitFor(60, TimeUnit.SECONDS));
    long sum = 0;
    byte[] pixels;
    try (Zn5Dataset dataset = Zn5Dataset.open(container, "photo")) {
      pixels = (byte[]) dataset.read(null, null);
    }
    for (byte pixel : pixels) {
      sum += pixel & 0xff;
    }
    assertEquals(String.format("%d pixels, mean %.3f%n", pixels.length, (double) sum / pixels.length), printed);
  }
}
