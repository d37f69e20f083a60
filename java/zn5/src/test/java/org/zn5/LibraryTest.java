// What the native library in the jar asks of a system and shows to it: old glibc, no other libraries, two exported names. And that versions agree.
package org.zn5;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class LibraryTest {
  private static final Path LIBRARY = Support.classes().resolve("natives/linux_64/libzn5jni.so");

  private static String readelf(String option) throws Exception {
    Support.Output output = Support.run(Arrays.asList("readelf", "--wide", option, LIBRARY.toString()));
    assertEquals(0, output.status, output.text);
    return output.text;
  }

  private static Set<String> all(String text, String pattern) {
    Set<String> found = new TreeSet<>();
    Matcher matcher = Pattern.compile(pattern).matcher(text);
    while (matcher.find()) {
      found.add(matcher.group(1));
    }
    return found;
  }

  @Test
  void noNewerCLibraryThanPromised() throws Exception {
    Set<String> versions = all(readelf("--version-info"), "Name: (\\S+)");
    assertTrue(versions.contains("GLIBC_2.2.5"), versions.toString());
    for (String version : versions) {
      Matcher matcher = Pattern.compile("GLIBC_2\\.(\\d+)(\\.\\d+)?").matcher(version);
      assertTrue(matcher.matches() && Integer.parseInt(matcher.group(1)) <= 28, version);
    }
    // What has no version must be weak: a C library that lacks it does not mind.
    for (String line : readelf("--dyn-syms").split("\n")) {
      if (line.contains(" UND ") && !line.contains("GLIBC_") && !line.trim().endsWith("UND")) {
        assertTrue(line.contains(" WEAK "), line);
      }
    }
  }

  @Test
  void nothingButTheCLibraryIsNeeded() throws Exception {
    Set<String> needed = all(readelf("--dynamic"), "\\(NEEDED\\).*\\[(.*)\\]");
    // Until glibc 2.34 threads and dlsym are in libraries of their own, which are part of it.
    Set<String> allowed =
        new TreeSet<>(
            Arrays.asList("libc.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2", "libpthread.so.0", "libdl.so.2", "libm.so.6"));
    assertTrue(allowed.containsAll(needed), needed.toString());
    assertTrue(needed.contains("libc.so.6"), needed.toString());
    assertTrue(!readelf("--dynamic").contains("TEXTREL"));
    assertTrue(!readelf("--program-headers").contains("GNU_STACK      0x000000 0x0000000000000000 0x0000000000000000 0x000000 0x000000 RWE"));
  }

  @Test
  void onlyTheNamesForTheVmAreExported() throws Exception {
    Set<String> exported = new TreeSet<>();
    for (String line : readelf("--dyn-syms").split("\n")) {
      String[] fields = line.trim().split("\\s+");
      if (fields.length >= 8 && fields[0].matches("\\d+:") && !fields[6].equals("UND")) {
        exported.add(fields[7]);
      }
    }
    assertEquals(new TreeSet<>(Arrays.asList("JNI_OnLoad", "JNI_OnUnload")), exported);
  }

  @Test
  void oneVersionEverywhere() throws Exception {
    String cargo = Support.text(Support.ROOT.resolve("Cargo.toml"));
    assertTrue(cargo.contains("name = \"zn5\"\nversion = \"" + Zn5.VERSION + "\""), "Cargo.toml has another version than " + Zn5.VERSION);
    assertEquals(Zn5.VERSION, Zn5.version());
    for (String module : new String[] {"", "zn5/", "zn5-imglib2/", "zn5-spark/", "zn5-bench/", "zn5-n5/"}) {
      String pom = Support.text(Support.ROOT.resolve("java/" + module + "pom.xml"));
      assertTrue(pom.contains("<version>" + Zn5.VERSION + "</version>"), module + "pom.xml");
    }
  }

  /** Class files of Java 8. */
  @Test
  void theClassesAreForJava8() throws Exception {
    byte[] bytes = java.nio.file.Files.readAllBytes(Support.classes().resolve("org/zn5/Zn5.class"));
    assertEquals(52, bytes[7]);
  }
}
