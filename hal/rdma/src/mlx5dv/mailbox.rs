//! The firmware's answer to a command: a status in its first byte, and a syndrome in bytes 4 to 7.

use oxshmem_core::host::Error;

use crate::verbs::answer;

/// Prepares a mailbox for an answer, so that the bytes left by a command that never reached the firmware are not taken
/// for an answer.
pub(super) fn clear(output: &mut [u8]) {
    let head = output.len().min(8);
    output[..head].fill(0);
}

/// A refusal by the firmware.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CommandRefusal {
    pub(super) status: u8,
    pub(super) syndrome: u32,
}

/// Returns the refusal in an answer, if it is one.
pub(super) fn refusal(output: &[u8]) -> Option<CommandRefusal> {
    let status = *output.first()?;
    let syndrome = output.get(4..8).map_or(0, |word| u32::from_be_bytes([word[0], word[1], word[2], word[3]]));
    (status != 0).then_some(CommandRefusal { status, syndrome })
}

/// The result of a command, from the return value of the call and from the mailbox.
pub(super) fn check(
    action: impl FnOnce() -> String,
    call: &'static str,
    errno: i32,
    input: &[u8],
    output: &[u8],
) -> Result<(), Error> {
    let refusal = refusal(output);
    if errno == 0 && refusal.is_none() {
        return Ok(());
    }
    // The kernel's errno for a refusal, for libraries that return success with it.
    let errno = if errno == 0 { libc::EREMOTEIO } else { errno };
    let error = answer::error(action(), call, errno);
    Err(match refusal {
        Some(CommandRefusal { status, syndrome }) => error.because(format!(
            "the firmware refused {}: status {status:#x} ({}), syndrome {syndrome:#x}",
            command(input),
            meaning(status)
        )),
        None => error.because(format!("{} got no answer from the firmware", command(input))),
    })
}

/// Returns the name of a command.
pub(super) fn command(input: &[u8]) -> String {
    let opcode = input.get(..2).map_or(0, |word| u16::from_be_bytes([word[0], word[1]]));
    let name = match opcode {
        0x100 => "QUERY_HCA_CAP",
        0x400 => "CREATE_CQ",
        0x402 => "QUERY_CQ",
        0x403 => "MODIFY_CQ",
        0x500 => "CREATE_QP",
        0x502 => "RST2INIT_QP",
        0x503 => "INIT2RTR_QP",
        0x504 => "RTR2RTS_QP",
        0x505 => "RTS2RTS_QP",
        0x507 => "2ERR_QP",
        0x50a => "2RST_QP",
        0x50b => "QUERY_QP",
        0x754 => "QUERY_NIC_VPORT_CONTEXT",
        0x761 => "QUERY_ROCE_ADDRESS",
        _ => return format!("command {opcode:#x}"),
    };
    name.to_string()
}

/// Returns the meaning of a status. Source: the PRM's table of command statuses.
fn meaning(status: u8) -> &'static str {
    match status {
        0x1 => "internal error",
        0x2 => "unknown command",
        0x3 => "bad parameter",
        0x4 => "the device is not in a state for it",
        0x5 => "it names a resource that is not there or not its owner's",
        0x6 => "resource busy",
        0x8 => "a limit is exceeded",
        0x9 => "the object is not in a state for it",
        0xa => "index out of range",
        0xf => "no resources left",
        0x10 => "the queue pair is not in a state for it",
        0x50 => "input too short or too long",
        0x51 => "output too short",
        _ => "a status without a name",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CREATE_QP: [u8; 16] = [5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

    #[test]
    fn a_refusal_gives_the_status_and_the_syndrome_of_the_mailbox() {
        let output = [0x0f, 0, 0, 0, 0x00, 0x12, 0xab, 0xcd, 0, 0, 0, 0];
        let error =
            check(|| "create a queue pair on mlx5_0".into(), "mlx5dv_devx_obj_create", 121, &CREATE_QP, &output)
                .unwrap_err();
        assert_eq!(
            error.to_string(),
            "cannot create a queue pair on mlx5_0: the firmware refused CREATE_QP: status 0xf (no resources left), \
             syndrome 0x12abcd (mlx5dv_devx_obj_create returned 121: Remote I/O error)"
        );
    }

    #[test]
    fn a_refusal_that_the_library_passed_on_as_success_is_an_error() {
        let output = [3, 0, 0, 0, 0, 0, 0, 1];
        let error = check(|| "x".into(), "mlx5dv_devx_obj_modify", 0, &[5, 3], &output).unwrap_err();
        assert!(error.to_string().contains("refused INIT2RTR_QP: status 0x3 (bad parameter), syndrome 0x1"), "{error}");
        assert_eq!(error.code(), Some(i64::from(libc::EREMOTEIO)));
    }

    #[test]
    fn a_command_that_never_got_there_is_not_given_a_syndrome_of_old() {
        let mut output = [0xff; 16];
        clear(&mut output);
        let error = check(|| "x".into(), "mlx5dv_devx_general_cmd", libc::EACCES, &[1, 0], &output).unwrap_err();
        assert!(error.to_string().contains("QUERY_HCA_CAP got no answer"), "{error}");
        assert_eq!(output[8..], [0xff; 8], "only the head is cleared");
    }

    #[test]
    fn mailboxes_of_any_length_are_read_without_harm() {
        assert_eq!(refusal(&[]), None);
        assert_eq!(refusal(&[7, 0, 0]), Some(CommandRefusal { status: 7, syndrome: 0 }));
        assert_eq!(command(&[5]), "command 0x0");
        clear(&mut [1, 2]);
        assert!(check(|| "x".into(), "call", 0, &[], &[]).is_ok());
    }
}
