//! Exchange of regions between data planes of different processes: a socket beside that of a NIC, which carries
//! descriptors.

use std::collections::HashMap;
use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::net::Shutdown;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::JoinHandle;
use std::time::Duration;

use nix::sys::socket::{ControlMessage, ControlMessageOwned, MsgFlags, recvmsg, sendmsg};
use oxshmem_core::host::{Error, ErrorKind, Result};

use crate::check::Rule;
use crate::nic::{Envelope, Nak, Responder, syndrome};

use super::{DataPlane, PlaneMemory, PlaneRegion};

/// A peer that does not answer within this time is lost.
const LOST: Duration = Duration::from_secs(20);

/// The question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// The rights of the queue pair: an answer without memory.
    Target,
    /// The region of a request, if it is permitted.
    Region { bytes: u64, needs: u32 },
    /// The regions, one after another.
    Nth { number: u64 },
}

type Answered = std::result::Result<Option<PlaneRegion>, Nak>;

/// Words of a question, and of an answer before its text.
const WORDS: usize = 8;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn bytes_of(words: [u64; WORDS]) -> [u8; 8 * WORDS] {
    let mut bytes = [0; 8 * WORDS];
    bytes.as_chunks_mut::<8>().0.iter_mut().zip(words).for_each(|(to, word)| *to = word.to_le_bytes());
    bytes
}

fn words_of(bytes: &[u8; 8 * WORDS]) -> [u64; WORDS] {
    let mut words = [0; WORDS];
    words.iter_mut().zip(bytes.as_chunks::<8>().0).for_each(|(to, word)| *to = u64::from_le_bytes(*word));
    words
}

fn path(folder: &Path, lid: u16) -> PathBuf {
    folder.join(format!("lid-{lid}.regions"))
}

/// The asking side.
#[derive(Debug, Default)]
pub(crate) struct Asker {
    folder: Option<PathBuf>,
    streams: Mutex<HashMap<u16, Arc<Mutex<UnixStream>>>>,
}

impl Asker {
    pub(crate) fn new(folder: Option<PathBuf>) -> Self {
        Self { folder, streams: Mutex::default() }
    }

    /// Asks the NIC with this LID; `None` is its answer that the object does not exist.
    pub(super) fn ask(&self, lid: u16, asked: &Asked, envelope: &Envelope) -> Answered {
        let lost = |e: io::Error| {
            lock(&self.streams).remove(&lid);
            Nak::fault(syndrome::RETRY_EXCEEDED, format!("the process with LID {lid} does not answer: {e}"))
        };
        let stream = self.stream(lid).map_err(lost)?;
        let mut stream = lock(&stream);
        exchange(&mut stream, asked, envelope).map_err(lost)?
    }

    fn stream(&self, lid: u16) -> io::Result<Arc<Mutex<UnixStream>>> {
        let mut streams = lock(&self.streams);
        if let Some(stream) = streams.get(&lid) {
            return Ok(stream.clone());
        }
        let folder = self.folder.as_ref().ok_or(io::ErrorKind::NotFound)?;
        let stream = UnixStream::connect(path(folder, lid))?;
        stream.set_read_timeout(Some(LOST))?;
        stream.set_write_timeout(Some(LOST))?;
        let stream = Arc::new(Mutex::new(stream));
        streams.insert(lid, stream.clone());
        Ok(stream)
    }
}

