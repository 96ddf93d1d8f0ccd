// Untied tasks are queued again at each scheduling point and may migrate.
static void split(int n) {
    if (n == 0) return;
#pragma omp task untied
    {
        split(n - 1);
#pragma omp taskyield
        split(n - 1);
    }
#pragma omp taskwait
}

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
    split(7);
    return 0;
}
