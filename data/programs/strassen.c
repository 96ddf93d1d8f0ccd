/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Strassen's matrix product: seven tasks per level, each with its own operands,
 * down to a plain product.
 */
#include "arguments.h"
#include "mix.h"

#include <math.h>

static long leaf = 128;

/* A square part of a matrix that is stored by rows of `stride`. */
struct square {
    double *at;
    long stride;
};

static struct square quadrant(struct square m, long half, int row, int column)
{
    return (struct square){ m.at + row * half * m.stride + column * half, m.stride };
}

static struct square new_square(long n)
{
    return (struct square){ allocate((size_t)(n * n), sizeof(double)), n };
}

/* to = a + sign * b */
static void combine(struct square to, struct square a, double sign, struct square b, long n)
{
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            to.at[i * to.stride + j] = a.at[i * a.stride + j] + sign * b.at[i * b.stride + j];
}

static void multiply_plain(struct square c, struct square a, struct square b, long n)
{
    for (long i = 0; i < n; i++) {
        double *row = c.at + i * c.stride;
        memset(row, 0, (size_t)n * sizeof *row);
        for (long k = 0; k < n; k++) {
            double factor = a.at[i * a.stride + k];
            for (long j = 0; j < n; j++)
                row[j] += factor * b.at[k * b.stride + j];
        }
    }
}

/* Operands of the seven products: quadrants (row * 2 + column), the second one
 * added with its sign, sign 0 for none. (Strassen 1969) */
struct operand {
    int first, second;
    double sign;
};
static const struct operand left[7] = { { 0, 3, 1 }, { 2, 3, 1 }, { 0, 0, 0 }, { 3, 0, 0 },
                                        { 0, 1, 1 }, { 2, 0, -1 }, { 1, 3, -1 } };
static const struct operand right[7] = { { 0, 3, 1 }, { 0, 0, 0 }, { 1, 3, -1 }, { 2, 0, -1 },
                                         { 3, 0, 0 }, { 0, 1, 1 }, { 2, 3, 1 } };

static struct square make_operand(struct square m, struct operand o, long half)
{
    struct square result = new_square(half);
    combine(result, quadrant(m, half, o.first / 2, o.first % 2), o.sign,
            quadrant(m, half, o.second / 2, o.second % 2), half);
    return result;
}

static void multiply(struct square c, struct square a, struct square b, long n);

static void multiply_part(struct square product, struct square a, struct square b, int part, long half)
{
    struct square x = make_operand(a, left[part], half), y = make_operand(b, right[part], half);
    multiply(product, x, y, half);
    free(x.at);
    free(y.at);
}

static void add_products(struct square c, const struct square p[7], long half)
{
    struct square c00 = quadrant(c, half, 0, 0), c01 = quadrant(c, half, 0, 1);
    struct square c10 = quadrant(c, half, 1, 0), c11 = quadrant(c, half, 1, 1);
    combine(c00, p[0], 1, p[3], half);
    combine(c00, c00, -1, p[4], half);
    combine(c00, c00, 1, p[6], half);
    combine(c01, p[2], 1, p[4], half);
    combine(c10, p[1], 1, p[3], half);
    combine(c11, p[0], -1, p[1], half);
    combine(c11, c11, 1, p[2], half);
    combine(c11, c11, 1, p[5], half);
}

static void multiply(struct square c, struct square a, struct square b, long n)
{
    struct square products[7];
    long half = n / 2;
    if (n <= leaf || n % 2) {
        multiply_plain(c, a, b, n);
        return;
    }
    for (int part = 0; part < 7; part++) {
        struct square product = products[part] = new_square(half);
        #pragma omp task
        multiply_part(product, a, b, part, half);
    }
    #pragma omp taskwait
    add_products(c, products, half);
    for (int part = 0; part < 7; part++)
        free(products[part].at);
}

static void apply(struct square m, const double *x, double *y, long n)
{
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            y[i] += m.at[i * m.stride + j] * x[j];
}

/* A (B x) must be C x for random x (Freivalds 1977). */
static void check(struct square c, struct square a, struct square b, long n)
{
    double *x = allocate((size_t)n, sizeof *x), *bx = allocate((size_t)n, sizeof *x);
    double *abx = allocate((size_t)n, sizeof *x), *cx = allocate((size_t)n, sizeof *x);
    for (long i = 0; i < n; i++)
        x[i] = mix_unit((uint64_t)i + 7) - 0.5;
    apply(b, x, bx, n);
    apply(a, bx, abx, n);
    apply(c, x, cx, n);
    for (long i = 0; i < n; i++)
        if (!(fabs(abx[i] - cx[i]) <= 1e-10 * (double)n))
            wrong_result("not the product of the matrices");
    free(x);
    free(bx);
    free(abx);
    free(cx);
}

int main(int argc, char **argv)
{
    long n = 1024;
    const struct argument arguments[] = {
        { "N", "rows and columns", 1, 8192, &n, NULL },
        { "LEAF", "size multiplied without tasks", 1, 8192, &leaf, NULL },
    };
    read_arguments(argc, argv, arguments, 2);
    struct square a = new_square(n), b = new_square(n), c = new_square(n);
    for (long i = 0; i < n * n; i++) {
        a.at[i] = mix_unit(2 * (uint64_t)i) - 0.5;
        b.at[i] = mix_unit(2 * (uint64_t)i + 1) - 0.5;
    }

    #pragma omp parallel
    #pragma omp single
    multiply(c, a, b, n);

    check(c, a, b, n);
    printf("multiplied %ld x %ld, last element %.6f\n", n, n, c.at[n * n - 1]);
    free(a.at);
    free(b.at);
    free(c.at);
    return 0;
}
