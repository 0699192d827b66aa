/* A child of fork: its end and its calls leave the parent's world alone. The argument names what the child does. */
#include <sys/wait.h>
#include <unistd.h>

#include "nvshmem_host.h"

static const char *what;

static void at_exit(void) { nvshmem_finalize(); }

static void child(int *at) {
    CHECK(nvshmemx_init_status() == 0);
    if (strcmp(what, "end") == 0) exit(0);
    if (strcmp(what, "status") == 0) exit(nvshmem_malloc(4) == NULL ? 0 : 1);
    if (strcmp(what, "put") == 0) nvshmem_putmem(at, &at, sizeof(int), 0);
    if (strcmp(what, "start") == 0) nvshmem_init();
    if (strcmp(what, "stop") == 0) nvshmem_global_exit(255);
    exit(1);
}

int main(int argc, char **argv) {
    CHECK(argc == 2);
    what = argv[1];
    nvshmem_init();
    CHECK(atexit(at_exit) == 0);
    int me = nvshmem_my_pe(), n = nvshmem_n_pes(), *at = nvshmem_calloc(1, sizeof(int)), status;
    nvshmem_barrier_all();
    if (me == 0) {
        pid_t forked = fork();
        if (forked == 0) child(at);
        CHECK(waitpid(forked, &status, 0) == forked && WIFEXITED(status));
        printf("%d\n", WEXITSTATUS(status));
    }
    nvshmem_barrier_all();
    int value = 5 + me;
    nvshmem_putmem(at, &value, sizeof value, (me + 1) % n);
    nvshmem_barrier_all();
    CHECK(*at == 5 + (me + n - 1) % n);
    return 0;
}
