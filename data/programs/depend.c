/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Tiled Cholesky factorisation: one thread creates all tasks, and only their
 * depend clauses on the tiles order them.
 */
#include "arguments.h"
#include "mix.h"

#include <math.h>

static long num_tiles = 16, tile_size = 96;
static double *tiles; /* lower triangle, tile by tile */

static double *tile(long i, long j)
{
    return tiles + (i * (i + 1) / 2 + j) * tile_size * tile_size;
}

/* Symmetric, with a dominant diagonal. */
static double original(long row, long column)
{
    long low = row < column ? row : column, high = row < column ? column : row;
    double value = mix_unit((uint64_t)(high * num_tiles * tile_size + low));
    return row == column ? value + (double)(num_tiles * tile_size) : value;
}

static void factor_tile(double *a)
{
    long n = tile_size;
    for (long j = 0; j < n; j++) {
        for (long k = 0; k < j; k++)
            for (long i = j; i < n; i++)
                a[i * n + j] -= a[i * n + k] * a[j * n + k];
        double root = sqrt(a[j * n + j]);
        for (long i = j; i < n; i++)
            a[i * n + j] /= root;
    }
}

/* a = a * inverse of the transposed lower triangle of `diagonal` */
static void solve_tile(const double *diagonal, double *a)
{
    long n = tile_size;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            double sum = a[i * n + j];
            for (long k = 0; k < j; k++)
                sum -= a[i * n + k] * diagonal[j * n + k];
            a[i * n + j] = sum / diagonal[j * n + j];
        }
}

/* c = c - a * transposed b */
static void update_tile(const double *a, const double *b, double *c)
{
    long n = tile_size;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            double sum = 0.0;
            for (long k = 0; k < n; k++)
                sum += a[i * n + k] * b[j * n + k];
            c[i * n + j] -= sum;
        }
}

static void create_solves(long k)
{
    double *diagonal = tile(k, k);
    for (long i = k + 1; i < num_tiles; i++) {
        double *below = tile(i, k);
        #pragma omp task depend(in : *diagonal) depend(inout : *below)
        solve_tile(diagonal, below);
    }
}

static void create_updates(long k)
{
    for (long i = k + 1; i < num_tiles; i++) {
        for (long j = k + 1; j <= i; j++) {
            double *a = tile(i, k), *b = tile(j, k), *c = tile(i, j);
            #pragma omp task depend(in : *a, *b) depend(inout : *c)
            update_tile(a, b, c);
        }
    }
}

static void factorise(void)
{
    for (long k = 0; k < num_tiles; k++) {
        double *diagonal = tile(k, k);
        #pragma omp task depend(inout : *diagonal)
        factor_tile(diagonal);
        create_solves(k);
        create_updates(k);
    }
    #pragma omp taskwait
}

static double factor_at(long row, long column)
{
    return tile(row / tile_size, column / tile_size)[row % tile_size * tile_size + column % tile_size];
}

/* L (transposed L x) must be A x. */
static void check(void)
{
    long n = num_tiles * tile_size;
    double *x = allocate((size_t)n, sizeof *x), *y = allocate((size_t)n, sizeof *x);
    for (long i = 0; i < n; i++)
        x[i] = mix_unit((uint64_t)i) - 0.5;
    for (long i = 0; i < n; i++)
        for (long j = 0; j <= i; j++)
            y[j] += factor_at(i, j) * x[i];
    for (long i = 0; i < n; i++) {
        double error = 0.0;
        for (long j = 0; j < n; j++)
            error += original(i, j) * x[j] - (j <= i ? factor_at(i, j) * y[j] : 0.0);
        if (!(fabs(error) <= 1e-9 * (double)n))
            wrong_result("the product of the factors is not the matrix");
    }
    free(x);
    free(y);
}

int main(int argc, char **argv)
{
    const struct argument arguments[] = {
        { "TILES", "tiles per side", 1, 100, &num_tiles, NULL },
        { "TILE_SIZE", "rows per tile", 1, 500, &tile_size, NULL },
    };
    read_arguments(argc, argv, arguments, 2);
    tiles = allocate((size_t)(num_tiles * (num_tiles + 1) / 2 * tile_size * tile_size), sizeof *tiles);
    for (long i = 0; i < num_tiles * tile_size; i++)
        for (long j = 0; j < (i / tile_size + 1) * tile_size; j++)
            tile(i / tile_size, j / tile_size)[i % tile_size * tile_size + j % tile_size] = original(i, j);

    #pragma omp parallel
    #pragma omp single
    factorise();

    check();
    printf("factorised %ld rows, last diagonal element %.6f\n", num_tiles * tile_size,
           factor_at(num_tiles * tile_size - 1, num_tiles * tile_size - 1));
    free(tiles);
    return 0;
}
