// Loops of every schedule, on two threads.
int main(void) {
    volatile long sum = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(static)
        for (int i = 0; i < 100; i++) sum += i;
#pragma omp for schedule(static, 7)
        for (int i = 0; i < 100; i++) sum += i;
#pragma omp for schedule(dynamic, 10)
        for (int i = 0; i < 100; i++) sum += i;
#pragma omp for schedule(guided)
        for (int i = 0; i < 100; i++) sum += i;
#pragma omp for schedule(dynamic, 3)
        for (int i = 100; i > 0; i -= 2) sum += i;
    }
    return 0;
}
