#include "entries.h"
#include <cstdio>
#include <thread>
#include <vector>

int main() {
    std::vector<std::thread> threads;
    for (int who = 0; who < 3; who++)
        threads.emplace_back([who] {
            for (int i = 0; i < 2000; i++) enter(who);
        });
    for (auto &thread : threads) thread.join();
    std::printf("order %016lx\n", order());
}
