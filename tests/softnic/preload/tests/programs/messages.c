/* Messages for receive queues, over libibverbs and libmlx5, with the software NIC in place of the kernel.
 * Prints its findings to stdout; on a wrong result it prints a line to stderr and exits with 1. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <poll.h>
#include <stdint.h>

#include "common.h"

static struct ibv_context *context;
static struct ibv_pd *pd;
static struct ibv_comp_channel *channel;
static uint8_t *memory;
static struct ibv_mr *mr;

enum { BYTES = 1 << 20, RECEIVED = BYTES / 2 };

/* A requester and a responder, each with its completion queue; the responder's has the channel. */
struct link {
    struct ibv_cq *cqs[2];
    struct ibv_qp *from, *to;
};

static struct ibv_qp *make(struct ibv_cq *cq, enum ibv_qp_type type)
{
    struct ibv_qp_init_attr attr = {
        .send_cq = cq,
        .recv_cq = cq,
        .qp_type = type,
        .cap = {.max_send_wr = 8, .max_recv_wr = 8, .max_send_sge = 2, .max_recv_sge = 2},
    };
    struct ibv_qp *qp = ibv_create_qp(pd, &attr);
    MUST(qp);
    return qp;
}

static void connect_to(struct ibv_qp *qp, uint32_t peer, int repeats)
{
    int rc = qp->qp_type == IBV_QPT_RC;
    struct ibv_port_attr port;
    MUST(!ibv_query_port(context, 1, &port));
    union ibv_gid gid;
    int index = port.link_layer == IBV_LINK_LAYER_ETHERNET;
    MUST(!ibv_query_gid(context, 1, index, &gid));
    struct ibv_qp_attr attr = {
        .qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = IBV_ACCESS_REMOTE_WRITE};
    MUST(!ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS));
    attr.qp_state = IBV_QPS_RTR;
    attr.path_mtu = port.active_mtu;
    attr.dest_qp_num = peer;
    attr.min_rnr_timer = 12;
    attr.ah_attr = (struct ibv_ah_attr){.dlid = port.lid, .port_num = 1, .is_global = index};
    attr.ah_attr.grh = (struct ibv_global_route){.dgid = gid, .sgid_index = index, .hop_limit = 255};
    int path = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
    MUST(!ibv_modify_qp(qp, &attr, path | (rc ? IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER : 0)));
    attr.qp_state = IBV_QPS_RTS;
    attr.timeout = 14;
    attr.retry_cnt = 7;
    attr.rnr_retry = repeats;
    int reliable = IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
    MUST(!ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN | (rc ? reliable : 0)));
}

static struct link joined(enum ibv_qp_type type, int repeats)
{
    struct link made;
    for (int i = 0; i < 2; i++) {
        made.cqs[i] = ibv_create_cq(context, 32, NULL, i ? channel : NULL, 0);
        MUST(made.cqs[i]);
    }
    made.from = make(made.cqs[0], type);
    made.to = make(made.cqs[1], type);
    connect_to(made.from, made.to->qp_num, repeats);
    connect_to(made.to, made.from->qp_num, repeats);
    return made;
}

static void part(struct link link)
{
    MUST(!ibv_destroy_qp(link.from));
    MUST(!ibv_destroy_qp(link.to));
    MUST(!ibv_destroy_cq(link.cqs[0]));
    MUST(!ibv_destroy_cq(link.cqs[1]));
}

static void receive(struct link link, uint64_t id, uint32_t bytes)
{
    /* In two pieces, at places that are not adjacent. */
    struct ibv_sge pieces[] = {{(uintptr_t)memory + RECEIVED, bytes / 2, mr->lkey},
                               {(uintptr_t)memory + RECEIVED + bytes, bytes - bytes / 2, mr->lkey}};
    struct ibv_recv_wr wr = {.wr_id = id, .sg_list = pieces, .num_sge = 2}, *bad;
    MUST(!ibv_post_recv(link.to, &wr, &bad));
}

static int arrived(uint32_t room, uint32_t bytes)
{
    uint32_t first = bytes < room / 2 ? bytes : room / 2;
    return !memcmp(memory + RECEIVED, memory, first) &&
           !memcmp(memory + RECEIVED + room, memory + first, bytes - first);
}

static void post(struct link link, enum ibv_wr_opcode opcode, uint32_t bytes, uint32_t imm, int flags)
{
    struct ibv_sge sge = {(uintptr_t)memory, bytes, mr->lkey};
    struct ibv_send_wr wr = {.opcode = opcode, .sg_list = &sge, .num_sge = 1, .imm_data = htonl(imm)}, *bad;
    wr.send_flags = IBV_SEND_SIGNALED | flags;
    wr.wr.rdma.remote_addr = (uintptr_t)memory + RECEIVED;
    wr.wr.rdma.rkey = mr->rkey;
    MUST(!ibv_post_send(link.from, &wr, &bad));
}

static struct ibv_wc done(struct link link, int responder)
{
    return next(link.cqs[responder]);
}

static int is_waiting(int ms)
{
    struct pollfd waits = {.fd = channel->fd, .events = POLLIN};
    return poll(&waits, 1, ms);
}

