//! How a PE other than the root gets to the root.

use std::io;
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use oxshmem_core::{Error, ErrorKind, Pe, Result};

use super::auth::{self, CHALLENGE, NONCE, Role, VERDICT, Verdict};
use super::door::HANDSHAKE;
use super::link::{Deadline, Link};
use super::uid::{Secret, random};

/// One attempt to connect takes no longer; the next may find the root awake.
const ATTEMPT: Duration = Duration::from_secs(5);

/// Where the root is, as far as is known now.
pub(super) struct Place {
    pub addresses: Vec<SocketAddr>,
    pub secret: Secret,
    /// A place from a file may be of an earlier run: then a root that refuses is another world's.
    pub may_be_stale: bool,
}

/// Why an attempt failed.
enum Setback {
    /// Worth another attempt.
    Again(io::Error),
    /// It would fail again.
    Final(Error),
}

impl From<io::Error> for Setback {
    fn from(error: io::Error) -> Self {
        Self::Again(error)
    }
}

/// Connects to the root, trying again until `deadline`. `find` is asked before each attempt.
///
/// # Errors
/// `Refused` if the root and this PE have different secrets; `Unreachable` or `Timeout` if there is no root
/// at its address; what the root says against this PE's number.
pub(super) fn join(
    pe: Pe,
    n_pes: u32,
    name: &str,
    limit: Option<Duration>,
    find: impl Fn() -> io::Result<Place>,
) -> Result<(Link, Secret)> {
    let deadline = Deadline::after(limit);
    let mut pause = Duration::from_millis(5);
    loop {
        let setback = match find() {
            Ok(place) => match attempt(pe, n_pes, &place, deadline) {
                Ok(link) => return Ok((link, place.secret)),
                Err(Setback::Final(error)) if !place.may_be_stale => return Err(error),
                Err(Setback::Final(error)) => io::Error::other(error.to_string()),
                Err(Setback::Again(error)) => error,
            },
            Err(error) => error,
        };
        if deadline.passed() {
            return Err(unreachable(name, limit, &setback));
        }
        let until = deadline.within(pause);
        while !until.passed() {
            std::thread::sleep(Duration::from_millis(5));
        }
        pause = (pause * 2).min(Duration::from_millis(200));
    }
}

fn unreachable(name: &str, limit: Option<Duration>, last: &io::Error) -> Error {
    let kind = match last.kind() {
        io::ErrorKind::TimedOut => ErrorKind::Timeout,
        _ => ErrorKind::Unreachable,
    };
    let within = limit.map(|limit| format!(" within {limit:?}")).unwrap_or_default();
    let last = match last.kind() {
        io::ErrorKind::TimedOut => "it does not answer".into(),
        io::ErrorKind::UnexpectedEof => "it closes the connection".into(),
        _ => last.to_string(),
    };
    Error::new(kind, format!("reach PE 0 at {name}{within}"))
        .because(last)
        .about(Pe::new(0))
        .hint("check that PE 0 runs, and that this host may connect to it there")
}

fn attempt(pe: Pe, n_pes: u32, place: &Place, deadline: Deadline) -> Result<Link, Setback> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
    let mut unreached = place.addresses.len();
    let mut refused = None;
    for &address in &place.addresses {
        let by = deadline.within(ATTEMPT);
        let left = by.moment().map_or(ATTEMPT, |at| at.saturating_duration_since(std::time::Instant::now()));
        // A zero timeout is refused by std; the caller ends it after this attempt.
        match TcpStream::connect_timeout(&address, left.max(Duration::from_millis(1))) {
            Ok(stream) => {
                let link = Link::tcp(stream)?;
                match prove(&link, pe, n_pes, &place.secret, address, deadline.within(HANDSHAKE)) {
                    Ok(()) => return Ok(link),
                    Err(Setback::Again(error)) => last = error,
                    // Seen from here another host may have this address, and the root one of the others.
                    Err(Setback::Final(error)) if error.kind() == ErrorKind::Refused => {
                        unreached -= 1;
                        refused = refused.or(Some(error));
                    }
                    Err(said) => return Err(said),
                }
            }
            Err(error) => last = error,
        }
    }
    match refused {
        Some(error) if unreached == 0 => Err(Setback::Final(error)),
        _ => Err(last.into()),
    }
}

fn prove(link: &Link, pe: Pe, n_pes: u32, secret: &Secret, at: SocketAddr, by: Deadline) -> Result<(), Setback> {
    let refused = |reason: String| {
        let action = format!("join the world at {at} as {pe}");
        Setback::Final(Error::new(ErrorKind::Refused, action).because(reason).about(Pe::new(0)))
    };
    let ours: [u8; NONCE] = random().map_err(Setback::Final)?;
    link.send_all(&auth::hello(pe.number(), n_pes, &ours), by)?;
    let mut challenge = [0; CHALLENGE];
    link.recv_all(&mut challenge, by)?;
    let theirs = auth::read_challenge(&challenge).ok_or_else(|| refused("what answers there is no root".into()))?;
    link.send_all(&auth::mac(secret, Role::Pe, pe.number(), n_pes, &ours, &theirs), by)?;
    let mut verdict = [0; VERDICT];
    match link.recv_all(&mut verdict, by) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::TimedOut => return Err(error.into()),
        Err(_) => return Err(refused("it closed the connection: it has another secret, or it ended".into())),
    }
    let said = Verdict::from_raw(verdict[0]).ok_or_else(|| refused("what answers there is no root".into()))?;
    let mac = auth::mac(secret, Role::Root(said), pe.number(), n_pes, &ours, &theirs);
    if !auth::same(&mac, &verdict[1..]) {
        return Err(refused("what answers there does not know the secret".into()));
    }
    let action = format!("join the world at {at}");
    Err(Setback::Final(match said {
        Verdict::Admitted => return Ok(()),
        Verdict::Taken => Error::new(ErrorKind::InvalidArgument, action)
            .because(format!("{pe} is there already"))
            .hint("give each process its own PE number")
            .about(pe),
        Verdict::NoSuchPe => Error::new(ErrorKind::OutOfRange, action).because(format!("it has no {pe}")).about(pe),
        Verdict::OtherSize => Error::new(ErrorKind::Mismatch, action)
            .because(format!("{pe} was started for {n_pes} PEs, PE 0 for another number"))
            .about(pe),
    }))
}
