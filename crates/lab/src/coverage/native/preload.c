// Preloaded into a compiler whose code was armed: the first byte of each new basic block is a breakpoint (int3). The first
// time that one is hit, it is recorded in a shared file and its own byte is put back, which costs a signal once.
//
// It needs no C library, so that it can be loaded beside any: cc -shared -fPIC -nostdlib -Wl,-z,initfirst.
// MISTRUST_COVERAGE is "HITS:ARMED:ORIGINAL:ARMED:ORIGINAL...": the shared file, and the armed files with their originals.
// The shared file begins with the number of entries that were added; an entry is the number of a file, shifted by 32 bits,
// and the offset in it.
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>

#define FILES 16
#define RANGES 64
#define ENTRIES ((64UL << 20) / 8 - 1)
#define BREAKPOINT 0xcc

struct hits { uint64_t count; uint64_t entries[ENTRIES]; };
struct file { const char *armed; unsigned long armed_length; const char *original; const unsigned char *bytes; };
// Executable memory that is mapped from an armed file.
struct range { unsigned long start, end, offset; int file; volatile int is_writable; };

static struct hits *hits;
static struct file files[FILES];
static int file_count;
static struct range ranges[RANGES];
static volatile int range_count;
static volatile int lock;

static long call(long number, long a, long b, long c, long d, long e, long f) {
  long result;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}

static void *map(const char *path, unsigned long size, int flags, int protection, int kind) {
  long file = call(SYS_openat, AT_FDCWD, (long)path, flags | O_CLOEXEC, 0, 0, 0);
  if (file < 0) return NULL;
  if (size == 0) {
    long end = call(SYS_lseek, file, 0, 2, 0, 0, 0);
    size = end > 0 ? end : 1;
  }
  long at = call(SYS_mmap, 0, size, protection, kind, file, 0);
  call(SYS_close, file, 0, 0, 0, 0, 0);
  return at < 0 && at > -4096 ? NULL : (void *)at;
}

static unsigned long hex(const char **text) {
  unsigned long value = 0;
  for (;; ++*text) {
    char c = **text;
    if (c >= '0' && c <= '9') value = value << 4 | (c - '0');
    else if (c >= 'a' && c <= 'f') value = value << 4 | (c - 'a' + 10);
    else return value;
  }
}

// A line of /proc/self/maps: START-END rwxp OFFSET DEVICE INODE PATH.
static void read_line(const char *line, const char *end) {
  unsigned long start = hex(&line);
  ++line;
  unsigned long stop = hex(&line);
  if (line[3] != 'x') return;
  line += 6;
  unsigned long offset = hex(&line);
  while (line < end && *line != '/') ++line;
  for (int file = 0; file < file_count; ++file) {
    unsigned long length = files[file].armed_length;
    if ((unsigned long)(end - line) != length) continue;
    unsigned long same = 0;
    while (same < length && files[file].armed[same] == line[same]) ++same;
    if (same < length) continue;
    for (int known = 0; known < range_count; ++known)
      if (ranges[known].start <= start && start < ranges[known].end) return;
    if (range_count == RANGES) return;
    ranges[range_count] = (struct range){start, stop, offset, file, line[-1] == 'w'};
    __sync_synchronize();
    ++range_count;
  }
}

static void find_ranges(void) {
  static char text[1 << 16];
  long file = call(SYS_openat, AT_FDCWD, (long)"/proc/self/maps", O_RDONLY | O_CLOEXEC, 0, 0, 0);
  if (file < 0) return;
  unsigned long filled = 0;
  for (;;) {
    long got = call(SYS_read, file, (long)text + filled, sizeof text - filled, 0, 0, 0);
    if (got <= 0) break;
    filled += got;
    unsigned long from = 0;
    for (unsigned long at = 0; at < filled; ++at)
      if (text[at] == '\n') {
        read_line(text + from, text + at);
        from = at + 1;
      }
    for (unsigned long at = from; at < filled; ++at) text[at - from] = text[at];
    filled -= from;
    if (filled == sizeof text) break;
  }
  call(SYS_close, file, 0, 0, 0, 0, 0);
}

static struct range *range_of(unsigned long at) {
  for (int known = 0; known < range_count; ++known)
    if (ranges[known].start <= at && at < ranges[known].end) return &ranges[known];
  return NULL;
}

