// The Java programs of the README are compiled as they stand there and in the examples, and run; its Maven coordinates are those of this project.
package org.zn5;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;

class ReadmeTest {
  private static String section(String language, String contains) throws Exception {
    String readme = Support.text(Support.ROOT.resolve("README.md"));
    Matcher matcher = Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL).matcher(readme);
    while (matcher.find()) {
      if (matcher.group(1).contains(contains)) {
        return matcher.group(1);
      }
    }
    throw new AssertionError("README.md has no " + language + " with " + contains);
  }

  @Test
  void theProgramRuns() throws Exception {
    String program = section("java", "org.zn5");
    assertTrue(program.trim().split("\n").length <= 15, "the program has more than 15 lines");
    Path folder = Support.emptyFolder("readme");
    Path file = folder.resolve("ReadRegion.java");
    Files.write(file, program.getBytes(StandardCharsets.UTF_8));
    Support.Output output = run(folder, file, Support.ROOT.resolve("examples/data/cat.n5").toString(), "photo");
    // Red of the photograph's pixels 189 to 194 in the rows 126 to 129, as the examples in C print it.
    assertEquals("124 133 134 139 143 142\n135 140 144 145 141 141\n147 149 155 151 146 141\n148 147 152 148 148 140\n", output.text);
  }

  @Test
  void theExampleThatWritesRuns() throws Exception {
    Path file = Support.ROOT.resolve("examples/java/WriteDataset.java");
    assertTrue(Support.text(file).contains(section("java", "Zn5Dataset.create")), "README.md shows what " + file + " does not have");
    Path folder = Support.emptyFolder("readme-write");
    Path container = folder.resolve("a.n5");
    Support.Output output = run(folder, file, container.toString());
    assertEquals("stored in " + container + "/image\n", output.text);
    try (Zn5Dataset image = Zn5Dataset.open(container.toString(), "image")) {
      assertArrayEquals(new short[] {33, 34, 35}, (short[]) image.read(new long[] {3, 3}, new long[] {3, 1}));
    }
  }

  /** Compiles a program without warnings, and runs it. */
  private static Support.Output run(Path folder, Path file, String... arguments) throws Exception {
    assertEquals(
        0,
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, "-Xlint:all", "-Werror", "-proc:none", "-cp", Support.classes().toString(), "-d", folder.toString(), file.toString()));
    List<String> command =
        new ArrayList<>(
            Arrays.asList(
                Support.java(), "--enable-native-access=ALL-UNNAMED", "-cp", folder + System.getProperty("path.separator") + Support.classes(),
                file.getFileName().toString().replace(".java", "")));
    command.addAll(Arrays.asList(arguments));
    Support.Output output = Support.run(command);
    assertEquals(0, output.status, output.text);
    return output;
  }

  @Test
  void theCoordinatesAreRight() throws Exception {
    String xml = section("xml", "org.zn5").replaceAll("\\s", "");
    assertEquals(
        "<dependency><groupId>org.zn5</groupId><artifactId>zn5</artifactId><version>" + Zn5.VERSION + "</version></dependency>", xml);
  }
}
