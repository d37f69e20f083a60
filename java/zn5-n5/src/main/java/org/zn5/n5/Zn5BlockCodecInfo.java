// Puts zn5 in the place of n5's own block codec, where it can do what is asked for.
package org.zn5.n5;

import java.lang.reflect.Field;
import java.util.StringJoiner;
import org.janelia.saalfeldlab.n5.Compression;
import org.janelia.saalfeldlab.n5.DataType;
import org.janelia.saalfeldlab.n5.codec.BlockCodec;
import org.janelia.saalfeldlab.n5.codec.BlockCodecInfo;
import org.janelia.saalfeldlab.n5.codec.DataCodecInfo;
import org.janelia.saalfeldlab.n5.codec.N5BlockCodecInfo;
import org.zn5.Zn5;
import org.zn5.Zn5Codec;
import org.zn5.Zn5Exception;

/**
 * Decodes and encodes blocks by zn5; give it to {@code DatasetAttributes} in the place of {@link N5BlockCodecInfo}. It leaves to n5 itself what zn5 does not do: types other than
 * numbers, several codecs, unknown compressions, blocks of the modes varlength and object, and everything where the native library does not load. It is never
 * stored: {@code attributes.json} names the compression alone.
 */
public final class Zn5BlockCodecInfo implements BlockCodecInfo {
  private static final long serialVersionUID = 1L;

  /** Makes the object, which has no settings. */
  public Zn5BlockCodecInfo() {}

  @Override
  public String getType() {
    return N5BlockCodecInfo.TYPE;
  }

  @Override
  public <T> BlockCodec<T> create(DataType dataType, int[] blockSize, DataCodecInfo... codecs) {
    BlockCodec<T> ofN5 = new N5BlockCodecInfo().create(dataType, blockSize, codecs);
    if (!Zn5.isAvailable() || codecs.length > 1) {
      return ofN5;
    }
    String compression = codecs.length == 0 ? "{\"type\":\"raw\"}" : json(codecs[0]);
    if (compression == null) {
      return ofN5;
    }
    try {
      return new Zn5BlockCodec<>(dataType, Zn5Codec.fromN5Attributes(attributes(dataType, blockSize, compression)), ofN5);
    } catch (Zn5Exception unsupported) {
      return ofN5;
    }
  }

  private static String attributes(DataType dataType, int[] blockSize, String compression) {
    StringJoiner extents = new StringJoiner(",", "[", "]");
    for (int extent : blockSize) {
      extents.add(Integer.toString(extent));
    }
    return "{\"dimensions\":" + extents + ",\"blockSize\":" + extents + ",\"dataType\":\"" + dataType
        + "\",\"compression\":" + compression + "}";
  }

  /** What n5 would write into attributes.json; null for a codec that is no compression. */
  private static String json(DataCodecInfo codec) {
    if (!(codec instanceof Compression)) {
      return null;
    }
    StringJoiner members = new StringJoiner(",", "{", "}");
    members.add("\"type\":\"" + codec.getType() + "\"");
    for (Field field : codec.getClass().getDeclaredFields()) {
      if (field.getAnnotation(Compression.CompressionParameter.class) == null) {
        continue;
      }
      try {
        field.setAccessible(true);
        Object value = field.get(codec);
        members.add("\"" + field.getName() + "\":" + (value instanceof String ? "\"" + value + "\"" : value));
      } catch (IllegalAccessException | RuntimeException unreadable) {
        return null;
      }
    }
    return members.toString();
  }
}
