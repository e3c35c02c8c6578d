/* What else a program can ask about itself and the machine: other processes' numbers, time used, descriptors, files of the kernel's. */
#define _GNU_SOURCE
#include "../order.h"
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

static void add(const void *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) came_by(((const unsigned char *)bytes)[i]);
}

/* The environment must be that of the recording, whatever it is in a replay. */
static void add_variable(const char *name) {
    const char *value = getenv(name);
    if (value) add(value, strlen(value));
}

int main(void) {
    struct rusage usage;
    struct tms times_used;
    struct sysinfo system_now;
    double loads[3] = {0};
    char text[512] = "";
    uint64_t random = 0;
    volatile double work = 1;
    for (int i = 0; i < 300000; i++) work = work * 1.0000001 + 1;
    getrusage(RUSAGE_SELF, &usage);
    came_by((uint64_t)(usage.ru_utime.tv_usec ^ usage.ru_minflt));
    came_by((uint64_t)times(&times_used));
    came_by((uint64_t)clock());
    came_by((uint64_t)getppid());
    sysinfo(&system_now);
    came_by(system_now.freeram);
    if (getloadavg(loads, 3) < 0) abort();
    add(loads, sizeof loads);
    came_by((uint64_t)sched_getcpu());
    int file = open("/proc/self/stat", O_RDONLY);
    if (file < 0 || read(file, text, sizeof text - 1) <= 0) abort();
    close(file);
    add(text, strlen(text));
    FILE *device = fopen("/dev/urandom", "r");
    if (!device || fread(&random, sizeof random, 1, device) != 1) abort();
    fclose(device);
    came_by(random);
    add_variable("HOME");
    add_variable("NATIVE_MEASURES");
    print_order();
    return 0;
}
