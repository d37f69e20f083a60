// The library as a whole: whether it is there, its version, and what is wrong if it is not.
package org.zn5;

import java.util.Objects;

/**
 * Reads and writes the blocks of N5 arrays, which Zarr v3 describes by its codec {@code n5_default}. The work is done by a native library that lies in this jar and needs
 * nothing else.
 *
 * <p>It is loaded at the first use, from the first of these places that is there:
 *
 * <ol>
 *   <li>the file that the system property {@code org.zn5.library} names, a libzn5jni (not libzn5, which is for C); no other place is tried then
 *   <li>{@code libzn5jni.so} in the folders of {@code java.library.path}
 *   <li>this jar, from which it is copied into the folder that the system property {@code org.zn5.folder} names, which nobody else should be able to write, else into one of the
 *       user's own below {@code java.io.tmpdir}
 * </ol>
 *
 * <p>If that fails, {@link #isAvailable()} is false, and whatever needs the library throws an {@link UnsatisfiedLinkError} that names the cause and the remedy, each time.
 * {@code java -jar zn5.jar} prints what was tried.
 */
public final class Zn5 {
  /** The version of these classes, which the native library must have too. */
  public static final String VERSION = "0.1.0";

  private Zn5() {}

  /**
   * Tells whether the native library is there; loads it if nobody did yet.
   *
   * @return true if it is
   */
  public static boolean isAvailable() {
    return NativeLoader.result().failure() == null;
  }

  /**
   * Tells why the native library is not there.
   *
   * @return what each call that needs it throws; null if it is there
   */
  public static UnsatisfiedLinkError loadFailure() {
    return NativeLoader.result().failure();
  }

  /**
   * Returns the version of the native library.
   *
   * @return such as {@code 0.1.0}
   */
  public static String version() {
    require();
    return Native.versionString();
  }

  /**
   * Returns a line for bug reports: the version of the native library, its target, and its compression libraries with their versions.
   *
   * @return the line
   */
  public static String buildInfo() {
    require();
    return Native.buildInfo();
  }

  /**
   * Tells whether a compression is decoded and encoded.
   *
   * @param n5Type the {@code type} of N5's {@code compression}, such as {@code gzip}
   * @return true if it is
   */
  public static boolean isCompressionAvailable(String n5Type) {
    require();
    return Native.compressionAvailable(Native.utf8(Objects.requireNonNull(n5Type, "n5Type")));
  }

  /**
   * Returns the key of a block below its dataset.
   *
   * @param gridPosition the position in the grid of chunks, axis 0 first
   * @return such as {@code 0/3/1}
   */
  public static String blockKey(long... gridPosition) {
    require();
    return Native.text(Native.blockKey(Box.checkExtents("the grid position", gridPosition, gridPosition.length)));
  }

  /**
   * Writes the {@code zarr.json} of an {@code attributes.json}, so that Zarr readers see the same blocks.
   *
   * @param attributesJson the document of an array or group
   * @return the document for Zarr
   * @throws Zn5Exception if Zarr cannot say the same
   */
  public static String toZarrMetadata(String attributesJson) {
    require();
    return Native.text(Native.convertMetadata(Native.utf8(attributesJson), true, 0));
  }

  /**
   * Writes the {@code attributes.json} of a {@code zarr.json}.
   *
   * @param zarrJson the document of an array or group
   * @return the document for N5
   * @throws Zn5Exception if N5 cannot say the same
   */
  public static String toN5Attributes(String zarrJson) {
    require();
    return Native.text(Native.convertMetadata(Native.utf8(zarrJson), false, 0));
  }

  /**
   * Says how the native library was loaded, or what was tried and why it failed.
   *
   * @return several lines for people
   */
  public static String doctor() {
    return Doctor.report();
  }

  /**
   * Prints {@link #doctor()}, and exits with 0 if all is well, else with 1.
   *
   * @param arguments none are looked at
   */
  public static void main(String[] arguments) {
    System.out.print(doctor());
    if (!isAvailable()) {
      System.exit(1);
    }
  }

  /** Throws what kept the native library from being loaded. */
  static void require() {
    UnsatisfiedLinkError failure = NativeLoader.result().failure();
    if (failure != null) {
      UnsatisfiedLinkError again = new UnsatisfiedLinkError(failure.getMessage());
      again.initCause(failure);
      throw again;
    }
  }
}
