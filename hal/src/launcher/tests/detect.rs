use oxshmem_core::Pe;

use super::*;

const IDS: ProcessIds = ProcessIds { user: 1000, parent: 77 };

fn found(variables: &[(&str, &str)]) -> Result<Option<Detected>> {
    detect(&|name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).into()), IDS)
}

fn of(variables: &[(&str, &str)]) -> (StartedBy, u32, u32, MeetingPoint) {
    let Detected { by, pe, n_pes, meeting_point } = found(variables).unwrap().unwrap();
    (by, pe, n_pes, meeting_point)
}

fn secret() -> (&'static str, &'static str) {
    ("OXSHMEM_SECRET", "000102030405060708090a0b0c0d0e0f000102030405060708090a0b0c0d0e0f")
}

#[test]
fn a_process_that_nobody_launched_is_no_pe() {
    assert!(found(&[("PATH", "/bin"), ("RANK", "3"), ("OXSHMEM_PE", "")]).unwrap().is_none());
}

#[test]
fn our_launchers_environment_is_read_back() {
    let launcher = crate::launcher::Launcher::new(3).unwrap();
    for pe in 0..3 {
        let environment = launcher.environment(Pe::new(pe));
        let variables: Vec<_> = environment.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let (by, found, n_pes, meeting_point) = of(&variables);
        assert_eq!((by, found, n_pes), (StartedBy::Oxshmem, pe, 3));
        let MeetingPoint::Id(id, fd) = meeting_point else { panic!("{meeting_point:?}") };
        assert_eq!((&id, fd.is_some()), (launcher.id(), pe == 0), "PE 0 alone inherits the socket");
    }
}

#[test]
fn mpirun_on_one_host_meets_by_a_file_named_after_the_job() {
    let job = [("OMPI_COMM_WORLD_SIZE", "4"), ("OMPI_COMM_WORLD_LOCAL_SIZE", "4"), ("PMIX_NAMESPACE", "prterun-a-1@1")];
    let meeting_point = |rank: &'static str, dir: &'static str| {
        let mut variables = job.to_vec();
        variables.extend([("OMPI_COMM_WORLD_RANK", rank), ("XDG_RUNTIME_DIR", dir), ("SLURM_PROCID", "9")]);
        of(&variables)
    };
    let (by, pe, n_pes, MeetingPoint::File(file)) = meeting_point("2", "/run/user/1000") else { panic!() };
    assert_eq!((by, pe, n_pes), (StartedBy::OpenMpi, 2, 4), "an mpirun inside an allocation goes before it");
    assert!(file.path().starts_with("/run/user/1000/oxshmem"));
    let (.., MeetingPoint::File(other)) = meeting_point("3", "/run/user/1000") else { panic!() };
    assert_eq!(file, other, "all PEs of the job meet at one place");
    let (.., MeetingPoint::File(in_tmp)) = meeting_point("3", "") else { panic!() };
    assert!(in_tmp.path().starts_with(folder_of_user(1000)));
}

#[test]
fn pmi_without_a_job_name_meets_by_the_parent() {
    let (by, pe, n_pes, meeting_point) = of(&[("PMI_RANK", "1"), ("PMI_SIZE", "2")]);
    assert_eq!((by, pe, n_pes), (StartedBy::Pmi, 1, 2));
    let MeetingPoint::File(file) = meeting_point else { panic!() };
    assert!(file.path().to_str().unwrap().contains("77"), "{file:?}");
}

#[test]
fn pmix_takes_the_number_of_pes_from_slurm_and_asks_for_it_otherwise() {
    let (by, pe, n_pes, _) = of(&[("PMIX_RANK", "1"), ("SLURM_NTASKS", "8"), ("SLURM_NNODES", "1")]);
    assert_eq!((by, pe, n_pes), (StartedBy::Pmix, 1, 8));
    let error = found(&[("PMIX_RANK", "1")]).unwrap_err();
    assert!(error.to_string().contains("set OXSHMEM_N_PES"), "{error}");
}

