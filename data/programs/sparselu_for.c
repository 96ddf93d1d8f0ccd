/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Block sparse LU by worksharing loops: two loops of solves without a barrier
 * between them, then one loop over the block rows to update. Absent blocks make
 * the iterations uneven, so the schedule is dynamic.
 */
#include "sparselu.h"

static void update_row(long k, long i)
{
    const double *column = *block_at(i, k);
    if (!column)
        return;
    for (long j = k + 1; j < num_blocks; j++) {
        const double *row = *block_at(k, j);
        double **block = block_at(i, j);
        if (!row)
            continue;
        if (!*block)
            *block = new_block();
        update_block(column, row, *block);
    }
}

/* Called by every thread of the team. */
static void factorise(void)
{
    for (long k = 0; k < num_blocks; k++) {
        #pragma omp single
        factor_diagonal(*block_at(k, k));

        #pragma omp for schedule(dynamic, 1) nowait
        for (long j = k + 1; j < num_blocks; j++)
            if (*block_at(k, j))
                solve_row(*block_at(k, k), *block_at(k, j));

        #pragma omp for schedule(dynamic, 1)
        for (long i = k + 1; i < num_blocks; i++)
            if (*block_at(i, k))
                solve_column(*block_at(k, k), *block_at(i, k));

        #pragma omp for schedule(dynamic, 1)
        for (long i = k + 1; i < num_blocks; i++)
            update_row(k, i);
    }
}

int main(int argc, char **argv)
{
    read_sizes(argc, argv);
    make_matrix();

    #pragma omp parallel
    factorise();

    printf("factorised %ld x %ld blocks of %ld, checksum %.6f\n", num_blocks, num_blocks,
           block_size, check_factors());
    free_matrix();
    return 0;
}
