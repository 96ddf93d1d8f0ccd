/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Ranks whose waiting has one known cause. pingpong: ranks in pairs compute for
 * MILLISECONDS in turns, and each waits for the other's message, which is small: all
 * waiting is for the other rank. alltoall: all ranks compute as long, and then exchange
 * KILOBYTES with each other rank: all time in MPI is for the transfer, but for what one
 * rank computes longer than another. bytes: each kind
 * of collective call once, with arguments that mean nothing on some ranks.
 * "Computing" sleeps until its time is up, so that it takes as long whatever else runs on
 * the machine. Every rank times itself and prints what it found.
 */
#define _POSIX_C_SOURCE 200112L
#include <errno.h>
#include <mpi.h>
#include <omp.h>
#include <stdlib.h>
#include <time.h>

#include "arguments.h"

enum { MAX_RANKS = 64, COUNT = 5 };

/* `computing` is the mean over the threads. `later` is how much longer the slowest rank of each step of alltoall
 * computes. */
static double computing, waiting, later;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void compute(long milliseconds)
{
    struct timespec until;
    double busy = 0;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += milliseconds / 1000;
    until.tv_nsec += milliseconds % 1000 * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    #pragma omp parallel reduction(+ : busy)
    {
        double begin = now();
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
            ;
        busy += now() - begin;
    }
    computing += busy / omp_get_max_threads();
}

/* Gets a message in one of the ways there are. */
static void receive(long step, int peer, MPI_Comm pair)
{
    MPI_Request request;
    MPI_Status status;
    long got;
    double begin = now();
    switch (step % 4) {
    case 0:
        MPI_Recv(&got, 1, MPI_LONG, peer, 7, pair, MPI_STATUS_IGNORE);
        break;
    case 1:
        MPI_Recv(&got, 1, MPI_LONG, MPI_ANY_SOURCE, MPI_ANY_TAG, pair, MPI_STATUS_IGNORE);
        break;
    case 2:
        MPI_Irecv(&got, 1, MPI_LONG, MPI_ANY_SOURCE, 7, pair, &request);
        MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
        break;
    default:
        MPI_Probe(peer, MPI_ANY_TAG, pair, &status);
        MPI_Recv(&got, 1, MPI_LONG, status.MPI_SOURCE, status.MPI_TAG, pair, &status);
    }
    waiting += now() - begin;
    if (got != step) {
        fprintf(stderr, "step %ld: got the message of step %ld\n", step, got);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void send(long step, int peer, MPI_Comm pair)
{
    MPI_Request request;
    double begin = now();
    MPI_Isend(&step, 1, MPI_LONG, peer, 7, pair, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    waiting += now() - begin;
}

static void ping_pong(int rank, int ranks, long milliseconds, long steps)
{
    MPI_Comm pair;
    double begin = now();
    /* Their order in the pair is not that in the whole. */
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, -rank, &pair);
    waiting += now() - begin;
    int is_first = rank % 2 == 0, is_alone = is_first && rank + 1 == ranks;
    for (long step = 0; step < steps; step++) {
        if (is_first) {
            compute(milliseconds);
            if (is_alone)
                continue;
            send(step, 0, pair);
            receive(step, 0, pair);
        } else {
            receive(step, 1, pair);
            compute(milliseconds);
            send(step, 1, pair);
        }
    }
    begin = now();
    MPI_Comm_free(&pair);
    waiting += now() - begin;
}

static void all_to_all(int ranks, long milliseconds, long steps, long kilobytes)
{
    size_t bytes = (size_t)kilobytes * 1024;
    char *out = calloc((size_t)ranks, bytes), *in = calloc((size_t)ranks, bytes);
    double *longest = calloc((size_t)steps, sizeof *longest);
    if (!out || !in || !longest) {
        fprintf(stderr, "no memory for %ld kilobytes per rank\n", kilobytes);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (long step = 0; step < steps; step++) {
        double begin = now();
        compute(milliseconds);
        longest[step] = now() - begin;
        later -= longest[step];
        begin = now();
        MPI_Alltoall(out, (int)bytes, MPI_CHAR, in, (int)bytes, MPI_CHAR, MPI_COMM_WORLD);
        waiting += now() - begin;
    }
    double begin = now();
    MPI_Allreduce(MPI_IN_PLACE, longest, (int)steps, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    waiting += now() - begin;
    for (long step = 0; step < steps; step++)
        later += longest[step];
    free(longest);
    free(out);
    free(in);
}

/* Arguments that mean nothing on a rank are such that looking at them ends the program. */
static void collective_calls(int rank, int ranks)
{
    static double from[MAX_RANKS * MAX_RANKS], to[MAX_RANKS * MAX_RANKS];
    int each[MAX_RANKS], first[MAX_RANKS], own[MAX_RANKS], first_own[MAX_RANKS];
    int ones[MAX_RANKS], place[MAX_RANKS];
    MPI_Datatype out[MAX_RANKS], in[MAX_RANKS];
    MPI_Comm world = MPI_COMM_WORLD;
    int is_root = rank == 0;
    for (int other = 0; other < ranks; other++) {
        each[other] = other + 1;
        own[other] = rank + 1;
        ones[other] = 1;
        first[other] = other ? first[other - 1] + other : 0;
        first_own[other] = other * (rank + 1);
        place[other] = 8 * other;
        out[other] = other % 2 ? MPI_INT : MPI_DOUBLE;
        in[other] = rank % 2 ? MPI_INT : MPI_DOUBLE;
    }
    if (is_root)
        MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, to, COUNT, MPI_DOUBLE, 0, world);
    else
        MPI_Gather(from, COUNT, MPI_DOUBLE, NULL, 0, MPI_DATATYPE_NULL, 0, world);
    MPI_Gatherv(from, rank + 1, MPI_DOUBLE, to, is_root ? each : NULL, is_root ? first : NULL,
                is_root ? MPI_DOUBLE : MPI_DATATYPE_NULL, 0, world);
    MPI_Scatter(is_root ? from : NULL, is_root ? COUNT : 0,
                is_root ? MPI_DOUBLE : MPI_DATATYPE_NULL, to, COUNT, MPI_DOUBLE, 0, world);
    MPI_Scatterv(is_root ? from : NULL, is_root ? each : NULL, is_root ? first : NULL,
                 is_root ? MPI_DOUBLE : MPI_DATATYPE_NULL, to, rank + 1, MPI_DOUBLE, 0, world);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, to, COUNT, MPI_DOUBLE, world);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, to, each, first, MPI_DOUBLE, world);
    MPI_Alltoall(from, COUNT, MPI_DOUBLE, to, COUNT, MPI_DOUBLE, world);
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, to, COUNT, MPI_DOUBLE, world);
    MPI_Alltoallv(from, each, first, MPI_DOUBLE, to, own, first_own, MPI_DOUBLE, world);
    MPI_Alltoallw(from, ones, place, out, to, ones, place, in, world);
    MPI_Reduce_scatter(from, to, each, MPI_DOUBLE, MPI_SUM, world);
    MPI_Reduce_scatter_block(from, to, COUNT, MPI_DOUBLE, MPI_SUM, world);
}

