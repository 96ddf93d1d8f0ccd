// A taskgroup waits for descendants.
int main(void) {
    volatile int sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp taskgroup
        {
            for (int i = 0; i < 4; i++) {
#pragma omp task
                {
#pragma omp task
                    sum += 1;
                }
            }
        }
        sum += 1;
    }
    return 0;
}
