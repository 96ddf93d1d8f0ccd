/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Merge sort: four sorted quarters by tasks, then two merges into the scratch
 * array and one back, each merge split by tasks too.
 *
 * Against version 1 (../sort.c) a comparison has to find exactly this:
 * - renamed: the task function sort_range is called sort_block;
 * - appeared: after each merge a task verify_block looks whether the order is
 *   right, which adds one task per sort_block that is not a leaf;
 * - slower: the threshold below which quick_sort leaves a part to insertion_sort
 *   is 768 elements instead of 16, so the leaves of sort_block take longer;
 * - unchanged: the merges, the leaves' sizes, the result. Lines are shifted.
 */
#include "../arguments.h"
#include "../mix.h"

enum { SMALL = 768 };

static long sort_leaf = 32768, merge_leaf = 65536;

static void insertion_sort(int *data, long n)
{
    for (long i = 1; i < n; i++) {
        int value = data[i];
        long at = i;
        for (; at > 0 && data[at - 1] > value; at--)
            data[at] = data[at - 1];
        data[at] = value;
    }
}

static int median(int a, int b, int c)
{
    if (a > b) {
        int swap = a;
        a = b;
        b = swap;
    }
    return c < a ? a : c > b ? b : c;
}

static void quick_sort(int *data, long n)
{
    while (n > SMALL) {
        int pivot = median(data[0], data[n / 2], data[n - 1]);
        long low = 0, high = n - 1;
        while (low <= high) {
            while (data[low] < pivot)
                low++;
            while (data[high] > pivot)
                high--;
            if (low <= high) {
                int swap = data[low];
                data[low++] = data[high];
                data[high--] = swap;
            }
        }
        quick_sort(data, high + 1);
        data += low;
        n -= low;
    }
    insertion_sort(data, n);
}

static void merge_serial(const int *a, long na, const int *b, long nb, int *out)
{
    while (na > 0 && nb > 0) {
        if (*b < *a) {
            *out++ = *b++;
            nb--;
        } else {
            *out++ = *a++;
            na--;
        }
    }
    memcpy(out, a, (size_t)na * sizeof *a);
    memcpy(out + na, b, (size_t)nb * sizeof *b);
}

/* How many elements of `b` are below `value`. */
static long count_below(const int *b, long nb, int value)
{
    long low = 0, high = nb;
    while (low < high) {
        long middle = low + (high - low) / 2;
        if (b[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void merge_ranges(const int *a, long na, const int *b, long nb, int *out)
{
    if (na + nb <= merge_leaf) {
        merge_serial(a, na, b, nb, out);
        return;
    }
    if (na < nb) {
        merge_ranges(b, nb, a, na, out);
        return;
    }
    long split_a = na / 2, split_b = count_below(b, nb, a[split_a]);
    #pragma omp task
    merge_ranges(a, split_a, b, split_b, out);
    #pragma omp task
    merge_ranges(a + split_a, na - split_a, b + split_b, nb - split_b, out + split_a + split_b);
    #pragma omp taskwait
}

static void merge_quarters(int *data, int *scratch, long quarter, long n)
{
    long half = 2 * quarter;
    #pragma omp task
    merge_ranges(data, quarter, data + quarter, quarter, scratch);
    #pragma omp task
    merge_ranges(data + half, quarter, data + half + quarter, n - half - quarter, scratch + half);
    #pragma omp taskwait
    merge_ranges(scratch, half, scratch + half, n - half, data);
}

static void verify_block(const int *data, long n)
{
    for (long i = 1; i < n; i++)
        if (data[i - 1] > data[i])
            wrong_result("a block is not in order");
}

static void sort_block(int *data, int *scratch, long n)
{
    if (n <= sort_leaf) {
        quick_sort(data, n);
        return;
    }
    long quarter = n / 4;
    for (int i = 0; i < 4; i++) {
        long start = i * quarter, count = i < 3 ? quarter : n - start;
        #pragma omp task
        sort_block(data + start, scratch + start, count);
    }
    #pragma omp taskwait
    merge_quarters(data, scratch, quarter, n);
    #pragma omp task
    verify_block(data, n);
    #pragma omp taskwait
}

static uint64_t fill(int *data, long n)
{
    uint64_t sum = 0;
    for (long i = 0; i < n; i++) {
        data[i] = (int)(mix((uint64_t)i) >> 33);
        sum += mix((uint64_t)data[i]);
    }
    return sum;
}

/* Order, and the same elements as before (by a sum that ignores order). */
static void check(const int *data, long n, uint64_t expected)
{
    uint64_t sum = 0;
    for (long i = 0; i < n; i++) {
        if (i > 0 && data[i - 1] > data[i])
            wrong_result("not in order");
        sum += mix((uint64_t)data[i]);
    }
    if (sum != expected)
        wrong_result("elements lost or made up");
}

int main(int argc, char **argv)
{
    long n = 4194304;
    const struct argument arguments[] = {
        { "N", "elements", 1, 1L << 30, &n, NULL },
        { "SORT_LEAF", "elements sorted without tasks", 4, 1L << 30, &sort_leaf, NULL },
        { "MERGE_LEAF", "elements merged without tasks", 4, 1L << 30, &merge_leaf, NULL },
    };
    read_arguments(argc, argv, arguments, 3);
    int *data = allocate((size_t)n, sizeof *data), *scratch = allocate((size_t)n, sizeof *scratch);
    uint64_t sum = fill(data, n);

    #pragma omp parallel
    #pragma omp single
    sort_block(data, scratch, n);

    check(data, n, sum);
    printf("sorted %ld elements, median %d\n", n, data[n / 2]);
    free(data);
    free(scratch);
    return 0;
}
