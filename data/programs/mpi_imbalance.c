/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Ranks with known shares of the work: in each step rank 0 computes for LONG
 * milliseconds, the others for SHORT, each with all of its threads, and all meet
 * at a barrier. "Computing" sleeps until its time is up, so that it takes as long
 * whatever else runs on the machine. Every rank times itself and prints what it
 * found, to compare a recording with.
 */
#define _POSIX_C_SOURCE 200112L
#include <errno.h>
#include <mpi.h>
#include <omp.h>
#include <time.h>

#include "arguments.h"

/* Seconds; unlike MPI's own clock also when MPI has ended. */
static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Returns how long it took, as the mean over the threads. */
static double compute(double seconds)
{
    struct timespec until;
    double busy = 0;
    clock_gettime(CLOCK_MONOTONIC, &until);
    long nanos = until.tv_nsec + (long)(seconds * 1e9);
    until.tv_sec += nanos / 1000000000;
    until.tv_nsec = nanos % 1000000000;
    #pragma omp parallel reduction(+ : busy)
    {
        double begin = now();
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
            ;
        busy += now() - begin;
    }
    return busy / omp_get_max_threads();
}

int main(int argc, char **argv)
{
    long longest = 200, shortest = 20, steps = 5;
    const struct argument arguments[] = {
        { "LONG", "milliseconds of rank 0 per step", 1, 100000, &longest, NULL },
        { "SHORT", "milliseconds of the others", 0, 100000, &shortest, NULL },
        { "STEPS", "steps", 1, 100000, &steps, NULL },
    };
    int provided, rank, ranks;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    double begin = now(), computing = 0, waiting = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    read_arguments(argc, argv, arguments, 3);

    for (long step = 0; step < steps; step++) {
        computing += compute((rank == 0 ? longest : shortest) * 1e-3);
        double met = now();
        MPI_Barrier(MPI_COMM_WORLD);
        double left = now();
        waiting += left - met;
    }

    /* A recorder closes its files in MPI_Finalize, so that this time is not all MPI's. */
    double last = now();
    MPI_Finalize();
    double end = now();
    printf("rank %d of %d in seconds: computed %.6f, waited %.6f, finalised %.6f, all %.6f\n", rank, ranks,
           computing, waiting, end - last, end - begin);
    return 0;
}
