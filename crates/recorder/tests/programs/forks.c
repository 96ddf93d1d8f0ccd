// A child that records, and one that does nothing; the parent goes on.
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int sum;

static void tasks(int n) {
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < n; i++) {
#pragma omp task
        sum += 1;
    }
}

int main(void) {
    tasks(3);
    if (fork() == 0) {
        tasks(5);
        return 0;
    }
    if (fork() == 0) {
        execl("/bin/true", "true", (char *)0);
        _exit(1);
    }
    while (wait(0) > 0) { }
    tasks(7);
    return 0;
}
