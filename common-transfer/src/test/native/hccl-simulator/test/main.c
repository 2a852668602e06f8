#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { TIMEOUT_S = 60 };

static const struct test *const suites[] = {
    layout_tests,   runtime_tests, memory_tests,  registry_tests, comm_tests,  prepare_tests,
    transfer_tests, stream_tests,  process_tests, race_tests,     fault_tests,
};

static void use_own_folder(const char *name)
{
  char path[4096];
  const char *base = getenv("HCCL_SIM_DIR");
  snprintf(path, sizeof path, "%s/%s", base == NULL ? "/tmp" : base, name);
  setenv("HCCL_SIM_DIR", path, 1);
}

static int passes(const struct test *test)
{
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    alarm(TIMEOUT_S);
    use_own_folder(test->name);
    test->run();
    exit(0);
  }
  int status;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    return 1;
  }
  fprintf(stderr, "FAILED %s (%s %d)\n", test->name, WIFSIGNALED(status) ? "signal" : "exit",
          WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
  return 0;
}

int main(int argc, char **argv)
{
  int passed = 0;
  int failed = 0;
  for (size_t s = 0; s < sizeof suites / sizeof *suites; s++) {
    for (const struct test *test = suites[s]; test->name != NULL; test++) {
      if (argc < 2 || strstr(test->name, argv[1]) != NULL) {
        int ok = passes(test);
        passed += ok;
        failed += !ok;
      }
    }
  }
  printf("%d passed, %d failed\n", passed, failed);
  return failed == 0 ? 0 : 1;
}
