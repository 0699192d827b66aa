#!/bin/sh
# The first process of the machine: makes Soft-RoCE devices on a wire, runs /run/command, and writes its exit code to
# the second serial port. rxe0, rxe1, ... sit on net0, net1, ... (10.0.0.1, 10.0.0.2, ...; GID 1 is RoCE v2 over IPv4),
# whose other ends port0, port1, ... are ports of a bridge.
# (Tools are named with their folder where busybox has one of the same name, which its shell would take.)
export PATH=/run/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev
mkdir -p /dev/shm /dev/pts; mount -t tmpfs shm /dev/shm; mount -t devpts pts /dev/pts; chmod 1777 /tmp /dev/shm
exec </dev/null >/dev/ttyS0 2>&1
stty -F /dev/ttyS0 -onlcr
fail() { echo "setting up the virtual machine failed: $*"; poweroff -f; }
must() { "$@" || fail "$@"; }
. /run/settings
ulimit -l unlimited; ulimit -c 0; hostname rxe
for module in $(cat /lib/modules/order); do must insmod "/lib/modules/$module.ko"; done
# A machine without the process that was killed for its memory may wait for it for ever.
echo 1 >/proc/sys/vm/panic_on_oom
cd /proc/sys/net
for file in ipv4/conf/all/rp_filter ipv4/conf/default/rp_filter ipv6/conf/default/accept_dad; do echo 0 >$file; done
echo 1 >ipv4/conf/default/accept_local; echo 1 >ipv4/conf/all/arp_ignore
cd /root
must /usr/bin/ip link set lo up
must /usr/bin/ip link add wire type bridge forward_delay 0 mcast_snooping 0
must /usr/bin/ip link set wire mtu 4200 up
for i in $(seq 0 $((DEVICES - 1))); do
  # rxe works in the first network namespace alone, so all devices are in it; a rule for each keeps the kernel from
  # routing packets between them past the wire. An MTU of 4200 has room for RDMA's 4096.
  n=$((i + 1))
  must /usr/bin/ip link add "net$i" address "02:00:00:00:00:0$n" mtu 4200 type veth peer name "port$i" mtu 4200
  must /usr/bin/ip link set "port$i" master wire up
  must /usr/bin/ip addr add "10.0.0.$n/24" dev "net$i"
  must /usr/bin/ip link set "net$i" up
  must /usr/bin/ip rule add pref "$n" oif "net$i" lookup main
  # Each device knows all others: otherwise the first message would wait a second for an answer.
  for j in $(seq 1 "$DEVICES"); do
    for to in "10.0.0.$j" "fe80::ff:fe00:$j"; do
      [ "$j" = "$n" ] || must /usr/bin/ip neigh add "$to" lladdr "02:00:00:00:00:0$j" dev "net$i"
    done
  done
  must /usr/bin/rdma link add "rxe$i" type rxe netdev "net$i"
  port=/sys/class/infiniband/rxe$i/ports/1
  for _ in $(seq 200); do
    grep -q ACTIVE $port/state && grep -q ffff:0a00 $port/gids/1 && break
    sleep 0.05
  done
  grep -q ffff:0a00 $port/gids/1 || fail "rxe$i got no address"
done
# The other CPUs only now: an emulator before version 8 can crash a machine of several CPUs whose kernel patches itself,
# as it does while it boots and makes devices.
for cpu in /sys/devices/system/cpu/cpu[1-9]*/online; do [ ! -e "$cpu" ] || echo 1 >"$cpu"; done
[ -z "$SPOIL" ] || must sh /usr/bin/wire spoil $SPOIL
[ -z "$CORRUPT" ] || must sh /usr/bin/wire corrupt "$CORRUPT"
sh /run/command
code=$?
# The kernel's last words are none of the program's.
[ -n "$VERBOSE" ] || echo 0 >/proc/sys/kernel/printk
echo $code >/dev/ttyS1
poweroff -f
