// Tells the mean of an image of bytes that may be larger than memory: MeanOfImage CONTAINER DATASET. Compile it against the jars of zn5,
// zn5-imglib2 and imglib2.
import net.imglib2.img.Img;
import net.imglib2.type.numeric.integer.UnsignedByteType;
import org.zn5.Zn5Dataset;
import org.zn5.imglib2.Zn5Images;

public class MeanOfImage {
  public static void main(String[] arguments) {
    try (Zn5Dataset dataset = Zn5Dataset.open(arguments[0], arguments[1])) {
      Img<UnsignedByteType> image = Zn5Images.openLazily(dataset);
      long sum = 0;
      for (UnsignedByteType pixel : image) {
        sum += pixel.get();
      }
      System.out.printf("%d pixels, mean %.3f%n", image.size(), (double) sum / image.size());
    }
  }
}
