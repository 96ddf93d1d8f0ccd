// A chain, readers of one variable, and a task with many dependences.
int main(void) {
    volatile int sum = 0;
    int a = 0, b = 0, many[20];
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        for (int i = 0; i < 3; i++) {
#pragma omp task depend(inout : a)
            sum += 1;
        }
#pragma omp task depend(in : a) depend(out : b)
        sum += 1;
#pragma omp task depend(iterator(i = 0 : 20), in : many[i])
        sum += 1;
#pragma omp taskwait
        sum += 1;
    }
    return 0;
}
