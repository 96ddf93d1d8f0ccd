// Ways to end that do not reach the runtime's finalize; the argument chooses one.
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
    volatile int sum = 0;
    const char *way = argc > 1 ? argv[1] : "";
#pragma omp parallel num_threads(2)
    {
#pragma omp single
        for (int i = 0; i < 1000; i++) {
#pragma omp task
            sum += 1;
        }
        if (strcmp(way, "exit") == 0) {
#pragma omp masked
            exit(3);
        }
    }
    if (strcmp(way, "_exit") == 0) _exit(3);
    if (strcmp(way, "abort") == 0) abort();
    if (strcmp(way, "kill") == 0) raise(SIGKILL);
    return 0;
}
