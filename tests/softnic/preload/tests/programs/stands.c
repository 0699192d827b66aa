/* Uses libibverbs and libmlx5 as programs do, with the software NIC in place of the kernel.
 * Usage: stands STEP; prints its findings to stdout; on a wrong result it prints a line to stderr and exits with 1. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common.h"

/* rdma-core before 45 has no such name, and refuses the flag. */
#ifndef MLX5DV_UAR_ALLOC_TYPE_NC_DEDICATED
#define MLX5DV_UAR_ALLOC_TYPE_NC_DEDICATED (1u << 31)
#endif

/* A field of a mailbox, in bits from its start. */
static void put(void *box, unsigned bit, unsigned width, uint32_t value)
{
    for (unsigned i = 0; i < width; i++) {
        unsigned at = bit + width - 1 - i;
        uint8_t *byte = (uint8_t *)box + at / 8, mask = 0x80 >> at % 8;
        *byte = (value >> i & 1) ? *byte | mask : *byte & ~mask;
    }
}

static uint32_t get(const void *box, unsigned bit, unsigned width)
{
    uint32_t value = 0;
    for (unsigned at = bit; at < bit + width; at++)
        value = value << 1 | (((const uint8_t *)box)[at / 8] >> (7 - at % 8) & 1);
    return value;
}

static int is_readable(void)
{
    printf("access: %d\n", access("/dev/infiniband/uverbs0", R_OK | W_OK) ? errno : 0);
    return 0;
}

static int list(void)
{
    int count = -1;
    errno = 0;
    struct ibv_device **list = ibv_get_device_list(&count);
    if (!list) {
        printf("no list: errno %d\n", errno);
        return 0;
    }
    printf("devices: %d\n", count);
    for (int i = 0; i < count; i++)
        printf("device %s mlx5 %d\n", ibv_get_device_name(list[i]), mlx5dv_is_supported(list[i]));
    ibv_free_device_list(list);
    return 0;
}

static void *pages(size_t bytes)
{
    void *at = NULL;
    MUST(!posix_memalign(&at, 4096, bytes));
    memset(at, 0, bytes);
    return at;
}

static struct ibv_pd *pd_of(struct ibv_context *context, uint32_t *number)
{
    struct ibv_pd *pd = ibv_alloc_pd(context);
    MUST(pd);
    struct mlx5dv_pd dv = {};
    struct mlx5dv_obj obj = {.pd = {.in = pd, .out = &dv}};
    MUST(!mlx5dv_init_obj(&obj, MLX5DV_OBJ_PD));
    *number = dv.pdn;
    return pd;
}

