/* Faults of the world around a folder: calls of the system that fail one by one, are interrupted or do less than they
 * were asked for; a full disk; folders of somebody else. After each the error names the path, the old value is there,
 * and no temporary file. Prints which faults the machine allowed to make. */
#include "support.h"

#include "store.h"

#ifndef __linux__
int main(void) {
  printf("skipped: this test takes the place of Linux's calls\n");
  return TEST_SKIPPED;
}
#else
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>

/* ---- The calls of the system, as zn5 finds them: a function of the program goes before that of the C library ---- */

enum { OPEN, READ, WRITE, CLOSE, RENAME, MKDIR, KINDS };
static const char *const kind_names[KINDS] = {"open", "read", "write", "close", "rename", "mkdir"};

static int armed;            /* whether anything fails at all */
static int fail_kind = -1;   /* which call fails, */
static int fail_number;      /* the how manieth of its kind, */
static int fail_errno;       /* and how */
static int calls[KINDS];     /* how many there were since armed */
static int has_failed;       /* whether the call that was to fail came */
static uint32_t disturbance; /* not 0: reads and writes are interrupted or do a part, by these random numbers */
static long interruptions, partial_counts;

static int fails(int kind) {
  if (!armed)
    return 0;
  calls[kind]++;
  if (kind != fail_kind || calls[kind] != fail_number)
    return 0;
  has_failed = 1;
  errno = fail_errno;
  return 1;
}

/* How many of len bytes the call shall move; -1 for an interruption. */
static long moved(size_t len) {
  if (!armed || disturbance == 0 || len == 0)
    return (long)len;
  if (next_random(&disturbance) % 3 == 0) {
    interruptions++;
    errno = EINTR;
    return -1;
  }
  if (next_random(&disturbance) % 2 == 0) {
    partial_counts++;
    return (long)(1 + next_random(&disturbance) % len);
  }
  return (long)len;
}

