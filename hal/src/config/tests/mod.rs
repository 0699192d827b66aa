//! The combination of file, environment and program.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use oxshmem_core::{ErrorKind, Result};

use super::names::without_effect;
use super::table::table;
use super::*;

mod file;
mod fuzz;
mod nic;

fn from(file: Option<&str>, env: &[(&str, &str)]) -> Result<Config> {
    let env = env.iter().map(|(name, value)| (name.to_string(), value.to_string()));
    Config::from_sources(file.map(|text| (Path::new("site.conf"), text)), env)
}

fn env(variables: &[(&str, &str)]) -> Config {
    from(None, variables).unwrap()
}

/// Returns the error of one variable of the environment.
fn refused(name: &str, value: &str) -> (ErrorKind, String) {
    let error = from(None, &[(name, value)]).map(|config| config.describe()).expect_err(value);
    (error.kind(), error.to_string())
}

fn kinds(config: &Config) -> Vec<(NoteKind, &str)> {
    config.notes().iter().map(|note| (note.kind, note.variable.as_str())).collect()
}

#[test]
fn without_sources_the_defaults_hold_and_there_is_nothing_to_tell() {
    let config = env(&[("PATH", "/bin"), ("HOME", "/root"), ("", ""), ("OXSHMEM_", "1"), ("OXSHMEM_DEVICE", " ")]);
    assert_eq!(config, Config::new());
    assert_eq!((config.heap_bytes, config.heap_limit(None, 1), config.team_memory()), (1 << 30, 64 << 30, 128 << 20));
    assert_eq!((config.wait_limit, config.yield_one_in), (Some(Duration::from_secs(60)), 16));
}

#[test]
fn every_variable_of_ours_sets_its_field() {
    let config = env(&[
        ("OXSHMEM_DEVICE", "GPU:3"),
        ("OXSHMEM_SYMMETRIC_SIZE", "1.5g"),
        ("OXSHMEM_HEAP_LIMIT", "2 GiB"),
        ("OXSHMEM_HEAP_KIND", "Vmm"),
        ("OXSHMEM_WAIT_LIMIT", "500ms"),
        ("OXSHMEM_GPU_SHARE", "yes"),
        ("OXSHMEM_SEED", "0xffffffffffffffff"),
        ("OXSHMEM_YIELD_ONE_IN", "0"),
        ("OXSHMEM_PTX_PATH", "/a b:relative::/c"),
        ("OXSHMEM_REMOTE_TRANSPORT", "IBRC"),
        ("OXSHMEM_IB_ENABLE_IBGDA", "1"),
        ("OXSHMEM_DEBUG", "TRACE"),
        ("OXSHMEM_VERSION", "1"),
        ("OXSHMEM_INFO", "on"),
    ]);
    let mut expected = Config::new()
        .with_device(DeviceChoice::GpuOrdinal(3))
        .with_heap_bytes(3 << 29)
        .with_heap_limit(2 << 30)
        .with_heap_kind(HeapKind::Vmm)
        .with_wait_limit(Duration::from_millis(500))
        .with_gpu_share(true)
        .with_seed(u64::MAX)
        .with_yield_one_in(0)
        .with_debug(Verbosity::Trace);
    expected.ptx_path = ["/a b", "relative", "/c"].map(PathBuf::from).to_vec();
    expected.remote = RemoteChoice::Named("ibrc".into());
    (expected.ibgda, expected.print_version, expected.print_info) = (Some(true), true, true);
    assert_eq!(config, expected);
}

#[test]
fn nvshmem_variables_are_honoured_under_their_names() {
    let config = env(&[
        ("NVSHMEM_SYMMETRIC_SIZE", "20m"),
        ("NVSHMEM_MAX_MEMORY_PER_GPU", "3g"),
        ("NVSHMEM_DISABLE_CUDA_VMM", "1"),
        ("NVSHMEM_CUMEM_HANDLE_TYPE", "FILE_DESCRIPTOR"),
        ("NVSHMEM_REMOTE_TRANSPORT", "none"),
        ("NVSHMEM_IB_ENABLE_IBGDA", "0"),
        ("NVSHMEM_DEBUG", "ABORT"),
        ("NVSHMEM_VERSION", "true"),
        ("NVSHMEM_INFO", "1"),
        ("NVSHMEM_HOME", "/opt/nvshmem"),
    ]);
    assert_eq!((config.heap_bytes, config.heap_limit_bytes), (20 << 20, Some(3 << 30)));
    assert_eq!((config.heap_kind, config.debug), (HeapKind::Ipc, Verbosity::Info));
    assert_eq!((&config.remote, config.ibgda), (&RemoteChoice::None, Some(false)));
    assert!(config.reports_version() && config.print_info);
    assert_eq!(config.notes(), [], "all of it has its effect");
    assert_eq!(config.notes_on_transports(&["nvlink"]), [], "what is not wanted need not be there");
    assert_eq!(env(&[("NVSHMEM_DISABLE_CUDA_VMM", "0")]).heap_kind, HeapKind::Auto);
}

