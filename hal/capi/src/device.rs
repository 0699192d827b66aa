//! The device's side of a program: its modules, queue pairs and buffers.

use std::ffi::{c_char, c_int, c_void};
use std::sync::{Mutex, PoisonError};

use oxshmem_hal::{Error, ErrorKind, Result};

use crate::face::Face;
use crate::life::in_running_world;
use crate::pointers::{give, not_null};

/// Finds a variable of the device functions that are linked into the program: writes its address in the current context
/// and its size, and returns 0 if there is one.
type Find = unsafe extern "C" fn(name: *const c_char, address: *mut u64, bytes: *mut usize) -> c_int;

/// The device functions that are linked into this program, which announce themselves when it starts.
static LINKED: Mutex<Vec<Find>> = Mutex::new(Vec::new());

/// Announces device functions that are linked into the program. The device library's archive calls it when the program
/// is loaded; the world's start then gives them its state.
#[unsafe(no_mangle)]
extern "C" fn oxshmem_register_device_functions(find: Find) {
    LINKED.lock().unwrap_or_else(PoisonError::into_inner).push(find);
}

/// Takes an announcement back. The device library's archive calls it when the shared object that has the functions is
/// closed: its variables end, and the world writes its state there no more.
#[unsafe(no_mangle)]
extern "C" fn oxshmem_forget_device_functions(find: Find) {
    forget(&LINKED, |known| *known as usize == find as usize);
    in_running_world(|face| {
        face.linked.lock().unwrap_or_else(PoisonError::into_inner).retain(|key| *key != find as usize);
        face.world.unlink(find as *mut c_void);
    });
}

/// Removes the first entry that `is_it` accepts, if there is one.
pub(crate) fn forget<T>(list: &Mutex<Vec<T>>, is_it: impl FnMut(&T) -> bool) {
    let mut list = list.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(at) = list.iter().position(is_it) {
        list.remove(at);
    }
}

impl Face {
    /// Gives the device functions that are linked into the program the world's state, unless an earlier call has: a
    /// shared object that the program opened since then has some of its own.
    pub(crate) fn link_program(&self) -> Result<()> {
        if self.world.on_host() {
            return Ok(());
        }
        let all = LINKED.lock().unwrap_or_else(PoisonError::into_inner).clone();
        // The list is right between any two links.
        let mut linked = self.linked.lock().unwrap_or_else(PoisonError::into_inner);
        for find in all {
            let key = find as usize;
            if linked.contains(&key) {
                continue;
            }
            let variable = |name: &str| {
                let (name, mut address, mut bytes) = (std::ffi::CString::new(name).ok()?, 0, 0);
                // SAFETY: the archive's function takes a C string and two out pointers.
                let found = unsafe { find(name.as_ptr(), &mut address, &mut bytes) };
                (found == 0).then_some((address, bytes))
            };
            // SAFETY: **variables**: those of the program stay as long as it, and those of a shared object until it takes
            // its announcement back, which unlinks them.
            unsafe { self.world.link_program(key as u64, variable) }?;
            linked.push(key);
        }
        Ok(())
    }
}

/// Takes the world's state from a module or library of the program.
///
/// # Errors
/// It has none: it was not initialised, or its end has come before.
fn end_of(face: &Face, raw: *mut c_void, what: &str) -> Result<()> {
    if face.world.unlink(raw) {
        return Ok(());
    }
    Err(Error::new(ErrorKind::InvalidArgument, format!("end the use of the {what} {raw:p}"))
        .because(format!("it is not initialised: nvshmemx_cu{what}_init must come first")))
}

export! {
    fn nvshmemx_cumodule_init(module: *mut c_void) -> c_int = status |face| {
        // SAFETY: **module**: by **pointers** of the caller, until nvshmemx_cumodule_finalize.
        unsafe { face.world.link_module(module) }
    };
    fn nvshmemx_cumodule_finalize(module: *mut c_void) -> c_int = take_back |face| {
        end_of(face, module, "module")
    };
    fn nvshmemx_culibrary_init(library: *mut c_void) -> c_int = status |face| {
        // SAFETY: **library**: by **pointers** of the caller, until nvshmemx_culibrary_finalize.
        unsafe { face.world.link_library(library) }
    };
    fn nvshmemx_culibrary_finalize(library: *mut c_void) -> c_int = take_back |face| {
        end_of(face, library, "library")
    };

    /// Makes queue pairs. The array of their handles is the program's, which frees it by `free` after the end.
    fn nvshmemx_qp_create(count: c_int, made: *mut *mut c_int) -> c_int = status |face| {
        // The call is collective: with a null pointer the other PEs still make theirs.
        let handles = face.world.qps().create(u32::try_from(count).unwrap_or(0)).map_err(|error| match error.kind() {
            ErrorKind::InvalidArgument if count < 0 => {
                Error::new(ErrorKind::InvalidArgument, format!("create {count} queue pairs"))
                    .because("one call makes at least 1")
            }
            _ => error,
        })?;
        not_null(made, "the place for the handles")?;
        // SAFETY: any size may be asked for.
        let array: *mut c_int = unsafe { libc::malloc(handles.len() * size_of::<c_int>()) }.cast();
        if array.is_null() {
            return Err(Error::new(ErrorKind::Exhausted, "return the handles of queue pairs").because("out of memory"));
        }
        // SAFETY: the array has room for all handles; **pointers** by the caller.
        unsafe {
            (0..).zip(&handles).for_each(|(i, handle): (usize, _)| array.add(i).write(handle.raw()));
            give(made, array);
        }
        Ok(())
    };

    fn nvshmemx_buffer_register(address: *mut c_void, bytes: usize) -> c_int = status |face| {
        // SAFETY: **mapped**, **unshared**: the caller's duty in NVSHMEM too, whose buffers are memory of the program.
        unsafe { face.world.user_memory().register_buffer(address as u64, bytes as u64) }?;
        face.buffers().insert(address as u64);
        Ok(())
    };
    fn nvshmemx_buffer_unregister(address: *mut c_void) -> c_int = status |face| {
        face.world.user_memory().unregister_buffer(address as u64)?;
        face.buffers().remove(&(address as u64));
        Ok(())
    };
    fn nvshmemx_buffer_unregister_all() = or_exit |face| {
        let all = std::mem::take(&mut *face.buffers());
        all.into_iter().try_for_each(|address| face.world.user_memory().unregister_buffer(address))
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn device_functions_of_a_closed_object_are_looked_up_no_more() {
        unsafe extern "C" fn finds<const CODE: c_int>(_: *const c_char, _: *mut u64, _: *mut usize) -> c_int {
            CODE
        }
        let (closed, kept): (Find, Find) = (finds::<1>, finds::<2>);
        let known = |find: Find| LINKED.lock().unwrap().iter().any(|known| *known as usize == find as usize);
        oxshmem_register_device_functions(closed);
        oxshmem_register_device_functions(kept);
        oxshmem_forget_device_functions(closed);
        assert!(!known(closed) && known(kept));
        // An object that is opened at the same place later is new.
        oxshmem_register_device_functions(closed);
        assert!(known(closed));
        [closed, kept].into_iter().for_each(|find| oxshmem_forget_device_functions(find));
        assert!(!known(closed) && !known(kept));
    }
}
