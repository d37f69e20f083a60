// Strings of fixed length, Zarr's fixed_length_utf32 and NumPy's "<U12", to and from Java's.
package org.zn5;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;

/**
 * Strings of fixed length: each element has {@link #lengthBytes()} bytes, four a code point, and ends in U+0000 where its text is shorter. Text is never cut or replaced: what
 * does not fit, or is no text, is an exception.
 */
public final class Zn5Utf32 {
  private static final int LITTLE = 1;
  private static final int BIG = 2;

  private final long lengthBytes;
  private final ByteOrder order;

  /**
   * Makes the type of elements of a length and byte order.
   *
   * @param lengthBytes the bytes of one element, a positive multiple of 4
   * @param order the order of bytes in a code point; {@link ByteOrder#nativeOrder()} for what {@link Zn5Codec} decodes
   * @throws Zn5Exception if the length is not a positive multiple of 4
   */
  public Zn5Utf32(int lengthBytes, ByteOrder order) {
    this.lengthBytes = lengthBytes;
    this.order = Objects.requireNonNull(order, "order");
    Zn5.require();
    Native.utf32TypeName(lengthBytes, number());
  }

  /**
   * Reads a Zarr data type such as {@code {"name":"fixed_length_utf32","configuration":{"length_bytes":48}}}.
   *
   * @param json the object
   * @param order the order of bytes, which Zarr's codec {@code bytes} tells; {@link ByteOrder#nativeOrder()} for what {@link Zn5Codec} decodes
   * @return the type
   * @throws Zn5Exception if the text is no such data type
   */
  public static Zn5Utf32 fromZarrDataType(String json, ByteOrder order) {
    byte[] text = Native.utf8(Objects.requireNonNull(json, "json"));
    Zn5.require();
    return new Zn5Utf32(Math.toIntExact(Native.utf32ParseType(text, false)[0]), order);
  }

  /**
   * Reads a NumPy name of the type, as Zarr v2 uses it.
   *
   * @param name such as {@code <U12}, which is 48 bytes, least significant first
   * @return the type
   * @throws Zn5Exception if the name is none of such a type
   */
  public static Zn5Utf32 fromNumpy(String name) {
    byte[] text = Native.utf8(Objects.requireNonNull(name, "name"));
    Zn5.require();
    long[] type = Native.utf32ParseType(text, true);
    return new Zn5Utf32(Math.toIntExact(type[0]), type[1] == BIG ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
  }

  /**
   * Returns the bytes of one element.
   *
   * @return a positive multiple of 4
   */
  public long lengthBytes() {
    return lengthBytes;
  }

  /**
   * Writes the Zarr data type.
   *
   * @return JSON
   */
  public String toZarrDataType() {
    return Native.text(Native.utf32TypeName(lengthBytes, 0));
  }

  /**
   * Writes the NumPy name of the type.
   *
   * @return such as {@code <U12}
   */
  public String toNumpy() {
    return Native.text(Native.utf32TypeName(lengthBytes, number()));
  }

  /**
   * Writes strings as elements, one behind the other.
   *
   * @param strings the strings, none of them null
   * @return {@link #lengthBytes()} bytes for each
   * @throws Zn5Exception if a string has more code points than an element holds; the message names the element
   * @throws IllegalArgumentException if a string has half of a surrogate pair
   */
  public byte[] encode(String... strings) {
    byte[][] texts = new byte[strings.length][];
    long[] offsets = new long[strings.length + 1];
    for (int i = 0; i < strings.length; i++) {
      texts[i] = utf8(i, strings[i]);
      offsets[i + 1] = offsets[i] + texts[i].length;
    }
    byte[] all = new byte[Math.toIntExact(offsets[strings.length])];
    for (int i = 0; i < texts.length; i++) {
      System.arraycopy(texts[i], 0, all, (int) offsets[i], texts[i].length);
    }
    return Native.utf32Encode(all, offsets, number(), lengthBytes);
  }

  /** String.getBytes would put a question mark in the place of what is no text. */
  private static byte[] utf8(int number, String string) {
    try {
      ByteBuffer bytes =
          StandardCharsets.UTF_8
              .newEncoder()
              .onMalformedInput(CodingErrorAction.REPORT)
              .onUnmappableCharacter(CodingErrorAction.REPORT)
              .encode(CharBuffer.wrap(Objects.requireNonNull(string, "a string is null")));
      return Arrays.copyOf(bytes.array(), bytes.limit());
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException("string number " + number + " has half of a surrogate pair", e);
    }
  }

  /**
   * Reads elements as strings, trailing U+0000 removed.
   *
   * @param elements the elements one behind the other
   * @return one string for each
   * @throws Zn5Exception if one of them is no text; {@link Zn5Exception#offset()} tells where
   * @throws IllegalArgumentException if the array is no whole number of elements
   */
  public String[] decode(byte[] elements) {
    return decode(ByteBuffer.wrap(Objects.requireNonNull(elements, "elements")));
  }

  /**
   * Reads elements as strings, trailing U+0000 removed.
   *
   * @param elements the elements one behind the other, from the buffer's position to its limit; direct or not
   * @return one string for each
   * @throws Zn5Exception if one of them is no text; {@link Zn5Exception#offset()} tells where
   * @throws IllegalArgumentException if the buffer has no whole number of elements
   */
  public String[] decode(ByteBuffer elements) {
    int count = count(elements);
    Memory memory = Memory.ofBytes(elements);
    long[] offsets = new long[count + 1];
    byte[] text = Native.utf32Decode(memory.object, memory.first, memory.len, number(), lengthBytes, offsets);
    String[] strings = new String[count];
    for (int i = 0; i < count; i++) {
      strings[i] = new String(text, (int) offsets[i], (int) (offsets[i + 1] - offsets[i]), StandardCharsets.UTF_8);
    }
    return strings;
  }

  /**
   * Looks for an element that is no text: one with a surrogate or a number above U+10FFFF.
   *
   * @param elements the elements one behind the other, from the buffer's position to its limit; direct or not
   * @return the number of the first element that is no text, or -1 if all are
   */
  public long firstInvalid(ByteBuffer elements) {
    int count = count(elements);
    Memory memory = Memory.ofBytes(elements);
    long first = Native.utf32Validate(memory.object, memory.first, memory.len, count, number(), lengthBytes);
    return first == count ? -1 : first;
  }

  private int count(ByteBuffer elements) {
    int len = elements.remaining();
    if (len % lengthBytes != 0) {
      throw new IllegalArgumentException(len + " bytes are no whole number of elements of " + lengthBytes + " bytes");
    }
    return (int) (len / lengthBytes);
  }

  private int number() {
    return order == ByteOrder.BIG_ENDIAN ? BIG : LITTLE;
  }
}
