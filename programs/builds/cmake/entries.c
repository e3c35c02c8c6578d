#include "entries.h"

static volatile unsigned long hash = 5381;

/* Not atomic: what is lost depends on who comes when. */
void enter(int who) {
    unsigned long seen = hash;
    hash = seen * 33 + (unsigned long)who;
}

unsigned long order(void) { return hash; }