/* Queues by commands. */
static int devx(void)
{
    struct ibv_context *context = open_first();
    uint8_t in[0x110] = {0}, out[4112] = {0};
    put(in, 0, 16, 0x100);
    put(in, 0x30, 16, 1);
    MUST(!mlx5dv_devx_general_cmd(context, in, 16, out, sizeof out));
    printf("caps: status %u\n", get(out, 0, 8));

    uint32_t pdn;
    struct ibv_pd *pd = pd_of(context, &pdn);
    uint8_t *heap = pages(1 << 16);
    int all = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
    struct ibv_mr *mr = ibv_reg_mr(pd, heap, 1 << 16, all);
    MUST(mr);
    MUST(mr->lkey != 0);
    struct ibv_mr *at_zero = ibv_reg_mr_iova2(pd, heap, 1 << 16, 0, all);
    MUST(at_zero);
    MUST(at_zero->rkey != mr->rkey);

    struct mlx5dv_devx_uar *bf = mlx5dv_devx_alloc_uar(context, 0);
    MUST(bf);
    struct mlx5dv_devx_uar *shared = mlx5dv_devx_alloc_uar(context, MLX5DV_UAR_ALLOC_TYPE_NC);
    MUST(shared);
    struct mlx5dv_devx_uar *own = mlx5dv_devx_alloc_uar(context, MLX5DV_UAR_ALLOC_TYPE_NC_DEDICATED);
    if (!own) {
        MUST((own = mlx5dv_devx_alloc_uar(context, 0)));
        struct mlx5dv_devx_uar *swap = own; /* The first register of its page was allocated first. */
        own = bf;
        bf = swap;
    }
    MUST(own->page_id != shared->page_id);
    MUST(own->base_addr != shared->base_addr);
    MUST((char *)own->reg_addr == (char *)own->base_addr + 0x800);
    uint32_t eqn;
    MUST(!mlx5dv_devx_query_eqn(context, 0, &eqn));

    /* CQE at 0, CQ DBR at 64, QP DBR at 72, SQ at 4096. */
    uint8_t *chunk = pages(16384);
    memset(chunk, 0xff, 64);
    struct mlx5dv_devx_umem *umem = mlx5dv_devx_umem_reg(context, chunk, 16384, IBV_ACCESS_LOCAL_WRITE);
    MUST(umem);
    MUST(!mlx5dv_devx_umem_reg(context, chunk, 16384, IBV_ACCESS_REMOTE_ATOMIC) && errno == EINVAL);

    memset(in, 0, sizeof in);
    put(in, 0, 16, 0x400);
    put(in, 0x80 + 0x06, 1, 1);
    put(in, 0x80 + 0x0b, 1, 1);
    put(in, 0x80 + 0x0e, 1, 1);
    put(in, 0x80 + 0x20, 32, umem->umem_id);
    put(in, 0x80 + 0x68, 24, own->page_id);
    put(in, 0x80 + 0xa0, 32, eqn);
    put(in, 0x80 + 0x1e0, 32, 64);
    put(in, 0x2c0, 32, umem->umem_id);
    put(in, 0x2e0, 1, 1);
    memset(out, 0, sizeof out);
    struct mlx5dv_devx_obj *cq = mlx5dv_devx_obj_create(context, in, 0x110, out, 16);
    if (!cq)
        fprintf(stderr, "CREATE_CQ: errno %d status %#x syndrome %#x\n", errno, get(out, 0, 8), get(out, 32, 32));
    MUST(cq);
    uint32_t cqn = get(out, 0x48, 24);

    memset(in, 0, sizeof in);
    put(in, 0, 16, 0x500);
    put(in, 0xc0 + 0x13, 2, 3);
    put(in, 0xc0 + 0x28, 24, pdn);
    put(in, 0xc0 + 0x51, 4, 6);
    put(in, 0xc0 + 0x68, 24, own->page_id);
    put(in, 0xc0 + 0x3e8, 24, cqn);
    put(in, 0xc0 + 0x4e8, 24, cqn);
    put(in, 0xc0 + 0x520, 32, 72);
    put(in, 0xc0 + 0x565, 3, 3);
    put(in, 0xc0 + 0x683, 1, 1);
    put(in, 0xc0 + 0x720, 32, umem->umem_id);
    put(in, 0x820, 32, 4096);
    put(in, 0x840, 32, umem->umem_id);
    put(in, 0x860, 1, 1);
    memset(out, 0, sizeof out);
    struct mlx5dv_devx_obj *qp = mlx5dv_devx_obj_create(context, in, 0x110, out, 16);
    if (!qp)
        fprintf(stderr, "CREATE_QP: errno %d status %#x syndrome %#x\n", errno, get(out, 0, 8), get(out, 32, 32));
    MUST(qp);
    uint32_t qpn = get(out, 0x48, 24);

    memset(in, 0, sizeof in);
    put(in, 0, 16, 0x502);
    put(in, 0x48, 24, qpn);
    put(in, 0xc0 + 0x13, 2, 3);
    put(in, 0xc0 + 0xc0 + 0x128, 8, 1);
    put(in, 0xc0 + 0x48c, 4, 3);
    put(in, 0xc0 + 0x490, 3, 7);
    memset(out, 0, sizeof out);
    MUST(!mlx5dv_devx_obj_modify(qp, in, 0x110, out, 16));

    memset(in, 0, sizeof in);
    put(in, 0, 16, 0x50b);
    put(in, 0x48, 24, qpn);
    MUST(!mlx5dv_devx_obj_query(qp, in, 16, out, 0x110));
    printf("state %u\n", get(out, 0xc0, 4));

    /* An invalid transition: the firmware's refusal is in the answer. */
    memset(in, 0, sizeof in);
    put(in, 0, 16, 0x504);
    put(in, 0x48, 24, qpn);
    memset(out, 0, sizeof out);
    int refused = mlx5dv_devx_obj_modify(qp, in, 0x110, out, 16);
    printf("refused %d status %#x\n", refused, get(out, 0, 8));

    int busy = mlx5dv_devx_umem_dereg(umem);
    printf("umem in use %d\n", busy);
    MUST(!mlx5dv_devx_obj_destroy(qp));
    MUST(!mlx5dv_devx_obj_destroy(cq));
    if (busy)
        MUST(!mlx5dv_devx_umem_dereg(umem));
    mlx5dv_devx_free_uar(own);
    mlx5dv_devx_free_uar(bf);
    MUST(!ibv_dereg_mr(at_zero));
    MUST(!ibv_dereg_mr(mr));
    MUST(!ibv_dealloc_pd(pd));
    MUST(!ibv_close_device(context));
    return 0;
}

