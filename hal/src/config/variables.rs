//! The settings of the world itself.

use std::path::PathBuf;
use std::time::Duration;

use oxshmem_raw::settings::{FLAG_FORMS, NOT_A_WORD, parse_flag, parse_number};

use super::choice::{DeviceChoice, GPU_ORDINAL_MAX, HeapKind, RemoteChoice, Verbosity};
use super::duration::{duration_text, parse_duration};
use super::field::{ConfigField, bit, is, taken, word};
use super::size::{parse_size, size_text};

/// The largest heap of a PE: the windows of 8 PEs fill half of 47 address bits.
const MOST_HEAP_BYTES: u64 = 8 << 40;
/// The largest memory of teams: as much as one allocator shares out.
const MOST_TEAM_BYTES: u64 = 1 << 40;
const WAIT_LIMIT: (Duration, Duration) = (Duration::from_millis(1), Duration::from_secs(8760 * 3600));
const YIELD_ONE_IN_MAX: u32 = 1 << 20;

pub(super) static VARIABLES: &[ConfigField] = &[
    ConfigField {
        names: &["OXSHMEM_DEVICE"],
        help: "Which device the PEs run on: GPUs by local rank, one GPU by ordinal, or host PEs.",
        range: || DeviceChoice::WORDS.into(),
        set: |config, text| word(text, DeviceChoice::parse, |value| config.device = value),
        check: |config| match config.device {
            DeviceChoice::GpuOrdinal(ordinal) if ordinal > GPU_ORDINAL_MAX => {
                Err(format!("GPU {ordinal} is above {GPU_ORDINAL_MAX}"))
            }
            _ => Ok(()),
        },
        show: |config| Some(config.device.to_string()),
    },
    ConfigField {
        names: &["OXSHMEM_SYMMETRIC_SIZE", "NVSHMEM_SYMMETRIC_SIZE"],
        help: "Size of the first extent of the symmetric heap, per PE; rounded up to what the device can share.",
        range: || format!("0 to {}, with suffix k, m, g, t or KiB to TiB", size_text(MOST_HEAP_BYTES)),
        set: |config, text| taken(parse_size(text)?, |bytes| config.heap_bytes = bytes),
        check: |config| at_most(config.heap_bytes, MOST_HEAP_BYTES),
        show: |config| Some(size_text(config.heap_bytes).replace(" bytes", "")),
    },
    ConfigField {
        names: &["OXSHMEM_HEAP_LIMIT", "NVSHMEM_MAX_MEMORY_PER_GPU"],
        help: "Limit of the symmetric heap, per PE; auto: up to 64 GiB on host PEs, the device's memory on GPUs.",
        range: || format!("auto, or a size from that of the first extent to {}", size_text(MOST_HEAP_BYTES)),
        set: |config, text| {
            let limit = if is(text, "auto") { None } else { Some(parse_size(text)?) };
            taken(limit, |limit| config.heap_limit_bytes = limit)
        },
        check: |config| config.heap_limit_bytes.map_or(Ok(()), |bytes| at_most(bytes, MOST_HEAP_BYTES)),
        show: |config| {
            Some(config.heap_limit_bytes.map_or("auto".into(), |bytes| size_text(bytes).replace(" bytes", "")))
        },
    },
    ConfigField {
        names: &["OXSHMEM_TEAM_MEMORY"],
        help: "Memory that teams use beside the symmetric heap, per PE; auto: 128 MiB.",
        range: || format!("auto, or a size up to {}", size_text(MOST_TEAM_BYTES)),
        set: |config, text| {
            let bytes = if is(text, "auto") { None } else { Some(parse_size(text)?) };
            taken(bytes, |bytes| config.team_bytes = bytes)
        },
        check: |config| config.team_bytes.map_or(Ok(()), |bytes| at_most(bytes, MOST_TEAM_BYTES)),
        show: |config| Some(config.team_bytes.map_or("auto".into(), |bytes| size_text(bytes).replace(" bytes", ""))),
    },
    ConfigField {
        names: &["NVSHMEM_DISABLE_CUDA_VMM"],
        help: "1 stands for OXSHMEM_HEAP_KIND = ipc.",
        range: || FLAG_FORMS.into(),
        set: |config, text| {
            if parse_flag(text)? {
                config.heap_kind = HeapKind::Ipc;
            }
            Ok(None)
        },
        check: |_| Ok(()),
        show: |_| None,
    },
    ConfigField {
        names: &["OXSHMEM_HEAP_KIND"],
        help: "The kind of memory of a GPU's symmetric heap: CUDA VMM memory, or one block shared by legacy IPC.",
        range: || HeapKind::WORDS.into(),
        set: |config, text| word(text, HeapKind::parse, |value| config.heap_kind = value),
        check: |_| Ok(()),
        show: |config| Some(config.heap_kind.to_string()),
    },
    ConfigField {
        names: &["NVSHMEM_CUMEM_HANDLE_TYPE"],
        help: "How VMM memory is shared: by FILE_DESCRIPTOR.",
        range: || "FILE_DESCRIPTOR, FABRIC".into(),
        set: |_, text| match text {
            _ if is(text, "FILE_DESCRIPTOR") => Ok(None),
            _ if is(text, "FABRIC") => Ok(Some("memory is shared by file descriptors here".into())),
            _ => Err(NOT_A_WORD.into()),
        },
        check: |_| Ok(()),
        show: |_| None,
    },
    ConfigField {
        names: &["OXSHMEM_WAIT_LIMIT"],
        help: "Longest time of any wait, which then ends in a fault with the awaited PE or word; seconds without a unit.",
        range: || {
            let (least, most) = WAIT_LIMIT;
            format!("none, or {} to {}, with unit ns, us, ms, s, m or h", duration_text(least), duration_text(most))
        },
        set: |config, text| {
            let limit = if is(text, "none") { None } else { Some(parse_duration(text)?) };
            taken(limit, |limit| config.wait_limit = limit)
        },
        check: |config| match config.wait_limit {
            Some(limit) if limit < WAIT_LIMIT.0 => Err(format!("{} is too short", duration_text(limit))),
            Some(limit) if limit > WAIT_LIMIT.1 => Err(format!("{} is too long", duration_text(limit))),
            _ => Ok(()),
        },
        show: |config| Some(config.wait_limit.map_or("none".into(), duration_text)),
    },
    ConfigField {
        names: &["OXSHMEM_GPU_SHARE"],
        help: "Whether several PEs may run on one GPU where there are too few.",
        range: || FLAG_FORMS.into(),
        set: |config, text| taken(parse_flag(text)?, |value| config.gpu_share = value),
        check: |_| Ok(()),
        show: |config| bit(config.gpu_share),
    },
    ConfigField {
        names: &["OXSHMEM_SEED"],
        help: "Seed of the interleavings of host PEs; auto: drawn from the time and the PE.",
        range: || format!("auto, or 0 to {}, decimal or 0x and hexadecimal", u64::MAX),
        set: |config, text| {
            let seed = if is(text, "auto") { None } else { Some(whole(text)?) };
            taken(seed, |seed| config.schedule_seed = seed)
        },
        check: |_| Ok(()),
        show: |config| Some(config.schedule_seed.map_or("auto".into(), |seed| seed.to_string())),
    },
    ConfigField {
        names: &["OXSHMEM_YIELD_ONE_IN"],
        help: "On host PEs, one in so many system-scope accesses lets another GPU thread run; 0: none does.",
        range: || format!("0 to {YIELD_ONE_IN_MAX}"),
        set: |config, text| taken(parse_number(text)?, |value| config.yield_one_in = value),
        check: |config| match config.yield_one_in {
            n if n > YIELD_ONE_IN_MAX => Err(format!("{n} is too large")),
            _ => Ok(()),
        },
        show: |config| Some(config.yield_one_in.to_string()),
    },
    ConfigField {
        names: &["OXSHMEM_PTX_PATH", "OXSHMEM_PTX_DIR"],
        help: "Folders searched for kernel modules, first to last.",
        range: || "folders, separated by colons".into(),
        set: |config, text| {
            let folders = text.split(':').filter(|folder| !folder.is_empty()).map(PathBuf::from).collect();
            taken(folders, |folders| config.ptx_path = folders)
        },
        check: |config| match config.ptx_path.iter().find(|folder| folder.as_os_str().as_encoded_bytes().contains(&0)) {
            Some(_) => Err("a folder's name has a zero byte in it".into()),
            None => Ok(()),
        },
        show: |config| {
            let folders: Vec<_> = config.ptx_path.iter().map(|folder| folder.to_string_lossy()).collect();
            Some(folders.join(":")).filter(|text| !text.is_empty())
        },
    },
    ConfigField {
        names: &["OXSHMEM_REMOTE_TRANSPORT", "NVSHMEM_REMOTE_TRANSPORT"],
        help: "The transport to PEs that loads and stores don't reach; auto: the best that is linked.",
        range: || RemoteChoice::WORDS.into(),
        set: |config, text| word(text, RemoteChoice::parse, |value| config.remote = value),
        check: |config| match &config.remote {
            RemoteChoice::Named(name) if RemoteChoice::parse(name) != Some(config.remote.clone()) => {
                Err("that is no name of a transport".into())
            }
            _ => Ok(()),
        },
        show: |config| Some(config.remote.to_string()),
    },
    ConfigField {
        names: &["OXSHMEM_IB_ENABLE_IBGDA", "NVSHMEM_IB_ENABLE_IBGDA"],
        help: "Whether GPUs write the NIC's queues themselves, over the transport ibgda.",
        range: || format!("auto, {FLAG_FORMS}"),
        set: |config, text| {
            let value = if is(text, "auto") { None } else { Some(parse_flag(text)?) };
            taken(value, |value| config.ibgda = value)
        },
        check: |_| Ok(()),
        show: |config| config.ibgda.map_or(Some("auto".into()), bit),
    },
    ConfigField {
        names: &["OXSHMEM_DEBUG", "NVSHMEM_DEBUG"],
        help: "How much is written to standard error.",
        range: || Verbosity::WORDS.into(),
        set: |config, text| word(text, Verbosity::parse, |value| config.debug = value),
        check: |_| Ok(()),
        show: |config| Some(config.debug.to_string()),
    },
    ConfigField {
        names: &["OXSHMEM_VERSION", "NVSHMEM_VERSION"],
        help: "Whether the version is reported at start.",
        range: || FLAG_FORMS.into(),
        set: |config, text| taken(parse_flag(text)?, |value| config.print_version = value),
        check: |_| Ok(()),
        show: |config| bit(config.print_version),
    },
    ConfigField {
        names: &["OXSHMEM_INFO", "NVSHMEM_INFO"],
        help: "Whether this table's values are reported at start.",
        range: || FLAG_FORMS.into(),
        set: |config, text| taken(parse_flag(text)?, |value| config.print_info = value),
        check: |_| Ok(()),
        show: |config| bit(config.print_info),
    },
];

fn whole(text: &str) -> Result<u64, String> {
    let (digits, radix) = match text.strip_prefix("0x").or(text.strip_prefix("0X")) {
        Some(digits) => (digits, 16),
        None => (text, 10),
    };
    // `from_str_radix` would accept a sign.
    let all_digits = !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix));
    let value = all_digits.then(|| u64::from_str_radix(digits, radix).ok()).flatten();
    value.ok_or_else(|| "it is not a whole number of 64 bits".into())
}

fn at_most(bytes: u64, most: u64) -> Result<(), String> {
    if bytes <= most { Ok(()) } else { Err(format!("{} is too large", size_text(bytes))) }
}
