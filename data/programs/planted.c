/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Four phases of similar cost, of which an argument makes one slower in a known
 * way. For explanations: the first cause of a difference is the planted one.
 * version2/planted.c renames and moves the tasks of `filter`, and makes them
 * slower.
 */
#include "arguments.h"
#include "mix.h"

enum { NONE, SLOWER, CUT_OFF, CHUNK, LOCK, CACHE };
enum { TASKS = 64, CHUNKS = 32, LEAVES = 2048, SMALL = 1 << 12, LARGE = 1 << 22 };

static long change = NONE, rounds = 200000, faster = 0;
static uint64_t *buffer;
static uint64_t sums[TASKS], parts[CHUNKS], shared;

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

/* Tasks of equal cost. With LOCK, three quarters of each are done one at a time. */
static void filter(void)
{
    long own = change == SLOWER ? rounds * 6 / 5 : rounds;
    own -= own * faster / 100;
    for (long task = 0; task < TASKS; task++) {
        #pragma omp task
        {
            sums[task] = mixed((uint64_t)task, own / 4);
            if (change == LOCK) {
                #pragma omp critical
                shared += sums[task] = mixed(sums[task], own - own / 4);
            } else {
                sums[task] = mixed(sums[task], own - own / 4);
            }
        }
    }
    #pragma omp taskwait
}

/* Chunks of equal cost. With CHUNK, the first one is ten times heavier. */
static void smooth(void)
{
    #pragma omp parallel for schedule(dynamic, 1)
    for (long chunk = 0; chunk < CHUNKS; chunk++) {
        long times = change == CHUNK && chunk == 0 ? 10 : 1;
        for (long i = 0; i < times; i++)
            parts[chunk] = mixed((uint64_t)chunk, 2 * rounds);
    }
}

/* Tasks that read a part of the buffer in random order. With CACHE, it does not fit into the cache. */
static uint64_t gather(void)
{
    uint64_t mask = (change == CACHE ? LARGE : SMALL) - 1, sum = 0;
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

int main(int argc, char **argv)
{
    static const char *const changes[] = { "none", "slower", "cut_off", "chunk", "lock", "cache", NULL };
    const struct argument arguments[] = {
        { "CHANGE", "what is slower", 0, 0, &change, changes },
        { "ROUNDS", "rounds of mixing per task", 1000, 1000000000, &rounds, NULL },
        { "FASTER", "percent of the rounds that tasks of filter leave out", 0, 90, &faster, NULL },
    };
    read_arguments(argc, argv, arguments, 3);
    buffer = allocate(LARGE, sizeof *buffer);
    for (size_t i = 0; i < LARGE; i++)
        buffer[i] = mix(i);

    uint64_t sum = 0;
    #pragma omp parallel
    #pragma omp single
    {
        sum = split(0, LEAVES, change == CUT_OFF ? 4 : 8);
        filter();
        sum += gather();
    }
    smooth();
    for (int i = 0; i < CHUNKS; i++)
        sum += parts[i];
    for (int i = 0; i < TASKS; i++)
        sum += sums[i];
    if (change == NONE && sum == 0)
        wrong_result("nothing was mixed");
    printf("%s: %ld rounds, checksum %016llx\n", changes[change], rounds, (unsigned long long)sum);
    return 0;
}
