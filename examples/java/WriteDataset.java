// Makes a dataset and stores an array in it: WriteDataset CONTAINER. Compile it against the jar of zn5.
import org.zn5.Zn5CodecOptions;
import org.zn5.Zn5Dataset;

public class WriteDataset {
  public static void main(String[] arguments) {
    // The text of an attributes.json: six pixels along x, four along y.
    String metadata =
        "{\"dimensions\": [6, 4], \"blockSize\": [3, 2], \"dataType\": \"uint16\", \"compression\": {\"type\": \"zstd\", \"level\": 3}}";
    short[] pixels = new short[6 * 4];
    for (int y = 0; y < 4; y++) {
      for (int x = 0; x < 6; x++) {
        pixels[x + 6 * y] = (short) (10 * y + x);
      }
    }
    try (Zn5Dataset image = Zn5Dataset.create(arguments[0], "image", metadata, new Zn5CodecOptions())) {
      image.write(null, null, pixels);
    }
    System.out.println("stored in " + arguments[0] + "/image");
  }
}
