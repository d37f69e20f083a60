// Finds the native library and loads it, once, and keeps what happened: see the class comment of Zn5 for the places.
package org.zn5;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

final class NativeLoader {
  // Shading renames constants that begin with the name of the package; the names of properties are to stay what they are.
  static final String LIBRARY_PROPERTY = String.join(".", "org", "zn5", "library");
  static final String FOLDER_PROPERTY = String.join(".", "org", "zn5", "folder");
  // Tells JNI_OnLoad in which class the native methods are.
  private static final String CLASS_PROPERTY = "zn5jni.class";
  private static final String LIBRARY = "zn5jni";

  private final List<Attempt> attempts = new ArrayList<>();
  private UnsatisfiedLinkError failure;

  /** One place where the library was looked for. */
  static final class Attempt {
    private final String what;
    private final String outcome;

    Attempt(String what, String outcome) {
      this.what = what;
      this.outcome = outcome;
    }

    String what() {
      return what;
    }

    String outcome() {
      return outcome;
    }
  }

  /** Loads at the first use; class initialisation makes sure that one thread does. */
  private static final class Once {
    static final NativeLoader RESULT = new NativeLoader();
  }

  private NativeLoader() {
    try {
      load();
    } catch (UnsatisfiedLinkError e) {
      failure = e;
    } catch (RuntimeException | LinkageError e) {
      failure = error("zn5 could not load its native library: " + e, e);
    }
  }

  static NativeLoader result() {
    return Once.RESULT;
  }

  List<Attempt> attempts() {
    return Collections.unmodifiableList(attempts);
  }

  UnsatisfiedLinkError failure() {
    return failure;
  }

  private void load() {
    String named = System.getProperty(LIBRARY_PROPERTY);
    if (named != null && !named.isEmpty()) {
      String what = named + ", which the property " + LIBRARY_PROPERTY + " names";
      loadFile(what, Paths.get(named).toAbsolutePath(), null);
      return;
    }
    if (loadFromPath()) {
      return;
    }
    loadFromJar();
  }

  private boolean loadFromPath() {
    String what = "java.library.path " + System.getProperty("java.library.path", "");
    try {
      withClassName(() -> System.loadLibrary(LIBRARY));
      checkVersion();
      attempts.add(new Attempt(what, "loaded"));
      return true;
    } catch (LinkageError e) {
      String message = String.valueOf(e.getMessage());
      // The VM repeats the path.
      attempts.add(new Attempt(what, message.startsWith("no " + LIBRARY) ? "no " + System.mapLibraryName(LIBRARY) + " there" : message));
      return false;
    }
  }

  private void loadFromJar() {
    String resource = resource();
    String what = "natives/" + resource + " of the jar";
    byte[] bytes;
    try {
      bytes = Extraction.resource(resource);
    } catch (IOException e) {
      throw failed(what, "it cannot be read: " + e.getMessage(), e);
    }
    if (bytes == null) {
      throw failed(
          what,
          "this jar has no native library for "
              + System.getProperty("os.name")
              + " on "
              + System.getProperty("os.arch")
              + ". "
              + Diagnosis.BUILD_IT,
          null);
    }
    try (Extraction extraction = Extraction.of(bytes)) {
      loadFile(what + ", copied to " + extraction.file(), extraction.file(), extraction);
    } catch (IOException e) {
      throw failed(
          what,
          "it cannot be copied into a folder: "
              + e
              + ". Choose a folder that can be written by -D"
              + FOLDER_PROPERTY
              + "=FOLDER, or -Djava.io.tmpdir=FOLDER",
          e);
    }
  }

  /**
   * Loads a file.
   *
   * @param extraction where the file comes from; null for one that the user named
   */
  private void loadFile(String what, Path file, Extraction extraction) {
    try {
      loadMaybeAgain(file, extraction);
      checkVersion();
      attempts.add(new Attempt(what, "loaded"));
    } catch (LinkageError | IOException e) {
      throw failed(what, Diagnosis.of(e, file), e);
    }
  }

  /** A VM binds a file to one class loader. A second one, such as that of another web application or plugin, gets a copy. */
  private static void loadMaybeAgain(Path file, Extraction extraction) throws IOException {
    try {
      withClassName(() -> System.load(file.toString()));
    } catch (UnsatisfiedLinkError e) {
      if (e.getMessage() == null || !e.getMessage().contains("already loaded in another class")) {
        throw e;
      }
      byte[] bytes = extraction == null ? Files.readAllBytes(file) : extraction.bytes();
      try (Extraction copy = Extraction.ofOwn(bytes)) {
        withClassName(() -> System.load(copy.file().toString()));
      }
    }
  }

  /**
   * The property is of the whole VM, and other copies of this class, in other class loaders, may be loading too. Constants that are equal are one object in
   * a VM, so it serves as a lock for all of them.
   */
  private static void withClassName(Runnable load) {
    synchronized (CLASS_PROPERTY) {
      System.setProperty(CLASS_PROPERTY, Native.class.getName().replace('.', '/'));
      try {
        load.run();
      } catch (NoSuchMethodError e) {
        // JNI_OnLoad found no method for one of its functions.
        throw error("the native library is of another version of zn5 than these classes: " + e.getMessage(), e);
      } finally {
        System.clearProperty(CLASS_PROPERTY);
      }
    }
  }

  private static void checkVersion() {
    String version;
    try {
      version = Native.versionString();
    } catch (UnsatisfiedLinkError e) {
      throw error("the library is not the native half of zn5, which is called libzn5jni (libzn5 is for C): " + e.getMessage(), e);
    }
    if (!version.equals(Zn5.VERSION)) {
      throw new UnsatisfiedLinkError(
          "the native library is of version " + version + ", these classes of " + Zn5.VERSION + "; both must be of the same zn5");
    }
  }

  private UnsatisfiedLinkError failed(String what, String reason, Throwable cause) {
    attempts.add(new Attempt(what, reason));
    StringBuilder message = new StringBuilder("zn5 could not load its native library from " + what + ": " + reason);
    if (attempts.size() > 1) {
      message.append(". Tried before:");
      for (Attempt attempt : attempts.subList(0, attempts.size() - 1)) {
        message.append(' ').append(attempt.what()).append(" (").append(attempt.outcome()).append(")");
      }
    }
    return error(message.toString(), cause);
  }

  private static UnsatisfiedLinkError error(String message, Throwable cause) {
    UnsatisfiedLinkError error = new UnsatisfiedLinkError(message);
    if (cause != null) {
      error.initCause(cause);
    }
    return error;
  }

  /** Folder and file below {@code natives/}, as SciJava's native-lib-loader names them. */
  private static String resource() {
    String name = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
    String system = name.startsWith("windows") ? "windows" : name.startsWith("mac") ? "osx" : name.replace(" ", "");
    String arch = System.getProperty("os.arch", "");
    String machine;
    switch (arch) {
      case "amd64":
      case "x86_64":
        machine = "64";
        break;
      case "aarch64":
      case "arm64":
        machine = "arm64";
        break;
      default:
        machine = arch;
    }
    return system + "_" + machine + "/" + System.mapLibraryName(LIBRARY);
  }
}
