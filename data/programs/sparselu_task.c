/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Block sparse LU by tasks: one thread creates all of them, in three phases
 * per step, with a wait after the solves and after the updates.
 */
#include "sparselu.h"

static void solve_panels(long k)
{
    const double *diagonal = *block_at(k, k);
    for (long j = k + 1; j < num_blocks; j++) {
        double *block = *block_at(k, j);
        if (block) {
            #pragma omp task
            solve_row(diagonal, block);
        }
    }
    for (long i = k + 1; i < num_blocks; i++) {
        double *block = *block_at(i, k);
        if (block) {
            #pragma omp task
            solve_column(diagonal, block);
        }
    }
    #pragma omp taskwait
}

static void update_rest(long k)
{
    for (long i = k + 1; i < num_blocks; i++) {
        for (long j = k + 1; j < num_blocks; j++) {
            const double *column = *block_at(i, k), *row = *block_at(k, j);
            double **block = block_at(i, j);
            if (!column || !row)
                continue;
            #pragma omp task
            {
                if (!*block)
                    *block = new_block();
                update_block(column, row, *block);
            }
        }
    }
    #pragma omp taskwait
}

static void factorise(void)
{
    for (long k = 0; k < num_blocks; k++) {
        factor_diagonal(*block_at(k, k));
        solve_panels(k);
        update_rest(k);
    }
}

int main(int argc, char **argv)
{
    read_sizes(argc, argv);
    make_matrix();

    #pragma omp parallel
    #pragma omp single
    factorise();

    printf("factorised %ld x %ld blocks of %ld, checksum %.6f\n", num_blocks, num_blocks,
           block_size, check_factors());
    free_matrix();
    return 0;
}
