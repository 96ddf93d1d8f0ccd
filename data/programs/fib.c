/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Fibonacci numbers by two recursive tasks per call, down to a cut-off. With
 * cut-off 0 every call is a task that does next to nothing.
 */
#include "arguments.h"

static long fib_serial(long n)
{
    if (n < 2)
        return n;
    return fib_serial(n - 1) + fib_serial(n - 2);
}

static long fib(long n, long cutoff)
{
    long first, second;
    if (n < 2)
        return n;
    if (n <= cutoff)
        return fib_serial(n);
    #pragma omp task shared(first)
    first = fib(n - 1, cutoff);
    #pragma omp task shared(second)
    second = fib(n - 2, cutoff);
    #pragma omp taskwait
    return first + second;
}

static long fib_loop(long n)
{
    long current = 0, next = 1;
    while (n-- > 0) {
        long sum = current + next;
        current = next;
        next = sum;
    }
    return current;
}

int main(int argc, char **argv)
{
    long n = 36, cutoff = 24, result = 0;
    const struct argument arguments[] = {
        { "N", "which number", 0, 60, &n, NULL },
        { "CUTOFF", "no tasks for numbers up to this one", 0, 60, &cutoff, NULL },
    };
    read_arguments(argc, argv, arguments, 2);

    #pragma omp parallel
    #pragma omp single
    result = fib(n, cutoff);

    if (result != fib_loop(n))
        wrong_result("not the number that the loop finds");
    printf("fib(%ld) = %ld\n", n, result);
    return 0;
}
