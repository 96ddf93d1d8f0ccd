/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * The finaliser of splitmix64 (Steele, Lea, Flood: Fast Splittable
 * Pseudorandom Number Generators, OOPSLA 2014) as a hash of an index: inputs
 * are the same for every thread count, compiler and runtime.
 */
#ifndef MIX_H
#define MIX_H

#include <stdint.h>

static inline uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* A number in [0, 1) from the hash of `x`. */
static inline double mix_unit(uint64_t x)
{
    return (double)(mix(x) >> 11) * 0x1p-53;
}

#endif
