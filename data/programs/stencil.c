/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Jacobi steps of the five-point stencil on a grid with zero border, by a
 * chunked loop over the rows. With `--weak` the rows given are those of one
 * worker, so the grid grows with threads (and ranks). With -DUSE_MPI the rows
 * are split over the ranks, which exchange one row with each neighbour per step.
 *
 * The start is an eigenvector of the step, hence every later value is known.
 */
#include "arguments.h"

#include <math.h>
#include <omp.h>
#ifdef USE_MPI
#include <mpi.h>
#endif

static long columns = 1024, steps = 60, chunk = 64;
static long total_rows, first_row, num_rows; /* of the grid; of this rank */
static int rank, num_ranks = 1;

/* Row 0 and row num_rows + 1 are the border or the neighbour's row. */
static double *row_of(double *grid, long row)
{
    return grid + row * (columns + 2);
}

#ifdef USE_MPI
static void exchange_rows(double *grid)
{
    int above = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    int below = rank + 1 < num_ranks ? rank + 1 : MPI_PROC_NULL;
    int width = (int)columns + 2;
    MPI_Sendrecv(row_of(grid, 1), width, MPI_DOUBLE, above, 0, row_of(grid, num_rows + 1), width,
                 MPI_DOUBLE, below, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(row_of(grid, num_rows), width, MPI_DOUBLE, below, 1, row_of(grid, 0), width,
                 MPI_DOUBLE, above, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
#endif

static void step_row(const double *old, double *new)
{
    const double *above = old - (columns + 2), *below = old + (columns + 2);
    for (long j = 1; j <= columns; j++)
        new[j] = 0.25 * (above[j] + below[j] + old[j - 1] + old[j + 1]);
}

static void step_grid(double *old, double *new)
{
    #pragma omp parallel for schedule(dynamic, chunk)
    for (long i = 1; i <= num_rows; i++)
        step_row(row_of(old, i), row_of(new, i));
}

/* Half waves in the two directions; the eigenvalue is the mean of two cosines. */
static double angle(long waves, long count)
{
    return acos(-1.0) * (double)waves / (double)(count + 1);
}

static void fill(double *grid, double scale)
{
    for (long i = 1; i <= num_rows; i++)
        for (long j = 1; j <= columns; j++)
            row_of(grid, i)[j] = scale * sin(angle(3, total_rows) * (double)(first_row + i))
                * sin(angle(2, columns) * (double)j);
}

static double largest_error(double *grid, double *expected)
{
    double largest = 0.0;
    for (long i = 1; i <= num_rows; i++)
        for (long j = 1; j <= columns; j++) {
            double error = fabs(row_of(grid, i)[j] - row_of(expected, i)[j]);
            if (!(error <= largest))
                largest = error;
        }
#ifdef USE_MPI
    MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
#endif
    return largest;
}

/* Takes `--weak` out of the arguments, wherever it is. */
static int take_weak(int *argc, char **argv)
{
    int weak = 0, kept = 1;
    for (int i = 1; i < *argc; i++) {
        if (strcmp(argv[i], "--weak") == 0)
            weak = 1;
        else
            argv[kept++] = argv[i];
    }
    *argc = kept;
    return weak;
}

static void read_sizes(int argc, char **argv)
{
    int weak = take_weak(&argc, argv);
    total_rows = weak ? 512 : 1024;
    const struct argument arguments[] = {
        { "ROWS", "rows; with --weak anywhere, rows per worker", 1, 100000, &total_rows, NULL },
        { "COLUMNS", "columns", 1, 100000, &columns, NULL },
        { "STEPS", "Jacobi steps", 0, 100000, &steps, NULL },
        { "CHUNK", "rows per chunk", 1, 100000, &chunk, NULL },
    };
    read_arguments(argc, argv, arguments, 4);
    if (weak)
        total_rows *= (long)num_ranks * omp_get_max_threads();
    first_row = total_rows * rank / num_ranks;
    num_rows = total_rows * (rank + 1) / num_ranks - first_row;
}

int main(int argc, char **argv)
{
#ifdef USE_MPI
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &num_ranks);
#endif
    read_sizes(argc, argv);
    size_t size = (size_t)(num_rows + 2) * (size_t)(columns + 2);
    double *old = allocate(size, sizeof *old), *new = allocate(size, sizeof *new);
    fill(old, 1.0);

    for (long step = 0; step < steps; step++) {
#ifdef USE_MPI
        exchange_rows(old);
#endif
        step_grid(old, new);
        double *swap = old;
        old = new;
        new = swap;
    }

    double scale = pow((cos(angle(3, total_rows)) + cos(angle(2, columns))) / 2.0, (double)steps);
    fill(new, scale);
    if (!(largest_error(old, new) <= 1e-12 * (double)(steps + 1)))
        wrong_result("the start was not scaled by the eigenvalue");
    if (rank == 0)
        printf("%ld x %ld grid, amplitude %.9f after %ld steps\n", total_rows, columns, scale, steps);
    free(old);
    free(new);
#ifdef USE_MPI
    MPI_Finalize();
#endif
    return 0;
}
