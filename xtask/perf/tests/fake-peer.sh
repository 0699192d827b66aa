#!/bin/sh
# A peer that measures nothing, for the tests of `xtask perf`: it speaks the protocol of tests/peers/PROTOCOL.md, and
# misbehaves on rows of p latency as the name says by which it is called.
mode=$(basename "$0")
repeat_of() { echo "$1" | sed 's/.* repeat=\([0-9]*\).*/\1/'; }
answer() {
    line=times
    i=0
    while [ "$i" -lt "$2" ]; do
        line="$line $1"
        i=$((i + 1))
    done
    echo "$line${3:+ $3}"
}
[ "$mode" = stillborn ] && { echo "no such library" >&2; exit 5; }
[ "$mode" = chatty ] && echo "welcome to the library"
[ -d "$PERF_MEET" ] && [ "$PERF_N_PES" = "$OXSHMEM_N_PES" ] || exit 9
echo "ready {\"peer\":\"$mode\",\"version\":\"1.2\",\"device\":\"none\",\"driver\":\"\",\"init_us\":100$PERF_PE}"
while read -r request; do
    [ "$request" = quit ] && exit 0
    repeat=$(repeat_of "$request")
    case "$mode$PERF_PE $request" in
    dying1\ *test=shmem_p_latency*) echo "out of luck" >&2; exit 7 ;;
    killed1\ *test=shmem_p_latency*) kill -SEGV $$ ;;
    silent1\ *test=shmem_p_latency*) echo "asleep as $$" >&2; exec sleep 60 ;;
    # The others of a world wait for the one that is lost.
    dying0\ *test=shmem_p_latency* | killed0\ *test=shmem_p_latency*) sleep 60 ;;
    garbage1\ *test=shmem_p_latency*) echo "Hello, world" ;;
    wrong1\ *test=shmem_p_latency*) echo "wrong 3 of 4 bytes, first at 1" ;;
    failing0\ *test=shmem_p_latency*) echo "error launch: 700"; exit 1 ;;
    failing1\ *test=shmem_p_latency*) sleep 60 ;;
    skipping*\ *test=shmem_p_latency*) echo "skip no p here" ;;
    fewer0\ *test=shmem_p_latency*) answer 10 1 ;;
    talking1\ *test=shmem_p_latency*) answer 10 "$repeat"; echo "one thing more" ;;
    hasty1\ *test=shmem_p_latency*) answer 10 "$repeat"; echo "one thing more"; : >"$PERF_MEET/said" ;;
    hasty0\ *test=shmem_p_latency*) until [ -e "$PERF_MEET/said" ]; do sleep 0.01; done; answer 10 "$repeat" ;;
    misreading0\ *test=wire_lat\ op=read*) echo "wrong 1 of 8 bytes, first number 0" ;;
    choosing*) answer 1000 "$repeat" "ctas=$((8 + 8 * PERF_PE)) later=note" ;;
    slow*) [ "$PERF_PE" = 0 ] && answer 3000 "$repeat" || echo "times -" ;;
    *0\ *) answer 1000 "$repeat" ;;
    *) answer 1500 "$repeat" ;;
    esac
done
