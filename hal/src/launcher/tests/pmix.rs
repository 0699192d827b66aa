use std::collections::BTreeMap;
use std::net::Ipv4Addr;
use std::sync::Barrier;

use super::*;
use crate::control::Control;

const LIMIT: Option<Duration> = Some(Duration::from_secs(30));

/// A server of a job whose processes are threads.
struct FakeJob {
    published: Mutex<BTreeMap<(u32, String), Vec<u8>>>,
    all: Barrier,
    n: u32,
    local: Option<u32>,
}

struct FakeProcess<'a> {
    job_state: &'a FakeJob,
    rank: u32,
}

impl PmixServer for FakeProcess<'_> {
    fn rank(&self) -> u32 {
        self.rank
    }

    fn job_size(&self) -> Result<u32> {
        Ok(self.job_state.n)
    }

    fn local_size(&self) -> Result<Option<u32>> {
        match self.job_state.local {
            Some(u32::MAX) => Err(Error::new(ErrorKind::System, "ask")),
            local => Ok(local),
        }
    }

    fn put(&self, key: &str, bytes: &[u8]) -> Result<()> {
        self.job_state.published.lock().unwrap().insert((self.rank, key.into()), bytes.into());
        Ok(())
    }

    fn fence(&self, _: Option<Duration>) -> Result<()> {
        self.job_state.all.wait();
        Ok(())
    }

    fn get(&self, rank: u32, key: &str, _: Option<Duration>) -> Result<Vec<u8>> {
        let published = self.job_state.published.lock().unwrap();
        published.get(&(rank, key.into())).cloned().ok_or_else(|| Error::new(ErrorKind::NotFound, "get"))
    }
}

fn job<R: Send>(n: u32, local: Option<u32>, body: impl Fn(FakeProcess<'_>) -> R + Sync) -> Vec<R> {
    let job_state = FakeJob { published: Mutex::default(), all: Barrier::new(n as usize), n, local };
    let (job_state, body) = (&job_state, &body);
    std::thread::scope(|scope| {
        let pes: Vec<_> = (0..n).map(|rank| scope.spawn(move || body(FakeProcess { job_state, rank }))).collect();
        pes.into_iter().map(|pe| pe.join().unwrap()).collect()
    })
}

fn config(met: PmixJob) -> BootstrapConfig {
    BootstrapConfig { pe: Pe::new(met.pe), n_pes: met.n_pes, root: met.root, limit: LIMIT, host: None }
}

#[test]
fn pes_of_one_host_meet_on_the_loopback_and_form_one_world_after_the_other() {
    job(3, Some(3), |server| {
        let met = find_world(&server, LIMIT).unwrap();
        let RootAt::Addresses { addresses, .. } = &met.root else { panic!("{met:?}") };
        assert!(addresses.iter().all(|address| address.ip().is_loopback()) && addresses.len() == 1);
        let config = config(met);
        for _ in 0..2 {
            let control = Control::connect(&config).unwrap();
            assert_eq!((control.pe().number(), control.n_pes()), (server.rank, 3));
            control.leave().unwrap();
        }
    });
}

#[test]
fn pes_of_several_hosts_are_given_addresses_that_others_can_come_to() {
    if host_addresses().is_empty() {
        println!("skipped: this machine has no address but the loopback's");
        return;
    }
    for local in [Some(1), None] {
        job(2, local, |server| {
            let met = find_world(&server, LIMIT).unwrap();
            let RootAt::Addresses { addresses, .. } = &met.root else { panic!("{met:?}") };
            assert!(!addresses.is_empty() && addresses.iter().all(|address| !address.ip().is_loopback()));
            Control::connect(&config(met)).unwrap().leave().unwrap();
        });
    }
}

#[test]
fn an_address_that_leads_elsewhere_is_passed_over_for_one_that_leads_to_pe_0() {
    // Another program listens there and closes every connection.
    let other = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let wrong = other.local_addr().unwrap();
    std::thread::spawn(move || while other.accept().is_ok() {});
    job(2, Some(2), |server| {
        let mut met = find_world(&server, LIMIT).unwrap();
        let RootAt::Addresses { addresses, .. } = &mut met.root else { panic!("{met:?}") };
        if server.rank == 1 {
            addresses.insert(0, wrong);
        }
        Control::connect(&config(met)).unwrap().leave().unwrap();
    });
}

#[test]
fn a_job_of_one_process_is_a_world_of_one_and_asks_nobody() {
    let alone = job(1, None, |server| find_world(&server, LIMIT).unwrap());
    assert!(matches!(alone[0].root, RootAt::Alone));
}

#[test]
fn the_reason_why_pe_0_is_unreachable_is_reported_on_every_pe() {
    let errors = job(3, Some(u32::MAX), |server| find_world(&server, LIMIT).unwrap_err());
    assert_eq!(errors[0].to_string(), "cannot ask");
    for error in &errors[1..] {
        assert_eq!((error.kind(), error.pe()), (ErrorKind::Unreachable, Some(Pe::new(0))));
        assert!(error.to_string().contains("it cannot ask"), "{error}");
    }
}

#[test]
fn a_value_of_another_version_is_refused() {
    let id = UniqueId::new("10.0.0.1:7".parse().unwrap(), &Secret::from_bytes([1; 32])).to_bytes();
    let whole = [&[IDS][..], &id].concat();
    assert_eq!(decode(&whole).unwrap().0, ["10.0.0.1:7".parse().unwrap()]);
    for other in [&[][..], b"I", b"X", &whole[..100], &[&whole[..], b"more"].concat()] {
        assert_eq!(decode(other).unwrap_err().kind(), ErrorKind::Malformed, "{other:?}");
    }
}

#[test]
fn pmix_is_asked_where_a_launcher_offers_it_and_nobody_says_otherwise() {
    let offer = [("PMIX_NAMESPACE", "1"), ("PMIX_SERVER_URI4", "tcp4://h:1"), ("OMPI_COMM_WORLD_RANK", "0")];
    let asked = |choice, more: &[(&str, &str)]| {
        let all = [&offer[..], more].concat();
        is_asked(&|name| all.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).into()), choice)
    };
    use BootstrapChoice::{Auto, Env, Pmix};
    assert!(asked(Auto, &[]).unwrap() && asked(Pmix, &[]).unwrap() && !asked(Env, &[]).unwrap());
    for ours in ["OXSHMEM_PE", "OXSHMEM_UID", "OXSHMEM_ROOT"] {
        assert!(!asked(Auto, &[(ours, "1")]).unwrap(), "{ours} goes before");
        assert!(asked(Auto, &[(ours, "")]).unwrap(), "{ours} is not set");
    }
    let within = |variables: &[(&str, &str)], choice| {
        is_asked(&|name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).into()), choice)
    };
    let torchrun = [&offer[..2], &[("RANK", "0"), ("WORLD_SIZE", "2"), ("MASTER_ADDR", "h")]].concat();
    assert!(!within(&torchrun, Auto).unwrap(), "its processes are not the job's");
    assert!(!within(&offer[..1], Auto).unwrap() && !within(&offer[1..], Auto).unwrap());
    let error = within(&offer[..1], Pmix).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(error.to_string().contains("srun --mpi=pmix"), "{error}");
}
