/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Counts the ways to place n queens on an n x n board; one task per legal
 * square of the first rows, then a serial search.
 */
#include "arguments.h"

#include <stdint.h>

enum { MAX_QUEENS = 16 };

static const long known_counts[MAX_QUEENS + 1] = {
    1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512,
};

/* Columns and both diagonals that are under attack in the row to fill. */
struct attacks {
    uint32_t columns, left, right;
};

static struct attacks add_queen(struct attacks board, uint32_t square)
{
    return (struct attacks){ board.columns | square, (board.left | square) << 1,
                             (board.right | square) >> 1 };
}

static uint32_t free_squares(long n, struct attacks board)
{
    return (((uint32_t)1 << n) - 1) & ~(board.columns | board.left | board.right);
}

static long count_serial(long n, long row, struct attacks board)
{
    long count = 0;
    if (row == n)
        return 1;
    for (uint32_t open = free_squares(n, board); open; open &= open - 1)
        count += count_serial(n, row + 1, add_queen(board, open & -open));
    return count;
}

static long count_solutions(long n, long row, long task_rows, struct attacks board)
{
    long counts[MAX_QUEENS] = { 0 }, total = 0;
    int children = 0;
    if (row == n || row >= task_rows)
        return count_serial(n, row, board);
    for (uint32_t open = free_squares(n, board); open; open &= open - 1) {
        struct attacks next = add_queen(board, open & -open);
        long *count = &counts[children++];
        #pragma omp task
        *count = count_solutions(n, row + 1, task_rows, next);
    }
    #pragma omp taskwait
    for (int i = 0; i < children; i++)
        total += counts[i];
    return total;
}

int main(int argc, char **argv)
{
    long n = 14, task_rows = 3, result = 0;
    const struct argument arguments[] = {
        { "N", "queens", 1, MAX_QUEENS, &n, NULL },
        { "TASK_ROWS", "rows searched by tasks", 0, MAX_QUEENS, &task_rows, NULL },
    };
    read_arguments(argc, argv, arguments, 2);

    #pragma omp parallel
    #pragma omp single
    result = count_solutions(n, 0, task_rows, (struct attacks){ 0, 0, 0 });

    if (result != known_counts[n])
        wrong_result("not the published number of solutions");
    printf("%ld queens: %ld solutions\n", n, result);
    return 0;
}
