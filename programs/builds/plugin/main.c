/* All the work is in a library that is loaded while the program runs. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static void (*enter)(long);

static void *work(void *who) {
    enter((long)who);
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    void *plugin = dlopen("libplugin.so", RTLD_NOW);
    if (!plugin) return 2;
    enter = (void (*)(long))dlsym(plugin, "enter");
    long (*order)(void) = (long (*)(void))dlsym(plugin, "order");
    for (long i = 0; i < 3; i++) pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    printf("order %016lx\n", order());
    return 0;
}
