#include "protocol.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <sstream>

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto MEETING_LIMIT = std::chrono::seconds(60);
constexpr unsigned STEP_LIMIT_S = 120;

// The stream for answers.
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

std::string in_words(const Times& times) {
    std::ostringstream line;
    line.precision(10);
    line << "times";
    if (times.empty()) line << " -";
    for (double time : times) line << ' ' << time;
    if (times.ctas > 0) line << " ctas=" << times.ctas;
    return line.str();
}

std::string driver_version() {
    std::string found = "unknown";
    if (FILE* file = fopen("/sys/module/nvidia/version", "r")) {
        char text[64] = "";
        if (fscanf(file, "%63s", text) == 1) found = text;
        fclose(file);
    }
    if (FILE* file = found == "unknown" ? fopen("/proc/driver/nvidia/version", "r") : nullptr) {
        // The first word of digits and points: "NVRM version: ... Kernel Module  580.159.04  Release Build".
        char word[128];
        while (fscanf(file, "%127s", word) == 1) {
            if (strspn(word, "0123456789.") == strlen(word) && strchr(word, '.')) {
                found = word;
                break;
            }
        }
        fclose(file);
    }
    return found;
}

std::string in_meeting_folder(const std::string& name) { return from_environment("PERF_MEET") + "/" + name; }

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
            else if (key == "corrupt") r.corrupt = std::stoul(value) != 0;
        } catch (const std::logic_error&) {
            throw std::runtime_error("no number: " + word);
        }
    }
    return r;
}

std::string from_environment(const char* name) {
    const char* value = getenv(name);
    check(value != nullptr && *value != 0, std::string("the environment variable ") + name + " is missing");
    return value;
}

void publish(const std::string& name, const void* at, size_t bytes) {
    // The file gets its name when it is whole, so that no PE reads half of it.
    const std::string path = in_meeting_folder(name), draft = path + ".draft";
    FILE* file = fopen(draft.c_str(), "wb");
    check(file != nullptr, "cannot write " + draft + ": " + strerror(errno));
    const bool written = fwrite(at, bytes, 1, file) == 1;
    check(fclose(file) == 0 && written, "cannot write " + draft + ": " + strerror(errno));
    check(rename(draft.c_str(), path.c_str()) == 0, "cannot name " + path + ": " + strerror(errno));
}

void await_published(const std::string& name, void* at, size_t bytes) {
    const std::string path = in_meeting_folder(name);
    const auto since = Clock::now();
    while (true) {
        if (FILE* file = fopen(path.c_str(), "rb")) {
            const bool whole = fread(at, bytes, 1, file) == 1;
            fclose(file);
            check(whole, path + " has fewer than " + std::to_string(bytes) + " bytes");
            return;
        }
        check(Clock::now() - since < MEETING_LIMIT, "PE 0 wrote no " + path + " within 60 s");
        usleep(100);
    }
}

std::string ready_line(const std::string& peer, const std::string& version, double init_us) {
    int device = 0;
    cudaDeviceProp properties;
    check(cudaGetDevice(&device), "find this PE's GPU");
    check(cudaGetDeviceProperties(&properties, device), "ask for the GPU's name");
    char line[512];
    snprintf(line, sizeof(line),
             "ready {\"peer\":\"%s\",\"version\":\"%s\",\"device\":\"%s\",\"driver\":\"%s\",\"init_us\":%.1f}",
             peer.c_str(), version.c_str(), properties.name, driver_version().c_str(), init_us);
    return line;
}

int serve(const std::function<std::string()>& start, const std::function<Times(const Request&)>& run,
          const std::function<void()>& end) {
    const int kept = dup(STDOUT_FILENO);
    answers = kept < 0 ? nullptr : fdopen(kept, "w");
    if (!answers || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
        fprintf(stderr, "cannot keep the standard output: %s\n", strerror(errno));
        return 1;
    }
    signal(SIGALRM, out_of_time);
    try {
        alarm(STEP_LIMIT_S);
        answer(start());
        alarm(0);
        for (std::string line; std::getline(std::cin, line);) {
            if (line == "quit") break;
            if (line.rfind("run ", 0) != 0) continue;
            alarm(STEP_LIMIT_S);
            try {
                answer(in_words(run(Request::parse(line))));
            } catch (const Skip& skip) {
                answer("skip " + skip.why);
            } catch (const Wrong& wrong) {
                answer("wrong " + wrong.what);
            }
            alarm(0);
        }
        alarm(STEP_LIMIT_S);
        end();
    } catch (const std::exception& failed) {
        answer(std::string("error ") + failed.what());
        // Other PEs may be waiting for this one: no function that meets them can be called any more.
        _exit(1);
    }
    return 0;
}
