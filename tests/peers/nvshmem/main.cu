// The peer's process: starts its PE, then answers each line with one line.
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <iostream>
#include <sstream>

#include "perf.h"

namespace {

// The library's waits have no limit. A row that takes longer than this ends the process.
constexpr unsigned ROW_LIMIT_S = 120;

// The stream for answers: the library prints warnings to standard output, which is redirected.
FILE* answers = nullptr;

void out_of_time(int) {
    static const char text[] = "error a row took more than 120 s: a PE waits for one that does not come\n";
    const ssize_t written = write(fileno(answers), text, sizeof(text) - 1);
    _exit(written > 0 ? 3 : 4);
}

void answer(const std::string& text) {
    std::string line = text;
    for (char& c : line) {
        if (c == '\n' || c == '\r') c = ' ';
    }
    fprintf(answers, "%s\n", line.c_str());
    fflush(answers);
}

using Run = Times (*)(Peer&, const Request&);

const struct {
    const char* test;
    Run run;
} TESTS[] = {
    {"shmem_put_bw", run_bw},
    {"shmem_get_bw", run_bw},
    {"shmem_put_nbi_rate", run_bw},
    {"shmem_p_bw", run_rates},
    {"shmem_g_bw", run_rates},
    {"shmem_st_bw", run_rates},
    {"shmem_atomic_bw", run_rates},
    {"shmem_put_latency", run_latency},
    {"shmem_get_latency", run_latency},
    {"shmem_p_latency", run_latency},
    {"shmem_g_latency", run_latency},
    {"shmem_atomic_latency", run_latency},
    {"shmem_p_ping_pong_latency", run_ping_pong},
    {"shmem_put_ping_pong_latency", run_ping_pong},
    {"shmem_put_signal_ping_pong_latency", run_ping_pong},
    {"shmem_signal_ping_pong_latency", run_ping_pong},
    {"shmem_atomic_ping_pong_latency", run_ping_pong},
    {"shmem_put_atomic_ping_pong_latency", run_ping_pong},
    {"barrier_latency", run_coll},
    {"sync_latency", run_coll},
    {"barrier_on_stream", run_coll},
    {"sync_on_stream", run_coll},
    {"coll_latency", run_collective},
    {"coll_on_stream", run_collective},
    {"coll_in_graph", run_collective},
    {"bw", run_host},
    {"latency", run_host},
    {"stream_latency", run_host},
    {"malloc", run_host},
    {"host_barrier", run_calls},
    {"host_malloc_free", run_calls},
    {"host_p", run_calls},
    {"host_meet", run_calls},
    {"jacobi", run_jacobi},
};

std::string run(Peer& peer, const Request& r) {
    for (const auto& one : TESTS) {
        if (r.test != one.test) continue;
        peer.clear_flags();
        const Times times = one.run(peer, r);
        std::ostringstream line;
        line.precision(10);
        line << "times";
        if (times.empty()) line << " -";
        for (double time : times) line << ' ' << time;
        return line.str();
    }
    throw Skip{"no such test"};
}

}  // namespace

Request Request::parse(const std::string& text) {
    Request r;
    std::istringstream words(text);
    std::string word;
    words >> word;
    r.seed = 0xcbf29ce484222325ull;
    while (words >> word) {
        for (unsigned char c : word) r.seed = (r.seed ^ c) * 0x100000001b3ull;
        const size_t at = word.find('=');
        if (at == std::string::npos) continue;
        const std::string key = word.substr(0, at), value = word.substr(at + 1);
        try {
            if (key == "test") r.test = value;
            else if (key == "op") r.op = value;
            else if (key == "variant") r.variant = value;
            else if (key == "stat") r.stat = value;
            else if (key == "bound") r.bound = std::stoul(value) != 0;
            else if (key == "scope") {
                if (value == "thread") r.scope = Scope::thread;
                else if (value == "warp") r.scope = Scope::warp;
                else if (value == "block") r.scope = Scope::block;
                else throw Skip{"no scope " + value};
            } else if (key == "ctas") r.ctas = unsigned(std::stoul(value));
            else if (key == "threads") r.threads = unsigned(std::stoul(value));
            else if (key == "iters") r.iters = std::max(1u, unsigned(std::stoul(value)));
            else if (key == "repeat") r.repeat = std::max(1u, unsigned(std::stoul(value)));
            else if (key == "bytes") r.bytes = std::stoull(value);
            else if (key == "skew") r.skew = std::stoull(value);
            else if (key == "smem") r.smem = std::stoull(value);
            else if (key == "nx") r.nx = std::stoull(value);
            else if (key == "ny") r.ny = std::stoull(value);
            else if (key == "both") r.both = std::stoul(value) != 0;
            else if (key == "line") r.line = std::stoul(value) != 0;
        } catch (const std::logic_error&) {
            throw std::runtime_error("no number: " + word);
        }
    }
    return r;
}

int main(int argc, char** argv) {
    const int kept = dup(STDOUT_FILENO);
    answers = kept < 0 ? nullptr : fdopen(kept, "w");
    if (!answers || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
        fprintf(stderr, "cannot keep the standard output: %s\n", strerror(errno));
        return 1;
    }
    signal(SIGALRM, out_of_time);
    Peer peer;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--tma") == 0) {
            peer.tma = true;
        } else {
            fprintf(stderr, "usage: nvshmem-perf [--tma], with PERF_PE, PERF_N_PES and PERF_MEET set\n");
            return 2;
        }
    }
    try {
        alarm(ROW_LIMIT_S);
        answer(peer.start());
        alarm(0);
        for (std::string line; std::getline(std::cin, line);) {
            if (line == "quit") break;
            if (line.rfind("run ", 0) != 0) continue;
            alarm(ROW_LIMIT_S);
            try {
                answer(run(peer, Request::parse(line)));
            } catch (const Skip& skip) {
                answer("skip " + skip.why);
            } catch (const Wrong& wrong) {
                answer("wrong " + wrong.what);
            }
            alarm(0);
        }
        alarm(ROW_LIMIT_S);
        nvshmem_finalize();
    } catch (const std::exception& failed) {
        answer(std::string("error ") + failed.what());
        // Other PEs may be waiting for this one: no function that meets them can be called any more.
        _exit(1);
    }
    return 0;
}