#ifdef __cplusplus
extern "C" {
#endif
int own_open(const char *path, int flags, ...) __asm__("open64");
ssize_t own_read(int file, void *bytes, size_t len) __asm__("read");
ssize_t own_pread(int file, void *bytes, size_t len, int64_t offset) __asm__("pread64");
ssize_t own_write(int file, const void *bytes, size_t len) __asm__("write");
int own_close(int file) __asm__("close");
int own_rename(const char *from, const char *to) __asm__("rename");
int own_mkdir(const char *path, mode_t mode) __asm__("mkdir");

int own_open(const char *path, int flags, ...) {
  mode_t mode = 0;
  if ((flags & O_CREAT) != 0) {
    va_list arguments;
    va_start(arguments, flags);
    mode = va_arg(arguments, mode_t);
    va_end(arguments);
  }
  return fails(OPEN) ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

ssize_t own_read(int file, void *bytes, size_t len) {
  return syscall(SYS_read, file, bytes, len);
}

ssize_t own_pread(int file, void *bytes, size_t len, int64_t offset) {
  long count = fails(READ) ? -1 : moved(len);
  return count < 0 ? -1 : syscall(SYS_pread64, file, bytes, (size_t)count, offset);
}

ssize_t own_write(int file, const void *bytes, size_t len) {
  long count = fails(WRITE) ? -1 : moved(len);
  return count < 0 ? -1 : syscall(SYS_write, file, bytes, (size_t)count);
}

/* Closed all the same, as the system does. */
int own_close(int file) {
  int failed = fails(CLOSE), saved = errno;
  long result = syscall(SYS_close, file);
  if (!failed)
    return (int)result;
  errno = saved;
  return -1;
}

int own_rename(const char *from, const char *to) {
  return fails(RENAME) ? -1 : (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int own_mkdir(const char *path, mode_t mode) {
  return fails(MKDIR) ? -1 : (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}
#ifdef __cplusplus
}
#endif

static void arm(int kind, int at, int error) {
  memset(calls, 0, sizeof calls);
  has_failed = 0;
  fail_kind = kind;
  fail_number = at;
  fail_errno = error;
  armed = 1;
}

static void disarm(void) {
  armed = 0;
  fail_kind = -1;
}

/* ---- What is tried ---- */

static const char metadata[] = "{\"dimensions\": [80, 90], \"blockSize\": [80, 50], \"dataType\": \"uint16\", "
                               "\"compression\": {\"type\": \"raw\"}}";
#define ELEMENTS (80 * 90)

static char folder[1024];
static zn5_store *store;
static zn5_dataset *dataset;
static uint16_t old_image[ELEMENTS], new_image[ELEMENTS], got_image[ELEMENTS];

static zn5_io_options one_thread(void) {
  zn5_io_options io = ZN5_IO_OPTIONS_INIT;
  io.threads = 1;
  return io;
}

static zn5_status write_all(const uint16_t *image) {
  zn5_io_options io = one_thread();
  return zn5_dataset_write(dataset, NULL, NULL, image, sizeof old_image, 0, NULL, &io, ERR);
}

static zn5_status read_all(void) {
  zn5_io_options io = one_thread();
  memset(got_image, 0xa5, sizeof got_image);
  return zn5_dataset_read(dataset, NULL, NULL, got_image, sizeof got_image, 0, NULL, &io, ERR);
}

static zn5_status try_write(void) {
  return write_all(new_image);
}

/* A part of both blocks, which are read before they are written. */
static zn5_status try_write_part(void) {
  const uint64_t offset[] = {10, 40}, extent[] = {20, 20};
  const ptrdiff_t strides[] = {180, 2};
  zn5_io_options io = one_thread();
  return zn5_dataset_write(dataset, offset, extent, new_image, sizeof new_image, 10 * 180 + 40 * 2, strides, &io, ERR);
}

static zn5_status try_read(void) {
  return read_all();
}

/* A row of each block, of which only that is read. */
static zn5_status try_read_part(void) {
  const uint64_t offset[] = {0, 20}, extent[] = {80, 40};
  zn5_io_options io = one_thread();
  return zn5_dataset_read(dataset, offset, extent, got_image, 80 * 40 * 2, 0, NULL, &io, ERR);
}

static zn5_status try_open(void) {
  zn5_dataset *opened = NULL;
  zn5_status status = zn5_dataset_open(store, "deep/array", NULL, &opened, ERR);
  zn5_dataset_free(opened);
  return status;
}

static zn5_status try_set_anew(void) {
  return zn5_store_set(store, "new/folder/value", 16, "0123456789", 10, ERR);
}

static zn5_status try_set_again(void) {
  return zn5_store_set(store, "deep/value", 10, "0123456789", 10, ERR);
}

static zn5_status try_get(void) {
  collected c = {NULL, 0, 0};
  zn5_status status = zn5_store_get(store, "deep/value", 10, collect_bytes, &c, ERR);
  free(c.text);
  return status;
}

static void no_temporary(const char *path, void *user_data) {
  (void)user_data;
  if (strstr(path, "/.zn5-") != NULL)
    fail_at(__FILE__, __LINE__, "%s was left", path);
}

static void nothing_is_left(void) {
  for_each_file(folder, no_temporary, NULL);
}

/* Each element is as it was, or, of a write that covers all, as it was to be. */
static void blocks_are_old_or_new(void) {
  size_t i;
  CHECK_STATUS(ZN5_OK, read_all());
  for (i = 0; i < ELEMENTS; i++)
    if (got_image[i] != old_image[i] && got_image[i] != new_image[i]) {
      fail_at(__FILE__, __LINE__, "element %lu is %u", (unsigned long)i, got_image[i]);
      return;
    }
}

static void old_value_is_there(void) {
  collected c = {NULL, 0, 0};
  REQUIRE_OK(zn5_store_get(store, "deep/value", 10, collect_bytes, &c, ERR));
  if (!(c.len == 3 && memcmp(c.text, "old", 3) == 0))
    CHECK(c.len == 10 && memcmp(c.text, "0123456789", 10) == 0);
  free(c.text);
}

/* So that the folders have to be made. */
static void remove_new(void) {
  char path[1200];
  zn5_store_erase(store, "new/folder/value", 16, NULL);
  format_path(path, "%s/new/folder", folder);
  rmdir(path);
  format_path(path, "%s/new", folder);
  rmdir(path);
}

/* Lets each call of the system fail that a call of zn5 makes, one after the other. */
static int fail_each(const char *name, zn5_status (*call)(void), int kind, int error, zn5_status expected) {
  int at;
  for (at = 1;; at++) {
    zn5_status status;
    set_case("%s, %s number %d fails with %d", name, kind_names[kind], at, error);
    REQUIRE_OK(write_all(old_image));
    set_text(store, "deep/value", "old");
    remove_new();
    arm(kind, at, error);
    status = call();
    disarm();
    if (!has_failed) {
      CHECK_STATUS(ZN5_OK, status);
      return at - 1;
    }
    CHECK_STATUS(expected, status);
    if (strstr(last_message, folder) == NULL)
      fail_at(__FILE__, __LINE__, "no path: %s", last_message);
    nothing_is_left();
    blocks_are_old_or_new();
    old_value_is_there();
    CHECK_STATUS(ZN5_OK, call());
  }
}

static void single_failures(void) {
  int count = 0;
  count += fail_each("write", try_write, OPEN, EMFILE, ZN5_ERROR_IO);
  count += fail_each("write", try_write, WRITE, ENOSPC, ZN5_ERROR_IO);
  count += fail_each("write", try_write, WRITE, EDQUOT, ZN5_ERROR_IO);
  count += fail_each("write", try_write, CLOSE, ENOSPC, ZN5_ERROR_IO);
  count += fail_each("write", try_write, CLOSE, EIO, ZN5_ERROR_IO);
  count += fail_each("write", try_write, RENAME, EIO, ZN5_ERROR_IO);
  count += fail_each("write a part", try_write_part, OPEN, EACCES, ZN5_ERROR_PERMISSION);
  count += fail_each("write a part", try_write_part, READ, EIO, ZN5_ERROR_IO);
  count += fail_each("write a part", try_write_part, WRITE, EIO, ZN5_ERROR_IO);
  count += fail_each("write a part", try_write_part, RENAME, EROFS, ZN5_ERROR_PERMISSION);
  count += fail_each("read", try_read, OPEN, EIO, ZN5_ERROR_IO);
  count += fail_each("read", try_read, OPEN, ENFILE, ZN5_ERROR_IO);
  count += fail_each("read", try_read, READ, EIO, ZN5_ERROR_IO);
  count += fail_each("read a part", try_read_part, OPEN, EACCES, ZN5_ERROR_PERMISSION);
  count += fail_each("read a part", try_read_part, READ, EIO, ZN5_ERROR_IO);
  count += fail_each("open", try_open, OPEN, EIO, ZN5_ERROR_IO);
  count += fail_each("open", try_open, READ, ESTALE, ZN5_ERROR_IO);
  count += fail_each("get", try_get, READ, EIO, ZN5_ERROR_IO);
  count += fail_each("set anew", try_set_anew, MKDIR, ENOSPC, ZN5_ERROR_IO);
  count += fail_each("set anew", try_set_anew, MKDIR, EROFS, ZN5_ERROR_PERMISSION);
  count += fail_each("set again", try_set_again, OPEN, EACCES, ZN5_ERROR_PERMISSION);
  count += fail_each("set again", try_set_again, WRITE, ENOSPC, ZN5_ERROR_IO);
  count += fail_each("set again", try_set_again, RENAME, ENOSPC, ZN5_ERROR_IO);
  set_case("%s", "");
  CHECK(count >= 30);
  printf("%d calls of the system failed, one at a time\n", count);
}

static void round_trips(const uint16_t *image) {
  CHECK_STATUS(ZN5_OK, write_all(image));
  CHECK_STATUS(ZN5_OK, read_all());
  CHECK_BYTES(image, got_image, sizeof got_image);
  CHECK_STATUS(ZN5_OK, try_read_part());
  CHECK_STATUS(ZN5_OK, try_open());
}

/* What arrived of the file is not known then, so it is written once more. */
static void an_interrupted_close(void) {
  set_case("an interrupted close");
  set_text(store, "deep/value", "old");
  arm(CLOSE, 1, EINTR);
  CHECK_STATUS(ZN5_OK, try_set_again());
  disarm();
  CHECK(has_failed && calls[RENAME] == 1);
  old_value_is_there();
  nothing_is_left();
}

static void interrupted_and_partial_calls(void) {
  int round, rounds = instrumented() ? 5 : 50;
  interruptions = partial_counts = 0;
  for (round = 0; round < rounds; round++) {
    set_case("round %d", round);
    disturbance = (uint32_t)round + 1;
    arm(-1, 0, 0);
    round_trips(round % 2 == 0 ? old_image : new_image);
    disarm();
    nothing_is_left();
  }
  disturbance = 0;
  set_case("%s", "");
  CHECK(interruptions > 20 && partial_counts > 20);
  printf("%ld interrupted calls, %ld that did a part\n", interruptions, partial_counts);
}

static volatile sig_atomic_t signals;

static void count_signal(int number) {
  (void)number;
  signals++;
}

/* Signals whose handler asks for no restart, far more often than a program would get them. */
static void a_storm_of_signals(void) {
  struct sigaction action;
  struct itimerval often, never;
  int round, rounds = instrumented() ? 5 : 200;
  memset(&action, 0, sizeof action);
  memset(&never, 0, sizeof never);
  action.sa_handler = count_signal;
  often.it_interval.tv_sec = often.it_value.tv_sec = 0;
  often.it_interval.tv_usec = often.it_value.tv_usec = 100;
  REQUIRE(sigaction(SIGALRM, &action, NULL) == 0);
  REQUIRE(setitimer(ITIMER_REAL, &often, NULL) == 0);
  for (round = 0; round < rounds; round++)
    round_trips(round % 2 == 0 ? old_image : new_image);
  REQUIRE(setitimer(ITIMER_REAL, &never, NULL) == 0);
  CHECK(signals > 0);
  printf("%ld signals during reads and writes\n", (long)signals);
}

/* What writes see on a disk that is full, and that nothing is lost. The file system below takes less than one block
 * more. */
static void check_full(const char *what) {
  zn5_status status;
  set_case("%s", what);
  status = zn5_store_set(store, "deep/value", 10, new_image, sizeof new_image, ERR);
  CHECK_STATUS(ZN5_ERROR_IO, status);
  CHECK(strstr(last_message, folder) != NULL && strstr(last_message, "deep/value") != NULL);
  old_value_is_there();
  status = write_all(new_image);
  CHECK_STATUS(ZN5_ERROR_IO, status);
  CHECK(strstr(last_message, folder) != NULL);
  blocks_are_old_or_new();
  nothing_is_left();
  printf("full disk: %s\n", what);
}

/* The system ends a file at 1000 bytes. */
static void a_limit_of_file_size(void) {
  struct rlimit limit, before;
  set_case("a limit of file size");
  REQUIRE_OK(write_all(old_image));
  set_text(store, "deep/value", "old");
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  limit = before;
  limit.rlim_cur = 1000;
  REQUIRE(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
  fflush(stdout);
  REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
  {
    zn5_status set = zn5_store_set(store, "deep/value", 10, new_image, sizeof new_image, ERR);
    REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0);
    CHECK_STATUS(ZN5_ERROR_IO, set);
    CHECK(strstr(last_message, folder) != NULL);
    old_value_is_there();
    nothing_is_left();
    REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    set = write_all(new_image);
    REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0);
    CHECK_STATUS(ZN5_ERROR_IO, set);
    blocks_are_old_or_new();
    nothing_is_left();
  }
  printf("full disk: by a limit of file size\n");
}

static void make_dataset(void) {
  store = open_folder(folder, ZN5_STORE_WRITE);
  REQUIRE_OK(zn5_dataset_create(store, "deep/array", metadata, sizeof metadata - 1, NULL, &dataset, ERR));
  REQUIRE_OK(write_all(old_image));
  set_text(store, "deep/value", "old");
}

static void free_dataset(void) {
  zn5_dataset_free(dataset);
  zn5_store_free(store);
}

/* Runs `body` in a process of its own, in which it may change what it likes; 0 where the machine does not allow it. */
static int in_child(int (*body)(void)) {
  int status = 0;
  pid_t child;
  fflush(stdout);
  child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    int allowed = body();
    fflush(stdout);
    _exit(allowed ? test_result() : TEST_SKIPPED);
  }
  REQUIRE(waitpid(child, &status, 0) == child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == TEST_SKIPPED)
    return 0;
  if (!(WIFEXITED(status) && WEXITSTATUS(status) == 0))
    fail_at(__FILE__, __LINE__, "the child ended with %#x", (unsigned)status);
  return 1;
}

/* A file system in memory that only this process sees. */
static int on_a_small_disk(void) {
  static char filler[4096];
  char path[1200];
  FILE *file;
  if (syscall(SYS_unshare, 0x00020000 /* CLONE_NEWNS */) != 0 ||
      mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) != 0 || mount("zn5", folder, "tmpfs", 0, "size=64k") != 0)
    return 0;
  make_dataset();
  /* All but one page. */
  format_path(path, "%s/filler", folder);
  file = fopen(path, "wb");
  REQUIRE(file != NULL);
  setvbuf(file, NULL, _IONBF, 0);
  while (fwrite(filler, 1, sizeof filler, file) == sizeof filler) {
  }
  REQUIRE(fclose(file) == 0);
  check_full("a small file system");
  free_dataset();
  return 1;
}

/* As somebody who may read the folder and change nothing. */
static int as_somebody_else(void) {
  zn5_status status;
  if (geteuid() == 0 && (setgroups(0, NULL) != 0 || setgid(65534) != 0 || setuid(65534) != 0))
    return 0;
  free_dataset();
  store = open_folder(folder, ZN5_STORE_WRITE);
  REQUIRE_OK(zn5_dataset_open(store, "deep/array", NULL, &dataset, ERR));
  set_case("a folder of somebody else");
  status = try_set_again();
  CHECK_STATUS(ZN5_ERROR_PERMISSION, status);
  CHECK(strstr(last_message, folder) != NULL && strstr(last_message, "deep/value") != NULL);
  CHECK_STATUS(ZN5_ERROR_PERMISSION, try_set_anew());
  CHECK(strstr(last_message, folder) != NULL);
  CHECK_STATUS(ZN5_ERROR_PERMISSION, zn5_store_erase(store, "deep/value", 10, ERR));
  CHECK(strstr(last_message, "deep/value") != NULL);
  CHECK_STATUS(ZN5_ERROR_PERMISSION, try_write());
  CHECK(strstr(last_message, "deep/array/0/") != NULL);
  old_value_is_there();
  CHECK_STATUS(ZN5_OK, read_all());
  CHECK_BYTES(old_image, got_image, sizeof got_image);
  CHECK_STATUS(ZN5_ERROR_PERMISSION, zn5_store_get(store, "deep/secret", 11, collect_bytes, NULL, ERR));
  CHECK(strstr(last_message, "deep/secret") != NULL);
  nothing_is_left();
  free_dataset();
  return 1;
}

static void set_mode(const char *below, mode_t mode) {
  char path[1200];
  format_path(path, "%s%s", folder, below);
  REQUIRE(chmod(path, mode) == 0);
}

/* What zn5_dataset_verify() found. */
typedef struct {
  int count;
  zn5_status status[4];
  char key[4][64];
} problems;

static int32_t note(void *user_data, zn5_status status, const char *key, size_t key_len, int64_t offset,
                    const char *message) {
  problems *p = (problems *)user_data;
  (void)offset;
  if (p->count < 4 && key_len < sizeof p->key[0]) {
    p->status[p->count] = status;
    memcpy(p->key[p->count], key, key_len);
    p->key[p->count][key_len] = '\0';
    CHECK(strncmp(message, key, key_len) == 0);
  }
  p->count++;
  return 0;
}

static zn5_status verify(problems *p) {
  zn5_io_options io = one_thread();
  memset(p, 0, sizeof *p);
  return zn5_dataset_verify(dataset, note, p, &io, ERR);
}

static int32_t note_node(void *user_data, const char *name, size_t name_len, uint32_t kind) {
  char *text = (char *)user_data;
  size_t len = strlen(text);
  REQUIRE(len + name_len + 8 < 200);
  sprintf(text + len, "%.*s=%u ", (int)name_len, name, (unsigned)kind);
  return 0;
}

/* As somebody who may not list each folder of blocks. */
static int beside_locked_folders(void) {
  char nodes[200] = "", expected[200];
  problems p;
  if (geteuid() == 0 && (setgroups(0, NULL) != 0 || setgid(65534) != 0 || setuid(65534) != 0))
    return 0;
  free_dataset();
  store = open_folder(folder, 0);
  REQUIRE_OK(zn5_dataset_open(store, "locked/array", NULL, &dataset, ERR));
  set_case("a folder of blocks that is locked");
  CHECK_STATUS(ZN5_OK, verify(&p));
  CHECK(p.count == 3);
  CHECK(p.status[0] == ZN5_ERROR_TRUNCATED_BLOCK && strcmp(p.key[0], "locked/array/0/0") == 0);
  CHECK(p.status[1] == ZN5_ERROR_PERMISSION && strcmp(p.key[1], "locked/array/1") == 0);
  CHECK(p.status[2] == ZN5_ERROR_EMPTY_BLOCK && strcmp(p.key[2], "locked/array/2/0") == 0);
  zn5_dataset_free(dataset);
  set_case("an array whose own folder cannot be listed");
  REQUIRE_OK(zn5_dataset_open(store, "locked/blind", NULL, &dataset, ERR));
  CHECK_STATUS(ZN5_ERROR_PERMISSION, verify(&p));
  CHECK(p.count == 0 && strstr(last_message, "locked/blind") != NULL);
  zn5_dataset_free(dataset);
  set_case("a group whose document is locked");
  CHECK_STATUS(ZN5_ERROR_PERMISSION, zn5_dataset_open(store, "locked/group", NULL, &dataset, ERR));
  REQUIRE_OK(zn5_node_list(store, "locked/group", note_node, nodes, ERR));
  sprintf(expected, "below=%u closed=%u ", (unsigned)ZN5_NODE_GROUP, (unsigned)ZN5_NODE_UNSUPPORTED);
  CHECK(strcmp(nodes, expected) == 0);
  dataset = NULL;
  free_dataset();
  return 1;
}

static void policy_48_locked_folders(void) {
  static const char array[] = "{\"dimensions\": [3, 1], \"blockSize\": [1, 1], \"dataType\": \"uint8\", "
                              "\"compression\": {\"type\": \"raw\"}}";
  set_text(store, "locked/array/attributes.json", array);
  set_text(store, "locked/array/0/0", "?");
  set_text(store, "locked/array/1/0", "?");
  set_text(store, "locked/array/2/0", "");
  set_text(store, "locked/blind/attributes.json", array);
  set_text(store, "locked/group/attributes.json", "{}");
  set_text(store, "locked/group/below/attributes.json", "{}");
  set_text(store, "locked/group/closed/attributes.json", "{}");
  set_mode("", 0755);
  set_mode("/locked/array/1", 0);
  set_mode("/locked/blind", 0311);
  set_mode("/locked/group/closed", 0);
  set_mode("/locked/group/attributes.json", 0);
  if (!in_child(beside_locked_folders))
    printf("not made: locked folders, for this superuser cannot become another user\n");
  else
    printf("locked folders: %s\n", geteuid() == 0 ? "as another user" : "by their mode");
  set_mode("/locked/array/1", 0755);
  set_mode("/locked/blind", 0755);
  set_mode("/locked/group/closed", 0755);
  set_mode("/locked/group/attributes.json", 0644);
}

static void read_only_folders(void) {
  static const char *const folders[] = {"", "/deep", "/deep/array", "/deep/array/0"};
  size_t i;
  REQUIRE_OK(write_all(old_image));
  set_text(store, "deep/value", "old");
  set_text(store, "deep/secret", "secret");
  set_text(store, "new/folder/other", "other");
  set_mode("/new/folder", 0555);
  set_mode("/new", 0555);
  for (i = 0; i < COUNT(folders); i++)
    set_mode(folders[i], 0555);
  set_mode("/deep/secret", 0);
  if (!in_child(as_somebody_else))
    printf("not made: read-only folders, for this superuser cannot become another user\n");
  else
    printf("read-only folders: %s\n", geteuid() == 0 ? "as another user" : "by their mode");
  for (i = 0; i < COUNT(folders); i++)
    set_mode(folders[i], 0755);
  set_mode("/new", 0755);
  set_mode("/new/folder", 0755);
}

int main(void) {
  size_t i;
  for (i = 0; i < ELEMENTS; i++) {
    old_image[i] = (uint16_t)(i * 7 + 1);
    new_image[i] = (uint16_t)(i * 11 + 3);
  }
  make_folder(folder);
  if (!in_child(on_a_small_disk))
    printf("not made: a small file system, which takes a superuser\n");
  make_dataset();
  a_limit_of_file_size();
  single_failures();
  an_interrupted_close();
  interrupted_and_partial_calls();
  a_storm_of_signals();
  read_only_folders();
  policy_48_locked_folders();
  free_dataset();
  remove_folder(folder);
  return test_result();
}
#endif
