// Prints the state of queues to standard error while kernels use them.
#pragma once

#include "queues.h"

#include <endian.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>

class Account {
public:
    explicit Account(const Engine& engine) : engine_(engine) {
        must(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "create the account's stream");
        must(cudaMallocHost(&buffer_, BYTES), "allocate the account's memory");
    }
    Account(const Account&) = delete;
    Account& operator=(const Account&) = delete;

    // Also stops the engine, to get its report.
    void give(const Queues* queues, const Device* slots) {
        print("posting stream: %s; engine's stream: %s\n", cudaGetErrorName(cudaStreamQuery(engine_.posting())),
              cudaGetErrorName(cudaStreamQuery(engine_.stream())));
        if (!queues || !slots) return;
        const Request& r = queues->r_;
        auto* words = get<unsigned long long>(slots->at(), std::min<size_t>(slots->bytes() / 8, 64));
        if (words) {
            print("the posting kernel's first words (blocks' starts and ends, or cycles):");
            for (size_t i = 0; i < std::min<size_t>(slots->bytes() / 8, 8); i++) print(" %llu", words[i]);
            print("\n");
        }
        symbol();
        const unsigned shown = std::min(r.qps, MOST);
        for (unsigned i = 0; i < shown; i++) queue(*queues, i);
        if (shown < r.qps) print("%u more queues are not shown\n", r.qps - shown);
        reports(*queues, shown);
    }

private:
    static constexpr size_t BYTES = 1 << 16;
    static constexpr unsigned MOST = 8, ENTRIES = 4;

    template <class... A>
    static void print(const char* format, A... arguments) {
        fprintf(stderr, format, arguments...);
    }

    bool done(cudaError_t answer) {
        if (answer == cudaSuccess) answer = cudaStreamSynchronize(stream_);
        if (answer != cudaSuccess) print("cannot read the GPU's memory: %s\n", cudaGetErrorString(answer));
        return answer == cudaSuccess;
    }

    // Reads `n` of them from the GPU; valid until the next call.
    template <class T>
    const T* get(const void* from, size_t n = 1) {
        return done(cudaMemcpyAsync(buffer_, from, n * sizeof(T), cudaMemcpyDeviceToHost, stream_)) ? static_cast<const T*>(buffer_) : nullptr;
    }

    // NVSHMEM's state as its kernels see it.
    void symbol() {
        if (!done(cudaMemcpyFromSymbolAsync(buffer_, nvshmemi_ibgda_device_state_d, sizeof(nvshmemi_ibgda_device_state_t), 0,
                                            cudaMemcpyDeviceToHost, stream_)))
            return;
        const auto& s = *static_cast<const nvshmemi_ibgda_device_state_t*>(buffer_);
        print("state: rcs per PE %u, default %d, map %d, groups %u, requests %u, granularity 2^%zu, devices %d, dcis %u+%u, gpumem %d, "
              "half av %d, skip cst %d, async %d, rcs %p, cqs %p, rkeys %#x %#x\n",
              s.num_rc_per_pe, s.num_default_rc_per_pe, int(s.rc_map_type), s.num_qp_groups, s.num_requests_in_batch,
              s.log2_cumem_granularity, s.num_devices_initialized, s.num_shared_dcis, s.num_exclusive_dcis, s.nic_buf_on_gpumem,
              s.support_half_av_seg, s.may_skip_cst, s.use_async_postsend, (const void*)s.globalmem.rcs, (const void*)s.globalmem.cqs,
              s.constmem.rkeys[0].key, s.constmem.rkeys[1].key);
    }

