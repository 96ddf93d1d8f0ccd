// Recursive tasks: 2 tasks per call above 1, each call waits.
#include <stdio.h>

static int fib(int n) {
    int a, b;
    if (n < 2) return n;
#pragma omp task shared(a)
    a = fib(n - 1);
#pragma omp task shared(b)
    b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}

int main(void) {
    int result = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    result = fib(16);
    printf("%d\n", result);
    return 0;
}
