/* A number that depends on the order in which threads came by. */
#ifndef ORDER_H
#define ORDER_H
#include <stdint.h>
#include <stdio.h>

static uint64_t order = 1469598103934665603ull;

/* Only while nobody else does. */
static inline void came_by(uint64_t who) { order = (order ^ who) * 1099511628211ull; }
static inline void print_order(void) { printf("order %016llx\n", (unsigned long long)order); }
#endif
