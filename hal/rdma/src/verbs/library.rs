//! Opens libraries at run time.

use core::ffi::{CStr, c_void};
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use oxshmem_core::host::{Error, ErrorKind, Result};

/// The advice if a library is not there.
const INSTALL: &str = "install rdma-core (Debian: libibverbs1 and ibverbs-providers), or name its folder in \
    LD_LIBRARY_PATH. On a machine without a NIC, `cargo oxshmem run --nic soft -- PROGRAM` (in oxshmem's checkout \
    `cargo xtask run`) has one in software";

/// An opened library. It stays open for good: its providers register with it, and its own threads may be running its
/// code.
pub(crate) struct Opened {
    name: &'static str,
    library: ManuallyDrop<Library>,
}

impl Opened {
    /// Opens `name` from `folder`, or where the system's loader finds it.
    ///
    /// # Errors
    /// The library, or one that it needs, is not there; the error has the loader's words.
    pub(crate) fn open(name: &'static str, folder: Option<&Path>) -> Result<Self> {
        let file = folder.map_or_else(|| PathBuf::from(name), |folder| folder.join(name));
        // SAFETY: opening runs the library's constructors. Those of libibverbs, libmlx5 and libnl fill tables of their
        // own. A file of this name that does something else was put there by the user.
        let library = unsafe { Library::open(Some(&file), RTLD_NOW | RTLD_LOCAL) };
        match library {
            Ok(library) => Ok(Self { name, library: ManuallyDrop::new(library) }),
            Err(error) => Err(Error::new(ErrorKind::NotFound, format!("open {}", file.display()))
                .because(words(&error))
                .hint(INSTALL)),
        }
    }

    /// Returns the default version of a function, which a program linked today would call.
    ///
    /// # Safety
    ///
    /// - **type**: `F` is the type of a function pointer, and the function has that type.
    ///
    /// # Errors
    /// The library is too old to have it, or is another library of the same name.
    pub(crate) unsafe fn function<F: Copy>(&self, name: &'static str) -> Result<F> {
        const { assert!(size_of::<F>() == size_of::<*const c_void>()) };
        // SAFETY: **type**: the caller passes the function pointer type of the function of this name.
        let found = unsafe { self.library.get::<F>(name.as_bytes()) };
        match found {
            Ok(function) => Ok(*function),
            Err(_) => Err(Error::new(ErrorKind::Incompatible, format!("use {}", self.name))
                .because(format!("it has no function {name}"))
                .hint("install rdma-core 24 or later")),
        }
    }
}

fn words(error: &libloading::Error) -> String {
    use std::error::Error as _;
    error.source().map_or_else(|| error.to_string(), |why| why.to_string())
}

/// The file that a function came from, with the version in its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    /// The file after all links.
    pub(crate) file: PathBuf,
    /// The part of its name after `.so.`.
    pub(crate) version: String,
}

impl Origin {
    /// Finds the library that has this address in it.
    pub(crate) fn of(function: *const c_void) -> Self {
        let mut info = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
        // SAFETY: `info` is writable and of the required type; the call accepts any address.
        let known = unsafe { libc::dladdr(function, info.as_mut_ptr()) };
        // SAFETY: zeroed memory is a valid `Dl_info` of null pointers, which the call may have filled.
        let info = unsafe { info.assume_init() };
        if known == 0 || info.dli_fname.is_null() {
            return Self::named(PathBuf::new());
        }
        // SAFETY: after success the name is a C string that lives as long as the library, which is never closed.
        let name = unsafe { CStr::from_ptr(info.dli_fname) };
        let file = PathBuf::from(name.to_string_lossy().into_owned());
        Self::named(file.canonicalize().unwrap_or(file))
    }

    fn named(file: PathBuf) -> Self {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let version = name.split_once(".so.").map_or("of unknown version", |(_, version)| version).to_string();
        Self { file, version }
    }
}

/// Declares the functions of a library and looks them up in it.
///
/// Each becomes a method of the same name that is unsafe to call. An optional one returns `None` if the library lacks
/// it.
macro_rules! functions {
    (
        $(#[$doc:meta])*
        pub(crate) struct $table:ident { $($name:ident: fn($($arg:ty),*) $(-> $out:ty)?,)* }
        optional { $($late:ident: fn($($late_arg:ty),*) -> $late_out:ty,)* }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(crate) struct $table {
            $(pub(crate) $name: unsafe extern "C" fn($($arg),*) $(-> $out)?,)*
            $(pub(crate) $late: Option<unsafe extern "C" fn($($late_arg),*) -> $late_out>,)*
        }

        impl $table {
            /// Looks up all functions.
            ///
            /// # Safety
            ///
            /// - **library**: it is the library whose header this file declares.
            ///
            /// # Errors
            /// The library lacks a function that is not optional.
            pub(crate) unsafe fn find(library: &$crate::verbs::library::Opened) -> oxshmem_core::host::Result<Self> {
                Ok(Self {
                    $(
                        // SAFETY: **type**: the header of **library** declares the function so.
                        $name: unsafe { library.function(stringify!($name)) }?,
                    )*
                    $(
                        // SAFETY: **type**: the header of **library** declares the function so.
                        $late: unsafe { library.function(stringify!($late)) }.ok(),
                    )*
                })
            }
        }
    };
}
pub(crate) use functions;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_library_is_named_with_the_package_to_install() {
        let Err(error) = Opened::open("libibverbs.so.1", Some(Path::new("/nowhere"))) else {
            panic!("there is nothing to open");
        };
        assert_eq!(error.kind(), ErrorKind::NotFound);
        let text = error.to_string();
        for part in ["/nowhere/libibverbs.so.1", "No such file", "rdma-core"] {
            assert!(text.contains(part), "{part} in: {text}");
        }
    }

    #[test]
    fn a_function_that_a_library_lacks_is_named() {
        let library = Opened::open("libc.so.6", None).unwrap();
        // SAFETY: **type**: no function has this name, so none has another type.
        let error = unsafe { library.function::<extern "C" fn()>("oxshmem_no_such_function") }.unwrap_err();
        assert!(error.to_string().contains("libc.so.6: it has no function oxshmem_no_such_function"), "{error}");
    }

    #[test]
    fn the_version_is_in_the_name_of_the_file_after_all_links() {
        let origin = Origin::named(PathBuf::from("/usr/lib/libibverbs.so.1.14.44.0"));
        assert_eq!(origin.version, "1.14.44.0");
        assert_eq!(Origin::named(PathBuf::from("/usr/lib/libibverbs.a")).version, "of unknown version");
        let own = Origin::of(libc::getpid as *const c_void);
        assert!(own.file.is_absolute() && own.file.is_file(), "{own:?}");
    }
}
