/* Libraries that answer as libibverbs and libmlx5 do, for tests without a NIC. They include the real headers, so the
 * C compiler compares every function with what is declared there.
 *
 * NICs: "fake_0", on which things work; "denied", which may not be opened; "other", which is not libmlx5's. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <infiniband/mlx5dv.h>
#undef ibv_query_port
#undef ibv_reg_mr

static struct ibv_device devices[3] = {{.name = "fake_0"}, {.name = "denied"}, {.name = "other"}};
static struct verbs_context extended;
#define context extended.context
/* What is taken and not yet given back; closing the device with any left is a crash. */
static int pds, mrs, umems, uars, objects, cqs, qps, tds, joined;
/* The queue pair's depth, as the last one asked for it. */
static uint32_t requests;
/* States that the queue pair went through. */
static int state;

struct ibv_device **ibv_get_device_list(int *count)
{
	struct ibv_device **list = calloc(4, sizeof(*list));
	for (int i = 0; i < 3; i++)
		list[i] = &devices[i];
	*count = 3;
	return list;
}
void ibv_free_device_list(struct ibv_device **list) { free(list); }
const char *ibv_get_device_name(struct ibv_device *device) { return device->name; }
bool mlx5dv_is_supported(struct ibv_device *device) { return device != &devices[2]; }

/* A queue pair in a thread domain has a register of its own. */
static struct ibv_td *fake_alloc_td(struct ibv_context *ctx, struct ibv_td_init_attr *attr)
{
	tds++;
	return calloc(1, sizeof(struct ibv_td));
}
static int fake_dealloc_td(struct ibv_td *td)
{
	if (joined >= tds)
		return EBUSY;
	tds--;
	free(td);
	return 0;
}
static struct ibv_pd *fake_parent_domain(struct ibv_context *ctx, struct ibv_parent_domain_init_attr *attr)
{
	struct ibv_pd *pd = calloc(1, sizeof(*pd));
	if (!attr->pd || !attr->td || attr->comp_mask)
		abort();
	pds++, joined++;
	pd->handle = 7;
	return pd;
}

struct ibv_context *mlx5dv_open_device(struct ibv_device *device, struct mlx5dv_context_attr *attr)
{
	errno = EACCES;
	if (device == &devices[1] || attr->flags != MLX5DV_CONTEXT_FLAGS_DEVX || attr->comp_mask)
		return NULL;
	context.device = device;
	/* Each second device that is opened has no thread domains. */
	static int opened;
	extended.sz = opened++ % 2 ? sizeof(context) : sizeof(extended);
	extended.alloc_td = fake_alloc_td;
	extended.dealloc_td = fake_dealloc_td;
	extended.alloc_parent_domain = fake_parent_domain;
	context.abi_compat = __VERBS_ABI_IS_EXTENDED;
	return &context;
}
struct ibv_context *ibv_open_device(struct ibv_device *device) { abort(); }
int ibv_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask, struct ibv_qp_init_attr *init) { abort(); }
int ibv_close_device(struct ibv_context *ctx)
{
	if (ctx != &context || tds || joined || pds || mrs || umems || uars || objects || cqs || qps)
		abort();
	return 0;
}
int ibv_query_device(struct ibv_context *ctx, struct ibv_device_attr *attr)
{
	strcpy(attr->fw_ver, "28.39.1002");
	attr->max_cqe = 1 << 22;
	attr->phys_port_cnt = 2;
	return 0;
}
int ibv_query_port(struct ibv_context *ctx, uint8_t port, struct _compat_ibv_port_attr *compat)
{
	struct ibv_port_attr *attr = (struct ibv_port_attr *)compat;
	if (port < 1 || port > 2)
		return EINVAL;
	attr->state = IBV_PORT_ACTIVE;
	attr->active_mtu = IBV_MTU_4096;
	attr->gid_tbl_len = 4;
	attr->pkey_tbl_len = 128;
	attr->lid = port == 1 ? 26 : 0;
	attr->link_layer = port == 1 ? IBV_LINK_LAYER_INFINIBAND : IBV_LINK_LAYER_ETHERNET;
	return 0;
}
int ibv_query_gid(struct ibv_context *ctx, uint8_t port, int index, union ibv_gid *gid) { return -1; }
ssize_t _ibv_query_gid_table(struct ibv_context *ctx, struct ibv_gid_entry *entries, size_t max, uint32_t flags, size_t size)
{
	if (max != 8 || flags || size != sizeof(*entries))
		return -EINVAL;
	memset(entries, 0, 3 * size);
	entries[0].gid.raw[0] = 0xfe;
	entries[0].port_num = 1;
	entries[1].gid.raw[15] = 5;
	entries[1].port_num = 2;
	entries[1].gid_index = 3;
	entries[1].gid_type = IBV_GID_TYPE_ROCE_V2;
	entries[2].port_num = 2;
	entries[2].gid_type = IBV_GID_TYPE_ROCE_V1;
	return 3;
}