struct side {
    struct ibv_cq *cq;
    struct ibv_qp *qp;
};

static struct side make(struct ibv_context *context, struct ibv_pd *pd)
{
    struct side side;
    side.cq = ibv_create_cq(context, 64, NULL, NULL, 0);
    MUST(side.cq);
    struct ibv_qp_init_attr attr = {
        .send_cq = side.cq,
        .recv_cq = side.cq,
        .qp_type = IBV_QPT_RC,
        .cap = {.max_send_wr = 64, .max_send_sge = 1, .max_inline_data = 28},
    };
    side.qp = ibv_create_qp(pd, &attr);
    MUST(side.qp);
    MUST(ibv_destroy_cq(side.cq) == EBUSY);
    struct mlx5dv_qp dv = {};
    struct mlx5dv_obj obj = {.qp = {.in = side.qp, .out = &dv}};
    MUST(!mlx5dv_init_obj(&obj, MLX5DV_OBJ_QP));
    MUST(dv.sq.wqe_cnt >= 64 && dv.dbrec && dv.bf.reg);
    struct ibv_qp_attr early = {.qp_state = IBV_QPS_RTS};
    MUST(ibv_modify_qp(side.qp, &early, IBV_QP_STATE) == EINVAL);
    return side;
}

static void connect_lid(struct ibv_context *context, struct ibv_qp *qp, uint32_t peer, uint16_t lid)
{
    struct ibv_port_attr port;
    MUST(!ibv_query_port(context, 1, &port));
    int index = port.link_layer == IBV_LINK_LAYER_ETHERNET ? 1 : 0;
    union ibv_gid gid;
    MUST(!ibv_query_gid(context, 1, index, &gid));
    struct ibv_qp_attr attr = {
        .qp_state = IBV_QPS_INIT,
        .port_num = 1,
        .qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC,
    };
    MUST(!ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS));
    attr.qp_state = IBV_QPS_RTR;
    attr.path_mtu = port.active_mtu;
    attr.dest_qp_num = peer;
    attr.max_dest_rd_atomic = 16;
    attr.min_rnr_timer = 12;
    attr.ah_attr = (struct ibv_ah_attr){.dlid = lid, .port_num = 1};
    if (port.link_layer == IBV_LINK_LAYER_ETHERNET) {
        attr.ah_attr.is_global = 1;
        attr.ah_attr.grh = (struct ibv_global_route){.dgid = gid, .sgid_index = index, .hop_limit = 255};
        struct ibv_ah *ah = ibv_create_ah(qp->pd, &attr.ah_attr);
        MUST(ah);
        MUST(!ibv_destroy_ah(ah));
    }
    MUST(!ibv_modify_qp(qp, &attr,
                        IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                            IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER));
    attr.qp_state = IBV_QPS_RTS;
    attr.timeout = 14;
    attr.retry_cnt = 7;
    attr.rnr_retry = 7;
    attr.max_rd_atomic = 16;
    MUST(!ibv_modify_qp(qp, &attr,
                        IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
                            IBV_QP_MAX_QP_RD_ATOMIC));
}

