// A taskgroup that is cancelled (with OMP_CANCELLATION=true).
int main(void) {
    volatile int sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp taskgroup
        {
#pragma omp task
            {
#pragma omp cancel taskgroup
            }
            for (int i = 0; i < 50; i++) {
#pragma omp task
                sum += 1;
            }
        }
        sum += 1;
    }
    return 0;
}
