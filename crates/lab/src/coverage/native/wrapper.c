// Stands between GCC's driver and the programs that it starts: cc1 is replaced by the armed one, whose words are in words.h.
// It needs no C library and no time: cc -static -nostdlib.
#include <sys/syscall.h>
#include "words.h"

#define MOST 4096

static long execve(const char *path, const char **argv, const char **environment) {
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(SYS_execve), "D"(path), "S"(argv), "d"(environment)
                   : "rcx", "r11", "memory");
  return result;
}

static int is_cc1(const char *path) {
  const char *name = path;
  for (; *path; ++path)
    if (*path == '/') name = path + 1;
  return name[0] == 'c' && name[1] == 'c' && name[2] == '1' && !name[3];
}

static long execute(const char **line, const char **environment) {
  for (const char *at = line[0]; *at; ++at)
    if (*at == '/') return execve(line[0], line, environment);
  // The driver relies on the search path.
  const char *folders = "/usr/bin:/bin";
  for (const char **entry = environment; *entry; ++entry) {
    const char *it = *entry;
    if (it[0] == 'P' && it[1] == 'A' && it[2] == 'T' && it[3] == 'H' && it[4] == '=') folders = it + 5;
  }
  long result = -2;
  while (*folders) {
    static char path[MOST];
    int length = 0;
    while (*folders && *folders != ':' && length < MOST / 2) path[length++] = *folders++;
    if (*folders == ':') ++folders;
    path[length++] = '/';
    for (const char *name = line[0]; *name && length < MOST - 1; ++name) path[length++] = *name;
    path[length] = 0;
    result = execve(path, line, environment);
  }
  return result;
}

// The stack has the number of words, the words and the environment.
__attribute__((used)) static void run(long *stack) {
  const char **argv = (const char **)(stack + 1), **environment = argv + stack[0] + 1;
  static const char *longer[MOST];
  const char **line = argv + 1;
  if (stack[0] > 1 && is_cc1(argv[1])) {
    int count = 0;
    for (const char *const *word = words; *word; ++word) longer[count++] = *word;
    for (const char **word = argv + 2; *word && count + 1 < MOST; ++word) longer[count++] = *word;
    line = longer;
  }
  long code = -execute(line, environment);
  __asm__ volatile("syscall" : : "a"(SYS_exit_group), "D"(code) : "rcx", "r11", "memory");
}

__asm__(".text\n.globl _start\n_start:\n  mov %rsp, %rdi\n  and $-16, %rsp\n  call run\n");
