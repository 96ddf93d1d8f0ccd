/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Fast Fourier transform (Cooley and Tukey 1965), out of place: tasks for the
 * even and the odd half, then tasks for ranges of the butterflies.
 */
#include "arguments.h"
#include "mix.h"

#include <math.h>

struct complex {
    double re, im;
};

static long leaf = 8192;
static struct complex *roots; /* exp(-2 pi i k / length), k below length / 2 */
static long length;

static struct complex add(struct complex a, struct complex b)
{
    return (struct complex){ a.re + b.re, a.im + b.im };
}

static struct complex subtract(struct complex a, struct complex b)
{
    return (struct complex){ a.re - b.re, a.im - b.im };
}

static struct complex multiply(struct complex a, struct complex b)
{
    return (struct complex){ a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re };
}

static void butterflies(struct complex *out, long half, long first, long last)
{
    long step = length / (2 * half);
    for (long k = first; k < last; k++) {
        struct complex even = out[k], odd = multiply(roots[k * step], out[k + half]);
        out[k] = add(even, odd);
        out[k + half] = subtract(even, odd);
    }
}

static void combine_halves(struct complex *out, long half)
{
    if (half <= leaf) {
        butterflies(out, half, 0, half);
        return;
    }
    for (long first = 0; first < half; first += leaf) {
        long last = first + leaf < half ? first + leaf : half;
        #pragma omp task
        butterflies(out, half, first, last);
    }
    #pragma omp taskwait
}

static void transform_serial(const struct complex *in, long stride, struct complex *out, long n)
{
    if (n == 1) {
        *out = *in;
        return;
    }
    transform_serial(in, 2 * stride, out, n / 2);
    transform_serial(in + stride, 2 * stride, out + n / 2, n / 2);
    butterflies(out, n / 2, 0, n / 2);
}

static void transform(const struct complex *in, long stride, struct complex *out, long n)
{
    if (n <= leaf) {
        transform_serial(in, stride, out, n);
        return;
    }
    #pragma omp task
    transform(in, 2 * stride, out, n / 2);
    #pragma omp task
    transform(in + stride, 2 * stride, out + n / 2, n / 2);
    #pragma omp taskwait
    combine_halves(out, n / 2);
}

/* A few frequencies by the definition, and the energy (Parseval). */
static void check(const struct complex *in, const struct complex *out)
{
    double energy_in = 0.0, energy_out = 0.0, tolerance = 1e-9 * (double)length;
    for (long f = 1; f < length; f = 37 * f + 1) {
        struct complex sum = { 0.0, 0.0 };
        for (long i = 0; i < length; i++) {
            long k = (long)((uint64_t)i * (uint64_t)f % (uint64_t)length);
            struct complex root = roots[k % (length / 2)];
            struct complex term = multiply(in[i], root);
            sum = k < length / 2 ? add(sum, term) : subtract(sum, term);
        }
        struct complex error = subtract(sum, out[f]);
        if (!(fabs(error.re) + fabs(error.im) <= tolerance))
            wrong_result("a frequency differs from its definition");
    }
    for (long i = 0; i < length; i++) {
        energy_in += in[i].re * in[i].re + in[i].im * in[i].im;
        energy_out += out[i].re * out[i].re + out[i].im * out[i].im;
    }
    if (!(fabs(energy_out / (double)length - energy_in) <= tolerance))
        wrong_result("the energy is not preserved");
}

int main(int argc, char **argv)
{
    long log_length = 20;
    const struct argument arguments[] = {
        { "LOG_LENGTH", "binary logarithm of the length", 1, 26, &log_length, NULL },
        { "LEAF", "length handled without tasks", 1, 1L << 26, &leaf, NULL },
    };
    read_arguments(argc, argv, arguments, 2);
    length = 1L << log_length;
    roots = allocate((size_t)length / 2, sizeof *roots);
    struct complex *in = allocate((size_t)length, sizeof *in);
    struct complex *out = allocate((size_t)length, sizeof *out);
    for (long k = 0; k < length / 2; k++) {
        double angle = -2.0 * acos(-1.0) * (double)k / (double)length;
        roots[k] = (struct complex){ cos(angle), sin(angle) };
    }
    for (long i = 0; i < length; i++)
        in[i] = (struct complex){ mix_unit(2 * (uint64_t)i) - 0.5, mix_unit(2 * (uint64_t)i + 1) - 0.5 };

    #pragma omp parallel
    #pragma omp single
    transform(in, 1, out, length);

    check(in, out);
    printf("transformed %ld numbers, out[1] = %.6f %+.6fi\n", length, out[1].re, out[1].im);
    free(roots);
    free(in);
    free(out);
    return 0;
}
