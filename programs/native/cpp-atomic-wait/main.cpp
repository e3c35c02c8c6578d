// C++20: waiting for an atomic, and a latch.
#include <atomic>
#include <cstdint>
#include <iostream>
#include <latch>
#include <thread>
#include <vector>

static std::atomic<int> turn{0};
static std::uint64_t order = 1469598103934665603ull;

int main() {
    std::latch begun(3);
    std::vector<std::thread> threads;
    std::atomic<int> first{0};
    for (int n = 1; n <= 3; n++)
        threads.emplace_back([&, n] {
            begun.arrive_and_wait();
            int nobody = 0;
            first.compare_exchange_strong(nobody, n);
            for (int i = 0; i < 50; i++) {
                int now;
                while ((now = turn.load()) % 3 != n % 3) turn.wait(now);
                order = (order ^ (n * 10 + first)) * 1099511628211ull;
                turn++;
                turn.notify_all();
            }
        });
    for (auto &thread : threads) thread.join();
    std::cout << "turns " << turn << "\norder " << std::hex << order << "\n";
}
