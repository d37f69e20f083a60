// Loading the native library, in VMs of their own: every place, every way in which it can fail, processes and class loaders at the same moment.
package org.zn5;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;

class LoaderTest {
  private static final Path LIBRARY = Support.classes().resolve("natives/linux_64/libzn5jni.so");
  private static final Path PROGRAMS = Paths.get(System.getProperty("zn5.programs"));
  private static final String WORKS = "is decoded";

  /** What `java -jar zn5.jar` does, with properties. */
  private static Support.Output doctor(String... properties) throws Exception {
    return Support.run(command(properties));
  }

  private static List<String> command(String... properties) {
    List<String> arguments = new ArrayList<>(Arrays.asList(properties));
    arguments.add("org.zn5.Zn5");
    return Support.vm(arguments.toArray(new String[0]));
  }

  private static void works(Support.Output output) {
    assertEquals(0, output.status, output.text);
    assertTrue(output.text.contains(WORKS), output.text);
  }

  /** It says why, and ends in an orderly way. */
  private static void fails(Support.Output output, String... words) {
    assertEquals(1, output.status, output.text);
    String failure = output.text.substring(output.text.indexOf("failed "));
    for (String word : words) {
      assertTrue(failure.contains(word), "not said: " + word + "\n" + output.text);
    }
  }

  private static String library(Path file) {
    return "-Dorg.zn5.library=" + file;
  }

  private static String folder(Path folder) {
    return "-Dorg.zn5.folder=" + folder;
  }

