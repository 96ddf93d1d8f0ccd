// Many small tasks: fills several chunks, and measures the cost of an event.
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int count = argc > 1 ? atoi(argv[1]) : 100000;
    int threads = argc > 2 ? atoi(argv[2]) : 1;
    volatile long sum = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
    for (int i = 0; i < count; i++) {
#pragma omp task
        sum += i;
    }
    printf("%ld\n", sum);
    return 0;
}