#[test]
fn the_environment_goes_before_the_file_and_code_before_both() {
    let file = "seed = 1\nheap_limit = 3g\nNVSHMEM_SYMMETRIC_SIZE = 1m # small\n";
    let config = from(Some(file), &[("OXSHMEM_SEED", "2"), ("NVSHMEM_SYMMETRIC_SIZE", "2m")]).unwrap();
    assert_eq!((config.schedule_seed, config.heap_bytes), (Some(2), 2 << 20));
    assert_eq!(config.heap_limit_bytes, Some(3 << 30), "the file alone says it");
    assert_eq!(config.notes(), [], "an override by a later source is not worth telling");
    assert_eq!(config.with_seed(None).schedule_seed, None);
    let undone = from(Some("wait_limit = 1s"), &[("OXSHMEM_WAIT_LIMIT", "none")]).unwrap();
    assert_eq!(undone.wait_limit, None);
}

#[test]
fn our_name_goes_before_nvshmems_in_one_place_and_that_is_told() {
    let both = [("NVSHMEM_SYMMETRIC_SIZE", "1m"), ("OXSHMEM_SYMMETRIC_SIZE", "2m"), ("NVSHMEM_DISABLE_CUDA_VMM", "1")];
    let config = env(&[both.as_slice(), &[("OXSHMEM_HEAP_KIND", "vmm")]].concat());
    assert_eq!((config.heap_bytes, config.heap_kind), (2 << 20, HeapKind::Vmm));
    assert_eq!(kinds(&config), [(NoteKind::Overruled, "NVSHMEM_SYMMETRIC_SIZE")]);
    assert!(config.notes()[0].to_string().contains("OXSHMEM_SYMMETRIC_SIZE is set too"), "{}", config.notes()[0]);
    let same = env(&[("NVSHMEM_DEBUG", "info"), ("OXSHMEM_DEBUG", "info")]);
    assert_eq!(same.notes(), []);
    let twice = env(&[("OXSHMEM_SEED", "1"), ("OXSHMEM_SEED", "2")]);
    assert_eq!(twice.schedule_seed, Some(1), "as getenv has it");
}

#[test]
fn a_value_out_of_range_is_an_error_that_gives_the_variable_the_value_and_the_range() {
    for (name, value, range) in [
        ("OXSHMEM_DEVICE", "gpu:1024", "N from 0 to 1023"),
        ("OXSHMEM_SYMMETRIC_SIZE", "8.1t", "0 to 8 TiB"),
        ("OXSHMEM_HEAP_LIMIT", "9t", "to 8 TiB"),
        ("OXSHMEM_TEAM_MEMORY", "1025g", "a size up to 1 TiB"),
        ("OXSHMEM_WAIT_LIMIT", "0", "none, or 1ms to 8760h"),
        ("OXSHMEM_WAIT_LIMIT", "999us", "none, or 1ms to 8760h"),
        ("OXSHMEM_WAIT_LIMIT", "8761h", "none, or 1ms to 8760h"),
        ("OXSHMEM_YIELD_ONE_IN", "1048577", "0 to 1048576"),
    ] {
        let (kind, text) = refused(name, value);
        assert_eq!(kind, ErrorKind::OutOfRange, "{text}");
        let set = format!("use {name} = {value} (in the environment)");
        assert!(text.contains(&set) && text.contains("it takes ") && text.contains(range), "{text}");
    }
}

