/*
 * A library to be preloaded: it logs, in one trace and in the order of their effect, every call by which a process
 * changes or syncs the files of one folder. The power-cut replayer reads the trace. Nothing is changed or delayed.
 *
 * Environment: WRITE_LOG_FOLDER (absolute, no trailing slash), WRITE_LOG_TRACE (a file outside that folder).
 * A record is 32 bytes (kind, path length, offset, data length, process; all little-endian), the path, the data.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { WRITE = 1, SYNC = 2, TRUNCATE = 3, RENAME = 4, UNLINK = 5, CREATE = 6 };
struct record { uint32_t kind, path_length; int64_t offset; uint64_t data_length; uint32_t process, padding; };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int trace = -1;
static const char *folder;
static size_t folder_length;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

__attribute__((constructor)) static void start(void) {
  const char *path = getenv("WRITE_LOG_TRACE");
  folder = getenv("WRITE_LOG_FOLDER");
  if (!path || !folder) return;
  folder_length = strlen(folder);
  trace = REAL(open64)(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
}

/* One writer at a time, in this process and among all processes that share the trace. */
static void enter(void) { pthread_mutex_lock(&mutex); while (flock(trace, LOCK_EX) != 0 && errno == EINTR) {} }
static void leave(void) { int kept = errno; flock(trace, LOCK_UN); pthread_mutex_unlock(&mutex); errno = kept; }

static int watched(const char *path) {
  return trace >= 0 && strncmp(path, folder, folder_length) == 0 && (path[folder_length] == '/' || path[folder_length] == 0);
}
static int path_of(int fd, char *path, size_t size) {
  char link[64];
  if (trace < 0) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  int kept = errno;
  ssize_t length = readlink(link, path, size - 1);
  errno = kept;
  if (length < 0) return 0;
  path[length] = 0;
  return watched(path);
}
static void log_record(enum kind kind, const char *path, int64_t offset, const void *data, size_t length) {
  int kept = errno;
  struct record record = { kind, (uint32_t)strlen(path), offset, length, (uint32_t)getpid(), 0 };
  struct iovec parts[3] = { { &record, sizeof record }, { (void *)path, record.path_length }, { (void *)data, length } };
  ssize_t expected = (ssize_t)(sizeof record + record.path_length + length);
  if (REAL(writev)(trace, parts, 3) != expected) abort(); /* a trace with a hole proves nothing */
  errno = kept;
}

/* Logs what a call really wrote: nothing when it failed, the first part when it was short. */
#define LOGGED_WRITE(call, offset_before, source)                                   \
  char path[4096];                                                                  \
  if (!path_of(fd, path, sizeof path)) return call;                                 \
  enter();                                                                          \
  int64_t at = (offset_before);                                                     \
  ssize_t done = call;                                                              \
  if (done > 0) log_record(WRITE, path, at, source, (size_t)done);                  \
  leave();                                                                          \
  return done;

/* Where write() will put its bytes: the end for an appending descriptor, else the current position. */
static int64_t position(int fd) {
  struct stat status;
  if ((fcntl(fd, F_GETFL) & O_APPEND) && fstat(fd, &status) == 0) return status.st_size;
  return lseek(fd, 0, SEEK_CUR);
}

ssize_t pwrite64(int fd, const void *data, size_t length, off64_t offset) {
  LOGGED_WRITE(REAL(pwrite64)(fd, data, length, offset), offset, data)
}
ssize_t pwrite(int fd, const void *data, size_t length, off_t offset) { return pwrite64(fd, data, length, offset); }
ssize_t write(int fd, const void *data, size_t length) { LOGGED_WRITE(REAL(write)(fd, data, length), position(fd), data) }
ssize_t writev(int fd, const struct iovec *parts, int count) {
  char path[4096];
  if (!path_of(fd, path, sizeof path)) return REAL(writev)(fd, parts, count);
  ssize_t sum = 0;
  for (int i = 0; i < count; i++) {
    ssize_t done = write(fd, parts[i].iov_base, parts[i].iov_len);
    if (done < 0) return sum > 0 ? sum : done;
    sum += done;
    if ((size_t)done < parts[i].iov_len) break;
  }
  return sum;
}

#define LOGGED_CALL(call, kind, offset)                     \
  char path[4096];                                          \
  if (!path_of(fd, path, sizeof path)) return call;         \
  enter();                                                  \
  int result = call;                                        \
  if (result == 0) log_record(kind, path, offset, "", 0);   \
  leave();                                                  \
  return result;

int fsync(int fd) { LOGGED_CALL(REAL(fsync)(fd), SYNC, 0) }
int fdatasync(int fd) { LOGGED_CALL(REAL(fdatasync)(fd), SYNC, 0) }
int ftruncate64(int fd, off64_t length) { LOGGED_CALL(REAL(ftruncate64)(fd, length), TRUNCATE, length) }
int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }

int rename(const char *source, const char *target) {
  if (!watched(source) && !watched(target)) return REAL(rename)(source, target);
  enter();
  int result = REAL(rename)(source, target);
  if (result == 0) log_record(RENAME, source, 0, target, strlen(target));
  leave();
  return result;
}
int unlink(const char *path) {
  if (!watched(path)) return REAL(unlink)(path);
  enter();
  int result = REAL(unlink)(path);
  if (result == 0) log_record(UNLINK, path, 0, "", 0);
  leave();
  return result;
}

static int logged_open(const char *path, int flags, mode_t mode) {
  int changes = flags & (O_CREAT | O_TRUNC);
  if (!changes || !watched(path)) return REAL(open64)(path, flags, mode);
  enter();
  int existed = access(path, F_OK) == 0;
  int fd = REAL(open64)(path, flags, mode);
  if (fd >= 0 && !existed) log_record(CREATE, path, 0, "", 0);
  if (fd >= 0 && existed && (flags & O_TRUNC)) log_record(TRUNCATE, path, 0, "", 0);
  leave();
  return fd;
}
#define MODE mode_t mode = 0; if (flags & (O_CREAT | O_TMPFILE)) { va_list rest; va_start(rest, flags); mode = va_arg(rest, mode_t); va_end(rest); }
int open(const char *path, int flags, ...) { MODE return logged_open(path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE return logged_open(path, flags, mode); }
