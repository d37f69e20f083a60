// What several tests need: the vectors' table, images in plain Java, and other processes.
package org.zn5;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Array;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

final class Support {
  static final Path ROOT = Paths.get(System.getProperty("zn5.root")).toAbsolutePath().normalize();
  static final Path VECTORS = ROOT.resolve("tests/vectors");
  static final Path WORK = Paths.get(System.getProperty("zn5.work")).toAbsolutePath().normalize();
  static final boolean IS_ROOT = System.getProperty("user.name").equals("root");

  private Support() {}

  /** The rows of one kind of c_tests/vectors.tsv, without the kind. */
  static List<String[]> rows(String kind) {
    List<String[]> rows = new ArrayList<>();
    try {
      for (String line : Files.readAllLines(ROOT.resolve("c_tests/vectors.tsv"), StandardCharsets.UTF_8)) {
        String[] fields = line.split("\t", -1);
        if (fields[0].equals(kind)) {
          rows.add(Arrays.copyOfRange(fields, 1, fields.length));
        }
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return rows;
  }

  static long[] extents(String list) {
    return list.isEmpty() ? new long[0] : Arrays.stream(list.split(",")).mapToLong(Long::parseLong).toArray();
  }

  static byte[] fromHex(String hex) {
    byte[] bytes = new byte[hex.length() / 2];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) Integer.parseInt(hex.substring(2 * i, 2 * i + 2), 16);
    }
    return bytes;
  }

  static String text(Path file) throws IOException {
    return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
  }

  static long product(long[] extents) {
    return Arrays.stream(extents).reduce(1, (a, b) -> a * b);
  }

  /** Steps an index, first axis fastest; false at the end. */
  static boolean next(long[] index, long[] extents) {
    for (int axis = 0; axis < index.length; axis++) {
      if (++index[axis] < extents[axis]) {
        return true;
      }
      index[axis] = 0;
    }
    return false;
  }

  static long[] strides(long[] shape, boolean orderC) {
    long[] strides = new long[shape.length];
    long stride = 1;
    for (int i = 0; i < shape.length; i++) {
      int axis = orderC ? shape.length - 1 - i : i;
      strides[axis] = stride;
      stride *= shape[axis];
    }
    return strides;
  }

  static long dot(long[] index, long[] strides) {
    long sum = 0;
    for (int axis = 0; axis < index.length; axis++) {
      sum += index[axis] * strides[axis];
    }
    return sum;
  }

  /** Elements in C order become elements in F order. */
  static byte[] toOrderF(byte[] c, long[] shape, int elementSize) {
    byte[] f = new byte[c.length];
    if (c.length == 0) {
      return f;
    }
    long[] from = strides(shape, true);
    long[] to = strides(shape, false);
    long[] index = new long[shape.length];
    do {
      System.arraycopy(c, (int) dot(index, from) * elementSize, f, (int) dot(index, to) * elementSize, elementSize);
    } while (next(index, shape));
    return f;
  }

  /** A primitive array of the bytes that a machine of this byte order has for it; the vectors are little-endian. */
  static byte[] littleEndian(Object array) {
    int length = Array.getLength(array);
    int size = array instanceof byte[] ? 1 : array instanceof short[] ? 2 : array instanceof int[] || array instanceof float[] ? 4 : 8;
    ByteBuffer bytes = ByteBuffer.allocate(length * size).order(ByteOrder.LITTLE_ENDIAN);
    if (array instanceof byte[]) {
      bytes.put((byte[]) array);
    } else if (array instanceof short[]) {
      bytes.asShortBuffer().put((short[]) array);
    } else if (array instanceof int[]) {
      bytes.asIntBuffer().put((int[]) array);
    } else if (array instanceof long[]) {
      bytes.asLongBuffer().put((long[]) array);
    } else if (array instanceof float[]) {
      for (float value : (float[]) array) {
        bytes.putInt(Float.floatToRawIntBits(value));
      }
    } else {
      for (double value : (double[]) array) {
        bytes.putLong(Double.doubleToRawLongBits(value));
      }
    }
    return bytes.array();
  }