#[test]
fn the_edges_of_a_range_are_in_it() {
    for (name, value) in [
        ("OXSHMEM_DEVICE", "gpu:1023"),
        ("OXSHMEM_DEVICE", "gpu:0"),
        ("OXSHMEM_SYMMETRIC_SIZE", "0"),
        ("NVSHMEM_SYMMETRIC_SIZE", "8t"),
        ("OXSHMEM_TEAM_MEMORY", "0"),
        ("OXSHMEM_TEAM_MEMORY", "1t"),
        ("OXSHMEM_HEAP_LIMIT", "8t"),
        ("OXSHMEM_HEAP_LIMIT", "1g"),
        ("OXSHMEM_WAIT_LIMIT", "1ms"),
        ("OXSHMEM_WAIT_LIMIT", "8760h"),
        ("OXSHMEM_YIELD_ONE_IN", "1048576"),
        ("OXSHMEM_SEED", "0"),
    ] {
        assert_eq!(env(&[(name, value)]).notes(), [], "{name} = {value}");
    }
}

#[test]
fn the_heaps_of_all_pes_fit_in_a_process_unless_the_limit_is_set() {
    const GIB: u64 = 1 << 30;
    let config = Config::new();
    for n_pes in [1, 8, 44, 45, 64, 128, 181] {
        let limit = config.heap_limit(None, n_pes * n_pes);
        // A window is as large as the limit and the library's own part, in multiples of its alignment.
        assert!(
            n_pes * n_pes * (limit + GIB / 4).next_multiple_of(GIB) < 1 << 47 && limit > GIB,
            "{n_pes} PEs: {limit}"
        );
    }
    assert_eq!(config.heap_limit(None, 8 * 8), 64 * GIB);
    assert_eq!(config.heap_limit(Some(80 * GIB), 512), 80 * GIB);
    assert_eq!(Config::new().with_heap_limit(80 * GIB).heap_limit(None, 64 * 64), 80 * GIB);
    assert_eq!(Config::new().with_heap_bytes(8 << 40).heap_limit(None, 64 * 64), 8 << 40, "never below the heap");
}

#[test]
fn a_value_that_is_none_is_an_error_that_gives_the_variable_and_what_it_takes() {
    for (name, value, takes) in [
        ("OXSHMEM_DEVICE", "cpu", "auto, host, gpu"),
        ("OXSHMEM_DEVICE", "gpu:", "auto, host, gpu"),
        ("OXSHMEM_DEVICE", "gpu:+1", "auto, host, gpu"),
        ("OXSHMEM_DEVICE", "gpu:4294967296", "auto, host, gpu"),
        ("OXSHMEM_SYMMETRIC_SIZE", "plenty", "0 to 8 TiB"),
        ("NVSHMEM_SYMMETRIC_SIZE", "20kk", "suffix k, m, g, t"),
        ("OXSHMEM_HEAP_LIMIT", "none", "auto, or a size"),
        ("OXSHMEM_HEAP_KIND", "malloc", "auto, vmm, ipc"),
        ("NVSHMEM_DISABLE_CUDA_VMM", "2", "0 or 1"),
        ("NVSHMEM_CUMEM_HANDLE_TYPE", "WIN32", "FILE_DESCRIPTOR, FABRIC"),
        ("OXSHMEM_WAIT_LIMIT", "1 fortnight", "ns, us, ms, s, m or h"),
        ("OXSHMEM_GPU_SHARE", "maybe", "0 or 1"),
        ("OXSHMEM_SEED", "0x", "18446744073709551615"),
        ("OXSHMEM_SEED", "0x+1", "18446744073709551615"),
        ("OXSHMEM_SEED", "18446744073709551616", "18446744073709551615"),
        ("OXSHMEM_YIELD_ONE_IN", "-1", "0 to 1048576"),
        ("OXSHMEM_REMOTE_TRANSPORT", "../ibrc.so", "name of a transport"),
        ("NVSHMEM_IB_ENABLE_IBGDA", "perhaps", "0 or 1"),
        ("NVSHMEM_DEBUG", "loud", "none, version, warn, info, trace"),
    ] {
        let (kind, text) = refused(name, value);
        assert_eq!(kind, ErrorKind::InvalidArgument, "{text}");
        assert!(text.contains(&format!("use {name} = {value} (in the environment)")), "{text}");
        assert!(text.contains("it takes ") && text.contains(takes), "{text}");
    }
}

