// Says to people whether zn5 works here, and if not, why: for bug reports.
package org.zn5;

import java.util.Arrays;
import java.util.Base64;

final class Doctor {
  // Of extents (3,2), with zstd: 1 2 3 4 5 6.
  private static final String ATTRIBUTES =
      "{\"dimensions\":[3,2],\"blockSize\":[3,2],\"dataType\":\"uint16\",\"compression\":{\"type\":\"zstd\",\"level\":3}}";
  private static final String BLOCK = "AAAAAgAAAAMAAAACKLUv/SAMYQAAAAEAAgADAAQABQAG";
  private static final short[] EXPECTED = {1, 2, 3, 4, 5, 6};

  private Doctor() {}

  static String report() {
    StringBuilder report = new StringBuilder();
    line(report, "classes", "zn5 " + Zn5.VERSION);
    line(report, "Java", property("java.version") + ", " + property("java.vm.name") + ", " + property("java.home"));
    line(report, "system", property("os.name") + " " + property("os.version") + ", " + property("os.arch"));
    for (NativeLoader.Attempt attempt : NativeLoader.result().attempts()) {
      line(report, "tried", attempt.what());
      line(report, "", attempt.outcome());
    }
    UnsatisfiedLinkError failure = Zn5.loadFailure();
    if (failure != null) {
      line(report, "failed", failure.getMessage());
      return report.toString();
    }
    line(report, "native library", Zn5.buildInfo());
    line(report, "a block", decodesABlock() ? "is decoded" : "IS DECODED WRONGLY; please report it");
    return report.toString();
  }

  private static boolean decodesABlock() {
    try (Zn5Codec codec = Zn5Codec.fromN5Attributes(ATTRIBUTES)) {
      return Arrays.equals((short[]) codec.decode(Base64.getDecoder().decode(BLOCK)), EXPECTED);
    }
  }

  private static String property(String name) {
    return System.getProperty(name, "?");
  }

  private static void line(StringBuilder report, String name, String text) {
    report.append(String.format("%-15s %s%n", name, text));
  }
}
