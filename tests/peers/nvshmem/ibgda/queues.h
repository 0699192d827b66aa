// The queues in the layout of NVSHMEM's device code: its state structs, filled by hand.
#pragma once

#include "engine.h"

#include <cstdio>
#ifdef WITHOUT_PRINTF
#define printf(...) 0
#endif
#include "device_host/nvshmem_common.cuh"
#include "device/nvshmem_device_macros.h"
#include "non_abi/device/pt-to-pt/ibgda_device.cuh"
#undef printf

#include <cstring>

// A requested row.
struct Request {
    std::string test, map = "cta";
    unsigned qps = 1, depth = 1024, ctas = 1, threads = 256, iters = 1000, repeat = 5;
    // Most requests before a doorbell: the default of NVSHMEM_IBGDA_NUM_REQUESTS_IN_BATCH.
    unsigned requests = 32;
    uint64_t start = 0;
    // Limit of the row's time in seconds.
    unsigned limit_s = 8;
    bool line = false;
    // Whether a warp's adjacent elements travel in one entry, as NVSHMEM does if the NIC supports short address vectors
    // (ConnectX-6 and later).
    bool combine = true;
};

constexpr int ME = 0, PEER = 1, N_PES = 2;
constexpr uint64_t HEAP = 1ull << 40, HEAP_BYTES = 1ull << 30, DEST = 1 << 20;
constexpr uint32_t FIRST_QPN = 0x40;

// The control memory of all queues of a row, each part in cache lines of its own.
class Queues {
public:
    explicit Queues(const Request& r)
        : r_(r), chunk_(128 + 128 + 128 + 64ull * r.depth), control_(chunk_ * r.qps),
          states_(r.qps * N_PES * sizeof(nvshmemi_ibgda_device_qp_t)),
          cqs_(r.qps * sizeof(nvshmemi_ibgda_device_cq_t)), table_(r.qps * sizeof(SinkQueue)),
          reports_(r.qps * sizeof(SinkReport)), words_(4096), ibuf_(256 * 64) {}

    // Address of the word that ends the engine.
    uint64_t stop_at() const { return words_.address(STOP); }

    // Resets every queue to the state in which nothing is posted.
    void reset() {
        doing = "making the queues";
        using Qp = nvshmemi_ibgda_device_qp_t;
        using Cq = nvshmemi_ibgda_device_cq_t;
        must(cudaMemset(control_.at(), 0, control_.bytes()), "clear the queues");
        std::vector<Qp> qps(r_.qps * N_PES);
        std::vector<Cq> cqs(r_.qps);
        std::vector<SinkQueue> table(r_.qps);
        memset(qps.data(), 0, qps.size() * sizeof(Qp));
        memset(cqs.data(), 0, cqs.size() * sizeof(Cq));
        for (unsigned i = 0; i < r_.qps; i++) {
            const size_t at = chunk_ * i;
            char *cqe = control_.at(at), *dbr = control_.at(at + 128), *bell = control_.at(at + 256);
            char* sq = control_.at(at + 384);
            must(cudaMemset(cqe, 0xff, 64), "fill a completion");
            // The state of queue `i` to the peer; there is none to this PE itself.
            const unsigned number = i * N_PES + PEER;
            Qp& qp = qps[number];
            char* mine = states_.at(number * sizeof(Qp));
            auto index = [&](size_t byte) {
                return reinterpret_cast<uint64_t*>(mine + offsetof(Qp, mvars) + byte);
            };
            using Management = nvshmemi_ibgda_device_qp_management_t;
            qp.version = (1 << 16) + sizeof(Qp);
            qp.qp_type = NVSHMEMI_IBGDA_DEVICE_QP_TYPE_RC;
            qp.qpn = FIRST_QPN + i;
            qp.ibuf.nslots = 32;
            qp.ibuf.buf = ibuf_.at();
            qp.tx_wq.nwqes = uint16_t(r_.depth);
            qp.tx_wq.wqe = sq;
            qp.tx_wq.dbrec = reinterpret_cast<__be32*>(dbr);
            qp.tx_wq.bf = bell;
            qp.tx_wq.cq = reinterpret_cast<Cq*>(cqs_.at(i * sizeof(Cq)));
            qp.tx_wq.prod_idx = index(offsetof(Management, tx_wq.prod_idx));
            qp.mvars.version = (1 << 16) + sizeof(Management);
            auto& indices = qp.mvars.tx_wq;
            indices.resv_head = indices.ready_head = indices.prod_idx = indices.cons_idx = r_.start;

            Cq& cq = cqs[i];
            cq.version = (1 << 16) + sizeof(Cq);
            cq.qp_type = NVSHMEMI_IBGDA_DEVICE_QP_TYPE_RC;
            cq.cqe = cqe;
            cq.prod_idx = qp.tx_wq.prod_idx;
            cq.cons_idx = index(offsetof(Management, tx_wq.cons_idx));
            cq.resv_head = index(offsetof(Management, tx_wq.resv_head));
            cq.ready_head = index(offsetof(Management, tx_wq.ready_head));
            cq.ncqes = r_.depth;
            cq.qpn = qp.qpn;

            auto number_of = [](const void* at) { return reinterpret_cast<uint64_t>(at); };
            table[i] = SinkQueue{number_of(bell), number_of(dbr), number_of(cqe), number_of(sq),
                                 r_.start, r_.depth, qp.qpn, {0, 0}};
        }
        copy(states_, qps);
        copy(cqs_, cqs);
        copy(table_, table);
        must(cudaMemset(reports_.at(), 0, reports_.bytes()), "clear the reports");
        set_device_state();
        must(cudaDeviceSynchronize(), "make the queues");
    }