static void connect_to(struct ibv_context *context, struct ibv_qp *qp, uint32_t peer)
{
    struct ibv_port_attr port;
    MUST(!ibv_query_port(context, 1, &port));
    connect_lid(context, qp, peer, port.lid);
}

static struct ibv_wc run(struct side *side, struct ibv_send_wr wr, void *from, uint32_t bytes, uint32_t lkey)
{
    struct ibv_sge sge = {(uintptr_t)from, bytes, lkey};
    struct ibv_send_wr *bad;
    wr.sg_list = &sge;
    wr.num_sge = 1;
    wr.send_flags |= IBV_SEND_SIGNALED;
    MUST(!ibv_post_send(side->qp, &wr, &bad));
    return next(side->cq);
}

/* Queues by verbs, and their operations. */
static int verbs(void)
{
    struct ibv_context *context = open_first();
    uint32_t pdn;
    struct ibv_pd *pd = pd_of(context, &pdn);
    struct side a = make(context, pd), b = make(context, pd);
    MUST(a.qp->qp_num != b.qp->qp_num);
    connect_to(context, a.qp, b.qp->qp_num);
    connect_to(context, b.qp, a.qp->qp_num);
    struct ibv_qp_attr attr;
    struct ibv_qp_init_attr init;
    MUST(!ibv_query_qp(a.qp, &attr, IBV_QP_STATE, &init));
    printf("state %d of peer %d timeout %d retries %d\n", attr.qp_state, attr.dest_qp_num == b.qp->qp_num,
           attr.timeout, attr.retry_cnt);

    int all = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
    uint8_t *here = pages(8192), *there = pages(8192);
    struct ibv_mr *local = ibv_reg_mr(pd, here, 8192, all), *remote = ibv_reg_mr_iova2(pd, there, 8192, 0, all);
    MUST(local && remote);
    for (int i = 0; i < 8192; i++)
        here[i] = i * 7;
    struct ibv_send_wr wr = {.wr_id = 1, .opcode = IBV_WR_RDMA_WRITE};
    wr.wr.rdma.remote_addr = 3;
    wr.wr.rdma.rkey = remote->rkey;
    for (uint64_t i = 0; i < 300; i++) {
        wr.wr_id = i;
        struct ibv_wc wc = run(&a, wr, here + i, 4000, local->lkey);
        MUST(wc.status == IBV_WC_SUCCESS && wc.wr_id == i && wc.opcode == IBV_WC_RDMA_WRITE);
        MUST(!memcmp(there + 3, here + i, 4000));
    }
    wr.send_flags = IBV_SEND_INLINE;
    wr.wr.rdma.remote_addr = 4096;
    MUST(run(&a, wr, here + 5, 20, 0).status == IBV_WC_SUCCESS);
    MUST(!memcmp(there + 4096, here + 5, 20));
    wr.send_flags = 0;
    wr.opcode = IBV_WR_RDMA_READ;
    memset(here, 0, 100);
    MUST(run(&b, wr, here, 20, local->lkey).status == IBV_WC_SUCCESS);
    MUST(!memcmp(there + 4096, here, 20));

    uint64_t *word = (uint64_t *)there, *result = (uint64_t *)here;
    *word = 40;
    wr.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD;
    wr.wr.atomic.remote_addr = 0;
    wr.wr.atomic.compare_add = 2;
    wr.wr.atomic.rkey = remote->rkey;
    MUST(run(&a, wr, result, 8, local->lkey).status == IBV_WC_SUCCESS);
    MUST(*result == 40 && *word == 42);

    wr.opcode = IBV_WR_RDMA_WRITE;
    wr.wr.rdma.remote_addr = 8192;
    wr.wr.rdma.rkey = remote->rkey;
    struct ibv_sge sge = {(uintptr_t)here, 8, local->lkey};
    struct ibv_send_wr second = wr, *bad;
    second.sg_list = wr.sg_list = &sge;
    second.num_sge = wr.num_sge = 1;
    second.send_flags = wr.send_flags = IBV_SEND_SIGNALED;
    second.wr.rdma.remote_addr = 0;
    wr.next = &second;
    MUST(!ibv_post_send(a.qp, &wr, &bad));
    printf("beyond its memory: %s\n", ibv_wc_status_str(next(a.cq).status));
    printf("behind an error: %s\n", ibv_wc_status_str(next(a.cq).status));
    MUST(!ibv_query_qp(a.qp, &attr, IBV_QP_STATE, &init));
    printf("state %d\n", attr.qp_state);

    struct side *both[] = {&a, &b};
    for (int i = 0; i < 2; i++) {
        MUST(!ibv_destroy_qp(both[i]->qp));
        MUST(!ibv_destroy_cq(both[i]->cq));
    }
    MUST(!ibv_dereg_mr(local));
    MUST(!ibv_dereg_mr(remote));
    MUST(!ibv_dealloc_pd(pd));
    MUST(!ibv_close_device(context));
    return 0;
}

