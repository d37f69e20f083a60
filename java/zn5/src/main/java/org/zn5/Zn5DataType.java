// The types of elements, and which Java arrays and buffers hold them.
package org.zn5;

import java.lang.reflect.Array;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;

/** The type of an array's elements. Java has no unsigned types: {@code uint16} lies in a {@code short[]} bit by bit, and so on. */
public enum Zn5DataType {
  /** 8-bit unsigned integer, in a {@code byte[]}. */
  UINT8(1, "uint8", byte.class, ByteBuffer.class),
  /** 16-bit unsigned integer, in a {@code short[]}. */
  UINT16(2, "uint16", short.class, ShortBuffer.class),
  /** 32-bit unsigned integer, in an {@code int[]}. */
  UINT32(3, "uint32", int.class, IntBuffer.class),
  /** 64-bit unsigned integer, in a {@code long[]}. */
  UINT64(4, "uint64", long.class, LongBuffer.class),
  /** 8-bit signed integer, in a {@code byte[]}. */
  INT8(5, "int8", byte.class, ByteBuffer.class),
  /** 16-bit signed integer, in a {@code short[]}. */
  INT16(6, "int16", short.class, ShortBuffer.class),
  /** 32-bit signed integer, in an {@code int[]}. */
  INT32(7, "int32", int.class, IntBuffer.class),
  /** 64-bit signed integer, in a {@code long[]}. */
  INT64(8, "int64", long.class, LongBuffer.class),
  /** 32-bit floating point, in a {@code float[]}. */
  FLOAT32(9, "float32", float.class, FloatBuffer.class),
  /** 64-bit floating point, in a {@code double[]}. */
  FLOAT64(10, "float64", double.class, DoubleBuffer.class),
  /** Zarr's strings of fixed length, in a {@code byte[]}, which {@link Zn5Utf32} turns into strings. */
  UTF32(11, "fixed_length_utf32", byte.class, ByteBuffer.class);

  private static final Zn5DataType[] BY_NUMBER = values();

  private final String n5Name;
  private final Class<?> element;
  private final Class<?> array;
  private final Class<? extends Buffer> buffer;

  Zn5DataType(int number, String n5Name, Class<?> element, Class<? extends Buffer> buffer) {
    if (number != ordinal() + 1) {
      throw new AssertionError(n5Name);
    }
    this.n5Name = n5Name;
    this.element = element;
    this.array = Array.newInstance(element, 0).getClass();
    this.buffer = buffer;
  }

  static Zn5DataType of(int number) {
    return BY_NUMBER[number - 1];
  }

  /**
   * Returns the name that N5's {@code dataType} and Zarr's {@code data_type} use.
   *
   * @return such as {@code uint16}
   */
  public String n5Name() {
    return n5Name;
  }

  /**
   * Returns the class of the arrays that hold such elements.
   *
   * @return such as {@code short[].class}
   */
  public Class<?> arrayClass() {
    return array;
  }

  /**
   * Makes an array for elements of this type.
   *
   * @param length the length of the array, for {@link #UTF32} in bytes
   * @return such as a new {@code short[length]}
   */
  public Object newArray(int length) {
    return Array.newInstance(element, length);
  }

  Class<? extends Buffer> bufferClass() {
    return buffer;
  }
}
