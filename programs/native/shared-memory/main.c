/* Memory that is shared with a child: the recording says so. Here the parent looks only after the child has ended. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    int status, *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) abort();
    pid_t child = fork();
    if (child == 0) {
        *shared = 7;
        _exit(0);
    }
    if (waitpid(child, &status, 0) != child) abort();
    printf("shared %d\n", *shared);
    return 0;
}
