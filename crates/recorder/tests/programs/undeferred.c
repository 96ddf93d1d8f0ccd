// Tasks with a false if clause run at once inside their parent.
int main(void) {
    volatile int sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < 10; i++) {
#pragma omp task if (0)
        sum += i;
    }
    return 0;
}
