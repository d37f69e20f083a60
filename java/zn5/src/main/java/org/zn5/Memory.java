// An array or direct buffer that a caller gave, checked: which bytes of it a native method may touch.
package org.zn5;

import java.lang.reflect.Array;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.util.Objects;

final class Memory {
  /** What the native method gets: a primitive array, or a direct buffer. */
  final Object object;

  final long first;
  final long len;

  private Memory(Object object, long first, long len) {
    this.object = object;
    this.first = first;
    this.len = len;
  }

  /** The bytes of a block or of strings, from the buffer's position to its limit. */
  static Memory ofBytes(ByteBuffer buffer) {
    if (buffer.isDirect()) {
      return new Memory(buffer, buffer.position(), buffer.remaining());
    }
    if (buffer.hasArray()) {
      return new Memory(buffer.array(), buffer.arrayOffset() + buffer.position(), buffer.remaining());
    }
    // A buffer that is read only does not give its array away.
    byte[] copy = new byte[buffer.remaining()];
    buffer.duplicate().get(copy);
    return new Memory(copy, 0, copy.length);
  }

  /** An image of elements of a type: an array as a whole, or a direct buffer from its position to its limit. */
  static Memory ofElements(Object image, Zn5DataType type, long elementSize, boolean isWritten) {
    Objects.requireNonNull(image, "the array or buffer is null");
    if (!(image instanceof Buffer)) {
      if (!type.arrayClass().isInstance(image)) {
        throw refused(image, type);
      }
      long width = type == Zn5DataType.UTF32 ? 1 : elementSize;
      return new Memory(image, 0, Array.getLength(image) * width);
    }
    Buffer buffer = (Buffer) image;
    boolean isBytes = buffer instanceof ByteBuffer;
    if (!isBytes && !type.bufferClass().isInstance(buffer)) {
      throw refused(image, type);
    }
    if (!buffer.isDirect()) {
      throw new IllegalArgumentException("a buffer must be direct; of other buffers, pass the array");
    }
    if (isWritten && buffer.isReadOnly()) {
      throw new IllegalArgumentException("the buffer is read only");
    }
    if (elementSize > 1 && type != Zn5DataType.UTF32 && orderOf(buffer) != ByteOrder.nativeOrder()) {
      throw new IllegalArgumentException(
          "the buffer has the byte order " + orderOf(buffer) + "; call order(ByteOrder.nativeOrder()) on the ByteBuffer first");
    }
    long width = isBytes ? 1 : elementSize;
    return new Memory(buffer, buffer.position() * width, buffer.remaining() * width);
  }

  private static IllegalArgumentException refused(Object image, Zn5DataType type) {
    return new IllegalArgumentException(
        image.getClass().getSimpleName()
            + " does not hold elements of "
            + type.n5Name()
            + "; it takes "
            + type.arrayClass().getSimpleName()
            + (type.bufferClass() == ByteBuffer.class ? "" : ", a direct " + type.bufferClass().getSimpleName())
            + " or a direct ByteBuffer");
  }

  private static ByteOrder orderOf(Buffer buffer) {
    if (buffer instanceof ByteBuffer) {
      return ((ByteBuffer) buffer).order();
    } else if (buffer instanceof ShortBuffer) {
      return ((ShortBuffer) buffer).order();
    } else if (buffer instanceof IntBuffer) {
      return ((IntBuffer) buffer).order();
    } else if (buffer instanceof LongBuffer) {
      return ((LongBuffer) buffer).order();
    } else if (buffer instanceof FloatBuffer) {
      return ((FloatBuffer) buffer).order();
    }
    return ((DoubleBuffer) buffer).order();
  }
}