/* A message waits for its entry, and longer messages have several packets of the wire. */
static void without_entries(void)
{
    struct link link = joined(IBV_QPT_RC, 7);
    struct ibv_wc wc;
    post(link, IBV_WR_SEND, 300000, 0, 0);
    post(link, IBV_WR_SEND, 5, 0, 0);
    struct timespec a_while = {.tv_nsec = 20000000};
    nanosleep(&a_while, NULL);
    MUST(ibv_poll_cq(link.cqs[0], 1, &wc) == 0 && ibv_poll_cq(link.cqs[1], 1, &wc) == 0);
    receive(link, 1, 300000);
    wc = done(link, 1);
    MUST(wc.status == IBV_WC_SUCCESS && wc.opcode == IBV_WC_RECV && wc.wr_id == 1 && wc.byte_len == 300000);
    MUST(wc.qp_num == link.to->qp_num && arrived(300000, 300000));
    MUST(done(link, 0).status == IBV_WC_SUCCESS);
    receive(link, 2, 8);
    wc = done(link, 1);
    MUST(wc.status == IBV_WC_SUCCESS && wc.wr_id == 2 && wc.byte_len == 5 && arrived(8, 5));
    MUST(done(link, 0).status == IBV_WC_SUCCESS);
    part(link);
    link = joined(IBV_QPT_RC, 1);
    post(link, IBV_WR_SEND, 5, 0, 0);
    printf("no entry: %s\n", ibv_wc_status_str(done(link, 0).status));
    part(link);
    link = joined(IBV_QPT_UC, 0);
    post(link, IBV_WR_SEND, 5, 0, 0);
    printf("no entry, unreliable: %s\n", ibv_wc_status_str(done(link, 0).status));
    part(link);
}

/* Immediate values, and one event for the completions after each arming. */
static void events(void)
{
    struct link link = joined(IBV_QPT_RC, 7);
    struct ibv_wc wc;
    for (int i = 0; i < 4; i++)
        receive(link, i, 64);
    MUST(!ibv_req_notify_cq(link.cqs[1], 1));
    post(link, IBV_WR_SEND, 10, 0, 0);
    MUST(done(link, 1).byte_len == 10 && done(link, 0).status == IBV_WC_SUCCESS);
    MUST(is_waiting(5) == 0);
    post(link, IBV_WR_SEND_WITH_IMM, 20, 0x01020304, IBV_SEND_SOLICITED);
    MUST(is_waiting(10000) == 1);
    struct ibv_cq *cq;
    void *own;
    MUST(!ibv_get_cq_event(channel, &cq, &own) && cq == link.cqs[1]);
    ibv_ack_cq_events(cq, 1);
    wc = done(link, 1);
    MUST(wc.wc_flags & IBV_WC_WITH_IMM && ntohl(wc.imm_data) == 0x01020304 && wc.byte_len == 20 && arrived(64, 20));
    MUST(done(link, 0).status == IBV_WC_SUCCESS);

    MUST(!ibv_req_notify_cq(link.cqs[1], 0));
    memset(memory + RECEIVED, 0, 200000);
    post(link, IBV_WR_RDMA_WRITE_WITH_IMM, 200000, 7, 0);
    wc = done(link, 1);
    MUST(wc.opcode == IBV_WC_RECV_RDMA_WITH_IMM && ntohl(wc.imm_data) == 7 && wc.byte_len == 200000 && wc.wr_id == 2);
    MUST(!memcmp(memory, memory + RECEIVED, 200000));
    MUST(done(link, 0).status == IBV_WC_SUCCESS);
    post(link, IBV_WR_SEND, 1, 0, 0);
    MUST(done(link, 1).wr_id == 3 && done(link, 0).status == IBV_WC_SUCCESS);
    MUST(is_waiting(10000) == 1);
    MUST(!ibv_get_cq_event(channel, &cq, &own));
    MUST(is_waiting(5) == 0);
    ibv_ack_cq_events(cq, 1);
    part(link);
    printf("two events\n");
}

/* A message longer than its entry ends both queue pairs, and the other entries are flushed. */
static void too_long(void)
{
    struct link link = joined(IBV_QPT_RC, 7);
    receive(link, 1, 4);
    receive(link, 2, 64);
    post(link, IBV_WR_SEND, 5, 0, 0);
    printf("too long: %s\n", ibv_wc_status_str(done(link, 0).status));
    printf("at the responder: %s\n", ibv_wc_status_str(done(link, 1).status));
    struct ibv_wc wc = done(link, 1);
    printf("behind it: %s of %d\n", ibv_wc_status_str(wc.status), (int)wc.wr_id);
    struct ibv_qp_attr attr;
    struct ibv_qp_init_attr init;
    MUST(!ibv_query_qp(link.to, &attr, IBV_QP_STATE, &init) && attr.qp_state == IBV_QPS_ERR);
    part(link);
}

int main(void)
{
    context = open_first();
    pd = ibv_alloc_pd(context);
    channel = ibv_create_comp_channel(context);
    MUST(pd && channel);
    MUST(!posix_memalign((void **)&memory, 4096, BYTES));
    for (int i = 0; i < BYTES; i++)
        memory[i] = i * 7 + i / 251;
    mr = ibv_reg_mr(pd, memory, BYTES, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
    MUST(mr);
    without_entries();
    events();
    too_long();
    MUST(!ibv_dereg_mr(mr));
    MUST(!ibv_destroy_comp_channel(channel));
    MUST(!ibv_dealloc_pd(pd));
    MUST(!ibv_close_device(context));
    return 0;
}
