use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::os::unix::process::CommandExt;
use std::process::Command;

use super::*;

/// A user that is not this one, on every system.
const NOBODY: u32 = 65534;

fn refusal(folder: &Path) -> String {
    let error = own_folder(folder, || format!("use {}", folder.display()), "choose another").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused, "{error}");
    error.to_string()
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_scratch_folder_is_new_closed_to_others_and_gone_with_its_content() {
    let (one, other) = (Scratch::new("unit").unwrap(), Scratch::new("unit").unwrap());
    assert_ne!(&*one, &*other);
    assert_eq!(fs::metadata(&one).unwrap().mode() & 0o777, 0o700);
    fs::write(one.join("file"), "text").unwrap();
    let path = one.to_path_buf();
    drop(one);
    assert!(!path.exists() && other.exists());
    let kept = other.keep();
    assert!(kept.is_dir());
    fs::remove_dir(kept).unwrap();
}

#[test]
fn only_a_closed_folder_of_this_user_is_taken() {
    let base = Scratch::new("unit").unwrap();
    let made = base.join("made");
    for _ in 0..2 {
        own_folder(&made, String::new, "").unwrap();
    }
    assert_eq!(fs::metadata(&made).unwrap().mode() & 0o777, 0o700);
    set_mode(&made, 0o750);
    assert!(refusal(&made).contains("mode 750"));
    set_mode(&made, 0o700);
    let link = base.join("link");
    symlink(&made, &link).unwrap();
    assert!(refusal(&link).contains("not a directory"));
    let nowhere = own_folder(&base.join("no/such"), String::new, "").unwrap_err();
    assert_eq!(nowhere.kind(), ErrorKind::System, "{nowhere}");
}

#[test]
fn a_lock_is_not_opened_through_a_link_and_keeps_a_files_content() {
    let base = Scratch::new("unit").unwrap();
    let (victim, lock) = (base.join("victim"), base.join("lock"));
    fs::write(&victim, "precious").unwrap();
    symlink(&victim, &lock).unwrap();
    assert_eq!(open_lock(&lock).unwrap_err().raw_os_error(), Some(libc::ELOOP));
    open_lock(&victim).unwrap();
    assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
}

#[test]
fn folders_that_another_user_has_prepared_are_not_used() {
    if !geteuid().is_root() {
        return println!("skipped: only root can start a process of another user");
    }
    // The folder for temporary files, as every user may write to it.
    let shared = Scratch::new("unit").unwrap();
    set_mode(&shared, 0o1777);
    let names = ["wire", "oxshmem-1", &format!("oxshmem-unit-{}-", std::process::id())];
    let mut other = Command::new("mkdir");
    other.args(["-m", "0777"]).args(names).current_dir(&shared).uid(NOBODY).gid(NOBODY);
    if !other.status().is_ok_and(|made| made.success()) {
        return println!("skipped: another user can't make folders in {}", shared.display());
    }
    for name in names {
        assert!(refusal(&shared.join(name)).contains("belongs to user 65534"), "{name}");
    }
    // A folder can also be given away, with the mode that would be right.
    let given = shared.join("given");
    DirBuilder::new().mode(0o700).create(&given).unwrap();
    chown(&given, Some(NOBODY), Some(NOBODY)).unwrap();
    assert!(refusal(&given).contains("belongs to user 65534"));
}

#[test]
fn of_the_folders_left_those_of_ended_processes_of_this_user_are_removed() {
    let mut child = Command::new("true").spawn().unwrap();
    let ended = child.id();
    child.wait().unwrap();
    let mine = Scratch::new("sweep").unwrap();
    let beside = |name: String| mine.parent().unwrap().join(name);
    let left = beside(format!("oxshmem-sweep-{ended}-abcdef"));
    let of_another_purpose = beside(format!("oxshmem-swept-{ended}-abcdef"));
    let open = beside(format!("oxshmem-sweep-{ended}-open"));
    for folder in [&left, &of_another_purpose, &open] {
        fs::create_dir(folder).unwrap();
        set_mode(folder, if folder == &open { 0o755 } else { 0o700 });
    }
    fs::write(left.join("file"), "").unwrap();
    Scratch::sweep("sweep");
    let remain = [&*mine, &left, &of_another_purpose, &open].map(|folder| folder.exists());
    for folder in [&of_another_purpose, &open] {
        fs::remove_dir(folder).unwrap();
    }
    assert_eq!(remain, [true, false, true, true]);
}
