// Turns the messages of dynamic loaders into a cause and a remedy.
package org.zn5;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

final class Diagnosis {
  private static final Pattern GLIBC = Pattern.compile("version `(GLIBC_[0-9.]+)' not found");
  /** The remedy where the library in the jar does not do. */
  static final String BUILD_IT =
      "Build libzn5jni on this system, from java/CMakeLists.txt in the sources of zn5, and name it by -D" + NativeLoader.LIBRARY_PROPERTY + "=FILE";
  private static final int ELF_HEADER_BYTES = 20;
  private static final int ELF_CLASS = 4;
  private static final int ELF_MACHINE = 18;

  private Diagnosis() {}

  static String of(Throwable failure, Path file) {
    String message = String.valueOf(failure.getMessage());
    String cause = failure instanceof IOException ? "it cannot be copied" : cause(message, file, isMusl());
    return cause == null ? message : cause + " (" + message + ")";
  }

  /** The cause, or null if the message says enough, or nothing is known. */
  static String cause(String message, Path file, boolean isMusl) {
    if (!Files.exists(file)) {
      return "there is no such file";
    }
    String machine = machineOf(file);
    if (machine != null && !machine.equals(machineOfVm())) {
      return "it is for another kind of computer, " + machine + ", and this Java is for " + machineOfVm()
          + ". " + BUILD_IT;
    }
    if (isMusl) {
      return "this system has the C library musl (as Alpine has), and the library is for glibc. Use a Java and an image with glibc. Or: "
          + BUILD_IT;
    }
    if (message.contains("invalid ELF header") || message.contains("file too short")) {
      return "the file is damaged, or no library of this system";
    }
    Matcher glibc = GLIBC.matcher(message);
    if (glibc.find()) {
      return "the C library of this system is too old; the library needs " + glibc.group(1)
          + ". " + BUILD_IT;
    }
    // What a loader says of a folder on which programs may not lie.
    if (message.contains("failed to map segment") || message.contains("Operation not permitted")) {
      String mount = noexecMount(file);
      return (mount != null
              ? "the file system at " + mount + " is mounted noexec, so that nothing there can be loaded"
              : "the system does not let programs be loaded from " + file.getParent() + ", as with noexec or SELinux")
          + ". Choose another folder by -D" + NativeLoader.FOLDER_PROPERTY + "=FOLDER";
    }
    return null;
  }

  private static boolean isMusl() {
    Path lib = Paths.get("/lib");
    return Files.exists(lib.resolve("ld-musl-x86_64.so.1")) && !Files.exists(Paths.get("/lib64/ld-linux-x86-64.so.2"))
        || Files.exists(lib.resolve("ld-musl-aarch64.so.1")) && !Files.exists(lib.resolve("ld-linux-aarch64.so.1"));
  }

  /** The mount point where a file lies, if it is mounted noexec. */
  private static String noexecMount(Path file) {
    String best = "";
    boolean isNoexec = false;
    try {
      for (String line : Files.readAllLines(Paths.get("/proc/self/mounts"), StandardCharsets.ISO_8859_1)) {
        String[] fields = line.split(" ");
        String mount = fields[1].replace("\\040", " ");
        if (file.toRealPath().startsWith(mount) && mount.length() >= best.length()) {
          best = mount;
          List<String> options = Arrays.asList(fields[3].split(","));
          isNoexec = options.contains("noexec");
        }
      }
    } catch (IOException e) {
      return null;
    }
    return isNoexec ? best : null;
  }

  private static String machineOfVm() {
    String arch = System.getProperty("os.arch", "?");
    switch (arch) {
      case "amd64":
        return "x86_64";
      case "arm64":
        return "aarch64";
      default:
        return arch;
    }
  }

  /** The machine of an ELF file; null for other files, and machines that are not told apart here. */
  private static String machineOf(Path file) {
    byte[] header = new byte[ELF_HEADER_BYTES];
    try (InputStream in = Files.newInputStream(file)) {
      for (int have = 0; have < header.length; ) {
        int len = in.read(header, have, header.length - have);
        if (len < 0) {
          return null;
        }
        have += len;
      }
    } catch (IOException e) {
      return null;
    }
    if (header[0] != 0x7f || header[1] != 'E' || header[2] != 'L' || header[3] != 'F') {
      return null;
    }
    switch ((header[ELF_CLASS] << 16) + ((header[ELF_MACHINE] & 0xff) << 8) + (header[ELF_MACHINE + 1] & 0xff)) {
      case 0x023e00:
        return "x86_64";
      case 0x02b700:
        return "aarch64";
      case 0x010300:
        return "i386";
      case 0x012800:
        return "arm";
      case 0x02f300:
        return "riscv64";
      default:
        return null;
    }
  }
}
