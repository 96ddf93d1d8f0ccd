// Loads a second OpenMP runtime (a copy of the first, given by path) and uses both.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

typedef void (*microtask)(int *, int *, ...);
typedef void (*fork_call)(void *, int, microtask, ...);

static volatile int sum;

static void body(int *gtid, int *btid, ...) {
    (void)gtid;
    (void)btid;
    sum += 1;
}

int main(int argc, char **argv) {
    struct { int reserved, flags, more, size; const char *source; } place = {
        0, 2, 0, 0, ";unknown;unknown;0;0;;" };
    void *second = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND) : 0;
#pragma omp parallel num_threads(2)
    sum += 1;
    if (!second) {
        fprintf(stderr, "%s\n", dlerror());
        return 2;
    }
    fork_call call = (fork_call)dlsym(second, "__kmpc_fork_call");
    call(&place, 0, body);
    return 0;
}
