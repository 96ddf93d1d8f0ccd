// A taskloop of 200 chunks: the runtime adds helper tasks that split.
int main(void) {
    volatile int sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp taskloop num_tasks(200)
        for (int i = 0; i < 1000; i++) sum += i;
        sum += 1;
    }
    return 0;
}
