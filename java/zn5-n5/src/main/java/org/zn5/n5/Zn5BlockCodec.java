// One block between n5's bytes and n5's arrays, by zn5.
package org.zn5.n5;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.janelia.saalfeldlab.n5.DataBlock;
import org.janelia.saalfeldlab.n5.DataType;
import org.janelia.saalfeldlab.n5.N5Exception.N5IOException;
import org.janelia.saalfeldlab.n5.codec.BlockCodec;
import org.janelia.saalfeldlab.n5.readdata.ReadData;
import org.zn5.Zn5BlockHeader;
import org.zn5.Zn5Codec;
import org.zn5.Zn5Exception;

final class Zn5BlockCodec<T> implements BlockCodec<T> {
  private final DataType dataType;
  private final Zn5Codec codec;
  private final BlockCodec<T> ofN5;

  // Nobody closes a BlockCodec: the codec is freed when it is garbage.
  Zn5BlockCodec(DataType dataType, Zn5Codec codec, BlockCodec<T> ofN5) {
    this.dataType = dataType;
    this.codec = codec;
    this.ofN5 = ofN5;
  }

  @Override
  public ReadData encode(DataBlock<T> block) {
    long[] shape = Arrays.stream(block.getSize()).asLongStream().toArray();
    try {
      return ReadData.from(codec.encode(shape, block.getData()));
    } catch (Zn5Exception e) {
      throw new N5IOException(e.toString(), e);
    }
  }

  /** As n5 does, the block gets the extents in its own header. */
  @Override
  public DataBlock<T> decode(ReadData data, long[] gridPosition) {
    byte[] bytes = data.allBytes();
    try {
      Zn5BlockHeader header = Zn5BlockHeader.of(ByteBuffer.wrap(bytes));
      if (header.mode() != 0) {
        return ofN5.decode(ReadData.from(bytes), gridPosition);
      }
      int[] size = Arrays.stream(header.extents()).mapToInt(Math::toIntExact).toArray();
      // The type of the array is the one that n5 makes for this type of elements.
      @SuppressWarnings("unchecked")
      DataBlock<T> block = (DataBlock<T>) dataType.createDataBlock(size, gridPosition);
      codec.decode(ByteBuffer.wrap(bytes), header.extents(), block.getData());
      return block;
    } catch (Zn5Exception e) {
      throw new N5IOException(e.toString(), e);
    }
  }
}
