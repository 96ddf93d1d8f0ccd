/* Recursion, a cycle, a root and two functions of one depth, for gprof:
     gcc -O1 -pg -fno-inline -o calls calls.c && ./calls 12 && gprof calls gmon.out > calls.txt
   With an argument of 0 it ends before the first sample. */
#include <stdio.h>
#include <stdlib.h>

static volatile double sink;

__attribute__((noinline, noipa)) void leaf(int rounds)
{
    for (int round = 0; round < rounds; round++)
        sink += 1.0 / (round + 1);
}

__attribute__((noinline, noipa)) void pong(int depth);

__attribute__((noinline, noipa)) void ping(int depth)
{
    leaf(2000000);
    if (depth > 0)
        pong(depth - 1);
}

__attribute__((noinline, noipa)) void pong(int depth)
{
    if (depth > 0)
        ping(depth - 1);
}

__attribute__((noinline, noipa)) int fib(int n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

int main(int argc, char **argv)
{
    int size = argc > 1 ? atoi(argv[1]) : 12;
    ping(size);
    sink += fib(size + 18);
    printf("%f\n", sink);
    return 0;
}
