// Brings the native library from the jar into a file that can be loaded: one a content, for all processes and class loaders of a user.
package org.zn5;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Set;

/** A file with the library. Closing deletes it if it is of this loader alone; systems but Windows keep what is loaded. */
final class Extraction implements AutoCloseable {
  private static final int BUFFER_BYTES = 1 << 16;
  private static final int HASH_DIGITS = 16;

  private final byte[] bytes;
  private final Path file;
  private final Path ownFolder;
  private final boolean isOwn;

  private Extraction(byte[] bytes, Path file, Path ownFolder, boolean isOwn) {
    this.bytes = bytes;
    this.file = file;
    this.ownFolder = ownFolder;
    this.isOwn = isOwn;
  }

  /** The bytes of a file below {@code natives/} in the jar; null if it is not there. */
  static byte[] resource(String name) throws IOException {
    try (InputStream in = Extraction.class.getResourceAsStream("/natives/" + name)) {
      if (in == null) {
        return null;
      }
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      byte[] buffer = new byte[BUFFER_BYTES];
      for (int len = in.read(buffer); len >= 0; len = in.read(buffer)) {
        bytes.write(buffer, 0, len);
      }
      return bytes.toByteArray();
    }
  }

  /** The file that all processes of this user share, which is written if it is missing or not as it should be. */
  static Extraction of(byte[] bytes) throws IOException {
    Path folder = sharedFolder();
    if (folder == null) {
      return ofOwn(bytes);
    }
    String mapped = System.mapLibraryName("zn5jni");
    int dot = mapped.lastIndexOf('.');
    Path file = folder.resolve(mapped.substring(0, dot) + "-" + Zn5.VERSION + "-" + hash(bytes) + mapped.substring(dot));
    if (isOurs(file) && hasContent(file, bytes)) {
      return new Extraction(bytes, file, null, false);
    }
    Path temporary = write(folder, bytes);
    try {
      // Whoever comes at the same moment does the same; the last one wins, and files that are loaded already live on.
      Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
      return new Extraction(bytes, file, null, false);
    } catch (FileSystemException e) {
      // Somebody else's file or folder has the name, or Windows does not let a file go that is loaded.
      return isOurs(file) && hasContent(file, bytes) && Files.deleteIfExists(temporary)
          ? new Extraction(bytes, file, null, false)
          : new Extraction(bytes, temporary, null, true);
    }
  }

  /** A file of this loader alone. */
  static Extraction ofOwn(byte[] bytes) throws IOException {
    String property = System.getProperty(NativeLoader.FOLDER_PROPERTY, "");
    // Made for the owner alone, wherever files have owners.
    Path folder =
        property.isEmpty() ? Files.createTempDirectory("zn5-") : Files.createTempDirectory(Paths.get(property).toAbsolutePath(), "zn5-");
    return new Extraction(bytes, write(folder, bytes), folder, true);
  }

  byte[] bytes() {
    return bytes;
  }

  Path file() {
    return file;
  }

  @Override
  public void close() {
    if (!isOwn) {
      return;
    }
    try {
      Files.deleteIfExists(file);
      if (ownFolder != null) {
        Files.deleteIfExists(ownFolder);
      }
    } catch (IOException e) {
      // Windows keeps what is loaded.
      if (ownFolder != null) {
        ownFolder.toFile().deleteOnExit();
      }
      file.toFile().deleteOnExit();
    }
  }

  /** The folder of the property, or one for this user below the temporary one; null if somebody else has that. */
  private static Path sharedFolder() throws IOException {
    String property = System.getProperty(NativeLoader.FOLDER_PROPERTY, "");
    if (!property.isEmpty()) {
      return Files.createDirectories(Paths.get(property).toAbsolutePath());
    }
    String user = System.getProperty("user.name", "").replaceAll("[^A-Za-z0-9_-]", "_");
    Path folder = Paths.get(System.getProperty("java.io.tmpdir")).toAbsolutePath().resolve("zn5-" + user);
    try {
      Files.createDirectory(folder, ownerOnly(folder, "rwx------"));
    } catch (FileAlreadyExistsException e) {
      // Perhaps one that somebody planted there.
      return isOurs(folder) ? folder : null;
    }
    return folder;
  }

  private static Path write(Path folder, byte[] bytes) throws IOException {
    Path temporary = Files.createTempFile(folder, ".zn5-", ".tmp", ownerOnly(folder, "rwx------"));
    try {
      return Files.write(temporary, bytes);
    } catch (IOException e) {
      Files.deleteIfExists(temporary);
      throw e;
    }
  }

  private static FileAttribute<?>[] ownerOnly(Path folder, String permissions) {
    return isPosix(folder)
        ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))}
        : new FileAttribute<?>[0];
  }

  private static boolean isPosix(Path path) {
    return path.getFileSystem().supportedFileAttributeViews().contains("posix");
  }

  /** Whether a file or folder, not a link, belongs to this user, and nobody else can change it. */
  private static boolean isOurs(Path path) throws IOException {
    if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS) || Files.isSymbolicLink(path)) {
      return false;
    }
    if (!isPosix(path)) {
      return true;
    }
    PosixFileAttributes attributes = Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    Set<PosixFilePermission> permissions = attributes.permissions();
    return attributes.owner().equals(currentUser())
        && !permissions.contains(PosixFilePermission.GROUP_WRITE)
        && !permissions.contains(PosixFilePermission.OTHERS_WRITE);
  }

  /** On Linux the user that the process acts as; elsewhere whoever has the name. Null, which nobody is, if that is unknown. */
  private static UserPrincipal currentUser() throws IOException {
    Path self = Paths.get("/proc/self");
    if (Files.exists(self)) {
      return Files.getOwner(self);
    }
    try {
      return self.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(System.getProperty("user.name", ""));
    } catch (IOException | UnsupportedOperationException e) {
      return null;
    }
  }

  private static boolean hasContent(Path file, byte[] bytes) throws IOException {
    return Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
        && Files.size(file) == bytes.length
        && Arrays.equals(Files.readAllBytes(file), bytes);
  }

  private static String hash(byte[] bytes) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
      return String.format("%064x", new BigInteger(1, digest)).substring(0, HASH_DIGITS);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
