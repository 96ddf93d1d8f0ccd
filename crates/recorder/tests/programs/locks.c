// Locks, nestable locks, ordered.
#include <omp.h>

int main(void) {
    omp_lock_t lock;
    omp_nest_lock_t nest;
    volatile int sum = 0;
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest);
#pragma omp parallel num_threads(2)
    {
        omp_set_lock(&lock);
        sum += 1;
        omp_unset_lock(&lock);
        omp_set_nest_lock(&nest);
        omp_set_nest_lock(&nest);
        omp_unset_nest_lock(&nest);
        omp_unset_nest_lock(&nest);
#pragma omp for ordered schedule(dynamic)
        for (int i = 0; i < 4; i++) {
#pragma omp ordered
            sum += i;
        }
    }
    return 0;
}
