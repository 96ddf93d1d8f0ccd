// Two levels of parallel regions; inner teams reuse threads.
#include <omp.h>

int main(void) {
    omp_set_max_active_levels(2);
    for (int i = 0; i < 3; i++) {
#pragma omp parallel num_threads(2)
        {
#pragma omp parallel num_threads(2)
            {
#pragma omp task
                { }
            }
            __asm__ volatile("");
        }
    }
    return 0;
}