/* One of two processes that reach each other: says where it is, reads where the other is, writes to it, and waits for
 * what the other writes. */
static int pair(void)
{
    struct ibv_context *context = open_first();
    uint32_t pdn;
    struct ibv_pd *pd = pd_of(context, &pdn);
    struct side side = make(context, pd);
    struct ibv_port_attr port;
    MUST(!ibv_query_port(context, 1, &port));
    volatile uint64_t *heap = pages(4096);
    int all = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;
    struct ibv_mr *mr = ibv_reg_mr_iova2(pd, (void *)heap, 4096, 0, all);
    MUST(mr);
    printf("%u %u %u\n", port.lid, side.qp->qp_num, mr->rkey);
    fflush(stdout);
    unsigned lid, qpn, rkey;
    MUST(scanf("%u %u %u", &lid, &qpn, &rkey) == 3);
    MUST(lid != port.lid);
    connect_lid(context, side.qp, qpn, lid);
    printf("ready\n");
    fflush(stdout);
    char word[16];
    MUST(scanf("%15s", word) == 1);
    heap[1] = 1000 + lid;
    struct ibv_send_wr wr = {.opcode = IBV_WR_RDMA_WRITE};
    wr.wr.rdma.remote_addr = 64;
    wr.wr.rdma.rkey = rkey;
    struct ibv_sge sge = {8, 8, mr->lkey};
    struct ibv_send_wr *bad;
    wr.sg_list = &sge;
    wr.num_sge = 1;
    wr.send_flags = IBV_SEND_SIGNALED;
    MUST(!ibv_post_send(side.qp, &wr, &bad));
    MUST(next(side.cq).status == IBV_WC_SUCCESS);
    time_t limit = time(NULL) + 10;
    while (heap[8] != 1000u + port.lid)
        MUST(time(NULL) < limit);
    printf("got it\n");
    fflush(stdout);
    MUST(scanf("%15s", word) == 1);
    return 0;
}

/* Refused calls, and their errno. */
static int denied(void)
{
    struct ibv_context *context = open_first();
    uint8_t in[16] = {0}, out[64] = {0};
    put(in, 0, 16, 0x100);
    put(in, 0x30, 16, 1);
    uint8_t caps[4112] = {0};
    printf("general_cmd: %d\n", mlx5dv_devx_general_cmd(context, in, sizeof in, caps, sizeof caps));
    (void)out;
    uint32_t pdn;
    struct ibv_pd *pd = pd_of(context, &pdn);
    void *heap = pages(8192);
    errno = 0;
    struct ibv_mr *mr = ibv_reg_mr(pd, heap, 8192, IBV_ACCESS_LOCAL_WRITE);
    printf("reg_mr: %d\n", mr ? 0 : errno);
    errno = 0;
    struct ibv_mr *of_buffer = ibv_reg_dmabuf_mr(pd, 0, 4096, 0, 0, IBV_ACCESS_LOCAL_WRITE);
    printf("reg_dmabuf_mr: %d\n", of_buffer ? 0 : errno);
    errno = 0;
    struct mlx5dv_devx_umem *umem = mlx5dv_devx_umem_reg(context, heap, 8192, IBV_ACCESS_LOCAL_WRITE);
    printf("umem_reg: %d\n", umem ? 0 : errno);
    struct mlx5dv_devx_umem_in wanted = {
        .size = 4096,
        .access = IBV_ACCESS_LOCAL_WRITE,
        .pgsz_bitmap = 4096,
        .comp_mask = MLX5DV_UMEM_MASK_DMABUF,
        .dmabuf_fd = 0,
    };
    errno = 0;
    struct mlx5dv_devx_umem *umem_of_buffer = mlx5dv_devx_umem_reg_ex(context, &wanted);
    printf("umem_reg_ex: %d\n", umem_of_buffer ? 0 : errno);
    struct mlx5dv_devx_uar *uar = mlx5dv_devx_alloc_uar(context, 0);
    printf("alloc_uar: %d\n", uar ? 0 : errno);
    /* Left open: the kernel frees the objects that a program leaves. */
    MUST(!ibv_close_device(context));
    return 0;
}

