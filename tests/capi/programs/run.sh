#!/bin/bash
# Runs the programs beside this script as PEs on the GPUs of this machine: those in `oxshmem`, and those in `nvshmem` if
# they are there. Each must be right, and the lines of both libraries alike.
#
# Usage: run.sh [PROGRAM ...]
#   N_PES         number of PEs, of which several may share a GPU (default: 2)
#   LIMIT         seconds that a program may take (default: 120)
#   NVSHMEM_HOME  folder of NVSHMEM, if it is not where the programs were built
set -u
here=$(cd "$(dirname "$0")" && pwd)
n_pes=${N_PES:-2} limit=${LIMIT:-120}
# Settings for the GPUs of one host, which the user may override.
export NVSHMEM_REMOTE_TRANSPORT=${NVSHMEM_REMOTE_TRANSPORT:-none}
export NVSHMEM_BOOTSTRAP_UID_SOCK_IFNAME=${NVSHMEM_BOOTSTRAP_UID_SOCK_IFNAME:-lo}
export NVSHMEM_DISABLE_NVLS=${NVSHMEM_DISABLE_NVLS:-1} NCCL_NVLS_ENABLE=${NCCL_NVLS_ENABLE:-0}
# The programs find their library by themselves, but LD_LIBRARY_PATH comes first and may lead to the other one.
declare -A libraries=([oxshmem]="$here/../lib" [nvshmem]="${NVSHMEM_HOME:+$NVSHMEM_HOME/lib}")

kept=$(mktemp -d)
trap 'rm -rf "$kept"' EXIT

# Runs a program of a folder, writes the lines of its PEs to a file, and returns whether each PE has succeeded.
run() {
    local folder=$1 name=$2 lines=$3 meet pe failed=0 pids=() path=${libraries[$1]}
    path=$path${LD_LIBRARY_PATH:+${path:+:}$LD_LIBRARY_PATH}
    meet=$(mktemp -d "$kept/meet.XXXX")
    for ((pe = 0; pe < n_pes; pe++)); do
        PROGRAM_PE=$pe PROGRAM_PES=$n_pes PROGRAM_MEET=$meet \
            LD_LIBRARY_PATH=$path timeout -k 5 "$limit" "$here/$folder/$name" >"$meet/said.$pe" 2>"$meet/complained.$pe" &
        pids+=($!)
    done
    for pe in "${!pids[@]}"; do
        wait "${pids[$pe]}"
        local code=$?
        [ $code -eq 0 ] && grep -q "^$name: right, PE $pe of $n_pes" "$meet/said.$pe" && continue
        failed=1
        echo "$folder/$name: PE $pe ended with code $code$([ $code -eq 124 ] && echo " after $limit s")"
        tail -n 8 "$meet/said.$pe" "$meet/complained.$pe"
    done
    cat "$meet"/said.* | grep "^$name: right" | sort >"$lines"
    return $failed
}

names=("$@")
[ ${#names[@]} -gt 0 ] || for file in "$here"/oxshmem/*; do
    [[ $file == *.fatbin ]] || names+=("$(basename "$file")")
done
right=0 wrong=0 compared=0
for name in "${names[@]}"; do
    if ! run oxshmem "$name" "$kept/ours"; then
        wrong=$((wrong + 1))
        continue
    fi
    if [ -x "$here/nvshmem/$name" ]; then
        if ! run nvshmem "$name" "$kept/theirs" || ! diff "$kept/ours" "$kept/theirs"; then
            echo "$name: not the same with NVSHMEM"
            wrong=$((wrong + 1))
            continue
        fi
        compared=$((compared + 1))
    fi
    right=$((right + 1))
    head -n 1 "$kept/ours"
done
echo "$right programs right with $n_pes PEs, $compared of them compared with NVSHMEM, $wrong wrong"
[ $wrong -eq 0 ] && [ $right -gt 0 ]
