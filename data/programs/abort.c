/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Tasks of equal cost in a row. The one with number STOP ends the program with
 * abort(), as a failed assertion does; without STOP all of them run.
 */
#include "arguments.h"
#include "mix.h"

static uint64_t rounds_of_mixing(long task, long rounds)
{
    uint64_t value = (uint64_t)task;
    for (long i = 0; i < rounds; i++)
        value = mix(value + (uint64_t)i);
    return value;
}

static long run_tasks(long tasks, long stop, long rounds)
{
    long done = 0;
    for (long task = 1; task <= tasks; task++) {
        #pragma omp task shared(done)
        {
            if (task == stop)
                abort();
            if (rounds_of_mixing(task, rounds) != 0) {
                #pragma omp atomic
                done++;
            }
        }
    }
    #pragma omp taskwait
    return done;
}

int main(int argc, char **argv)
{
    long tasks = 200, stop = 0, rounds = 100000, done = 0;
    const struct argument arguments[] = {
        { "TASKS", "tasks", 1, 1000000, &tasks, NULL },
        { "STOP", "task that ends the program, 0 for none", 0, 1000000, &stop, NULL },
        { "ROUNDS", "rounds of mixing per task", 1, 1000000000, &rounds, NULL },
    };
    read_arguments(argc, argv, arguments, 3);

    #pragma omp parallel
    #pragma omp single
    done = run_tasks(tasks, stop, rounds);

    if (done != tasks)
        wrong_result("a task did not run");
    printf("%ld tasks of %ld rounds\n", done, rounds);
    return 0;
}
