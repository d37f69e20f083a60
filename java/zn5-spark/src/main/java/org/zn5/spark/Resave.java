// Stores an N5 dataset anew inside Spark, with another compression, and compares: Resave CONTAINER DATASET NEW_CONTAINER NEW_DATASET COMPRESSION,
// the last as JSON, such as {"type":"zstd","level":3}. An example to copy.
package org.zn5.spark;

import java.lang.management.ManagementFactory;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.zn5.Zn5CodecOptions;
import org.zn5.Zn5Dataset;
import org.zn5.Zn5IoOptions;

/**
 * The driver makes the new dataset and cuts the grid of blocks into ranges. Each task opens both datasets by their paths, and moves its range block by block; since the blocks
 * of both have the same shape, no two tasks write the same one. Nothing but paths and numbers is sent, and the native library loads in each executor by itself.
 */
public final class Resave {
  /** So small that a lost executor costs little, so large that a task is worth its start. */
  private static final int BLOCKS_OF_A_RANGE = 8;

  // Spark has a thread a core already.
  private static Zn5IoOptions oneThread() {
    return new Zn5IoOptions().threads(1);
  }

  private Resave() {}

  /**
   * Runs the application; the master comes from {@code spark.master}, as spark-submit sets it.
   *
   * @param arguments container, dataset, new container, new dataset, compression
   */
  public static void main(String[] arguments) {
    if (arguments.length != 5) {
      System.err.println("usage: Resave CONTAINER DATASET NEW_CONTAINER NEW_DATASET COMPRESSION");
      System.exit(2);
    }
    // Executors have working directories of their own.
    String[] from = {Paths.get(arguments[0]).toAbsolutePath().toString(), arguments[1]};
    String[] to = {Paths.get(arguments[2]).toAbsolutePath().toString(), arguments[3]};
    long blockCount;
    try (Zn5Dataset dataset = Zn5Dataset.open(from[0], from[1])) {
      Zn5Dataset.create(to[0], to[1], attributes(dataset, arguments[4]), new Zn5CodecOptions()).close();
      blockCount = Arrays.stream(dataset.gridShape()).reduce(1, Math::multiplyExact);
    }
    List<Long> ranges = new ArrayList<>();
    for (long first = 0; first < blockCount; first += BLOCKS_OF_A_RANGE) {
      ranges.add(first);
    }
    try (JavaSparkContext spark = new JavaSparkContext(new SparkConf().setAppName("zn5 resave"))) {
      JavaRDD<Long> rdd = spark.parallelize(ranges, ranges.size());
      long written = rdd.map(first -> copy(from, to, first)).reduce(Long::sum);
      List<String> workers = rdd.map(first -> worker()).distinct().collect();
      long different = rdd.map(first -> compare(from, to, first)).reduce(Long::sum);
      System.out.printf(
          "%d blocks in %d ranges by %d processes: %d copied, %d differ%n",
          blockCount, ranges.size(), workers.size(), written, different);
      if (different != 0) {
        System.exit(1);
      }
    }
  }

  /** The same array with another compression. */
  private static String attributes(Zn5Dataset dataset, String compression) {
    return "{\"dimensions\":" + Arrays.toString(dataset.shape())
        + ",\"blockSize\":" + Arrays.toString(dataset.codec().chunkShape())
        + ",\"dataType\":\"" + dataset.dataType().n5Name()
        + "\",\"compression\":" + compression + "}";
  }

  private static long copy(String[] from, String[] to, long first) {
    long count = 0;
    try (Zn5Dataset source = Zn5Dataset.open(from[0], from[1]);
        Zn5Dataset target = Zn5Dataset.openForWriting(to[0], to[1], new Zn5CodecOptions())) {
      for (long number = first; number < end(source, first); number++) {
        long[][] region = region(source, number);
        Object array = source.codec().newArray(region[1]);
        source.read(region[0], region[1], array, 0, null, oneThread());
        target.write(region[0], region[1], array, 0, null, oneThread());
        count++;
      }
    }
    return count;
  }

  private static long compare(String[] from, String[] to, long first) {
    long different = 0;
    try (Zn5Dataset source = Zn5Dataset.open(from[0], from[1]);
        Zn5Dataset target = Zn5Dataset.open(to[0], to[1])) {
      for (long number = first; number < end(source, first); number++) {
        long[][] region = region(source, number);
        Object[] both = {source.codec().newArray(region[1]), source.codec().newArray(region[1])};
        source.read(region[0], region[1], both[0], 0, null, oneThread());
        target.read(region[0], region[1], both[1], 0, null, oneThread());
        different += Arrays.deepEquals(new Object[] {both[0]}, new Object[] {both[1]}) ? 0 : 1;
      }
    }
    return different;
  }

  private static long end(Zn5Dataset dataset, long first) {
    return Math.min(first + BLOCKS_OF_A_RANGE, Arrays.stream(dataset.gridShape()).reduce(1, Math::multiplyExact));
  }

  /** Offset and extent of the block that has a number in the grid, first axis fastest. */
  private static long[][] region(Zn5Dataset dataset, long number) {
    long[] shape = dataset.shape();
    long[] chunk = dataset.codec().chunkShape();
    long[] grid = dataset.gridShape();
    long[] offset = new long[shape.length];
    long[] extent = new long[shape.length];
    long rest = number;
    for (int axis = 0; axis < shape.length; axis++) {
      offset[axis] = rest % grid[axis] * chunk[axis];
      extent[axis] = Math.min(chunk[axis], shape[axis] - offset[axis]);
      rest /= grid[axis];
    }
    return new long[][] {offset, extent};
  }

  /** Names the process that a task runs in. */
  private static String worker() {
    return ManagementFactory.getRuntimeMXBean().getName();
  }
}
