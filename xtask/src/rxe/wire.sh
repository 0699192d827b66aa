#!/bin/sh
# What happens to the wire between the Soft-RoCE devices.
#   wire cut N         pulls the cable of rxeN out of the switch
#   wire mend N        plugs it in again
#   wire spoil WORDS   spoils every packet on its way (words of tc's netem: loss 1%, corrupt 1%, ...); none: no more
case $1 in
  cut) /usr/bin/ip link set "port$2" down ;;
  mend) /usr/bin/ip link set "port$2" up ;;
  spoil)
    shift
    for device in $(ls /sys/class/net | grep '^net[0-9]'); do
      if [ $# = 0 ]; then
        /usr/bin/tc qdisc del dev "$device" root 2>/dev/null || true
      else
        /usr/bin/tc qdisc replace dev "$device" root netem "$@" || exit 1
      fi
    done
    ;;
  *) echo "usage: wire cut N, wire mend N, wire spoil [WORDS]" >&2; exit 2 ;;
esac
