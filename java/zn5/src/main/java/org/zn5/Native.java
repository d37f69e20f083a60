// The native methods, which zn5_jni.c implements and JNI_OnLoad registers by their names here, and what they call back.
// Lengths, origins and strides are in bytes; every caller has checked them, and the C code checks them again.
package org.zn5;

import java.nio.charset.StandardCharsets;

final class Native {
  private static final int NULL_POINTER = 101;
  private static final int LAST_ABOUT_ARGUMENTS = 199;
  private static final int OUT_OF_MEMORY = 901;

  private Native() {}

  static native int versionNumber();

  static native String versionString();

  static native String buildInfo();

  static native String statusName(int status);

  static native boolean compressionAvailable(byte[] name);

  static native long codecNew(byte[] json, boolean isZarr, int order, int flags, long maxDecodedBytes);

  static native void codecFree(long codec);

  static native int codecDtype(long codec);

  static native long codecElementSize(long codec);

  static native int codecNdim(long codec);

  static native String codecCompression(long codec);

  static native byte[] codecJson(long codec);

  static native byte[] codecFillValue(long codec);

  static native long[] codecShape(long codec, boolean ofArray);

  static native long codecSize(long codec, long[] shape, boolean encoded);

  static native void decode(
      long codec,
      Object block,
      long blockFirst,
      long blockLen,
      long[] shape,
      long[] offset,
      long[] extent,
      Object image,
      long imageFirst,
      long imageLen,
      long origin,
      long[] strides);

  static native byte[] encode(
      long codec, long[] shape, Object image, long imageFirst, long imageLen, long origin, long[] strides);

  static native void fill(long codec, long[] shape, Object image, long first, long len);

  static native long[] blockHeader(Object block, long first, long len);

  static native byte[] blockKey(long[] grid);

  static native byte[] convertMetadata(byte[] json, boolean intoZarr, int flags);

  static native byte[] utf32Encode(byte[] utf8, long[] offsets, int endian, long lengthBytes);

  static native byte[] utf32Decode(Object elements, long first, long len, int endian, long lengthBytes, long[] offsets);

  static native long utf32Validate(Object elements, long first, long len, long count, int endian, long lengthBytes);

  static native long[] utf32ParseType(byte[] name, boolean isNumpy);

  static native byte[] utf32TypeName(long lengthBytes, int endian);

  static native long datasetOpen(
      byte[] folder, byte[] path, byte[] metadata, int storeFlags, int order, int flags, long maxDecodedBytes);

  static native void datasetFree(long dataset);

  static native long datasetCodec(long dataset);

  static native byte[] datasetMetadata(long dataset);

  static native void datasetTransfer(
      long dataset,
      boolean isWrite,
      long[] offset,
      long[] extent,
      Object image,
      long first,
      long len,
      long origin,
      long[] strides,
      int threads,
      int flags,
      Object listener);

  static native void datasetVerify(long dataset, Object problems, int threads, int flags, Object listener);

  /** Makes the exception for a status other than success; called by the native code, which throws it. */
  static Throwable failure(int status, long offset, long nativeCode, byte[] message) {
    String text = text(message);
    if (status == OUT_OF_MEMORY) {
      return new OutOfMemoryError(text);
    }
    Zn5Exception exception = new Zn5Exception(status, statusName(status), offset, nativeCode, text);
    if (status == NULL_POINTER) {
      return new NullPointerException(text).initCause(exception);
    }
    if (status > NULL_POINTER && status <= LAST_ABOUT_ARGUMENTS) {
      return new IllegalArgumentException(text, exception);
    }
    return exception;
  }

  /** Called by the native code on the thread that reads or writes. */
  static boolean progress(Object listener, long done, long total) {
    return ((Zn5Progress) listener).update(done, total);
  }

  /** Called by the native code on the thread that verifies. */
  static boolean problem(Object listener, int status, byte[] key, long offset, byte[] message) {
    return ((Zn5Dataset.ProblemListener) listener)
        .found(new Zn5Problem(status, statusName(status), text(key), offset, text(message)));
  }

  static String text(byte[] utf8) {
    return new String(utf8, StandardCharsets.UTF_8);
  }

  static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
