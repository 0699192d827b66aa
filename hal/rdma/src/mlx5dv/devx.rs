//! Commands of the firmware, and the objects that they create.

use core::ffi::{c_int, c_void};

use oxshmem_core::host::Result;

use super::device::Mlx5Hca;
use super::mailbox;
use super::objects::{Mlx5Object, pick};
use crate::hca::Handle;
use crate::verbs::answer;

/// The length of the answer of `QUERY_HCA_CAP`: a header of 16 bytes and the capabilities.
const HCA_CAP_BYTES: usize = 16 + 0x1000;
const QUERY_HCA_CAP: u16 = 0x100;
/// The general capabilities as they are now, not the greatest possible ones.
const GENERAL_CURRENT: u16 = 1;

const OBJECT: &str = "a DEVX object";

impl Mlx5Hca {
    /// Proves by a command that DEVX works: if the kernel refuses it, libmlx5 opens the device without DEVX.
    pub(super) fn prove_devx(&self) -> Result<()> {
        let mut input = [0; 16];
        input[..2].copy_from_slice(&QUERY_HCA_CAP.to_be_bytes());
        input[6..8].copy_from_slice(&GENERAL_CURRENT.to_be_bytes());
        let mut output = vec![0; HCA_CAP_BYTES];
        self.command(&input, &mut output)
    }

    pub(super) fn command(&self, input: &[u8], output: &mut [u8]) -> Result<()> {
        mailbox::clear(output);
        // SAFETY: the context is open, and both mailboxes are live for the lengths given.
        let answered = unsafe {
            (self.api.mlx5dv.mlx5dv_devx_general_cmd)(
                self.base.context.as_ptr(),
                input.as_ptr().cast::<c_void>(),
                input.len(),
                output.as_mut_ptr().cast::<c_void>(),
                output.len(),
            )
        };
        let action = || self.base.on(format!("run {}", mailbox::command(input)));
        mailbox::check(action, "mlx5dv_devx_general_cmd", answer::errno_of(answered), input, output)
    }

    pub(super) fn create(&self, input: &[u8], output: &mut [u8]) -> Result<Handle> {
        mailbox::clear(output);
        // SAFETY: the context is open, and both mailboxes are live for the lengths given.
        let object = unsafe {
            (self.api.mlx5dv.mlx5dv_devx_obj_create)(
                self.base.context.as_ptr(),
                input.as_ptr().cast::<c_void>(),
                input.len(),
                output.as_mut_ptr().cast::<c_void>(),
                output.len(),
            )
        };
        match std::ptr::NonNull::new(object) {
            Some(object) => Ok(self.objects.keep(Mlx5Object::Devx(object))),
            None => {
                // A null object is a failure, even if errno is 0.
                let errno = Some(answer::last_errno()).filter(|&errno| errno != 0).unwrap_or(libc::EIO);
                let action = || self.base.on(format!("run {}", mailbox::command(input)));
                let call = "mlx5dv_devx_obj_create";
                mailbox::check(action, call, errno, input, output).map(|()| Handle(0))
            }
        }
    }

    pub(super) fn modify(&self, object: Handle, input: &[u8], output: &mut [u8]) -> Result<()> {
        mailbox::clear(output);
        self.objects.with(object, OBJECT, pick!(Devx), |object| {
            // SAFETY: the object is in use, and both mailboxes are live for the lengths given.
            let answered = unsafe {
                (self.api.mlx5dv.mlx5dv_devx_obj_modify)(
                    object.as_ptr(),
                    input.as_ptr().cast::<c_void>(),
                    input.len(),
                    output.as_mut_ptr().cast::<c_void>(),
                    output.len(),
                )
            };
            self.answered("mlx5dv_devx_obj_modify", answered, input, output)
        })
    }

    pub(super) fn query(&self, object: Handle, input: &[u8], output: &mut [u8]) -> Result<()> {
        mailbox::clear(output);
        self.objects.with(object, OBJECT, pick!(Devx), |object| {
            // SAFETY: the object is in use, and both mailboxes are live for the lengths given.
            let answered = unsafe {
                (self.api.mlx5dv.mlx5dv_devx_obj_query)(
                    object.as_ptr(),
                    input.as_ptr().cast::<c_void>(),
                    input.len(),
                    output.as_mut_ptr().cast::<c_void>(),
                    output.len(),
                )
            };
            self.answered("mlx5dv_devx_obj_query", answered, input, output)
        })
    }

    pub(super) fn answered(&self, call: &'static str, answered: c_int, input: &[u8], output: &[u8]) -> Result<()> {
        let errno = answer::errno_of(answered);
        let action = || self.base.on(format!("run {}", mailbox::command(input)));
        mailbox::check(action, call, errno, input, output)
    }
}
