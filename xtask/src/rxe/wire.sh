#!/bin/sh
# What happens to the wire between the Soft-RoCE devices.
#   wire cut N         pulls the cable of rxeN out of the switch
#   wire mend N        plugs it in again
#   wire spoil WORDS   spoils packets on their way (words of tc's netem: loss 1%, delay 1ms, ...); none: no more
#   wire corrupt SHARE flips a bit in so many of the packets of 128 bytes and more, beside what `spoil` does; none: no more
# Shorter ones are left whole: the kernel's Soft-RoCE takes a length below zero from an acknowledgement whose padding
# is wrong, before it looks at the check sum, and crashes.
tc=/usr/bin/tc
case $1 in
  cut) /usr/bin/ip link set "port$2" down ;;
  mend) /usr/bin/ip link set "port$2" up ;;
  spoil)
    shift
    for device in $(ls /sys/class/net | grep '^net[0-9]'); do
      $tc qdisc del dev "$device" root 2>/dev/null
      [ $# = 0 ] || $tc qdisc add dev "$device" root handle 1: netem "$@" || exit 1
    done
    ;;
  corrupt)
    # At the switch, since a device whose packets are doubled can do no more with them.
    for device in $(ls /sys/class/net | grep '^port[0-9]'); do
      $tc qdisc del dev "$device" root 2>/dev/null
      [ $# = 2 ] || continue
      $tc qdisc add dev "$device" root handle 2: prio bands 2 priomap 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 || exit 1
      $tc qdisc add dev "$device" parent 2:1 handle 3: netem corrupt "$2" || exit 1
      # IP's total length has one of these bits, so it is 128 or more.
      for bit in 0x0080 0x0100 0x0200 0x0400 0x0800 0x1000; do
        $tc filter add dev "$device" parent 2: protocol ip u32 match u16 $bit $bit at 2 flowid 2:1 || exit 1
      done
    done
    ;;
  *) echo "usage: wire cut N, wire mend N, wire spoil [WORDS], wire corrupt [SHARE]" >&2; exit 2 ;;
esac