fn exchange(stream: &mut UnixStream, asked: &Asked, envelope: &Envelope) -> io::Result<Answered> {
    let (kind, first, second) = match *asked {
        Asked::Target => (0, 0, 0),
        Asked::Region { bytes, needs } => (1, bytes, needs.into()),
        Asked::Nth { number } => (2, number, 0),
    };
    let from = u64::from(envelope.from.0) << 32 | u64::from(envelope.from.1);
    let keys = u64::from(envelope.to) << 32 | u64::from(envelope.rkey);
    stream.write_all(&bytes_of([kind, from, keys, envelope.at, first, second, 0, 0]))?;
    let (head, fd) = receive(stream)?;
    let [code, text, pd, access, key, iova, bytes, offset] = words_of(&head);
    let mut said = vec![0; (text as usize).min(1 << 16)];
    stream.read_exact(&mut said)?;
    Ok(match (code & 0xff, fd) {
        (0, fd) => {
            let place = fd.map_or(PlaneMemory::Here(0), |fd| PlaneMemory::There(fd, offset));
            Ok(Some(PlaneRegion { key: key as u32, iova, bytes, pd: pd as u32, access: access as u32, place }))
        }
        (1, _) => Ok(None),
        _ => Err(Nak {
            syndrome: (code >> 8) as u8,
            rule: ((code >> 16) as usize).checked_sub(1).and_then(|place| Rule::ALL.get(place).copied()),
            what: String::from_utf8_lossy(&said).into_owned(),
            not_ready: None,
        }),
    })
}

/// Returns the fixed part of an answer, and the descriptor that came with it.
fn receive(stream: &mut UnixStream) -> io::Result<([u8; 8 * WORDS], Option<OwnedFd>)> {
    let mut head = [0; 8 * WORDS];
    let mut fd = None;
    let mut room = nix::cmsg_space!([RawFd; 1]);
    let got = {
        let mut parts = [IoSliceMut::new(&mut head)];
        let flags = MsgFlags::MSG_CMSG_CLOEXEC;
        let message = recvmsg::<()>(stream.as_raw_fd(), &mut parts, Some(&mut room), flags)?;
        for part in message.cmsgs()? {
            if let ControlMessageOwned::ScmRights(fds) = part {
                // SAFETY: the kernel has just created these descriptors for this process, and nothing else owns them.
                fd = fds.into_iter().map(|fd| unsafe { OwnedFd::from_raw_fd(fd) }).next_back();
            }
        }
        message.bytes
    };
    if got == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    stream.read_exact(&mut head[got..])?;
    Ok((head, fd))
}

/// The answering side, active until it is dropped.
#[derive(Debug)]
pub(crate) struct Answers {
    path: PathBuf,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    stop: AtomicBool,
    streams: Mutex<Vec<UnixStream>>,
}

impl Answers {
    /// Answers for a NIC.
    ///
    /// # Errors
    /// The folder can't be used.
    pub(crate) fn start(
        folder: &Path,
        lid: u16,
        responder: &Arc<Responder>,
        plane: &Arc<dyn DataPlane>,
    ) -> Result<Self> {
        let path = path(folder, lid);
        let failed = |e: io::Error| {
            Error::new(ErrorKind::System, format!("answer at {}", path.display())).call(
                "bind",
                e.raw_os_error().unwrap_or(0).into(),
                e.to_string(),
            )
        };
        // The owner of the LID owns this socket too; an existing one was left by a process that died.
        let _ = std::fs::remove_file(&path);
        let listener = UnixListener::bind(&path).map_err(failed)?;
        let shared = Arc::new(Shared::default());
        let (responder, plane, all) = (Arc::downgrade(responder), Arc::downgrade(plane), shared.clone());
        let thread = std::thread::Builder::new().name(format!("softnic regions {lid}")).spawn(move || {
            for stream in listener.incoming() {
                if all.stop.load(Ordering::Acquire) {
                    return;
                }
                let Ok(stream) = stream else { return };
                let Ok(kept) = stream.try_clone() else { continue };
                lock(&all.streams).push(kept);
                let (responder, plane) = (responder.clone(), plane.clone());
                let served = std::thread::Builder::new().name("softnic regions".into());
                // A connection that can't be served is closed, which the peer notices.
                let _ = served.spawn(move || drop(serve(stream, &responder, &plane)));
            }
        });
        let thread = thread.map_err(failed)?;
        Ok(Self { path, shared, thread: Some(thread) })
    }
}

