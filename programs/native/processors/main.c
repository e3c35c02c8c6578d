/* How many processors there are for it, asked in every way, and by what it starts: always those of whoever started it, wherever a recorder may want its threads to be. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* What the parent may use, from the kernel's file about it. */
static int of_parent(void) {
    char path[64], line[4096];
    int count = -1;
    snprintf(path, sizeof path, "/proc/%d/status", (int)getppid());
    FILE *file = fopen(path, "r");
    if (!file) return -1;
    while (fgets(line, sizeof line, file)) {
        char *digit = line + sizeof "Cpus_allowed:" - 1;
        if (sscanf(line, "Cpus_allowed: %*x") == EOF || line[0] != 'C' || line[12] != ':') continue;
        count = 0;
        for (; *digit; digit++) {
            char one[2] = {*digit, 0};
            count += __builtin_popcount((unsigned)strtoul(one, NULL, 16));
        }
    }
    fclose(file);
    return count;
}

static void *of_thread(void *unused) {
    cpu_set_t set;
    (void)unused;
    if (pthread_getaffinity_np(pthread_self(), sizeof set, &set) != 0) abort();
    return (void *)(long)CPU_COUNT(&set);
}

static int started(const char *how) {
    char *arguments[] = {"nproc", NULL};
    int status;
    pid_t child;
    printf("%s ", how);
    fflush(stdout);
    if (posix_spawnp(&child, "nproc", NULL, NULL, arguments, environ) != 0) abort();
    return waitpid(child, &status, 0) == child && status == 0;
}

int main(void) {
    cpu_set_t set, one;
    pthread_t thread;
    void *of_other;
    if (sched_getaffinity(0, sizeof set, &set) != 0) abort();
    pthread_create(&thread, NULL, of_thread, NULL);
    pthread_join(thread, &of_other);
    int parents = of_parent();
    printf("parent %d, main %d, thread %ld\n", parents, CPU_COUNT(&set), (long)of_other);
    if (parents != CPU_COUNT(&set) || parents != (int)(long)of_other) return 1;
    printf("machine %d of %d, %ld pages\n", get_nprocs(), get_nprocs_conf(), sysconf(_SC_AVPHYS_PAGES));
    if (get_nprocs() != sysconf(_SC_NPROCESSORS_ONLN)) return 1;
    if (!started("spawned")) return 1;
    printf("called ");
    fflush(stdout);
    if (system("nproc") != 0) return 1;
    /* It places itself: then that is what it sees. */
    int first = 0;
    while (!CPU_ISSET(first, &set)) first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0 || sched_getaffinity(0, sizeof set, &set) != 0) return 1;
    printf("placed on %d of %d\n", first, CPU_COUNT(&set));
    if (!started("from there")) return 1;
    return CPU_COUNT(&set) == 1 && CPU_ISSET(first, &set) ? 0 : 1;
}
