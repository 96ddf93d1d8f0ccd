/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Tasks of equal cost, part of which is done one task at a time: in a critical
 * section, under a lock, or in the order of the iterations of a loop: as its
 * ordered section, or behind a wait for the iteration before. With much of it inside, more threads only wait for each other.
 * Inside, a task sleeps, as one does that writes a file: so it is that long
 * whatever else runs on the machine.
 */
#define _POSIX_C_SOURCE 199309L
#include <omp.h>
#include <time.h>

#include "arguments.h"
#include "mix.h"

static long tasks = 64, inside = 2000, outside = 1000;
static omp_lock_t lock;
static uint64_t mixed;

static uint64_t rounds_of_mixing(long task, long rounds)
{
    uint64_t value = (uint64_t)task;
    for (long i = 0; i < rounds; i++)
        value = mix(value + (uint64_t)i);
    return value;
}

/* What only one task does at a time. */
static void add(uint64_t own)
{
    const struct timespec time = { inside / 1000000, inside % 1000000 * 1000 };
    mixed += own;
    if (inside > 0)
        nanosleep(&time, NULL);
}

static void run_critical(void)
{
    #pragma omp parallel
    #pragma omp single
    for (long task = 0; task < tasks; task++) {
        #pragma omp task
        {
            uint64_t own = rounds_of_mixing(task, outside);
            #pragma omp critical
            add(own);
        }
    }
}

static void run_locked(void)
{
    omp_init_lock(&lock);
    #pragma omp parallel
    #pragma omp single
    for (long task = 0; task < tasks; task++) {
        #pragma omp task
        {
            uint64_t own = rounds_of_mixing(task, outside);
            omp_set_lock(&lock);
            add(own);
            omp_unset_lock(&lock);
        }
    }
    omp_destroy_lock(&lock);
}

static void run_ordered(void)
{
    #pragma omp parallel for ordered schedule(dynamic, 1)
    for (long task = 0; task < tasks; task++) {
        uint64_t own = rounds_of_mixing(task, outside);
        #pragma omp ordered
        add(own);
    }
}

/* Each iteration waits for the one before it. */
static void run_doacross(void)
{
    #pragma omp parallel for ordered(1) schedule(dynamic, 1)
    for (long task = 0; task < tasks; task++) {
        uint64_t own = rounds_of_mixing(task, outside);
        #pragma omp ordered depend(sink : task - 1)
        add(own);
        #pragma omp ordered depend(source)
    }
}

int main(int argc, char **argv)
{
    static const char *const ways[] = { "critical", "lock", "ordered", "doacross", NULL };
    void (*const runs[])(void) = { run_critical, run_locked, run_ordered, run_doacross };
    long way = 0;
    const struct argument arguments[] = {
        { "TASKS", "tasks, or iterations", 1, 1000000, &tasks, NULL },
        { "INSIDE", "microseconds in which others are kept out", 0, 1000000000, &inside, NULL },
        { "OUTSIDE", "rounds of mixing side by side", 0, 1000000000, &outside, NULL },
        { "WAY", "what keeps others out", 0, 0, &way, ways },
    };
    read_arguments(argc, argv, arguments, 4);

    runs[way]();

    uint64_t expected = 0;
    for (long task = 0; task < tasks; task++)
        expected += rounds_of_mixing(task, outside);
    if (mixed != expected)
        wrong_result("two tasks were inside at once");
    printf("%ld tasks, %ld us inside and %ld rounds outside\n", tasks, inside, outside);
    return 0;
}
