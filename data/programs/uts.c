/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Unbalanced tree search after Olivier et al. (LCPC 2006): the tree exists only
 * as hashes, a node's children follow from its own, and nobody knows the size
 * of a sub-tree before it is searched. One task per node, no wait inside the
 * tree. Here the hash is splitmix64 and every node computes `WORK` further hashes.
 */
#include "arguments.h"
#include "mix.h"

static long root_children = 400, node_work = 20000;
static const long children_per_node = 6;
static const double chance_of_children = 0.15; /* 0.9 children expected: a finite tree */
static long num_nodes;
static uint64_t signature;

static long count_children(uint64_t node, long depth)
{
    if (depth == 0)
        return root_children;
    return mix_unit(node) < chance_of_children ? children_per_node : 0;
}

static uint64_t child_of(uint64_t node, long index)
{
    return mix(node ^ mix((uint64_t)index + 1));
}

static uint64_t work_on(uint64_t node)
{
    for (long i = 0; i < node_work; i++)
        node = mix(node);
    return node;
}

static void search(uint64_t node, long depth)
{
    long children = count_children(node, depth);
    for (long i = 0; i < children; i++) {
        uint64_t child = child_of(node, i);
        #pragma omp task
        search(child, depth + 1);
    }
    uint64_t result = work_on(node);
    #pragma omp atomic
    signature ^= result;
    #pragma omp atomic
    num_nodes++;
}

/* The size of the tree without doing the work. */
static long count_nodes(uint64_t node, long depth)
{
    long count = 1, children = count_children(node, depth);
    for (long i = 0; i < children; i++)
        count += count_nodes(child_of(node, i), depth + 1);
    return count;
}

int main(int argc, char **argv)
{
    long seed = 1;
    const struct argument arguments[] = {
        { "ROOT", "children of the root", 0, 1000000, &root_children, NULL },
        { "WORK", "hashes per node", 0, 100000000, &node_work, NULL },
        { "SEED", "which tree", 0, 1000000, &seed, NULL },
    };
    read_arguments(argc, argv, arguments, 3);
    uint64_t root = mix((uint64_t)seed);

    #pragma omp parallel
    #pragma omp single
    search(root, 0);

    if (num_nodes != count_nodes(root, 0))
        wrong_result("not every node was visited once");
    printf("%ld nodes, signature %016llx\n", num_nodes, (unsigned long long)signature);
    return 0;
}
