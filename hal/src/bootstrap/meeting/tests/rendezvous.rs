use super::*;
use crate::bootstrap::meeting::uid::Secret;
use oxshmem_raw::os::private::Scratch;
use std::os::unix::fs::PermissionsExt;

#[test]
fn the_published_file_is_readable_by_this_user_alone_and_goes_away() {
    let base = Scratch::new("rendezvous").unwrap();
    let directory = base.join("met");
    let place = Rendezvous::new(&directory, "job/with:odd name");
    let id = UniqueId::new("127.0.0.1:7".parse().unwrap(), &Secret::fresh().unwrap());
    let file = place.publish(&id).unwrap();
    assert_eq!(place.read().unwrap(), id);
    assert_eq!(fs::metadata(place.path()).unwrap().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(&directory).unwrap().mode() & 0o777, 0o700);
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o644)).unwrap();
    assert!(place.read().is_err(), "a file that others can read is not trusted");
    drop(file);
    assert_eq!(fs::read_dir(&directory).unwrap().count(), 0, "nothing is left");
}

#[test]
fn a_directory_open_to_others_or_a_link_is_refused() {
    let base = Scratch::new("rendezvous").unwrap();
    let directory = base.join("met");
    fs::create_dir(&directory).unwrap();
    fs::set_permissions(&directory, fs::Permissions::from_mode(0o755)).unwrap();
    let error = Rendezvous::new(&directory, "j").check().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused);
    assert!(error.to_string().contains("mode 755"), "{error}");
    let connection = base.join("link");
    fs::set_permissions(&directory, fs::Permissions::from_mode(0o700)).unwrap();
    std::os::unix::fs::symlink(&directory, &connection).unwrap();
    assert!(Rendezvous::new(&connection, "j").check().unwrap_err().to_string().contains("not a directory"));
}

#[test]
fn jobs_whose_readable_names_are_equal_do_not_meet() {
    assert_ne!(Rendezvous::new("/d", "a/b").path(), Rendezvous::new("/d", "a:b").path());
}