struct ibv_pd *ibv_alloc_pd(struct ibv_context *ctx) { pds++; return calloc(1, sizeof(struct ibv_pd)); }
int ibv_dealloc_pd(struct ibv_pd *pd)
{
	/* A parent domain refers to the domain, which must stay until then. */
	if (pd->handle == 7)
		joined--;
	else if (mrs || qps || joined)
		return EBUSY;
	pds--;
	free(pd);
	return 0;
}
static struct ibv_mr *mr(struct ibv_pd *pd, uint64_t from, size_t length, uint64_t iova, int access)
{
	struct ibv_mr *mr = calloc(1, sizeof(*mr));
	mrs++;
	mr->pd = pd;
	mr->length = length;
	mr->lkey = (uint32_t)from;
	mr->rkey = (uint32_t)(iova + access);
	return mr;
}
struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *addr, size_t length, int access) { abort(); }
struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, unsigned int access)
{
	errno = ENOMEM;
	return length > 1 << 30 ? NULL : mr(pd, (uint64_t)addr, length, iova, access);
}
struct ibv_mr *ibv_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length, uint64_t iova, int fd, int access)
{
	errno = EOPNOTSUPP;
	return fd != 7 ? NULL : mr(pd, offset, length, iova, access);
}
int ibv_dereg_mr(struct ibv_mr *mr) { mrs--; free(mr); return 0; }

struct mlx5dv_devx_umem *mlx5dv_devx_umem_reg(struct ibv_context *ctx, void *addr, size_t size, uint32_t access)
{
	struct mlx5dv_devx_umem *umem = calloc(1, sizeof(*umem));
	umems++;
	umem->umem_id = 0x1000 + access;
	return umem;
}
struct mlx5dv_devx_umem *mlx5dv_devx_umem_reg_ex(struct ibv_context *ctx, struct mlx5dv_devx_umem_in *in)
{
	struct mlx5dv_devx_umem *umem = mlx5dv_devx_umem_reg(ctx, in->addr, in->size, in->access);
	umem->umem_id = in->comp_mask == MLX5DV_UMEM_MASK_DMABUF ? 0x2000 + in->dmabuf_fd : (uint32_t)in->pgsz_bitmap;
	return umem;
}
int mlx5dv_devx_umem_dereg(struct mlx5dv_devx_umem *umem) { umems--; free(umem); return 0; }

struct mlx5dv_devx_uar *mlx5dv_devx_alloc_uar(struct ibv_context *ctx, uint32_t flags)
{
	struct mlx5dv_devx_uar *uar = calloc(1, sizeof(*uar));
	uars++;
	uar->reg_addr = (void *)0x10800;
	uar->base_addr = (void *)0x10000;
	uar->page_id = flags >> 31 ? 9 : flags;
	return uar;
}
void mlx5dv_devx_free_uar(struct mlx5dv_devx_uar *uar) { uars--; free(uar); }
int mlx5dv_devx_query_eqn(struct ibv_context *ctx, uint32_t vector, uint32_t *eqn)
{
	*eqn = 5 + vector;
	return 0;
}

