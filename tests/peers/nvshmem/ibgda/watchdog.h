// Ends the program when a row takes too long, after printing its state. NVSHMEM's own waits have no limit.
#pragma once

#include "account.h"

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

class Watchdog {
public:
    static constexpr unsigned LIMIT_S = 8;
    // Time for reading the GPU's memory. A driver that waits for the engine in one call blocks all others.
    static constexpr unsigned READ_S = 6;
    static constexpr int STATUS = 3;

    // The account's stream and memory are created now: later that might wait for the engine.
    explicit Watchdog(const Engine& engine) : account_(engine) {
        std::thread([this] { watch(); }).detach();
    }
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;

    void begins(const std::string& row, unsigned limit_s) {
        std::lock_guard<std::mutex> held(lock_);
        row_ = row;
        limit_s_ = limit_s;
        began_ = Clock::now();
        deadline_ = began_ + std::chrono::seconds(limit_s);
        changed_.notify_all();
    }

    void ends() {
        std::lock_guard<std::mutex> held(lock_);
        deadline_ = Clock::time_point::max();
    }

private:
    friend class Watched;
    using Clock = std::chrono::steady_clock;

    // The lock is held from the deadline on: a thread that wants to free memory that is being read waits for the end of
    // the program.
    void watch() {
        std::unique_lock<std::mutex> held(lock_);
        while (Clock::now() < deadline_) {
            // A far deadline is polled, since it is not a time that can be waited for.
            changed_.wait_for(held, std::chrono::milliseconds(100));
        }
        const char* about = doing;
        fprintf(stderr, "watchdog: `%s` took more than %u s; it was %s\n", row_.c_str(), limit_s_, about);
        std::thread([this] {
            account_.give(queues_, slots_);
            std::lock_guard<std::mutex> held(read_lock_);
            told_ = true;
            read_.notify_all();
        }).detach();
        {
            std::unique_lock<std::mutex> reading(read_lock_);
            if (!read_.wait_for(reading, std::chrono::seconds(READ_S), [this] { return told_; }))
                fprintf(stderr, "watchdog: the driver did not answer in %u s, or the engine did not end: a call waits for what runs\n", READ_S);
        }
        fflush(stderr);
        printf("error a row took more than %u s: it was %s\n", limit_s_, about);
        fflush(stdout);
        _exit(STATUS);
    }

    std::mutex lock_, read_lock_;
    std::condition_variable changed_, read_;
    Clock::time_point began_, deadline_ = Clock::time_point::max();
    std::string row_;
    unsigned limit_s_ = LIMIT_S;
    const Queues* queues_ = nullptr;
    const Device* slots_ = nullptr;
    bool told_ = false;
    Account account_;
};

// While it exists, an account covers these queues, and the words into which the posting kernel writes.
class Watched {
public:
    Watched(Watchdog& dog, const Queues& queues, const Device& slots) : dog_(dog) { set(&queues, &slots); }
    ~Watched() { set(nullptr, nullptr); }
    Watched(const Watched&) = delete;
    Watched& operator=(const Watched&) = delete;

private:
    void set(const Queues* queues, const Device* slots) {
        std::lock_guard<std::mutex> held(dog_.lock_);
        dog_.queues_ = queues;
        dog_.slots_ = slots;
    }

    Watchdog& dog_;
};