  private static List<String> names(Path folder) throws Exception {
    List<String> names = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
      files.forEach(file -> names.add(file.getFileName().toString()));
    }
    Collections.sort(names);
    return names;
  }

  // ---- the file that a property names ----

  @Test
  void theNamedFileIsLoaded() throws Exception {
    Path empty = Support.emptyFolder("loader-named");
    Support.Output output = doctor(library(LIBRARY), folder(empty));
    works(output);
    assertTrue(output.text.contains(LIBRARY.toString()), output.text);
    assertEquals(Collections.emptyList(), names(empty));
  }

  @Test
  void aNamedFileThatIsMissing() throws Exception {
    Support.Output output = doctor(library(Paths.get("/nowhere/libzn5jni.so")));
    fails(output, "/nowhere/libzn5jni.so", "org.zn5.library", "there is no such file");
    assertFalse(output.text.contains("of the jar"), "another place was tried: " + output.text);
  }

  @Test
  void aLibraryOfAnotherVersion() throws Exception {
    fails(doctor(library(PROGRAMS.resolve("libwrong_version.so"))), "9.8.7", Zn5.VERSION);
    fails(doctor(library(PROGRAMS.resolve("libwrong_natives.so"))), "of another version of zn5", "decodeAnotherWay");
    fails(doctor(library(PROGRAMS.resolve("libforeign.so"))), "not the native half of zn5", "is called libzn5jni");
  }

  @Test
  void aLibraryForAnotherComputer() throws Exception {
    Path file = Support.emptyFolder("loader-arch").resolve("libzn5jni.so");
    byte[] bytes = Files.readAllBytes(LIBRARY);
    bytes[18] = (byte) 0xb7;
    Files.write(file, bytes);
    fails(doctor(library(file)), "another kind of computer, aarch64", "this Java is for x86_64", "Build libzn5jni");
    fails(doctor("-Dos.arch=sparcv9"), "no native library for Linux on sparcv9", "libzn5jni", "java/CMakeLists.txt", "org.zn5.library");
  }

  @Test
  void aFileThatIsNoLibrary() throws Exception {
    Path file = Support.emptyFolder("loader-damaged").resolve("libzn5jni.so");
    Files.write(file, "text".getBytes(StandardCharsets.UTF_8));
    fails(doctor(library(file)), "damaged, or no library");
    Files.write(file, new byte[0]);
    fails(doctor(library(file)), "damaged, or no library");
    fails(doctor(library(file.getParent())), file.getParent().toString());
  }

  // ---- java.library.path ----

  @Test
  void theLibraryPathComesBeforeTheJar() throws Exception {
    Path folder = Support.emptyFolder("loader-path");
    Files.copy(LIBRARY, folder.resolve("libzn5jni.so"));
    Path empty = Support.emptyFolder("loader-path-empty");
    works(doctor("-Djava.library.path=" + folder, folder(empty)));
    assertEquals(Collections.emptyList(), names(empty));
    // One of another version, such as a program may have from before, is passed over.
    Files.delete(folder.resolve("libzn5jni.so"));
    Files.copy(PROGRAMS.resolve("libwrong_version.so"), folder.resolve("libzn5jni.so"));
    Support.Output output = doctor("-Djava.library.path=" + folder, folder(empty));
    works(output);
    assertTrue(output.text.contains("9.8.7"), output.text);
    assertEquals(1, names(empty).size());
  }

  // ---- extraction ----

  @Test
  void processesShareOneFile() throws Exception {
    Path folder = Support.emptyFolder("loader-parallel").resolve("made/by/zn5");
    List<Process> processes = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      processes.add(Support.start(command(folder(folder))));
    }
    for (Process process : processes) {
      works(Support.finish(process));
    }
    List<String> names = names(folder);
    assertEquals(1, names.size(), names.toString());
    assertTrue(names.get(0).matches("libzn5jni-" + Zn5.VERSION + "-[0-9a-f]{16}\\.so"), names.toString());
    Path file = folder.resolve(names.get(0));
    assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
    // It is used again, not written again.
    Object key = Files.readAttributes(file, java.nio.file.attribute.BasicFileAttributes.class).fileKey();
    works(doctor(folder(folder)));
    assertEquals(key, Files.readAttributes(file, java.nio.file.attribute.BasicFileAttributes.class).fileKey());
    // What is not as it should be is replaced: cut, changed, or open to others.
    byte[] good = Files.readAllBytes(file);
    byte[] changed = good.clone();
    changed[changed.length / 2] ^= 1;
    for (byte[] bad : new byte[][] {new byte[0], Arrays.copyOf(good, good.length / 2), changed}) {
      Files.write(file, bad);
      works(doctor(folder(folder)));
      assertArrayEquals(good, Files.readAllBytes(file));
    }
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxrwxrwx"));
    works(doctor(folder(folder)));
    assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
    assertEquals(1, names(folder).size());
  }

  @Test
  void linksAreNotFollowed() throws Exception {
    Path folder = Support.emptyFolder("loader-links");
    works(doctor(folder(folder)));
    Path file = folder.resolve(names(folder).get(0));
    Path victim = folder.resolve("victim");
    Files.write(victim, new byte[] {1, 2, 3});
    Files.delete(file);
    Files.createSymbolicLink(file, victim);
    works(doctor(folder(folder)));
    assertArrayEquals(new byte[] {1, 2, 3}, Files.readAllBytes(victim));
    assertTrue(Files.isRegularFile(file) && !Files.isSymbolicLink(file));
    // Neither by the folder below the temporary one.
    Path temporary = Support.emptyFolder("loader-tmp");
    Path elsewhere = Support.emptyFolder("loader-elsewhere");
    Path own = temporary.resolve("zn5-" + System.getProperty("user.name"));
    Files.createSymbolicLink(own, elsewhere);
    works(doctor("-Djava.io.tmpdir=" + temporary));
    assertEquals(Collections.emptyList(), names(elsewhere));
    assertEquals(1, names(temporary).size(), "a copy was left: " + names(temporary));
    // Nor is a folder used that others can write into.
    Files.delete(own);
    Files.createDirectory(own);
    Files.setPosixFilePermissions(own, PosixFilePermissions.fromString("rwxrwxrwx"));
    works(doctor("-Djava.io.tmpdir=" + temporary));
    assertEquals(Collections.emptyList(), names(own));
    Files.delete(own);
    works(doctor("-Djava.io.tmpdir=" + temporary));
    assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(own)));
    assertEquals(1, names(own).size());
    // A folder has the name of the file.
    Path name = own.resolve(names(own).get(0));
    Files.delete(name);
    Files.createDirectories(name.resolve("full"));
    works(doctor("-Djava.io.tmpdir=" + temporary));
    assertEquals(1, names(own).size(), names(own).toString());
  }

  @Test
  void foldersThatCannotBeWritten() throws Exception {
    Path file = Support.emptyFolder("loader-file").resolve("file");
    Files.write(file, new byte[1]);
    fails(doctor(folder(file)), "cannot be copied into a folder", file.toString(), "org.zn5.folder");
    fails(doctor(folder(Paths.get("/proc/zn5"))), "cannot be copied into a folder", "/proc/zn5", "org.zn5.folder");
    fails(doctor("-Djava.io.tmpdir=/nowhere"), "cannot be copied into a folder", "/nowhere", "java.io.tmpdir");
  }

  /** In a namespace of its own, so that nobody else sees the mount. */
  private static Support.Output mounted(String options, Path folder, String... properties) throws Exception {
    assumeTrue(Support.IS_ROOT, "only root can mount: not run");
    Support.Output tried = Support.run(Arrays.asList("unshare", "--mount", "true"));
    assumeTrue(tried.status == 0, "no mounts of its own here, as in a chroot: not run: " + tried.text);
    List<String> command = new ArrayList<>(Arrays.asList("unshare", "--mount", "sh", "-c"));
    command.add("mount -t tmpfs -o " + options + " zn5 \"$0\" && exec \"$@\"");
    command.add(folder.toString());
    command.addAll(command(properties));
    return Support.run(command);
  }

  @Test
  void foldersThatAreMountedNoexec() throws Exception {
    Path folder = Support.emptyFolder("loader-noexec");
    fails(
        mounted("noexec", folder, folder(folder)), folder + " is mounted noexec", "org.zn5.folder", "failed to map segment");
    fails(mounted("noexec", folder, "-Djava.io.tmpdir=" + folder), folder + " is mounted noexec", "org.zn5.folder");
    works(mounted("exec", folder, "-Djava.io.tmpdir=" + folder));
  }

  @Test
  void foldersThatAreReadOnlyOrFull() throws Exception {
    Path folder = Support.emptyFolder("loader-ro");
    fails(mounted("ro", folder, folder(folder)), "cannot be copied", "Read-only file system", "org.zn5.folder");
    fails(mounted("size=1m", folder, folder(folder)), "cannot be copied", "No space left on device", "org.zn5.folder");
  }

  // ---- faults in zn5 ----

  /** Run in a VM of its own, over a library that panics where it should decode. */
  public static final class Panics {
    private Panics() {}

    /** Decodes several times in several threads. */
    public static void main(String[] arguments) throws Exception {
      String attributes = "{\"dimensions\":[3],\"blockSize\":[3],\"dataType\":\"uint8\",\"compression\":{\"type\":\"zstd\"}}";
      java.util.concurrent.atomic.AtomicInteger count = new java.util.concurrent.atomic.AtomicInteger();
      try (Zn5Codec codec = Zn5Codec.fromN5Attributes(attributes)) {
        byte[] block = codec.encode(new byte[3]);
        Thread[] threads = new Thread[4];
        for (int i = 0; i < threads.length; i++) {
          threads[i] =
              new Thread(
                  () -> {
                    for (int round = 0; round < 25; round++) {
                      try {
                        codec.decode(block);
                      } catch (Zn5Exception e) {
                        count.addAndGet(e.statusName().equals("ZN5_ERROR_PANIC") && e.getMessage().contains("on purpose") ? 1 : 0);
                      }
                    }
                  });
          threads[i].start();
        }
        for (Thread thread : threads) {
          thread.join();
        }
      }
      System.out.println(count.get() + " panics");
    }
  }

  @Test
  void panicsAreExceptions() throws Exception {
    Support.Output output =
        Support.run(Support.vm(library(PROGRAMS.resolve("libpanic.so")), Panics.class.getName()));
    assertEquals(0, output.status, output.text);
    assertTrue(output.text.endsWith("100 panics\n"), output.text);
  }

  // ---- after a failure ----

  /** Run in a VM of its own, where the library cannot be loaded. */
  public static final class LaterCalls {
    private LaterCalls() {}

    /** Calls what needs the library, twice each. */
    public static void main(String[] arguments) {
      String attributes = "{\"dimensions\":[3],\"blockSize\":[3],\"dataType\":\"uint8\",\"compression\":{\"type\":\"raw\"}}";
      Runnable[] calls = {
        Zn5::version,
        () -> Zn5Codec.fromN5Attributes(attributes),
        () -> Zn5Codec.fromZarrMetadata("{}"),
        () -> Zn5Dataset.open("/", "x"),
        () -> new Zn5Utf32(4, java.nio.ByteOrder.nativeOrder()),
        () -> Zn5Utf32.fromNumpy("<U1"),
        () -> Zn5.blockKey(1),
        () -> Zn5.toZarrMetadata(attributes),
        () -> Zn5BlockHeader.of(java.nio.ByteBuffer.allocate(9)),
      };
      int thrown = 0;
      UnsatisfiedLinkError kept = Zn5.loadFailure();
      for (int round = 0; round < 2; round++) {
        for (Runnable call : calls) {
          try {
            call.run();
          } catch (UnsatisfiedLinkError e) {
            thrown += e.getMessage().equals(kept.getMessage()) && e.getCause() == kept ? 1 : 0;
          }
        }
      }
      System.out.println("available " + Zn5.isAvailable() + ", thrown " + thrown + " of " + 2 * calls.length);
    }
  }

  @Test
  void theFailureIsKeptAndThrownAgain() throws Exception {
    Support.Output output =
        Support.run(Support.vm("-Dorg.zn5.library=/nowhere/x.so", LaterCalls.class.getName()));
    assertEquals(0, output.status, output.text);
    assertEquals("available false, thrown 18 of 18", output.text.trim());
  }

  @Test
  void messagesOfDynamicLoaders() throws Exception {
    String old =
        Diagnosis.cause("/t/x.so: /lib64/libc.so.6: version `GLIBC_2.28' not found (required by /t/x.so)", LIBRARY, false);
    assertTrue(old.contains("too old") && old.contains("GLIBC_2.28") && old.contains("org.zn5.library"), old);
    String musl = Diagnosis.cause("Error loading shared library ld-linux-x86-64.so.2: No such file or directory", LIBRARY, true);
    assertTrue(musl.contains("musl") && musl.contains("glibc") && musl.contains("org.zn5.library"), musl);
    String denied = Diagnosis.cause(LIBRARY + ": cannot open shared object file: Operation not permitted", LIBRARY, false);
    assertTrue(denied.contains("SELinux") && denied.contains("org.zn5.folder"), denied);
  }

  // ---- class loaders ----

  /** A class loader that shares nothing with this one. */
  private static URLClassLoader loader(Path... places) throws Exception {
    URL[] urls = new URL[places.length];
    for (int i = 0; i < urls.length; i++) {
      urls[i] = places[i].toUri().toURL();
    }
    return new URLClassLoader(urls, ClassLoader.getSystemClassLoader().getParent());
  }

  private static String doctorOf(ClassLoader loader, String zn5) throws Exception {
    return (String) loader.loadClass(zn5).getMethod("doctor").invoke(null);
  }

  @Test
  void classLoadersEachGetTheLibrary() throws Exception {
    assertTrue(Zn5.isAvailable());
    List<WeakReference<ClassLoader>> gone = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      try (URLClassLoader loader = loader(Support.classes())) {
        assertNotSame(Zn5.class, loader.loadClass("org.zn5.Zn5"));
        String report = doctorOf(loader, "org.zn5.Zn5");
        assertTrue(report.contains(WORKS), report);
        gone.add(new WeakReference<>(loader));
      }
    }
    // Nothing keeps them: their libraries are unloaded.
    for (int i = 0; i < 100 && gone.stream().anyMatch(reference -> reference.get() != null); i++) {
      System.gc();
      Thread.sleep(10);
    }
    assertEquals(0, gone.stream().filter(reference -> reference.get() != null).count());
    assertTrue(Zn5.doctor().contains(WORKS));
  }

  /** Run in a VM of its own: several loaders at the same moment. */
  public static final class ManyLoaders {
    private ManyLoaders() {}

    /** Loads the classes eight times at once. */
    public static void main(String[] arguments) throws Exception {
      List<Thread> threads = new ArrayList<>();
      int[] good = {0};
      for (int i = 0; i < 8; i++) {
        ClassLoader loader = loader(Paths.get(arguments[0]));
        threads.add(
            new Thread(
                () -> {
                  try {
                    String report = doctorOf(loader, "org.zn5.Zn5");
                    synchronized (good) {
                      good[0] += report.contains(WORKS) ? 1 : 0;
                    }
                    if (!report.contains(WORKS)) {
                      System.out.println(report);
                    }
                  } catch (Exception e) {
                    e.printStackTrace();
                  }
                }));
      }
      threads.forEach(Thread::start);
      for (Thread thread : threads) {
        thread.join();
      }
      System.out.println(good[0] + " of 8");
    }
  }

  @Test
  void classLoadersAtTheSameMoment() throws Exception {
    Path folder = Support.emptyFolder("loader-many");
    for (String property : new String[] {folder(folder), library(LIBRARY)}) {
      Support.Output output =
          Support.run(
              Support.vm(property, "-Djava.io.tmpdir=" + folder, ManyLoaders.class.getName(), Support.classes().toString()));
      assertEquals("8 of 8", output.text.trim());
      assertEquals(0, output.status);
    }
    // The copies of single loaders are gone.
    assertEquals(1, names(folder).size(), names(folder).toString());
  }

  /** Shading gives the classes other names. */
  @Test
  void relocatedClassesFindTheirNatives() throws Exception {
    Path sources = Support.emptyFolder("loader-relocated");
    Path classes = Files.createDirectories(sources.resolve("classes"));
    List<Path> files;
    try (Stream<Path> walk = Files.walk(Support.ROOT.resolve("java/zn5/src/main/java"))) {
      files = walk.filter(Files::isRegularFile).collect(Collectors.toList());
    }
    List<String> arguments = new ArrayList<>(Arrays.asList("-d", classes.toString(), "-encoding", "UTF-8", "-proc:none"));
    for (Path file : files) {
      Path copy = sources.resolve("shaded/deep/inside").resolve(file.getFileName().toString());
      Files.createDirectories(copy.getParent());
      // What shading does: in names of classes, and in constants that look like them.
      String text = Support.text(file).replaceAll("(package |\")org\\.zn5", "$1shaded.deep.inside");
      Files.write(copy, text.getBytes(StandardCharsets.UTF_8));
      arguments.add(copy.toString());
    }
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    assertEquals(0, compiler.run(null, null, null, arguments.toArray(new String[0])));
    Files.createDirectories(classes.resolve("natives/linux_64"));
    Files.copy(LIBRARY, classes.resolve("natives/linux_64/libzn5jni.so"));
    try (URLClassLoader loader = loader(classes)) {
      String report = doctorOf(loader, "shaded.deep.inside.Zn5");
      assertTrue(report.contains(WORKS), report);
    }
    // The names of the properties stay.
    List<String> command =
        Arrays.asList(
            Support.java(), "-Dorg.zn5.library=/nowhere/x.so", "-cp", classes.toString(), "shaded.deep.inside.Zn5");
    fails(Support.run(command), "/nowhere/x.so", "org.zn5.library");
  }
}