#[test]
fn code_is_held_to_the_same_ranges() {
    type Edit = fn(&mut Config);
    let cases: [(Edit, &str, &str); 7] = [
        (|c| c.device = DeviceChoice::GpuOrdinal(1024), "OXSHMEM_DEVICE = gpu:1024", "0 to 1023"),
        (|c| c.heap_bytes = 9 << 40, "OXSHMEM_SYMMETRIC_SIZE = 9 TiB", "0 to 8 TiB"),
        (|c| c.heap_limit_bytes = Some(u64::MAX), "OXSHMEM_HEAP_LIMIT = 18446744073709551615", "8 TiB"),
        (|c| c.heap_limit_bytes = Some(1 << 20), "OXSHMEM_HEAP_LIMIT = 1 MiB", "1 GiB and more"),
        (|c| c.wait_limit = Some(Duration::MAX), "OXSHMEM_WAIT_LIMIT = ", "none, or 1ms to 8760h"),
        (|c| c.yield_one_in = u32::MAX, "OXSHMEM_YIELD_ONE_IN = 4294967295", "0 to 1048576"),
        (|c| c.remote = RemoteChoice::Named("NONE".into()), "OXSHMEM_REMOTE_TRANSPORT = NONE", "none"),
    ];
    Config::new().check().unwrap();
    for (edit, what, range) in cases {
        let mut config = Config::new();
        edit(&mut config);
        let error = config.check().expect_err(what);
        assert_eq!(error.kind(), ErrorKind::OutOfRange, "{error}");
        assert!(error.to_string().contains(what) && error.to_string().contains(range), "{error}");
    }
}

#[test]
fn a_limit_below_the_first_extent_is_refused_whatever_set_the_two() {
    let error = from(Some("heap_limit = 1g"), &[("NVSHMEM_SYMMETRIC_SIZE", "2g")]).unwrap_err().to_string();
    assert!(error.contains("OXSHMEM_HEAP_LIMIT = 1 GiB") && error.contains("2 GiB"), "{error}");
    let error = from(None, &[("NVSHMEM_MAX_MEMORY_PER_GPU", "1k")]).unwrap_err().to_string();
    assert!(error.contains("OXSHMEM_HEAP_LIMIT = 1 KiB") && error.contains("1 GiB and more"), "{error}");
}

#[test]
fn what_nvshmem_knows_and_is_without_effect_is_told_with_the_reason() {
    for (name, why) in without_effect() {
        let config = env(&[(&format!("NVSHMEM_{name}"), "1")]);
        let [note] = config.notes() else { panic!("{name}: {:?}", config.notes()) };
        assert_eq!(note.kind, NoteKind::WithoutEffect);
        assert_eq!(note.to_string(), format!("NVSHMEM_{name} is without effect: {why}"));
        assert_eq!(Config { notes: Vec::new(), ..config }, Config::new(), "{name} sets nothing");
    }
    let fabric = env(&[("NVSHMEM_CUMEM_HANDLE_TYPE", "FABRIC")]);
    assert_eq!(kinds(&fabric), [(NoteKind::WithoutEffect, "NVSHMEM_CUMEM_HANDLE_TYPE")]);
    let file = from(Some("\nNVSHMEM_MAX_TEAMS = 8"), &[]).unwrap();
    assert!(file.notes()[0].to_string().contains("site.conf:2"), "{}", file.notes()[0]);
}

#[test]
fn an_unknown_variable_is_told_with_the_name_that_was_meant_and_without_its_value() {
    let config = env(&[
        ("OXSHMEM_SYMETRIC_SIZE", "a secret"),
        ("NVSHMEM_COLOUR_OF_MAGIC", "a secret"),
        ("oxshmem_device", "host"),
        ("OXSHMEM_PE", "0"),
        ("OXSHMEM_SECRET", "a secret"),
    ]);
    let told: Vec<_> = config.notes().iter().map(|note| note.to_string()).collect();
    assert_eq!(
        told,
        [
            "NVSHMEM_COLOUR_OF_MAGIC is not a known variable",
            "OXSHMEM_SYMETRIC_SIZE is not a known variable; did you mean OXSHMEM_SYMMETRIC_SIZE?",
            "oxshmem_device is not a known variable; did you mean OXSHMEM_DEVICE?",
        ]
    );
    assert!(config.notes().iter().all(|note| note.kind == NoteKind::Unknown));
}

