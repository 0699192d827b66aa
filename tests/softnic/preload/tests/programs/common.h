/* What the programs share. */
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MUST(what)                                                                                                     \
    do {                                                                                                               \
        errno = 0;                                                                                                     \
        if (!(what)) {                                                                                                 \
            fprintf(stderr, "line %d: not so: %s (errno %d: %s)\n", __LINE__, #what, errno, strerror(errno));          \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

static inline struct ibv_context *open_first(void)
{
    int count = 0;
    struct ibv_device **list = ibv_get_device_list(&count);
    MUST(list && count >= 1);
    struct ibv_context *context = ibv_open_device(list[0]);
    if (!context) {
        printf("open: errno %d\n", errno);
        exit(0);
    }
    ibv_free_device_list(list);
    return context;
}

/* The next completion, within ten seconds. */
static inline struct ibv_wc next(struct ibv_cq *cq)
{
    struct ibv_wc wc;
    time_t limit = time(NULL) + 10;
    int found;
    while ((found = ibv_poll_cq(cq, 1, &wc)) == 0)
        MUST(time(NULL) < limit);
    MUST(found == 1);
    return wc;
}
