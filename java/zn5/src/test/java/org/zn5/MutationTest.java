// Ten thousand blocks with changed, missing and additional bytes, of each compression: each is decoded, or refused by Zn5Exception, and memory
// behind the array stays as it is.
package org.zn5;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MutationTest {
  private static final int COUNT = 10_000;
  private static final int ELEMENTS = 11 * 7 * 3;

  @Test
  void mutatedBlocks() {
    Random random = new Random(5);
    int refused = 0;
    int decoded = 0;
    for (int i = 0; i < COUNT; ) {
      for (String compression : EncodeTest.COMPRESSIONS) {
        String attributes = Support.attributes("22,14,6", "11,7,3", "uint32", compression);
        try (Zn5Codec codec = Zn5Codec.fromN5Attributes(attributes)) {
          byte[] block = codec.encode(Support.array(Zn5DataType.UINT32, EncodeTest.content(4 * ELEMENTS)));
          for (int n = 0; n < 100; n++, i++) {
            int[] array = new int[ELEMENTS + 4];
            Arrays.fill(array, ELEMENTS, array.length, 77);
            try {
              codec.decode(mutated(block, random), array);
              decoded++;
            } catch (Zn5Exception e) {
              assertTrue(e.status() > 300 && e.status() < 400, e.toString());
              refused++;
            }
            for (int behind = ELEMENTS; behind < array.length; behind++) {
              assertEquals(77, array[behind]);
            }
          }
        }
      }
    }
    assertTrue(refused + decoded >= COUNT);
    assertTrue(refused > COUNT / 4, refused + " were refused");
    assertTrue(decoded > 0);
  }

  private static byte[] mutated(byte[] block, Random random) {
    byte[] changed = block.clone();
    int kind = random.nextInt(4);
    if (kind == 0) {
      return Arrays.copyOf(changed, random.nextInt(changed.length));
    } else if (kind == 1) {
      return Arrays.copyOf(changed, changed.length + 1 + random.nextInt(20));
    }
    // Headers are short, and more happens there.
    int range = random.nextBoolean() ? Math.min(40, changed.length) : changed.length;
    for (int n = 1 + random.nextInt(3); n > 0; n--) {
      changed[random.nextInt(range)] = (byte) (kind == 2 ? random.nextInt() : 0xff);
    }
    return changed;
  }
}
