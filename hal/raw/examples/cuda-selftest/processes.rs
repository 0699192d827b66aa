//! Checks that need a second process: this program again, as `child ROLE ...`.

use std::fs::File;
use std::io::Read;
use std::os::fd::AsFd;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};
use std::{env, thread};

use oxshmem_raw::gpu::cuda::{
    Context, Device, DeviceMemory, IPC_HANDLE_BYTES, IpcMapping, LaunchShape, Module, PhysicalChunk, Stream,
    granularity,
};

use crate::kernels::{PTX, write_index};
use crate::memory::{Anything, pattern, read, same, write};
use crate::report::{Outcome, Report, ensure, noted, passed, refusal};

const BYTES: usize = 1 << 16;
const LIMIT: Duration = Duration::from_secs(60);

pub(crate) fn checks(report: &mut Report, gpu: &str, context: &Context) {
    report.check(&format!("{gpu}/ipc-handle"), || ipc_handle(context));
    report.check(&format!("{gpu}/ipc-between-processes"), || ipc_between_processes(context));
    report.check(&format!("{gpu}/made-up-handles"), || {
        noted(ask_child("made-up", &context.device().ordinal().to_string(), "")?)
    });
    report.check(&format!("{gpu}/kernel-fault"), || {
        let text = ask_child("fault", &context.device().ordinal().to_string(), "")?;
        // The fault of the child's context affects no other process.
        context.synchronize()?;
        noted(text)
    });
}

fn ipc_handle(context: &Context) -> Outcome {
    let (one, other) = (DeviceMemory::alloc(context, 4 << 20)?, DeviceMemory::alloc(context, 4 << 20)?);
    let (a, b) = (one.handle()?, other.handle()?);
    ensure(a != b, || "two allocations have one handle".into())?;
    passed()
}

fn ipc_between_processes(context: &Context) -> Outcome {
    let memory = DeviceMemory::alloc(context, BYTES)?;
    let sent = pattern(BYTES, 20);
    write(context, memory.address(), &sent)?;
    let handle: String = memory.handle()?.iter().map(|byte| format!("{byte:02x}")).collect();
    ask_child("ipc", &context.device().ordinal().to_string(), &handle)?;
    let back = read(context, memory.address(), BYTES)?;
    same(&back[..BYTES / 2], &sent[..BYTES / 2])?;
    same(&back[BYTES / 2..], &pattern(BYTES / 2, 21))?;
    passed()
}

/// Returns the child's output, if it succeeded in time.
fn ask_child(role: &str, ordinal: &str, rest: &str) -> Result<String, Anything> {
    let mut child = Command::new(env::current_exe()?)
        .args(["child", role, ordinal, rest])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()?;
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if start.elapsed() > LIMIT {
            child.kill()?;
            child.wait()?;
            return Err(format!("the second process was not done after {LIMIT:?}").into());
        }
        thread::sleep(Duration::from_millis(5));
    };
    let mut text = String::new();
    if let Some(mut out) = child.stdout.take() {
        out.read_to_string(&mut text)?;
    }
    let text = text.trim().to_string();
    ensure(status.success(), || format!("the second process ended with {status}: {text}"))?;
    Ok(text)
}

/// Runs the second process.
pub(crate) fn child(role: &str, words: &[&str]) -> ExitCode {
    let done = match (role, words) {
        ("ipc", [ordinal, handle]) => open_and_answer(ordinal, handle),
        ("fault", [ordinal, _]) => fault(ordinal),
        ("made-up", [ordinal, _]) => made_up(ordinal),
        _ => Err("no such role".into()),
    };
    match done {
        Ok(text) => {
            println!("{text}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            println!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn context(ordinal: &str) -> Result<Context, Anything> {
    Ok(Context::primary(Device::get(ordinal.parse()?)?)?)
}

fn open_and_answer(ordinal: &str, hex: &str) -> Result<String, Anything> {
    let mut handle = [0; IPC_HANDLE_BYTES];
    ensure(hex.len() == 2 * handle.len(), || format!("a handle of {} digits", hex.len()))?;
    for (index, byte) in handle.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&hex[2 * index..2 * index + 2], 16)?;
    }
    let context = context(ordinal)?;
    let mapping = IpcMapping::open(&context, handle)?;
    same(&read(&context, mapping.address(), BYTES)?, &pattern(BYTES, 20))?;
    write(&context, mapping.address() + BYTES as u64 / 2, &pattern(BYTES / 2, 21))?;
    Ok("opened, read and written".into())
}

/// Opens handles and descriptors that no driver made.
fn made_up(ordinal: &str) -> Result<String, Anything> {
    let context = context(ordinal)?;
    let handle = refusal(IpcMapping::open(&context, [0xff; IPC_HANDLE_BYTES]))?;
    let file = File::open("/dev/null")?;
    let bytes = granularity(&context.device())?;
    let descriptor = refusal(PhysicalChunk::import_fd(&context, file.as_fd(), bytes))?;
    DeviceMemory::alloc(&context, 4096)?;
    Ok(format!("{handle}\n{descriptor}"))
}

/// Lets a kernel write to an unmapped address, and returns the error after everything is released.
fn fault(ordinal: &str) -> Result<String, Anything> {
    let context = context(ordinal)?;
    let memory = DeviceMemory::alloc(&context, 4096)?;
    let function = Module::load(&context, PTX.as_bytes())?.function("write_index")?;
    let stream = Stream::new(&context)?;
    let error = refusal(write_index(&function, &LaunchShape::linear(1, 32), &stream, 0x10_0000, 32))?;
    ensure(error.code().is_some(), || format!("no code in {error:?}"))?;
    refusal(DeviceMemory::alloc(&context, 4096))?;
    drop((stream, function, memory, context));
    Ok(error.to_string())
}
