/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Positional arguments of the programs: described once in a table, from which
 * both the reading and the usage text follow.
 */
#ifndef ARGUMENTS_H
#define ARGUMENTS_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One positional argument: an integer in [low, high], or one of `words`. */
struct argument {
    const char *name;
    const char *meaning;
    long low, high;
    long *value;              /* holds the default before, the answer after */
    const char *const *words; /* null-terminated; `value` is then an index */
};

static inline void print_usage(const char *program, const struct argument *list, int count)
{
    fprintf(stderr, "usage: %s", program);
    for (int i = 0; i < count; i++)
        fprintf(stderr, " [%s", list[i].name);
    for (int i = 0; i < count; i++)
        fputc(']', stderr);
    fputc('\n', stderr);
    for (int i = 0; i < count; i++) {
        const struct argument *a = &list[i];
        if (a->words) {
            fprintf(stderr, "  %-12s %s:", a->name, a->meaning);
            for (const char *const *word = a->words; *word; word++)
                fprintf(stderr, " %s", *word);
            fprintf(stderr, ", default %s\n", a->words[*a->value]);
        } else {
            fprintf(stderr, "  %-12s %s, %ld to %ld, default %ld\n", a->name, a->meaning,
                    a->low, a->high, *a->value);
        }
    }
}

static inline int read_word(const char *text, const struct argument *a)
{
    for (long i = 0; a->words[i]; i++) {
        if (strcmp(text, a->words[i]) == 0) {
            *a->value = i;
            return 1;
        }
    }
    return 0;
}

static inline int read_integer(const char *text, const struct argument *a)
{
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno || end == text || *end || value < a->low || value > a->high)
        return 0;
    *a->value = value;
    return 1;
}

/* Reads the arguments given; on a bad one prints the usage and exits with 2. */
static inline void read_arguments(int argc, char **argv, const struct argument *list, int count)
{
    long defaults[8];
    for (int i = 0; i < count; i++)
        defaults[i] = *list[i].value;
    for (int i = 1; i < argc; i++) {
        const struct argument *a = &list[i - 1];
        if (i <= count && (a->words ? read_word(argv[i], a) : read_integer(argv[i], a)))
            continue;
        fprintf(stderr, "%s: bad argument `%s`\n", argv[0], argv[i]);
        for (int k = 0; k < count; k++)
            *list[k].value = defaults[k];
        print_usage(argv[0], list, count);
        exit(2);
    }
}

/* Ends the program with 1 because its own check found a wrong result. */
static inline void wrong_result(const char *what)
{
    fprintf(stderr, "wrong result: %s\n", what);
    exit(1);
}

static inline void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (!memory) {
        fprintf(stderr, "out of memory: %zu x %zu bytes\n", count, size);
        exit(1);
    }
    return memory;
}

#endif