    void start(Engine& engine, bool checks) const {
        engine.start(checks, table_.address(), reports_.address(), stop_at(), r_.qps);
    }

    std::vector<SinkReport> reports() const {
        std::vector<SinkReport> all(r_.qps);
        must(cudaMemcpy(all.data(), reports_.at(), reports_.bytes(), cudaMemcpyDeviceToHost), "read the reports");
        return all;
    }

    // The counters of the peer's queues.
    std::vector<nvshmemi_ibgda_device_qp_t> states() const {
        std::vector<nvshmemi_ibgda_device_qp_t> all(r_.qps * N_PES), mine;
        must(cudaMemcpy(all.data(), states_.at(), states_.bytes(), cudaMemcpyDeviceToHost), "read the queues");
        for (unsigned i = 0; i < r_.qps; i++) mine.push_back(all[i * N_PES + PEER]);
        return mine;
    }

private:
    friend class Account;
    static constexpr size_t STOP = 2048;

    template <class T>
    static void copy(const Device& to, const std::vector<T>& from) {
        must(cudaMemcpy(to.at(), from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice), "write the queues");
    }

    void set_device_state() {
        // The words: the starts of the peers' heaps (at 0, so that an address on the wire is an offset), and the
        // counters by which queues are taken in turn.
        std::vector<uint64_t> words(512, 0);
        must(cudaMemcpy(words_.at(), words.data(), 4096, cudaMemcpyHostToDevice), "write the heaps' table");

        static nvshmemi_device_host_state_t world;
        memset(&world, 0, sizeof world);
        world.mype = ME;
        world.npes = N_PES;
        world.node_npes = 1;
        world.heap_base = reinterpret_cast<void*>(HEAP);
        world.heap_size = HEAP_BYTES;
        world.peer_heap_base_remote = reinterpret_cast<void**>(words_.at());
        world.job_connectivity = NVSHMEMI_JOB_GPU_PROXY;
        world.selected_device_transport = NVSHMEMI_DEVICE_TRANSPORT_TYPE_IBGDA;
        world.ibgda_is_initialized = true;
        must(cudaMemcpyToSymbol(nvshmemi_device_state_d, &world, sizeof world), "set NVSHMEM's state");

        static nvshmemi_ibgda_device_state_t state;
        memset(&state, 0, sizeof state);
        state.version = (1 << 16) + sizeof state;
        state.num_qp_groups = r_.qps;
        state.num_rc_per_pe = state.num_default_rc_per_pe = r_.qps;
        state.rc_map_type = r_.map == "warp" ? NVSHMEMI_IBGDA_DEVICE_QP_MAP_TYPE_WARP
                            : r_.map == "sm" ? NVSHMEMI_IBGDA_DEVICE_QP_MAP_TYPE_SM
                                             : NVSHMEMI_IBGDA_DEVICE_QP_MAP_TYPE_CTA;
        state.num_requests_in_batch = r_.requests;
        state.log2_cumem_granularity = 30;
        state.num_devices_initialized = 1;
        state.nic_buf_on_gpumem = true;
        state.support_half_av_seg = r_.combine;
        state.may_skip_cst = true;
        for (int pe = 0; pe < N_PES; pe++) state.constmem.rkeys[pe] = {0x00030100, HEAP_BYTES};
        state.constmem.lkeys[0] = {0x00020100, HEAP + HEAP_BYTES};
        state.globalmem.qp_group_switches = reinterpret_cast<uint32_t*>(words_.at(1024));
        state.globalmem.cqs = reinterpret_cast<nvshmemi_ibgda_device_cq_t*>(cqs_.at());
        state.globalmem.rcs = reinterpret_cast<nvshmemi_ibgda_device_qp_t*>(states_.at());
        must(cudaMemcpyToSymbol(nvshmemi_ibgda_device_state_d, &state, sizeof state), "set NVSHMEM's queues");
    }

    Request r_;
    size_t chunk_;
    Device control_, states_, cqs_, table_, reports_, words_, ibuf_;
};