int main(int argc, char **argv)
{
    static const char *const ways[] = { "pingpong", "alltoall", "bytes", NULL };
    long way = 0, milliseconds = 50, steps = 10, kilobytes = 4096;
    const struct argument arguments[] = {
        { "WAY", "pingpong, alltoall or bytes", 0, 2, &way, ways },
        { "MILLISECONDS", "computing per step", 0, 100000, &milliseconds, NULL },
        { "STEPS", "steps", 1, 100000, &steps, NULL },
        { "KILOBYTES", "to each rank, of alltoall", 1, 1000000, &kilobytes, NULL },
    };
    int provided, rank, ranks;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    double begin = now();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    read_arguments(argc, argv, arguments, 4);
    if (ranks > MAX_RANKS) {
        fprintf(stderr, "%d ranks are more than %d\n", ranks, MAX_RANKS);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }

    if (way == 0)
        ping_pong(rank, ranks, milliseconds, steps);
    else if (way == 1)
        all_to_all(ranks, milliseconds, steps, kilobytes);
    else
        collective_calls(rank, ranks);

    /* A recorder closes its files in MPI_Finalize, so that this time is not all MPI's. */
    double last = now();
    MPI_Finalize();
    double end = now(), all = end - begin, finalised = end - last;
    printf("rank %d of %d in seconds: computed %.6f, waited %.6f, finalised %.6f, all %.6f, ideal %.6f\n",
           rank, ranks, computing, waiting, finalised, all, all - waiting - finalised + later);
    return 0;
}
