/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * k-means clustering with integer coordinates: per round a taskloop assigns
 * the points to their nearest centre, block by block, and a taskgroup moves
 * the centres, one task each.
 */
#include "arguments.h"
#include "mix.h"

enum { DIMENSIONS = 4, MAX_CENTRES = 64 };

struct point {
    int at[DIMENSIONS];
};

/* What one block of points adds up to, per centre. */
struct block_sums {
    long count[MAX_CENTRES], total[MAX_CENTRES][DIMENSIONS], distance;
};

static long num_points = 400000, num_centres = 16, num_rounds = 10, num_blocks = 40;
static struct point *points, centres[MAX_CENTRES];
static struct block_sums *sums;

static long distance(const struct point *a, const struct point *b)
{
    long sum = 0;
    for (int d = 0; d < DIMENSIONS; d++)
        sum += (long)(a->at[d] - b->at[d]) * (a->at[d] - b->at[d]);
    return sum;
}

static void assign_block(long block)
{
    struct block_sums *sum = &sums[block];
    long first = num_points * block / num_blocks, last = num_points * (block + 1) / num_blocks;
    memset(sum, 0, sizeof *sum);
    for (long i = first; i < last; i++) {
        long nearest = 0, least = distance(&points[i], &centres[0]);
        for (long c = 1; c < num_centres; c++) {
            long other = distance(&points[i], &centres[c]);
            if (other < least) {
                least = other;
                nearest = c;
            }
        }
        sum->count[nearest]++;
        sum->distance += least;
        for (int d = 0; d < DIMENSIONS; d++)
            sum->total[nearest][d] += points[i].at[d];
    }
}

static void move_centre(long c)
{
    long count = 0, total[DIMENSIONS] = { 0 };
    for (long block = 0; block < num_blocks; block++) {
        count += sums[block].count[c];
        for (int d = 0; d < DIMENSIONS; d++)
            total[d] += sums[block].total[c][d];
    }
    for (int d = 0; d < DIMENSIONS && count > 0; d++)
        centres[c].at[d] = (int)(total[d] / count);
}

static void assign_points(void)
{
    #pragma omp taskloop grainsize(1)
    for (long block = 0; block < num_blocks; block++)
        assign_block(block);
}

static void move_centres(void)
{
    #pragma omp taskgroup
    for (long c = 0; c < num_centres; c++) {
        #pragma omp task
        move_centre(c);
    }
}

/* Returns the total distance after checking that every point was counted once. */
static long total_distance(void)
{
    long count = 0, total = 0;
    for (long block = 0; block < num_blocks; block++) {
        total += sums[block].distance;
        for (long c = 0; c < num_centres; c++)
            count += sums[block].count[c];
    }
    if (count != num_points)
        wrong_result("not every point has one centre");
    return total;
}

/* Rounding a centre down moves it by less than one per dimension, which can
 * cost each point that much squared: else a round never makes things worse. */
static long cluster(void)
{
    long least = 0;
    for (long round = 0; round < num_rounds; round++) {
        assign_points();
        long total = total_distance();
        if (round > 0 && total > least + num_points * DIMENSIONS)
            wrong_result("a round has made the distances larger");
        least = total;
        move_centres();
    }
    return least;
}

int main(int argc, char **argv)
{
    long result = 0;
    const struct argument arguments[] = {
        { "POINTS", "points", 1, 100000000, &num_points, NULL },
        { "CENTRES", "centres", 1, MAX_CENTRES, &num_centres, NULL },
        { "ROUNDS", "rounds", 1, 10000, &num_rounds, NULL },
        { "BLOCKS", "blocks of points, a chunk each", 1, 10000, &num_blocks, NULL },
    };
    read_arguments(argc, argv, arguments, 4);
    points = allocate((size_t)num_points, sizeof *points);
    sums = allocate((size_t)num_blocks, sizeof *sums);
    for (long i = 0; i < num_points; i++)
        for (int d = 0; d < DIMENSIONS; d++)
            points[i].at[d] = (int)(mix((uint64_t)(i * DIMENSIONS + d)) % 1000);
    for (long c = 0; c < num_centres; c++)
        centres[c] = points[c * num_points / num_centres];

    #pragma omp parallel
    #pragma omp single
    result = cluster();

    printf("%ld points, total distance %ld after %ld rounds\n", num_points, result, num_rounds);
    free(points);
    free(sums);
    return 0;
}