  /** The array of a type that has these little-endian bytes. */
  static Object array(Zn5DataType type, byte[] little) {
    ByteBuffer bytes = ByteBuffer.wrap(little).order(ByteOrder.LITTLE_ENDIAN);
    Object array;
    switch (type) {
      case UINT16:
      case INT16:
        array = new short[little.length / 2];
        bytes.asShortBuffer().get((short[]) array);
        return array;
      case UINT32:
      case INT32:
        array = new int[little.length / 4];
        bytes.asIntBuffer().get((int[]) array);
        return array;
      case UINT64:
      case INT64:
        array = new long[little.length / 8];
        bytes.asLongBuffer().get((long[]) array);
        return array;
      case FLOAT32:
        array = new float[little.length / 4];
        bytes.asFloatBuffer().get((float[]) array);
        return array;
      case FLOAT64:
        array = new double[little.length / 8];
        bytes.asDoubleBuffer().get((double[]) array);
        return array;
      default:
        return little.clone();
    }
  }

  /** A direct buffer of the type's own kind, over `bytes`. */
  static Buffer typed(Zn5DataType type, ByteBuffer bytes) {
    switch (type) {
      case UINT16:
      case INT16:
        return bytes.asShortBuffer();
      case UINT32:
      case INT32:
        return bytes.asIntBuffer();
      case UINT64:
      case INT64:
        return bytes.asLongBuffer();
      case FLOAT32:
        return bytes.asFloatBuffer();
      case FLOAT64:
        return bytes.asDoubleBuffer();
      default:
        return bytes;
    }
  }

  static ByteBuffer direct(int len) {
    return ByteBuffer.allocateDirect(len).order(ByteOrder.nativeOrder());
  }

  static byte[] content(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.capacity()];
    ByteBuffer all = buffer.duplicate();
    all.clear();
    all.get(bytes);
    return bytes;
  }

  static String attributes(String shape, String blockSize, String type, String compression) {
    return "{\"dimensions\":[" + shape + "],\"blockSize\":[" + blockSize + "],\"dataType\":\"" + type
        + "\",\"compression\":" + compression + "}";
  }

  /** An empty folder of a test. */
  static Path emptyFolder(String name) throws IOException {
    Path folder = WORK.resolve(name);
    delete(folder);
    return Files.createDirectories(folder);
  }

  static void delete(Path path) throws IOException {
    if (Files.isDirectory(path) && !Files.isSymbolicLink(path)) {
      List<Path> children = new ArrayList<>();
      try (java.nio.file.DirectoryStream<Path> stream = Files.newDirectoryStream(path)) {
        stream.forEach(children::add);
      }
      for (Path child : children) {
        delete(child);
      }
    }
    Files.deleteIfExists(path);
  }

  /** What a process printed, both streams together, and its exit status. */
  static final class Output {
    final int status;
    final String text;

    Output(int status, String text) {
      this.status = status;
      this.text = text;
    }
  }

  static String java() {
    return Paths.get(System.getProperty("java.home"), "bin", "java").toString();
  }

  /** A VM with the classes under test, to be started. */
  static List<String> vm(String... arguments) {
    List<String> command = new ArrayList<>(Arrays.asList(java(), "-Xmx256m", "--enable-native-access=ALL-UNNAMED"));
    for (String property : new String[] {"zn5.root", "zn5.work", "zn5.programs"}) {
      command.add("-D" + property + "=" + System.getProperty(property));
    }
    command.addAll(Arrays.asList("-cp", classes() + System.getProperty("path.separator") + testClasses()));
    command.addAll(Arrays.asList(arguments));
    return command;
  }

  static Path classes() {
    return place(Zn5.class);
  }

  static Path testClasses() {
    return place(Support.class);
  }

  private static Path place(Class<?> of) {
    try {
      return Paths.get(of.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (java.net.URISyntaxException e) {
      throw new AssertionError(e);
    }
  }

  static Output run(List<String> command) throws IOException, InterruptedException {
    return finish(start(command));
  }

  static Process start(List<String> command) throws IOException {
    return new ProcessBuilder(command).redirectErrorStream(true).start();
  }

  static Output finish(Process process) throws IOException, InterruptedException {
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    process.getOutputStream().close();
    byte[] buffer = new byte[8192];
    try (InputStream in = process.getInputStream()) {
      for (int len = in.read(buffer); len >= 0; len = in.read(buffer)) {
        text.write(buffer, 0, len);
      }
    }
    if (!process.waitFor(60, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new AssertionError("a process does not end: " + text);
    }
    return new Output(process.exitValue(), new String(text.toByteArray(), StandardCharsets.UTF_8));
  }
}