/* A refusal: status and syndrome, with the kernel's code for it. */
static int refuse(uint8_t *out, uint8_t status)
{
	out[0] = status;
	memcpy(out + 4, "\0\x12\xab\xcd", 4);
	return EREMOTEIO;
}
int mlx5dv_devx_general_cmd(struct ibv_context *ctx, const void *in, size_t inlen, void *out, size_t outlen)
{
	const uint8_t *command = in;
	if (command[0] == 1 && command[1] == 0 && inlen == 16 && outlen == 16 + 0x1000)
		return 0;
	return refuse(out, 2);
}
struct mlx5dv_devx_obj *mlx5dv_devx_obj_create(struct ibv_context *ctx, const void *in, size_t inlen, void *out, size_t outlen)
{
	if (((const uint8_t *)in)[0] != 5) {
		errno = refuse(out, 0xf);
		return NULL;
	}
	objects++;
	((uint8_t *)out)[11] = 0x77;
	return calloc(1, 16);
}
int mlx5dv_devx_obj_modify(struct mlx5dv_devx_obj *obj, const void *in, size_t inlen, void *out, size_t outlen)
{
	return refuse(out, 0x10);
}
int mlx5dv_devx_obj_query(struct mlx5dv_devx_obj *obj, const void *in, size_t inlen, void *out, size_t outlen)
{
	memset(out, 0, outlen);
	((uint8_t *)out)[outlen - 1] = 3;
	return 0;
}
int mlx5dv_devx_obj_destroy(struct mlx5dv_devx_obj *obj) { objects--; free(obj); return 0; }

struct ibv_ah *ibv_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
	struct ibv_ah *ah = calloc(1, sizeof(*ah));
	/* What is left over in a field that was not said is what kernels refuse. */
	if (attr->static_rate || attr->src_path_bits || !attr->is_global || attr->grh.flow_label)
		abort();
	ah->handle = attr->grh.sgid_index;
	return ah;
}
int ibv_destroy_ah(struct ibv_ah *ah) { free(ah); return 0; }

struct ibv_cq *ibv_create_cq(struct ibv_context *ctx, int cqe, void *own, struct ibv_comp_channel *channel, int vector)
{
	struct ibv_cq *cq = calloc(1, sizeof(*cq));
	cqs++;
	cq->cqe = cqe;
	return cq;
}
int ibv_destroy_cq(struct ibv_cq *cq)
{
	if (qps)
		return EBUSY;
	cqs--;
	free(cq);
	return 0;
}
struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	struct ibv_qp *qp = calloc(1, sizeof(*qp));
	/* A request is four blocks, and there is room for 32768 blocks. */
	errno = ENOMEM;
	if (attr->cap.max_send_wr * 4 > 32768)
		return NULL;
	requests = attr->cap.max_send_wr;
	if (attr->qp_type != IBV_QPT_RC || attr->cap.max_inline_data != 12 || attr->sq_sig_all)
		abort();
	qps++;
	qp->qp_num = 0x4321;
	state = IBV_QPS_RESET;
	return qp;
}
int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	int needed[] = {0, IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS,
		IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
		IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC};
	if (attr->qp_state != state + 1 || mask != (needed[state + 1] | IBV_QP_STATE))
		return EINVAL;
	if (attr->qp_state == IBV_QPS_RTR && (attr->dest_qp_num != 0x99 || attr->ah_attr.grh.sgid_index != 3))
		return EINVAL;
	state = attr->qp_state;
	return 0;
}
int ibv_destroy_qp(struct ibv_qp *qp) { qps--; free(qp); return 0; }
int mlx5dv_devx_qp_query(struct ibv_qp *qp, const void *in, size_t inlen, void *out, size_t outlen)
{
	memcpy(out, in, inlen);
	((uint8_t *)out)[0] = 0;
	((uint8_t *)out)[outlen - 1] = state;
	return 0;
}

static struct mlx5_wqe_av vector = {.rmac = {2, 0, 0, 0, 0, 9}};
int mlx5dv_init_obj(struct mlx5dv_obj *obj, uint64_t type)
{
	if (type == MLX5DV_OBJ_PD)
		obj->pd.out->pdn = 0x2a;
	if (type == MLX5DV_OBJ_AH) {
		vector.rmac[4] = obj->ah.in->handle;
		obj->ah.out->av = &vector;
	}
	if (type & MLX5DV_OBJ_QP) {
		*obj->qp.out = (struct mlx5dv_qp){.dbrec = (void *)0x3000, .sq = {(void *)0x4000, requests * 4, 64}, .bf = {(void *)0x5800, 512}};
	}
	if (type & MLX5DV_OBJ_CQ)
		*obj->cq.out = (struct mlx5dv_cq){.buf = (void *)0x6000, .dbrec = (void *)0x7000, .cqe_cnt = obj->cq.in->cqe, .cqe_size = 64, .cqn = 0x88};
	return 0;
}