    void queue(const Queues& queues, unsigned i) {
        const size_t number = i * N_PES + PEER;
        const auto* qp = get<nvshmemi_ibgda_device_qp_t>(queues.states_.at(number * sizeof(nvshmemi_ibgda_device_qp_t)));
        if (!qp) return;
        print("queue %u: qpn %#x, type %d, device %u, nwqes %u, wqe %p, dbrec %p, bf %p, cq %p, prod_idx %p\n", i, qp->qpn,
              int(qp->qp_type), qp->dev_idx, qp->tx_wq.nwqes, qp->tx_wq.wqe, (const void*)qp->tx_wq.dbrec, qp->tx_wq.bf,
              (const void*)qp->tx_wq.cq, (const void*)qp->tx_wq.prod_idx);
        const auto& wq = qp->mvars.tx_wq;
        print("  lock %d, reserved %llu, ready %llu, posted %llu, polled %llu, get %llu/%llu, ibuf %llu/%llu\n", qp->mvars.post_send_lock,
              wide(wq.resv_head), wide(wq.ready_head), wide(wq.prod_idx), wide(wq.cons_idx), wide(wq.get_head), wide(wq.get_tail),
              wide(qp->mvars.ibuf.head), wide(qp->mvars.ibuf.tail));
        const uint64_t posted = wq.prod_idx;
        if (const auto* cq = get<nvshmemi_ibgda_device_cq_t>(queues.cqs_.at(i * sizeof(nvshmemi_ibgda_device_cq_t))))
            print("  cq: type %d, cqe %p, ncqes %u, qpn %#x, prod_idx %p, cons_idx %p, resv_head %p, ready_head %p\n", int(cq->qp_type),
                  cq->cqe, cq->ncqes, cq->qpn, (const void*)cq->prod_idx, (const void*)cq->cons_idx, (const void*)cq->resv_head,
                  (const void*)cq->ready_head);
        char* mine = queues.control_.at(queues.chunk_ * i);
        if (const auto* words = get<uint32_t>(mine, 96)) {
            // The completion's 16 words, the doorbell record at word 32, the doorbell at word 64.
            const uint32_t tail = be32toh(words[15]);
            print("  completion: counter %u, opcode %u, error words %08x %08x; record: index %u (%08x); doorbell: index %u, qpn %#x (%08x %08x)\n",
                  tail >> 16, tail >> 4 & 15, be32toh(words[13]), be32toh(words[14]), be32toh(words[32]) & 0xffff, be32toh(words[32]),
                  be32toh(words[64]) >> 8 & 0xffff, be32toh(words[65]) >> 8, be32toh(words[64]), be32toh(words[65]));
        }
        entries(mine + 384, 0, queues.r_.depth);
        if (posted > ENTRIES) entries(mine + 384, std::max<uint64_t>(posted - 2, ENTRIES), queues.r_.depth);
    }

    void entries(const char* sq, uint64_t from, unsigned depth) {
        for (uint64_t index = from; index < from + ENTRIES; index++) {
            const auto* words = get<uint32_t>(sq + index % depth * 64, 16);
            if (!words) return;
            const uint32_t what = be32toh(words[0]), whose = be32toh(words[1]);
            print("  entry %llu: opcode %#x, index %u, qpn %#x, ds %u, flags %#x |", wide(index), what & 0xff0000ff, what >> 8 & 0xffff,
                  whose >> 8, whose & 0x3f, be32toh(words[2]) & 0xff);
            for (unsigned word = 4; word < 16; word++) print(" %08x", be32toh(words[word]));
            print("\n");
        }
    }

    void reports(const Queues& queues, unsigned shown) {
        const uint32_t one = 1;
        memcpy(buffer_, &one, sizeof one);
        if (!done(cudaMemcpyAsync(reinterpret_cast<void*>(queues.stop_at()), buffer_, sizeof one, cudaMemcpyHostToDevice, stream_))) return;
        const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(2);
        while (std::chrono::steady_clock::now() < until && cudaStreamQuery(engine_.stream()) == cudaErrorNotReady)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        print("engine told to stop; its stream: %s\n", cudaGetErrorName(cudaStreamQuery(engine_.stream())));
        const auto* all = get<SinkReport>(queues.reports_.at(), shown);
        for (unsigned i = 0; all && i < shown; i++)
            print("  report %u: done %llu, rings %llu, astray %llu, late %llu, entries %llu, elements %llu, broken %llu (rule %llu at %llu, found %#llx)\n",
                  i, wide(all[i].done), wide(all[i].rings), wide(all[i].astray), wide(all[i].late), wide(all[i].entries),
                  wide(all[i].elements), wide(all[i].violations), wide(all[i].rule), wide(all[i].index), wide(all[i].found));
    }

    static unsigned long long wide(uint64_t n) { return n; }

    const Engine& engine_;
    cudaStream_t stream_ = nullptr;
    void* buffer_ = nullptr;
};