impl Drop for Answers {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Release);
        // Wakes the thread that waits for connections.
        let _ = UnixStream::connect(&self.path);
        let _ = std::fs::remove_file(&self.path);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        for stream in lock(&self.shared.streams).drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

fn serve(mut stream: UnixStream, responder: &Weak<Responder>, plane: &Weak<dyn DataPlane>) -> io::Result<()> {
    loop {
        let mut question = [0; 8 * WORDS];
        stream.read_exact(&mut question)?;
        let [kind, from, keys, at, first, second, ..] = words_of(&question);
        let envelope = Envelope {
            from: ((from >> 32) as u16, from as u32),
            to: (keys >> 32) as u32,
            rkey: keys as u32,
            at,
            key: 0,
        };
        let asked = match kind {
            0 => Asked::Target,
            1 => Asked::Region { bytes: first, needs: second as u32 },
            _ => Asked::Nth { number: first },
        };
        let answered = match (responder.upgrade(), plane.upgrade()) {
            (Some(responder), Some(plane)) => answer(&responder, &*plane, &envelope, &asked),
            _ => Err(Nak::fault(syndrome::RETRY_EXCEEDED, "the peer's NIC is gone")),
        };
        send(&mut stream, answered)?;
    }
}

fn answer(responder: &Responder, plane: &dyn DataPlane, envelope: &Envelope, asked: &Asked) -> Answered {
    let region = match *asked {
        Asked::Target => {
            let target = responder.target(envelope);
            let place = PlaneMemory::Here(0);
            return Ok(target.map(|target| {
                let access = target.access();
                PlaneRegion { key: 0, iova: 0, bytes: 0, pd: target.pd, access, place }
            }));
        }
        Asked::Region { bytes, needs } => responder.remote_region(envelope, bytes, needs)?,
        Asked::Nth { number } => match responder.regions_for(envelope).get(number as usize) {
            Some(region) => *region,
            None => return Ok(None),
        },
    };
    let shared = plane.share(region.span.at(), region.span.bytes());
    let (fd, offset) = shared.map_err(|why| {
        let at = region.span.at();
        Nak::fault(
            syndrome::REMOTE_OPERATION,
            format!("the region at {at:#x} can't be given to another process: {why}"),
        )
    })?;
    Ok(Some(PlaneRegion { place: PlaneMemory::There(fd, offset), ..region.plane(region.rkey) }))
}

fn send(stream: &mut UnixStream, answered: Answered) -> io::Result<()> {
    let (mut words, mut text, mut fd) = ([0; WORDS], String::new(), None);
    match answered {
        Ok(Some(region)) => {
            let PlaneRegion { key, iova, bytes, pd, access, place } = region;
            words = [0, 0, pd.into(), access.into(), key.into(), iova, bytes, 0];
            if let PlaneMemory::There(descriptor, offset) = place {
                (fd, words[7]) = (Some(descriptor), offset);
            }
        }
        Ok(None) => words[0] = 1,
        Err(nak) => {
            let rule = nak.rule.and_then(|rule| Rule::ALL.iter().position(|other| *other == rule));
            let rule = rule.map_or(0, |place| place as u64 + 1);
            (words[0], text) = (2 | u64::from(nak.syndrome) << 8 | rule << 16, nak.what);
        }
    }
    words[1] = text.len() as u64;
    let head = bytes_of(words);
    let fds: Vec<RawFd> = fd.iter().map(AsRawFd::as_raw_fd).collect();
    let rights = [ControlMessage::ScmRights(&fds)];
    let rights = if fds.is_empty() { &[][..] } else { &rights[..] };
    let sent = sendmsg::<()>(stream.as_raw_fd(), &[IoSlice::new(&head)], rights, MsgFlags::MSG_NOSIGNAL, None)?;
    stream.write_all(&head[sent..])?;
    stream.write_all(text.as_bytes())
}
