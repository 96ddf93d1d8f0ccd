/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Four phases of similar cost. The same as planted.c, later: `filter` is `sift`,
 * behind the other functions, and its tasks do 30 % more.
 */
#include "../arguments.h"
#include "../mix.h"

enum { TASKS = 64, CHUNKS = 32, LEAVES = 2048, SMALL = 1 << 12, LARGE = 1 << 22 };

static long rounds = 200000;
static uint64_t *buffer;
static uint64_t sums[TASKS], parts[CHUNKS];

static uint64_t mixed(uint64_t value, long times)
{
    for (long i = 0; i < times; i++)
        value = mix(value + (uint64_t)i);
    return value;
}

/* A task per half, down to the cut-off. A division costs the same, however little it divides: half the cut-off costs
 * more. */
static uint64_t split(long first, long leaves, long cut_off)
{
    if (leaves <= cut_off) {
        uint64_t sum = 0;
        for (long leaf = first; leaf < first + leaves; leaf++)
            sum += mixed((uint64_t)leaf, rounds / 800);
        return sum;
    }
    uint64_t sum = mixed((uint64_t)first, rounds / 25), halves[2];
    for (long half = 0; half < 2; half++) {
        #pragma omp task shared(halves)
        halves[half] = split(first + half * leaves / 2, leaves / 2, cut_off);
    }
    #pragma omp taskwait
    return sum + halves[0] + halves[1];
}

/* Chunks of equal cost. */
static void smooth(void)
{
    #pragma omp parallel for schedule(dynamic, 1)
    for (long chunk = 0; chunk < CHUNKS; chunk++)
        parts[chunk] = mixed((uint64_t)chunk, 2 * rounds);
}

/* Tasks that read a part of the buffer in random order. */
static uint64_t gather(void)
{
    uint64_t mask = SMALL - 1, sum = 0;
    for (long task = 0; task < TASKS; task++) {
        #pragma omp task shared(sum)
        {
            uint64_t own = (uint64_t)task;
            for (long i = 0; i < rounds / 4; i++)
                own = mix(own + buffer[own & mask]);
            #pragma omp atomic
            sum += own;
        }
    }
    #pragma omp taskwait
    return sum;
}

/* Tasks of equal cost. */
static void sift(void)
{
    long own = rounds * 13 / 10;
    for (long task = 0; task < TASKS; task++) {
        #pragma omp task
        {
            sums[task] = mixed((uint64_t)task, own / 4);
            sums[task] = mixed(sums[task], own - own / 4);
        }
    }
    #pragma omp taskwait
}

int main(int argc, char **argv)
{
    const struct argument arguments[] = {
        { "ROUNDS", "rounds of mixing per task", 1000, 1000000000, &rounds, NULL },
    };
    read_arguments(argc, argv, arguments, 1);
    buffer = allocate(LARGE, sizeof *buffer);
    for (size_t i = 0; i < LARGE; i++)
        buffer[i] = mix(i);

    uint64_t sum = 0;
    #pragma omp parallel
    #pragma omp single
    {
        sum = split(0, LEAVES, 8);
        sift();
        sum += gather();
    }
    smooth();
    for (int i = 0; i < CHUNKS; i++)
        sum += parts[i];
    for (int i = 0; i < TASKS; i++)
        sum += sums[i];
    if (sum == 0)
        wrong_result("nothing was mixed");
    printf("%ld rounds, checksum %016llx\n", rounds, (unsigned long long)sum);
    return 0;
}
