// Tasks inside a final task are included.
static void split(int n) {
    if (n == 0) return;
#pragma omp task final(n < 4)
    split(n - 1);
#pragma omp task final(n < 4)
    split(n - 1);
#pragma omp taskwait
}

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
    split(6);
    return 0;
}
