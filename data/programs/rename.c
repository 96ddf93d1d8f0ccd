/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Three phases on a triangle of blocks: four kinds of tasks created by one
 * function, a loop, and tasks again. For diffs against version2/rename.c, which
 * does the same under other names and in other functions.
 */
#include "arguments.h"
#include "mix.h"

static long blocks = 12, rounds = 20000;
static uint64_t *values;

static uint64_t mixed(uint64_t value, long times)
{
    for (long i = 0; i < times; i++)
        value = mix(value + (uint64_t)i);
    return value;
}

static uint64_t *block_at(long row, long column)
{
    return &values[row * blocks + column];
}

static void solve(void)
{
    for (long k = 0; k < blocks; k++) {
        #pragma omp task
        *block_at(k, k) = mixed(*block_at(k, k), rounds);
        #pragma omp taskwait
        for (long j = k + 1; j < blocks; j++) {
            #pragma omp task
            *block_at(k, j) = mixed(*block_at(k, j) ^ *block_at(k, k), 2 * rounds);
        }
        for (long i = k + 1; i < blocks; i++) {
            #pragma omp task
            *block_at(i, k) = mixed(*block_at(i, k) + *block_at(k, k), 2 * rounds);
        }
        #pragma omp taskwait
        for (long i = k + 1; i < blocks; i++) {
            for (long j = k + 1; j < blocks; j++) {
                #pragma omp task
                *block_at(i, j) = mixed(*block_at(i, k) ^ *block_at(k, j), rounds);
            }
        }
        #pragma omp taskwait
    }
}

int main(int argc, char **argv)
{
    const struct argument arguments[] = {
        { "BLOCKS", "rows of blocks", 2, 256, &blocks, NULL },
        { "ROUNDS", "rounds of mixing per block", 1, 1000000000, &rounds, NULL },
    };
    read_arguments(argc, argv, arguments, 2);
    values = allocate((size_t)(blocks * blocks), sizeof *values);
    for (long i = 0; i < blocks * blocks; i++)
        values[i] = mix((uint64_t)i);

    #pragma omp parallel
    #pragma omp single
    solve();

    /* Smoothing. */
    #pragma omp parallel for schedule(dynamic, 4)
    for (long i = 0; i < blocks * blocks; i++)
        values[i] = mixed(values[i], 3 * rounds);

    /* A checksum of each row. */
    uint64_t *sums = allocate((size_t)blocks, sizeof *sums);
    #pragma omp parallel
    #pragma omp single
    for (long i = 0; i < blocks; i++) {
        #pragma omp task
        for (long j = 0; j < blocks; j++)
            sums[i] += mixed(*block_at(i, j), rounds);
    }

    uint64_t sum = 0;
    for (long i = 0; i < blocks; i++)
        sum ^= mix(sums[i]);
    printf("%ld x %ld blocks of %ld rounds, checksum %016llx\n", blocks, blocks, rounds,
           (unsigned long long)sum);
    free(sums);
    free(values);
    return 0;
}