/* An event wakes a waiting program, and is read as it was sent. */
static int events(void)
{
    int (*raise)(uint32_t, uint64_t) = (int (*)(uint32_t, uint64_t))dlsym(RTLD_DEFAULT, "oxshmem_softnic_raise_event");
    MUST(raise);
    MUST(raise(IBV_EVENT_PORT_ERR, 1) == 0);
    struct ibv_context *context = open_first();
    struct pollfd waits = {.fd = context->async_fd, .events = POLLIN};
    MUST(poll(&waits, 1, 0) == 0);
    MUST(raise(IBV_EVENT_PORT_ERR, 1) == 1);
    MUST(poll(&waits, 1, 10000) == 1);
    struct ibv_async_event event;
    MUST(!ibv_get_async_event(context, &event));
    MUST(event.event_type == IBV_EVENT_PORT_ERR && event.element.port_num == 1);
    ibv_ack_async_event(&event);
    MUST(poll(&waits, 1, 0) == 0);
    MUST(!ibv_close_device(context));
    MUST(raise(IBV_EVENT_PORT_ERR, 1) == 0);
    printf("one event\n");
    return 0;
}

/* Nothing arrives on the event descriptor, and poll says so; a child of fork has no access, but may open
 * the device itself. */
static int children(void)
{
    struct ibv_context *context = open_first();
    struct pollfd waits = {.fd = context->async_fd, .events = POLLIN};
    MUST(poll(&waits, 1, 50) == 0);
    pid_t child = fork();
    MUST(child >= 0);
    if (child == 0) {
        if (ibv_alloc_pd(context))
            _exit(1);
        close(context->cmd_fd);
        struct ibv_context *own = open_first();
        struct ibv_pd *pd = own ? ibv_alloc_pd(own) : NULL;
        _exit(pd && !ibv_dealloc_pd(pd) && !ibv_close_device(own) ? 0 : 1);
    }
    int status = -1;
    MUST(waitpid(child, &status, 0) == child);
    MUST(status == 0);
    child = fork();
    MUST(child >= 0);
    if (child == 0) {
        close(context->cmd_fd);
        execlp("true", "true", NULL);
        _exit(3);
    }
    MUST(waitpid(child, &status, 0) == child);
    MUST(status == 0);
    struct ibv_pd *pd = ibv_alloc_pd(context);
    MUST(pd);
    MUST(!ibv_dealloc_pd(pd));
    MUST(!ibv_close_device(context));
    printf("parent goes on\n");
    return 0;
}

int main(int count, char **words)
{
    static const struct {
        const char *name;
        int (*run)(void);
    } steps[] = {
        {"access", is_readable}, {"list", list},         {"devx", devx},     {"verbs", verbs},
        {"denied", denied},      {"children", children}, {"events", events}, {"pair", pair},
    };
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (count == 2 && !strcmp(words[1], steps[i].name))
            return steps[i].run();
    fprintf(stderr, "usage: stands access|list|devx|verbs|denied|children|events|pair\n");
    return 2;
}
