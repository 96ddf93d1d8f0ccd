/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Sum of the distances between all pairs of numbers, pair by pair: iteration i
 * handles the pairs (j, i) with j < i, so the last iterations are the heaviest.
 * The schedule is chosen by an argument; each has a loop of its own.
 */
#include "arguments.h"
#include "mix.h"

static long n = 32768, chunk = 64;
static int *numbers;

static long distances_below(long i)
{
    long sum = 0;
    for (long j = 0; j < i; j++)
        sum += abs(numbers[i] - numbers[j]);
    return sum;
}

static long sum_dynamic(void)
{
    long sum = 0;
    #pragma omp parallel for schedule(dynamic, chunk) reduction(+ : sum)
    for (long i = 0; i < n; i++)
        sum += distances_below(i);
    return sum;
}

static long sum_guided(void)
{
    long sum = 0;
    #pragma omp parallel for schedule(guided, chunk) reduction(+ : sum)
    for (long i = 0; i < n; i++)
        sum += distances_below(i);
    return sum;
}

/* One contiguous share per thread: `chunk` is not used. */
static long sum_static(void)
{
    long sum = 0;
    #pragma omp parallel for schedule(static) reduction(+ : sum)
    for (long i = 0; i < n; i++)
        sum += distances_below(i);
    return sum;
}

static int compare(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* In order, the number at rank i is added i times and subtracted n - 1 - i times. */
static long sum_by_rank(void)
{
    long sum = 0;
    qsort(numbers, (size_t)n, sizeof *numbers, compare);
    for (long i = 0; i < n; i++)
        sum += numbers[i] * (2 * i - n + 1);
    return sum;
}

int main(int argc, char **argv)
{
    static const char *const schedules[] = { "dynamic", "guided", "static", NULL };
    long (*const sums[])(void) = { sum_dynamic, sum_guided, sum_static };
    long schedule = 0;
    const struct argument arguments[] = {
        { "N", "numbers", 1, 1000000, &n, NULL },
        { "CHUNK", "iterations per chunk", 1, 1000000, &chunk, NULL },
        { "SCHEDULE", "loop schedule", 0, 0, &schedule, schedules },
    };
    read_arguments(argc, argv, arguments, 3);
    numbers = allocate((size_t)n, sizeof *numbers);
    for (long i = 0; i < n; i++)
        numbers[i] = (int)(mix((uint64_t)i) % 1000000);

    long sum = sums[schedule]();

    if (sum != sum_by_rank())
        wrong_result("not the sum that the ranks give");
    printf("%ld numbers, sum of distances %ld\n", n, sum);
    free(numbers);
    return 0;
}
