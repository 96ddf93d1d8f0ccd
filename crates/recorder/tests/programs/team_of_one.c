// Tasks and loops in a team of one.
int main(void) {
    volatile int sum = 0;
#pragma omp parallel num_threads(1)
    {
        for (int i = 0; i < 5; i++) {
#pragma omp task
            sum += i;
        }
#pragma omp taskwait
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 8; i++) sum += i;
#pragma omp single
        sum += 1;
    }
    return 0;
}
