// A taskwait that ends a task: at -O2 a tail call, its code pointer lies in the runtime.
static volatile int sum;

static void wait_last(void) {
#pragma omp task
    sum += 1;
#pragma omp taskwait
}

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task
        wait_last();
    }
    return 0;
}
