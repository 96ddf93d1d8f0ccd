/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * One thread creates tasks that each create many tasks of nearly no work: at the
 * default sizes a run of ten million grains, for measuring what such runs cost.
 */
#include "arguments.h"
#include "mix.h"

static long create_tasks(long creator, long tasks)
{
    long done = 0;
    for (long task = 0; task < tasks; task++) {
        #pragma omp task shared(done)
        {
            if (mix((uint64_t)(creator * tasks + task) + 1) != 0) {
                #pragma omp atomic
                done++;
            }
        }
    }
    #pragma omp taskwait
    return done;
}

static long create_creators(long creators, long tasks)
{
    long done = 0;
    for (long creator = 0; creator < creators; creator++) {
        #pragma omp task shared(done)
        {
            long own = create_tasks(creator, tasks);
            #pragma omp atomic
            done += own;
        }
    }
    #pragma omp taskwait
    return done;
}

int main(int argc, char **argv)
{
    long creators = 1000, tasks = 10000, done = 0;
    const struct argument arguments[] = {
        { "CREATORS", "tasks that create tasks", 1, 1000000, &creators, NULL },
        { "TASKS", "tasks that each of them creates", 1, 1000000, &tasks, NULL },
    };
    read_arguments(argc, argv, arguments, 2);

    #pragma omp parallel
    #pragma omp single
    done = create_creators(creators, tasks);

    if (done != creators * tasks)
        wrong_result("a task did not run");
    printf("%ld creators of %ld tasks\n", creators, tasks);
    return 0;
}
