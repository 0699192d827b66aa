//! The lines above the tables: library, way between the PEs, device, and the meaning of the figures.

use super::super::answer::Ready;
use super::super::plan::On;
use super::options::Options;

/// The name by which the library calls load/store.
const LOAD_STORE: &str = "nvlink";

/// Returns the head.
pub(super) fn head(ready: &Ready, on: On, options: &Options) -> String {
    let is_near = ready.transport == LOAD_STORE;
    let device = match on {
        On::Host => "host PE: these times say nothing of a GPU or a NIC".to_string(),
        On::Gpus => format!("{}, driver {}", ready.device, ready.driver),
    };
    let queues = match is_near {
        true => format!("none over load/store; blocks of a bandwidth by kernels: {}", options.qps),
        false => {
            format!("{} of the program's own for bandwidth by kernels; else the library's default ones", options.qps)
        }
    };
    let link = match (is_near, ready.about.first()) {
        (true, _) => "the peer's memory is mapped",
        (false, Some(first)) => first,
        (false, None) => "unknown",
    };
    let mut text = format!("oxshmem {}, PE 0 to PE 1\n", ready.version);
    for (name, value) in [
        ("transport", ready.transport.as_str()),
        ("route", route(&ready.transport)),
        ("device", &device),
        ("queue pairs", &queues),
        ("link", link),
        ("bandwidth", "peak is the fastest of the passes, average that of all; a quiet ends each pass"),
        ("latency", "write and send: half of a ping-pong, as in ib_write_lat and ib_send_lat"),
        ("", "read and atomics: a whole round trip, as in ib_read_lat"),
    ] {
        let colon = if name.is_empty() { ' ' } else { ':' };
        text.push_str(&format!("  {name:<12}{colon} {value}\n"));
    }
    if is_near {
        text.push_str(
            "                a write has arrived when its last word has; other threads' words may be later\n",
        );
    }
    text
}

fn route(transport: &str) -> &'static str {
    match transport {
        LOAD_STORE => "load/store",
        "" => "unknown",
        "ibgda" => "a kernel's threads write the NIC's queues",
        "ibrc" => "proxy threads post verbs for kernels",
        "ibdevx" => "proxy threads write the NIC's queues for kernels",
        _ => "proxy threads post to a library for kernels",
    }
}

/// Returns the verbs device that carries the operations, if one does.
pub(super) fn verbs_device(ready: &Ready) -> Option<String> {
    let over_verbs = matches!(ready.transport.as_str(), "ibgda" | "ibrc" | "ibdevx");
    let (device, _) = ready.about.first().filter(|_| over_verbs)?.split_once(' ')?;
    Some(device.to_string())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    fn ready(transport: &str, about: &[&str]) -> Ready {
        let about = about.iter().map(|line| format!("{line:?}")).collect::<Vec<_>>().join(",");
        let json = format!(
            "ready {{\"peer\":\"oxshmem\",\"version\":\"0.1.0\",\"device\":\"NVIDIA H200\",\"driver\":\"580\",\
             \"init_us\":1.0,\"transport\":{transport:?},\"about\":[{about}]}}"
        );
        Ready::parse(&json).unwrap()
    }

    fn options(words: &[&str]) -> Options {
        Options::parse_from(["perf", "--wire"].iter().chain(words))
    }

    #[test]
    fn the_head_of_host_pes_says_that_times_mean_nothing() {
        assert_eq!(
            head(&ready("nvlink", &[]), On::Host, &options(&["--qps", "2"])),
            "oxshmem 0.1.0, PE 0 to PE 1
  transport   : nvlink
  route       : load/store
  device      : host PE: these times say nothing of a GPU or a NIC
  queue pairs : none over load/store; blocks of a bandwidth by kernels: 2
  link        : the peer's memory is mapped
  bandwidth   : peak is the fastest of the passes, average that of all; a quiet ends each pass
  latency     : write and send: half of a ping-pong, as in ib_write_lat and ib_send_lat
                read and atomics: a whole round trip, as in ib_read_lat
                a write has arrived when its last word has; other threads' words may be later
"
        );
    }

    #[test]
    fn the_head_names_the_gpu_and_the_nics_link() {
        let text = head(&ready("ibgda", &["mlx5_0 port 1 (InfiniBand), LID 2", "more"]), On::Gpus, &options(&[]));
        for line in [
            "  route       : a kernel's threads write the NIC's queues\n",
            "  device      : NVIDIA H200, driver 580\n",
            "  queue pairs : 1 of the program's own for bandwidth by kernels; else the library's default ones\n",
            "  link        : mlx5_0 port 1 (InfiniBand), LID 2\n",
        ] {
            assert!(text.contains(line), "{line} in {text}");
        }
    }

    #[test]
    fn a_verbs_device_is_one_of_transports_over_verbs() {
        assert_eq!(verbs_device(&ready("ibrc", &["mlx5_3 port 1 (Ethernet)"])), Some("mlx5_3".to_string()));
        assert_eq!(verbs_device(&ready("nvlink", &[])), None);
        assert_eq!(verbs_device(&ready("libfabric", &["efa_0 port 1"])), None);
    }
}
