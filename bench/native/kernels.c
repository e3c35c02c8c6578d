/* Four kernels with different block sizes: `kernels matrix|rows|hash|sort` runs one of them once. Without callbacks clang vectorises `rows` and gcc both
   of the first two. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 360, SLOTS = 1 << 20, NUMBERS = 4000000 };

static uint64_t state = 88172645463325252ull;
static uint64_t next(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static double a[SIDE][SIDE], b[SIDE][SIDE], c[SIDE][SIDE];

static void fill(void) {
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) a[i][j] = i + j, b[i][j] = i - j;
}

static double matrix(void) {
    fill();
    for (int round = 0; round < 4; round++)
        for (int i = 0; i < SIDE; i++)
            for (int j = 0; j < SIDE; j++) {
                double sum = 0;
                for (int k = 0; k < SIDE; k++) sum += a[i][k] * b[k][j];
                c[i][j] += sum;
            }
    return c[7][9];
}

static double rows(void) {
    fill();
    for (int round = 0; round < 12; round++)
        for (int i = 0; i < SIDE; i++)
            for (int k = 0; k < SIDE; k++)
                for (int j = 0; j < SIDE; j++) c[i][j] += a[i][k] * b[k][j];
    return c[7][9];
}

static uint64_t slots[SLOTS];

static double hash(void) {
    uint64_t found = 0;
    for (int i = 0; i < 30000000; i++) {
        uint64_t key = next() % (SLOTS / 2) + 1;
        uint64_t at = key * 0x9e3779b97f4a7c15ull % SLOTS;
        while (slots[at] && slots[at] != key) at = (at + 1) % SLOTS;
        found += slots[at] == key;
        slots[at] = key;
    }
    return (double)found;
}

static uint32_t numbers[NUMBERS];

static void quicksort(uint32_t *from, uint32_t *to) {
    while (to - from > 1) {
        uint32_t pivot = from[(to - from) / 2], *left = from, *right = to - 1;
        while (left <= right) {
            while (*left < pivot) left++;
            while (*right > pivot) right--;
            if (left <= right) {
                uint32_t kept = *left;
                *left++ = *right;
                *right-- = kept;
            }
        }
        if (right - from < to - left) {
            quicksort(from, right + 1);
            from = left;
        } else {
            quicksort(left, to);
            to = right + 1;
        }
    }
}

static double sort(void) {
    for (int i = 0; i < NUMBERS; i++) numbers[i] = (uint32_t)next();
    quicksort(numbers, numbers + NUMBERS);
    return numbers[NUMBERS / 2];
}

int main(int count, char **arguments) {
    const char *name = count > 1 ? arguments[1] : "";
    if (!strcmp(name, "matrix")) printf("%g\n", matrix());
    else if (!strcmp(name, "rows")) printf("%g\n", rows());
    else if (!strcmp(name, "hash")) printf("%g\n", hash());
    else if (!strcmp(name, "sort")) printf("%g\n", sort());
    else return 2;
    return 0;
}
