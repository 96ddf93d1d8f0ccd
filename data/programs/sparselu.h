/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Sparse matrix of dense blocks, LU factorised in place without pivoting: the
 * parts that sparselu_task.c and sparselu_for.c share. Absent blocks are null
 * and appear when the factorisation fills them in.
 */
#ifndef SPARSELU_H
#define SPARSELU_H

#include "arguments.h"
#include "mix.h"

#include <math.h>

static long num_blocks = 24, block_size = 64;
static double **blocks;

static inline double **block_at(long i, long j)
{
    return &blocks[i * num_blocks + j];
}

/* A band, a coarse grid, and a sprinkle of further blocks. */
static inline int starts_present(long i, long j)
{
    return labs(i - j) <= 1 || (i % 4 == 0 && j % 4 == 0)
        || mix((uint64_t)(i * num_blocks + j)) % 8 == 0;
}

static inline double *new_block(void)
{
    return allocate((size_t)(block_size * block_size), sizeof(double));
}

static inline void fill_block(double *block, long i, long j)
{
    for (long k = 0; k < block_size * block_size; k++)
        block[k] = mix_unit((uint64_t)((i * num_blocks + j) * block_size * block_size + k)) - 0.5;
    /* Dominant diagonal: no pivoting needed. */
    for (long k = 0; i == j && k < block_size; k++)
        block[k * block_size + k] += (double)(num_blocks * block_size);
}

static inline void make_matrix(void)
{
    blocks = allocate((size_t)(num_blocks * num_blocks), sizeof *blocks);
    for (long i = 0; i < num_blocks; i++)
        for (long j = 0; j < num_blocks; j++) {
            if (!starts_present(i, j))
                continue;
            double *block = *block_at(i, j) = new_block();
            fill_block(block, i, j);
        }
}

static inline void free_matrix(void)
{
    for (long k = 0; k < num_blocks * num_blocks; k++)
        free(blocks[k]);
    free(blocks);
}

static inline void factor_diagonal(double *diagonal)
{
    long n = block_size;
    for (long k = 0; k < n; k++)
        for (long i = k + 1; i < n; i++) {
            double factor = diagonal[i * n + k] /= diagonal[k * n + k];
            for (long j = k + 1; j < n; j++)
                diagonal[i * n + j] -= factor * diagonal[k * n + j];
        }
}

/* Block to the right of the diagonal: solves L x = block. */
static inline void solve_row(const double *diagonal, double *block)
{
    long n = block_size;
    for (long k = 0; k < n; k++)
        for (long i = k + 1; i < n; i++)
            for (long j = 0; j < n; j++)
                block[i * n + j] -= diagonal[i * n + k] * block[k * n + j];
}

/* Block below the diagonal: solves x U = block. */
static inline void solve_column(const double *diagonal, double *block)
{
    long n = block_size;
    for (long i = 0; i < n; i++)
        for (long k = 0; k < n; k++) {
            double factor = block[i * n + k] /= diagonal[k * n + k];
            for (long j = k + 1; j < n; j++)
                block[i * n + j] -= factor * diagonal[k * n + j];
        }
}

static inline void update_block(const double *column, const double *row, double *block)
{
    long n = block_size;
    for (long i = 0; i < n; i++)
        for (long k = 0; k < n; k++)
            for (long j = 0; j < n; j++)
                block[i * n + j] -= column[i * n + k] * row[k * n + j];
}

/* Adds A x to y, A being the matrix as it was before the factorisation. */
static inline void multiply_original(const double *x, double *y)
{
    double *block = new_block();
    for (long i = 0; i < num_blocks; i++)
        for (long j = 0; j < num_blocks; j++) {
            if (!starts_present(i, j))
                continue;
            memset(block, 0, (size_t)(block_size * block_size) * sizeof *block);
            fill_block(block, i, j);
            for (long r = 0; r < block_size; r++)
                for (long c = 0; c < block_size; c++)
                    y[i * block_size + r] += block[r * block_size + c] * x[j * block_size + c];
        }
    free(block);
}

/* y = U x (upper) or y = L x with ones on the diagonal (lower), from the factors. */
static inline void multiply_factor(int upper, const double *x, double *y)
{
    long n = num_blocks * block_size;
    for (long r = 0; r < n; r++) {
        y[r] = upper ? 0.0 : x[r];
        for (long c = upper ? r : 0; c < (upper ? n : r); c++) {
            const double *block = *block_at(r / block_size, c / block_size);
            if (block)
                y[r] += block[r % block_size * block_size + c % block_size] * x[c];
        }
    }
}

/* L (U x) must be A x for some x; returns a checksum of the result. */
static inline double check_factors(void)
{
    long n = num_blocks * block_size;
    double *x = allocate((size_t)n, sizeof *x), *expected = allocate((size_t)n, sizeof *x);
    double *upper = allocate((size_t)n, sizeof *x), *product = allocate((size_t)n, sizeof *x);
    double sum = 0.0;
    for (long i = 0; i < n; i++)
        x[i] = mix_unit((uint64_t)i);
    multiply_original(x, expected);
    multiply_factor(1, x, upper);
    multiply_factor(0, upper, product);
    for (long i = 0; i < n; i++) {
        if (!(fabs(product[i] - expected[i]) <= 1e-9 * (double)n))
            wrong_result("the product of the factors is not the matrix");
        sum += upper[i];
    }
    free(x);
    free(expected);
    free(upper);
    free(product);
    return sum;
}

static inline void read_sizes(int argc, char **argv)
{
    const struct argument arguments[] = {
        { "BLOCKS", "blocks per side", 1, 200, &num_blocks, NULL },
        { "BLOCK_SIZE", "rows per block", 1, 500, &block_size, NULL },
    };
    read_arguments(argc, argv, arguments, 2);
}

#endif
