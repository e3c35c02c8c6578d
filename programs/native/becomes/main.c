/* Children that become another program, by every function for that. The new program says a random number itself: nobody else hears it. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const ways[] = {"execve", "execv", "execvp", "execvpe"};

static int other(const char *way) {
    uint64_t random = 0;
    if (getrandom(&random, sizeof random, 0) != sizeof random) return 1;
    printf("%s %016llx\n", way, (unsigned long long)random);
    return 5;
}

int main(int count, char **arguments) {
    if (count > 1) return other(arguments[1]);
    int statuses[4];
    char *bare[] = {"NOTHING=0", NULL};
    for (int i = 0; i < 4; i++) {
        char way[12], *again[] = {arguments[0], way, NULL};
        strcpy(way, ways[i]);
        pid_t child = fork();
        if (child == 0) {
            switch (i) {
            case 0: execve("/proc/self/exe", again, bare); break;
            case 1: execv("/proc/self/exe", again); break;
            case 2: execvp("/proc/self/exe", again); break;
            case 3: execvpe("/proc/self/exe", again, bare); break;
            }
            _exit(9);
        }
        if (waitpid(child, &statuses[i], 0) != child) return 1;
    }
    printf("%d %d %d %d\n", WEXITSTATUS(statuses[0]), WEXITSTATUS(statuses[1]), WEXITSTATUS(statuses[2]), WEXITSTATUS(statuses[3]));
    return 0;
}
