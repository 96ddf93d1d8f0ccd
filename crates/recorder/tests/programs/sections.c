// Sections and single.
int main(void) {
    volatile int sum = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp sections
        {
#pragma omp section
            sum += 1;
#pragma omp section
            sum += 2;
#pragma omp section
            sum += 3;
        }
#pragma omp single
        sum += 4;
        __asm__ volatile("");
    }
    return 0;
}
