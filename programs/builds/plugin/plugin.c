static volatile long hash = 5381;

/* Not atomic: what is lost depends on where between two instructions a thread is stopped. */
void enter(long who) {
    for (int i = 0; i < 30000; i++) {
        long seen = hash;
        hash = seen * 33 + who;
    }
}

long order(void) { return hash; }
