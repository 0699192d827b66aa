use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use oxshmem_core::Pe;
use oxshmem_hal::launcher::Launcher;

const JACOBI: &str = env!("CARGO_BIN_EXE_oxshmem-jacobi");
const MANDELBROT: &str = env!("CARGO_BIN_EXE_oxshmem-mandelbrot");

fn command(program: &str, args: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(args).env("OXSHMEM_DEVICE", "host").env("OXSHMEM_WAIT_LIMIT", "30s");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs a program as `n_pes` processes; returns the output of each, by PE.
fn launch(n_pes: u32, program: &str, args: &[&str]) -> Vec<Output> {
    let launcher = Launcher::new(n_pes).unwrap();
    let running: Vec<_> = (0..n_pes)
        .map(|pe| {
            let mut command = command(program, args);
            launcher.prepare(Pe::new(pe), &mut command);
            command.spawn().unwrap()
        })
        .collect();
    drop(launcher);
    running.into_iter().map(|process| process.wait_with_output().unwrap()).collect()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn scratch(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}.png", std::process::id()));
    let _ = std::fs::remove_file(&path);
    path
}

#[test]
fn jacobi_as_processes_prints_a_line_a_variant_and_draws_the_field() {
    let picture = scratch("jacobi");
    let args = ["--nx", "96", "--iterations", "40", "--picture", picture.to_str().unwrap()];
    let outputs = launch(3, JACOBI, &args);
    for output in &outputs {
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    }
    let said = text(&outputs[0].stdout);
    assert!(said.contains("96 x 96 points, 40 iterations, 3 PEs on host threads"), "{said}");
    let in_graphs = [
        "p per thread, graphs of up to 2",
        "put_nbi per block, graphs of up to 2",
        "p per thread, one graph",
        "put_nbi per block, one graph",
    ];
    for variant in ["p per thread  ", "put_nbi per block  ", "persistent, put_signal"].into_iter().chain(in_graphs) {
        let line = said.lines().find(|line| line.contains(variant)).unwrap_or_else(|| panic!("{said}"));
        assert!(line.trim_end().ends_with(" 0"), "the field is the serial one: {line}");
    }
    assert!(outputs[1..].iter().all(|output| output.stdout.is_empty()), "PE 0 speaks for all");
    assert!(std::fs::read(&picture).unwrap().starts_with(b"\x89PNG"));
    std::fs::remove_file(picture).unwrap();
}

#[test]
fn a_field_too_large_for_the_serial_solution_is_compared_in_a_smaller_one() {
    let args = ["-p", "2", "--nx", "530", "-i", "210", "--variant", "persistent", "--check-limit", "0", "--no-picture"];
    let output = command(JACOBI, &args).output().unwrap();
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(said.contains("530 x 530 points, 210 iterations"), "{said}");
    assert!(said.contains("Compared with the serial solution on 512 x 512 points and 200 iterations"), "{said}");
    let line = said.lines().find(|line| line.contains("put_signal")).unwrap_or_else(|| panic!("{said}"));
    assert!(line.trim_end().ends_with(" 0"), "{line}");
}

#[test]
fn mandelbrot_as_processes_says_who_did_what_and_draws_it() {
    let picture = scratch("mandelbrot");
    let args = ["--width", "160", "-i", "100", "--picture", picture.to_str().unwrap()];
    let outputs = launch(2, MANDELBROT, &args);
    for output in &outputs {
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    }
    let said = text(&outputs[0].stdout);
    assert!(said.contains("160 x 120 pixels, 20 tiles of 32, 2 PEs on host threads"), "{said}");
    assert!(said.contains("PE 0") && said.contains("PE 1") && said.contains("as in the serial image"), "{said}");
    assert!(std::fs::read(&picture).unwrap().starts_with(b"\x89PNG"));
    std::fs::remove_file(picture).unwrap();
}

#[test]
fn a_program_started_alone_runs_on_threads_as_many_as_it_is_told() {
    let args = ["--pes", "2", "--nx", "40", "-i", "10", "--variant", "put", "--no-picture", "--no-check"];
    let output = command(JACOBI, &args).output().unwrap();
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(said.contains("2 PEs on host threads") && said.contains("put_nbi per block"), "{said}");
    assert!(!said.contains("p per thread") && said.contains("Not compared"), "{said}");
}

#[test]
fn graph_takes_the_steps_of_the_chosen_variant_in_graphs_as_large_as_it_is_told() {
    for (graph, title) in [
        (&["--graph"][..], "graphs of up to 2"),
        (&["--graph", "25"], "graphs of up to 25"),
        (&["--graph", "all"], "one graph"),
    ] {
        let args = [&["--pes", "2", "--nx", "40", "-i", "31", "--variant", "p", "--no-picture"], graph].concat();
        let output = command(JACOBI, &args).output().unwrap();
        let said = text(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let lines: Vec<_> = said.lines().filter(|line| line.contains("p per thread")).collect();
        assert!(matches!(lines[..], [line] if line.contains(title) && line.trim_end().ends_with(" 0")), "{said}");
    }
}

#[test]
fn what_can_not_be_run_ends_with_1_and_says_why() {
    let output = command(JACOBI, &["--ny", "3", "--pes", "4"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("4 rows asked, 3 available"), "{}", text(&output.stderr));
    let output =
        command(MANDELBROT, &["--picture", "/nowhere/at/all.png", "--width", "64", "-p", "1"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("/nowhere/at/all.png"), "{}", text(&output.stderr));
    let output = command(JACOBI, &["--graph", "none"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("`all` for one graph of the whole run"), "{}", text(&output.stderr));
    let output = command(JACOBI, &["--variant", "persistent", "--graph", "--nx", "8", "--pes", "2"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("one kernel takes many steps"), "{}", text(&output.stderr));
    for output in launch(2, JACOBI, &["--pes", "3"]) {
        assert_eq!(output.status.code(), Some(1));
        assert!(text(&output.stderr).contains("the launcher started 2"), "{}", text(&output.stderr));
    }
}
