// Two threads of a PE: while the one waits in a call of the host, the other one makes any other call. Then both reduce at
// the same time, each over a team of its own.
#include "program.h"
#include "threads.h"

int main(int argc, char** argv) {
    start(argc, argv, "threads", 1);
    checksum = mix(checksum, uint64_t(threads(pe, n_pes)));
    return finish();
}