static void on_trap(int signal_number, siginfo_t *info, void *context) {
  (void)info;
  greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
  unsigned long at = registers[REG_RIP] - 1;
  struct range *range = range_of(at);
  if (!range) {
    // A library that was loaded later.
    while (__sync_lock_test_and_set(&lock, 1)) {}
    find_ranges();
    __sync_lock_release(&lock);
    range = range_of(at);
  }
  unsigned long offset = range ? at - range->start + range->offset : 0;
  unsigned char own = range ? files[range->file].bytes[offset] : BREAKPOINT;
  if (own == BREAKPOINT) {
    // A breakpoint of the compiler's own: it ends as it would have.
    struct { void (*handler)(int); unsigned long flags; void (*restorer)(void); unsigned long mask; } ours = {0};
    call(SYS_rt_sigaction, signal_number, (long)&ours, 0, 8, 0, 0);
    call(SYS_tgkill, call(SYS_getpid, 0, 0, 0, 0, 0, 0), call(SYS_gettid, 0, 0, 0, 0, 0, 0), signal_number, 0, 0, 0);
    return;
  }
  if (!range->is_writable) {
    call(SYS_mprotect, range->start, range->end - range->start, PROT_READ | PROT_WRITE | PROT_EXEC, 0, 0, 0);
    range->is_writable = 1;
  }
  if (__sync_bool_compare_and_swap((unsigned char *)at, BREAKPOINT, own)) {
    uint64_t entry = __sync_fetch_and_add(&hits->count, 1);
    if (entry < ENTRIES) hits->entries[entry] = (uint64_t)range->file << 32 | offset;
  }
  registers[REG_RIP] = at;
}

// The frame of a signal handler returns through this.
void mistrust_restore(void);
__asm__(".text\n.hidden mistrust_restore\nmistrust_restore:\n  mov $15, %rax\n  syscall\n");

// Nobody else may handle or block the signal.
extern int __sigaction(int, const struct sigaction *, struct sigaction *);
extern int *__errno_location(void);

int sigaction(int number, const struct sigaction *wanted, struct sigaction *before) {
  if (number != SIGTRAP || !hits) return __sigaction(number, wanted, before);
  if (before) {
    unsigned char *bytes = (unsigned char *)before;
    for (unsigned long at = 0; at < sizeof *before; ++at) bytes[at] = 0;
  }
  return 0;
}

void (*signal(int number, void (*handler)(int)))(int) {
  struct sigaction wanted, before;
  unsigned char *bytes = (unsigned char *)&wanted;
  for (unsigned long at = 0; at < sizeof wanted; ++at) bytes[at] = 0;
  wanted.sa_handler = handler;
  wanted.sa_flags = SA_RESTART;
  return sigaction(number, &wanted, &before) == 0 ? before.sa_handler : SIG_ERR;
}

int pthread_sigmask(int how, const sigset_t *wanted, sigset_t *before) {
  uint64_t set;
  if (wanted) {
    set = *(const uint64_t *)wanted;
    if (hits && how != SIG_UNBLOCK) set &= ~(1UL << (SIGTRAP - 1));
    // The signals that a C library keeps for itself.
    set &= ~(3UL << 31);
  }
  return (int)-call(SYS_rt_sigprocmask, how, wanted ? (long)&set : 0, (long)before, 8, 0, 0);
}

int sigprocmask(int how, const sigset_t *wanted, sigset_t *before) {
  int error = pthread_sigmask(how, wanted, before);
  if (error == 0) return 0;
  *__errno_location() = error;
  return -1;
}

// Splits the list at its colons. The environment outlives the process's code.
static void read_files(char *list) {
  char *parts[2 * FILES + 1];
  int count = 0;
  parts[count++] = list;
  for (char *at = list; *at && count <= 2 * FILES; ++at)
    if (*at == ':') {
      *at = 0;
      parts[count++] = at + 1;
    }
  hits = map(parts[0], sizeof *hits, O_RDWR, PROT_READ | PROT_WRITE, MAP_SHARED);
  if (!hits) return;
  for (int part = 1; part + 1 < count; part += 2) {
    unsigned long length = 0;
    while (parts[part][length]) ++length;
    const unsigned char *bytes = map(parts[part + 1], 0, O_RDONLY, PROT_READ, MAP_PRIVATE);
    if (!bytes) return;
    files[file_count++] = (struct file){parts[part], length, parts[part + 1], bytes};
  }
}

// This runs before the constructors of all other libraries.
__attribute__((constructor)) static void begin(int argc, char **argv, char **environment) {
  (void)argc, (void)argv;
  static char list[1 << 13];
  static const char name[] = "MISTRUST_COVERAGE=";
  for (; *environment; ++environment) {
    unsigned long at = 0;
    while (name[at] && (*environment)[at] == name[at]) ++at;
    if (name[at]) continue;
    unsigned long length = 0;
    for (const char *from = *environment + at; *from && length + 1 < sizeof list; ++from) list[length++] = *from;
    read_files(list);
  }
  if (!hits) return;
  find_ranges();
  struct { void (*handler)(int, siginfo_t *, void *); unsigned long flags; void (*restorer)(void); unsigned long mask; }
      ours = {on_trap, SA_SIGINFO | SA_RESTART | SA_NODEFER | 0x04000000, mistrust_restore, 0};
  call(SYS_rt_sigaction, SIGTRAP, (long)&ours, 0, 8, 0, 0);
  uint64_t trap = 1UL << (SIGTRAP - 1);
  call(SYS_rt_sigprocmask, SIG_UNBLOCK, (long)&trap, 0, 8, 0, 0);
}
