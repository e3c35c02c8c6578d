// The threads of C++: locks, futures, call_once, statics of functions, shared ownership.
#include <condition_variable>
#include <cstdint>
#include <future>
#include <iostream>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <unordered_map>
#include <vector>

static std::mutex mutex;
static std::uint64_t order = 1469598103934665603ull;
static void came_by(std::uint64_t who) { order = (order ^ who) * 1099511628211ull; }

struct Slow {
    int value;
    Slow() : value(7) {
        volatile int rounds = 100;
        while (rounds) rounds = rounds - 1;
    }
};

static int slow() {
    static Slow only;
    return only.value;
}

int main() {
    std::shared_mutex shared;
    std::unordered_map<int, std::shared_ptr<int>> table;
    std::once_flag once;
    std::condition_variable condition;
    int made = 0, arrived = 0;
    std::vector<std::thread> threads;
    for (int n = 1; n <= 3; n++)
        threads.emplace_back([&, n] {
            std::call_once(once, [&] { made++; });
            for (int i = 0; i < 100; i++) {
                {
                    std::unique_lock<std::shared_mutex> guard(shared);
                    auto &place = table[i];
                    if (!place) place = std::make_shared<int>(n);
                }
                std::shared_lock<std::shared_mutex> guard(shared);
                int by = *table[i];
                guard.unlock();
                std::lock_guard<std::mutex> inner(mutex);
                came_by(n * 1000 + by * 10 + slow());
            }
            std::lock_guard<std::mutex> guard(mutex);
            if (++arrived == 3) condition.notify_all();
        });
    {
        std::unique_lock<std::mutex> guard(mutex);
        condition.wait(guard, [&] { return arrived == 3; });
    }
    auto future = std::async(std::launch::async, [&] { return made + 41; });
    for (auto &thread : threads) thread.join();
    std::cout << "answer " << future.get() << "\norder " << std::hex << order << "\n";
}
