#!/bin/sh
# What happens to the wire between the Soft-RoCE devices.
#   wire cut N         pulls the cable of rxeN out of the switch
#   wire mend N        plugs it in again
#   wire spoil WORDS   spoils packets on their way (words of tc's netem: loss 1%, delay 1ms, ...); none: no more
#   wire corrupt N     spoils a byte of one packet in N, beside what `spoil` does; none: no more
# That byte comes after the headers that name lengths: the kernel's Soft-RoCE trusts the UDP length, the opcode and the
# padding before it looks at the check sum, and can crash if one of them is wrong.
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
      $tc qdisc add dev "$device" root handle 2: prio || exit 1
      # 44 bytes are IP's header, UDP's, the first of RoCE, and 4 more, of an acknowledgement for example; its check sum
      # follows.
      $tc filter add dev "$device" parent 2: protocol ip u32 match u32 0 0 flowid 2:1 \
        action gact ok random netrand pipe "$2" action pedit munge offset 44 u8 invert || exit 1
    done
    ;;
  *) echo "usage: wire cut N, wire mend N, wire spoil [WORDS], wire corrupt [N]" >&2; exit 2 ;;
esac
