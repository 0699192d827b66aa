// Calls of the host, each timed by itself: a quantile of each repetition.
#include <dirent.h>
#include <sched.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include <chrono>
#include <memory>

#include "perf.h"

namespace {

using Clock = std::chrono::steady_clock;

__global__ void meet_once() { nvshmemx_sync_all_warp(); }

double quantile(std::vector<double>& times, const std::string& stat) {
    std::sort(times.begin(), times.end());
    const size_t percent = stat == "p50" ? 50 : stat == "p90" ? 90 : stat == "p99" ? 99 : 100;
    return times[std::min(times.size() - 1, times.size() * percent / 100)];
}

// All threads of this process on one core, until it is destroyed.
class Bound {
public:
    explicit Bound(int number) {
        check(sched_getaffinity(0, sizeof(before_), &before_) == 0, "read the cores of this process");
        int nth = number % CPU_COUNT(&before_), core = -1;
        while (nth >= 0) nth -= CPU_ISSET(++core, &before_) ? 1 : 0;
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(core, &one);
        for_each_thread(one);
    }
    Bound(const Bound&) = delete;
    ~Bound() { for_each_thread(before_); }

private:
    cpu_set_t before_;

    static void for_each_thread(const cpu_set_t& cores) {
        DIR* threads = opendir("/proc/self/task");
        if (!threads) return;
        bool bound = true;
        while (const dirent* one = readdir(threads)) {
            // A thread may have ended meanwhile.
            const int thread = atoi(one->d_name);
            if (thread != 0 && sched_setaffinity(thread, sizeof(cores), &cores) != 0 && errno != ESRCH) bound = false;
        }
        closedir(threads);
        if (!bound) fprintf(stderr, "not every thread could be bound to its core\n");
    }
};

Times quantiles(Peer& peer, const Request& r, bool mine, const std::function<void()>& call,
                const std::function<void()>& before = [] {}) {
    Times answers;
    peer.meet();
    for (unsigned k = 0; k <= r.repeat; k++) {
        std::vector<double> times;
        for (unsigned i = 0; mine && i < r.iters; i++) {
            before();
            const auto start = Clock::now();
            call();
            times.push_back(std::chrono::duration<double, std::nano>(Clock::now() - start).count());
        }
        if (mine && k > 0) answers.push_back(quantile(times, r.stat));
    }
    peer.meet();
    return answers;
}

}  // namespace

Times run_calls(Peer& peer, const Request& r) {
    if (peer.tma) throw Skip{"nothing is copied"};
    std::unique_ptr<Bound> bound(r.bound ? new Bound(peer.pe) : nullptr);
    if (r.test == "host_barrier") return quantiles(peer, r, true, [] { nvshmem_barrier_all(); });
    if (r.test == "host_malloc_free") {
        return quantiles(peer, r, true, [&] {
            void* at = nvshmem_malloc(r.bytes);
            check(at != nullptr, "nvshmem_malloc of " + std::to_string(r.bytes) + " bytes gave nothing");
            nvshmem_free(at);
        });
    }
    if (r.test == "host_meet") {
        const auto meet = [&] {
            peer.launch(meet_once, 1, 32, 0);
            check(cudaStreamSynchronize(peer.stream), "wait for a kernel");
        };
        return quantiles(peer, r, true, meet, [] { nvshmem_barrier_all(); });
    }
    peer.needs_two();
    long long written = 0;
    auto* word = reinterpret_cast<long long*>(peer.target(sizeof(long long)));
    Times times = quantiles(peer, r, peer.pe == 0, [&] {
        nvshmem_longlong_p(word, ++written, 1);
        nvshmem_quiet();
    });
    if (peer.pe == 1) {
        long long seen = 0;
        check(cudaMemcpy(&seen, word, sizeof(seen), cudaMemcpyDeviceToHost), "read the word");
        const long long expected = static_cast<long long>(r.iters) * (r.repeat + 1);
        if (seen != expected) throw Wrong{"the word is " + std::to_string(seen)};
    }
    return times;
}
