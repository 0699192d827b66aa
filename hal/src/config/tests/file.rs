//! The file: its format, its mistakes, and finding it.

use super::*;
use oxshmem_raw::os::private::Scratch;

fn refused_file(text: &str) -> String {
    let error = from(Some(text), &[]).expect_err(text);
    assert_eq!(error.kind(), ErrorKind::Malformed, "{error}");
    error.to_string()
}

#[test]
fn a_file_has_comments_either_case_and_names_with_or_without_prefix() {
    let text = "\u{feff}# the site's settings\r\n\r\n  OXSHMEM_DEVICE=host # no GPUs here\r\nheap_limit =2g\r\n\
                ptx_path = /opt/a#b:/opt/c\t# two folders\r\nNVSHMEM_DEBUG = INFO";
    let config = from(Some(text), &[]).unwrap();
    assert_eq!((config.device, config.heap_limit_bytes), (DeviceChoice::Host, Some(2 << 30)));
    assert_eq!(config.ptx_path, [PathBuf::from("/opt/a#b"), PathBuf::from("/opt/c")]);
    assert_eq!(config.debug, Verbosity::Info);
}

#[test]
fn a_mistake_in_a_file_is_an_error_with_its_line() {
    for (text, what) in [
        ("seed = 1\n\nheap_limt = 2g", "site.conf:3: `heap_limt` is not a setting; did you mean OXSHMEM_HEAP_LIMIT?"),
        ("colour_of_magic = 8", "site.conf:1: `colour_of_magic` is not a setting; `cargo oxshmem doctor` lists"),
        ("seed = 1\nseed = 1", "site.conf:2: OXSHMEM_SEED was set at line 1 already"),
        ("NVSHMEM_DEBUG = info\ndebug = warn", "OXSHMEM_DEBUG, which is NVSHMEM_DEBUG, was set at line 1 already"),
        ("NVSHMEM_MAX_TEAMS = 1\nNVSHMEM_MAX_TEAMS = 1", "NVSHMEM_MAX_TEAMS was set at line 1 already"),
        ("seed 1", "site.conf:1: `seed 1` has no `=`; write NAME = value"),
        ("= 1", "site.conf:1: `` is not a setting"),
        ("seed = # later", "site.conf:1: OXSHMEM_SEED has no value"),
        ("secret = 00ff", "site.conf:1: OXSHMEM_SECRET is read from the environment alone"),
        ("OXSHMEM_CONF = other.conf", "OXSHMEM_CONF is read from the environment alone"),
        ("\x1b[31m = 1", "`\\u{1b}[31m` is not a setting"),
    ] {
        let refused = refused_file(text);
        assert!(refused.contains(what), "{text:?}: {refused}");
    }
    let value = from(Some("\nwait_limit = soon"), &[]).unwrap_err().to_string();
    assert!(value.contains("OXSHMEM_WAIT_LIMIT = soon (site.conf:2)") && value.contains("it takes none"), "{value}");
}

#[test]
fn a_file_is_read_where_the_environment_says_and_what_is_no_file_is_refused_at_once() {
    let folder = Scratch::new("config").unwrap();
    let read = |path: &Path| {
        let env = [("OXSHMEM_CONF", path.as_os_str().to_owned()), ("OXSHMEM_SEED", "7".into())];
        Config::from_variables(env.into_iter().map(|(name, value)| (OsString::from(name), value)))
    };
    let path = folder.join("site.conf");
    std::fs::write(&path, "seed = 1\nyield_one_in = 5\n").unwrap();
    let config = read(&path).unwrap();
    assert_eq!((config.schedule_seed, config.yield_one_in), (Some(7), 5));
    assert_eq!(config.notes(), []);

    std::fs::write(&path, b"# fine\nseed = \xff\n").unwrap();
    let broken = read(&path).unwrap_err();
    assert!(broken.to_string().contains("line 2 is not UTF-8"), "{broken}");
    std::fs::write(&path, vec![b'#'; (1 << 20) + 1]).unwrap();
    let long = read(&path).unwrap_err();
    assert_eq!(long.kind(), ErrorKind::OutOfRange, "{long}");
    let missing = read(&folder.join("nowhere")).unwrap_err();
    assert_eq!((missing.kind(), missing.code()), (ErrorKind::NotFound, Some(2)), "{missing}");
    assert!(missing.to_string().contains("OXSHMEM_CONF"), "{missing}");
    for no_file in [&*folder, Path::new("/dev/zero")] {
        assert!(read(no_file).unwrap_err().to_string().contains("it is not a file"));
    }
    assert_eq!(read(Path::new("")).unwrap().schedule_seed, Some(7), "an empty name is none");
}