#[test]
fn a_transport_that_is_asked_for_and_not_compiled_in_is_told_with_those_that_are() {
    let config = env(&[("NVSHMEM_REMOTE_TRANSPORT", "ibrc"), ("NVSHMEM_IB_ENABLE_IBGDA", "1")]);
    let told: Vec<_> = config.notes_on_transports(&["nvlink"]).iter().map(|note| note.to_string()).collect();
    let why = "is without effect: this build has only `nvlink` compiled in";
    assert_eq!(told, [format!("REMOTE_TRANSPORT = ibrc {why}"), format!("IB_ENABLE_IBGDA = 1 {why}")]);
    assert_eq!(config.notes_on_transports(&["nvlink", "ibgda", "ibrc"]), []);
}

#[test]
fn ibgda_beside_a_transport_that_posts_from_the_cpu_is_on_or_a_note_says_why_not() {
    let first = |variables: &[(&str, &str)]| {
        let config = env(variables);
        let linked = crate::transports::linked();
        let name = config.preferences(&linked).map(|all| all[0].name.clone());
        (
            name.ok(),
            config.notes_on_transports(&["nvlink", "ibgda", "ibrc"]).iter().map(Note::to_string).collect::<Vec<_>>(),
        )
    };
    let on = ("NVSHMEM_IB_ENABLE_IBGDA", "1");
    for named in ["ibrc", "ibdevx", "ibgda"] {
        assert_eq!(first(&[("NVSHMEM_REMOTE_TRANSPORT", named), on]), (Some("ibgda".into()), vec![]), "{named}");
    }
    let (name, notes) = first(&[("NVSHMEM_REMOTE_TRANSPORT", "libfabric"), on]);
    assert!(name.is_none() && notes.len() == 1, "{notes:?}");
    assert!(notes[0].contains("REMOTE_TRANSPORT = libfabric is without effect"), "{notes:?}");
    assert_eq!(first(&[("NVSHMEM_REMOTE_TRANSPORT", "tcpp")]), (None, vec![]), "it is an error of the world's start");
    let config = env(&[("NVSHMEM_REMOTE_TRANSPORT", "ibrc"), on]);
    let notes = config.notes_on_transports(&["nvlink", "ibrc"]);
    assert!(notes.len() == 1 && notes[0].to_string().contains("IB_ENABLE_IBGDA = 1 is without effect"), "{notes:?}");
}

#[test]
fn a_value_that_is_not_utf_8_is_refused_if_it_counts_and_passed_over_if_not() {
    let with = |name: &str| Config::from_variables([(name.into(), OsString::from_vec(vec![0xff]))].into_iter());
    let refused = with("OXSHMEM_PTX_PATH").unwrap_err().to_string();
    assert!(refused.contains("OXSHMEM_PTX_PATH") && refused.contains("not UTF-8"), "{refused}");
    for name in ["PATH", "OXSHMEM_UID", "OXSHMEM_NOBODY_KNOWS"] {
        with(name).unwrap();
    }
}

#[test]
fn what_is_described_is_a_file_that_says_the_same() {
    let mut config = Config::new().with_heap_bytes(123_457).with_wait_limit(Duration::from_nanos(1_234_567));
    config = config.with_heap_limit(1 << 40).with_seed(9).with_ptx_folder("/a").with_ptx_folder("/b");
    (config.remote, config.ibgda) = (RemoteChoice::Named("ibrc".into()), Some(false));
    for config in [config, Config::new(), Config::new().with_wait_limit(None).with_device(DeviceChoice::Gpu)] {
        assert_eq!(from(Some(&config.describe()), &[]).unwrap(), config, "{}", config.describe());
    }
}

#[test]
fn the_help_tells_every_name_its_default_and_its_range() {
    let help = Config::help();
    for setting in table() {
        let row = help
            .lines()
            .find(|line| line[2..].starts_with(setting.name()))
            .unwrap_or_else(|| panic!("{}", setting.name()));
        assert!(setting.names().iter().all(|name| row.contains(name)), "{row}");
        assert!(row.contains(&setting.range()) && row.contains(setting.help()), "{row}");
    }
    assert!(help.contains("OXSHMEM_SECRET") && help.contains("NVSHMEM_MAX_TEAMS"));
    assert!(help.lines().find(|line| line.contains("OXSHMEM_WAIT_LIMIT")).unwrap().contains("| 1m "));
}
