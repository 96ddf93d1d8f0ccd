// One parallel region with an explicit barrier and a critical section.
#include <stdio.h>

int main(void) {
    int sum = 0;
#pragma omp parallel num_threads(3)
    {
#pragma omp critical
        sum += 1;
#pragma omp barrier
#pragma omp masked
        sum += 10;
    }
    printf("%d\n", sum);
    return 0;
}
