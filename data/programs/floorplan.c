/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Branch and bound: rectangles, each of which may be turned, are put next to
 * each other so that the box around them gets as small as possible. All tasks
 * share the best area so far and cut branches with it, so how many tasks there
 * are depends on the timing; the area found does not.
 */
#include "arguments.h"
#include "mix.h"

enum { MAX_CELLS = 14 };

/* Found by searching without the bound up to 8 cells, on one thread above. */
static const long known_areas[MAX_CELLS + 1] = {
    0, 110, 190, 250, 304, 304, 304, 320, 320, 348, 352, 368, 370, 384, 390,
};

struct cell {
    int x, y, width, height;
};

struct layout {
    struct cell cells[MAX_CELLS];
    int count, width, height;
};

static struct cell sizes[MAX_CELLS];
static long num_cells = 13, task_depth = 5;
static long best_area = 1L << 30;
static struct layout best_layout;

static long area_bound(void)
{
    long bound;
    #pragma omp atomic read
    bound = best_area;
    return bound;
}

static void offer(const struct layout *layout)
{
    long area = (long)layout->width * layout->height;
    #pragma omp critical(best)
    if (area < best_area) {
        best_layout = *layout;
        #pragma omp atomic write
        best_area = area;
    }
}

static int overlap(const struct cell *a, const struct cell *b)
{
    return a->x < b->x + b->width && b->x < a->x + a->width
        && a->y < b->y + b->height && b->y < a->y + a->height;
}

/* Puts the cell in; says no if it overlaps another or the bound is reached. */
static int put(struct layout *layout, struct cell cell)
{
    for (int i = 0; i < layout->count; i++)
        if (overlap(&layout->cells[i], &cell))
            return 0;
    if (cell.x + cell.width > layout->width)
        layout->width = cell.x + cell.width;
    if (cell.y + cell.height > layout->height)
        layout->height = cell.y + cell.height;
    layout->cells[layout->count++] = cell;
    return (long)layout->width * layout->height < area_bound();
}

/* Choice 4 j + c of the next cell: right of or above cell j, upright or turned. */
static struct cell next_cell(const struct layout *layout, int choice)
{
    struct cell cell = sizes[layout->count];
    if (layout->count > 0) {
        const struct cell *beside = &layout->cells[choice / 4];
        cell.x = choice % 4 < 2 ? beside->x + beside->width : beside->x;
        cell.y = choice % 4 < 2 ? beside->y : beside->y + beside->height;
    }
    if (choice % 2)
        return (struct cell){ cell.x, cell.y, cell.height, cell.width };
    return cell;
}

static int num_choices(const struct layout *layout)
{
    return layout->count == 0 ? 2 : 4 * layout->count;
}

static void extend_serial(const struct layout *layout)
{
    if (layout->count == num_cells) {
        offer(layout);
        return;
    }
    for (int choice = 0; choice < num_choices(layout); choice++) {
        struct layout next = *layout;
        if (put(&next, next_cell(layout, choice)))
            extend_serial(&next);
    }
}

static void extend(const struct layout *layout)
{
    if (layout->count >= task_depth || layout->count == num_cells) {
        extend_serial(layout);
        return;
    }
    for (int choice = 0; choice < num_choices(layout); choice++) {
        struct layout next = *layout;
        if (put(&next, next_cell(layout, choice))) {
            #pragma omp task firstprivate(next)
            extend(&next);
        }
    }
    #pragma omp taskwait
}

static void check(void)
{
    struct layout again = { .count = 0 };
    best_area++; /* so that the bound admits the best layout itself */
    for (int i = 0; i < num_cells; i++) {
        struct cell *cell = &best_layout.cells[i], *size = &sizes[i];
        int same = cell->width == size->width && cell->height == size->height;
        int turned = cell->width == size->height && cell->height == size->width;
        if (!(same || turned) || !put(&again, *cell))
            wrong_result("cells overlap or have changed their size");
    }
    best_area--;
    if ((long)again.width * again.height != best_area)
        wrong_result("the area is not that of the layout");
    if (best_area != known_areas[num_cells])
        wrong_result("not the smallest area");
}

int main(int argc, char **argv)
{
    const struct argument arguments[] = {
        { "CELLS", "rectangles to place", 1, MAX_CELLS, &num_cells, NULL },
        { "TASK_DEPTH", "rectangles placed by tasks", 0, MAX_CELLS, &task_depth, NULL },
    };
    read_arguments(argc, argv, arguments, 2);
    for (int i = 0; i < num_cells; i++) {
        uint64_t random = mix((uint64_t)i + 100);
        int large = i < 4; /* first, so that the bound cuts early */
        sizes[i] = (struct cell){ 0, 0, (int)(random % 5) + (large ? 7 : 1),
                                  (int)(random / 5 % 5) + (large ? 6 : 2) };
    }

    #pragma omp parallel
    #pragma omp single
    extend(&(struct layout){ .count = 0 });

    check();
    printf("%ld cells fit into an area of %ld\n", num_cells, best_area);
    return 0;
}