#[test]
fn srun_on_several_hosts_meets_at_the_first_and_needs_a_secret() {
    let step = [
        ("SLURM_PROCID", "5"),
        ("SLURM_NTASKS", "64"),
        ("SLURM_STEP_NUM_TASKS", "8"),
        ("SLURM_STEP_NODELIST", "gpu[007-008,11].cluster,login"),
        ("SLURM_JOB_ID", "100"),
        ("SLURM_STEP_ID", "2"),
    ];
    let error = found(&step).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(error.to_string().contains("set OXSHMEM_SECRET"), "{error}");
    let mut variables = step.to_vec();
    variables.push(secret());
    let (by, pe, n_pes, meeting_point) = of(&variables);
    assert_eq!((by, pe, n_pes), (StartedBy::Slurm, 5, 8), "the step's size goes before the job's");
    let MeetingPoint::Address(address, _) = meeting_point else { panic!() };
    assert_eq!(address, "gpu007.cluster:23102");
}

#[test]
fn srun_on_one_host_meets_by_a_file() {
    for list in ["n-1", "n7", "gpu[7]"] {
        let (.., meeting_point) = of(&[("SLURM_PROCID", "0"), ("SLURM_NTASKS", "2"), ("SLURM_STEP_NODELIST", list)]);
        assert!(matches!(meeting_point, MeetingPoint::File(_)), "{list}");
    }
    for list in ["n1,n2", "n[1-2]", "n[1,4]"] {
        let variables = [("SLURM_PROCID", "0"), ("SLURM_NTASKS", "2"), ("SLURM_STEP_NODELIST", list), secret()];
        assert!(matches!(of(&variables).3, MeetingPoint::Address(..)), "{list}");
    }
}

#[test]
fn torchrun_meets_by_a_file_on_one_host_and_beside_its_master_port_on_several() {
    let common = [("RANK", "1"), ("WORLD_SIZE", "4"), ("MASTER_ADDR", "fe80::1"), ("MASTER_PORT", "29500")];
    let with = |more: &[(&'static str, &'static str)]| found(&[&common[..], more].concat());
    let on_one = with(&[("LOCAL_WORLD_SIZE", "4")]).unwrap().unwrap();
    assert!(matches!((on_one.by, on_one.meeting_point), (StartedBy::Torchrun, MeetingPoint::File(_))));
    let error = with(&[("LOCAL_WORLD_SIZE", "2")]).unwrap_err();
    assert!(error.to_string().contains("OXSHMEM_SECRET"), "{error}");
    let MeetingPoint::Address(address, _) =
        with(&[("LOCAL_WORLD_SIZE", "2"), secret()]).unwrap().unwrap().meeting_point
    else {
        panic!()
    };
    assert_eq!(address, "[fe80::1]:29501");
}

#[test]
fn an_address_of_the_users_goes_before_what_the_launcher_says() {
    let job = [("OMPI_COMM_WORLD_RANK", "0"), ("OMPI_COMM_WORLD_SIZE", "2"), ("OXSHMEM_ROOT", "head:4000")];
    assert!(found(&job).unwrap_err().to_string().contains("OXSHMEM_SECRET"));
    let (.., meeting_point) = of(&[&job[..], &[secret()]].concat());
    assert!(matches!(meeting_point, MeetingPoint::Address(address, _) if address == "head:4000"));
    for wrong in ["head", "head:", ":1", "head:99999", "head:0"] {
        let error =
            found(&[("OXSHMEM_PE", "0"), ("OXSHMEM_N_PES", "2"), ("OXSHMEM_ROOT", wrong), secret()]).unwrap_err();
        assert!(error.to_string().contains("host:port"), "{wrong}: {error}");
    }
}

#[test]
fn values_that_cannot_be_are_named_with_their_variable() {
    for (variables, expected) in [
        (&[("PMI_RANK", "x"), ("PMI_SIZE", "2")][..], "read PMI_RANK: `x`"),
        (&[("PMI_RANK", "2"), ("PMI_SIZE", "2")], "PMI_RANK is 2, PMI_SIZE is 2"),
        (&[("OXSHMEM_PE", "0"), ("OXSHMEM_N_PES", "40000")], "1 to 32767"),
        (&[("OXSHMEM_PE", "0"), ("OXSHMEM_N_PES", "0")], "OXSHMEM_N_PES is 0"),
        (&[("OXSHMEM_PE", "0"), ("OXSHMEM_N_PES", "2"), ("OXSHMEM_UID", "12")], "2 characters, not 256"),
        (&[("OXSHMEM_PE", "0"), ("OXSHMEM_N_PES", "2")], "set OXSHMEM_UID"),
    ] {
        let error = found(variables).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
}
