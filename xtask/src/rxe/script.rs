//! The shell script that the machine runs.

/// The port of the machine at which the PEs of a world connect.
const ROOT: &str = "127.0.0.1:7700";
/// The secret by which PEs are admitted. The machine has no other users.
const SECRET: &str = "0707070707070707070707070707070707070707070707070707070707070707";

/// Runs a program once, or as the PEs of a world. Each PE has one of the devices, in turn.
pub(super) fn script(environment: &[(String, String)], words: &[String], pes: Option<u32>, devices: u32) -> String {
    let mut text = String::new();
    for (name, value) in environment {
        text.push_str(&format!("export {name}={}\n", quoted(value)));
    }
    let typed = words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
    let Some(pes) = pes else { return text + "exec " + &typed + "\n" };
    let own_devices = environment.iter().all(|(name, _)| !name.ends_with("_HCA_LIST"));
    text.push_str(&format!("export OXSHMEM_N_PES={pes} OXSHMEM_ROOT={ROOT} OXSHMEM_SECRET={SECRET}\n"));
    for pe in 0..pes {
        let device = if own_devices { format!("OXSHMEM_HCA_LIST=rxe{} ", pe % devices) } else { String::new() };
        text.push_str(&format!("{device}OXSHMEM_PE={pe} {typed} &\npids=\"$pids $!\"\n"));
    }
    // The exit code is that of the first PE that failed: the others notice the failure by themselves, and have limits.
    text + "for pid in $pids; do wait $pid || { now=$?; [ -n \"$code\" ] || code=$now; }; done\nexit ${code:-0}\n"
}

/// Quotes a word for the shell.
pub(super) fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(script: &str) -> (Option<i32>, String) {
        let said = std::process::Command::new("sh").args(["-c", script]).output().unwrap();
        (said.status.code(), String::from_utf8(said.stdout).unwrap())
    }

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| word.to_string()).collect()
    }

    #[test]
    fn words_and_variables_survive_the_shell() {
        for word in ["plain", "", "a b", "it's", "$HOME \"x\" \\ `y`"] {
            let environment = [("OXSHMEM_WORD".to_string(), word.to_string())];
            let asked = words(&["sh", "-c", "printf '%s|%s' \"$1\" \"$OXSHMEM_WORD\"; exit 3", "x", word]);
            assert_eq!(run(&script(&environment, &asked, None, 2)), (Some(3), format!("{word}|{word}")));
        }
    }

    #[test]
    fn the_pes_of_a_world_have_the_devices_in_turn_and_one_failure_is_the_worlds() {
        let asked = words(&["sh", "-c", "echo $OXSHMEM_PE/$OXSHMEM_N_PES $OXSHMEM_HCA_LIST; exit $((OXSHMEM_PE * 4))"]);
        let (code, said) = run(&script(&[], &asked, Some(3), 2));
        let mut lines: Vec<&str> = said.lines().collect();
        lines.sort_unstable();
        assert_eq!((code, lines), (Some(4), vec!["0/3 rxe0", "1/3 rxe1", "2/3 rxe0"]));
        let own = [("OXSHMEM_HCA_LIST".to_string(), "rxe1".to_string())];
        let (code, said) = run(&script(&own, &words(&["sh", "-c", "echo $OXSHMEM_HCA_LIST"]), Some(2), 2));
        assert_eq!((code, said.as_str()), (Some(0), "rxe1\nrxe1\n"));
    }
}
