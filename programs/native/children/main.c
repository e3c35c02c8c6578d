/* Child processes: they run in a replay, too, but are not recorded. What they send through a pipe is. */
#include "../order.h"
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *number) {
    for (int i = 0; i < 200; i++) {
        pthread_mutex_lock(&mutex);
        came_by((uintptr_t)number);
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    char line[64] = "";
    int status = 0;
    for (uintptr_t i = 0; i < 2; i++) pthread_create(&threads[i], NULL, work, (void *)(i + 1));
    pid_t child = fork();
    if (child == 0) _exit(3);
    waitpid(child, &status, 0);
    int shell = system("exit 4");
    FILE *pipe = popen("echo hello", "r");
    if (!fgets(line, sizeof line, pipe)) return 1;
    pclose(pipe);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    printf("%d %d %s", WEXITSTATUS(status), WEXITSTATUS(shell), line);
    print_order();
    return 0;
}
