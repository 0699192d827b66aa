//! Modules of the program with the device functions of the C interface, which find the world in variables.
//!
//! | variable | bytes | content |
//! |---|---|---|
//! | `oxshmem_world` | 160 | the [`WorldState`], with the module's paths in the module's order |
//! | `oxshmem_teams` | 16 | the address of the [`TeamParts`]s by team number, and their count |
//! | `oxshmem_version` | 8 | the version of oxshmem, which the module has: major << 32, minor << 16, patch |
//!
//! A module for loads and stores alone has the first by the name `oxshmem_load_store_world`.

use std::ffi::c_void;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::gpu::cuda::{self, Context, DeviceMemory};
use oxshmem_raw::state::team::TeamParts;
use oxshmem_raw::state::{MAX_PATHS, WorldState, abi};

use super::World;
use super::teams::Team;
use crate::module::read_abi;

/// The number of teams that kernels can name.
const TEAMS: usize = 4096;

/// The names of the world's variable: in a module for any world, and in one for loads and stores alone.
const WORLD: [&str; 2] = ["oxshmem_world", "oxshmem_load_store_world"];

/// A variable that NVSHMEM's own device library has in each module.
const OF_NVSHMEM: &str = "nvshmemi_device_lib_version_d";

/// The linked modules of a world.
#[derive(Debug, Default)]
pub(super) struct Linked(Mutex<LinkedList>);

#[derive(Debug, Default)]
struct LinkedList {
    modules: Vec<LinkedModule>,
    /// The handles of teams by number, as kernels read them. Made with the first module.
    table: Option<DeviceMemory>,
    /// The host's copy of the table.
    teams: Vec<TeamParts>,
}

#[derive(Debug)]
struct LinkedModule {
    /// The program's handle.
    raw: u64,
    /// The address of the module's state.
    world: u64,
    paths: [usize; MAX_PATHS],
}

/// Returns address and size of a variable of a module, if there is one.
type Find<'f> = &'f dyn Fn(&str) -> Result<Option<(u64, usize)>>;

impl World {
    #[cfg(feature = "capi")]
    #[doc(hidden)]
    /// Gives a module that the program loaded (`CUmodule`) the state of this world, now and when it changes.
    ///
    /// # Errors
    /// `InvalidArgument` on host PEs; `Incompatible` if the module has no device functions of oxshmem for C, or those
    /// of another version (both named).
    ///
    /// # Safety
    ///
    /// - **module**: `raw` names a module of this PE's GPU, in its primary context, that stays loaded until
    ///   [`unlink`](World::unlink) or the world's end, and no kernel of it that uses this library runs now.
    pub unsafe fn link_module(&self, raw: *mut c_void) -> Result<()> {
        // SAFETY: **module** by the caller.
        let module = unsafe { cuda::Module::from_raw(self.device_of("module", raw)?, raw) };
        // SAFETY: **variables**: they are the module's.
        unsafe { self.link(raw as u64, "of the program", &|name| module.global(name)) }
    }

    #[cfg(feature = "capi")]
    #[doc(hidden)]
    /// Gives a library that the program loaded (`CUlibrary`) the state of this world, as
    /// [`link_module`](World::link_module).
    ///
    /// # Errors
    /// As [`link_module`](World::link_module).
    ///
    /// # Safety
    ///
    /// - **library**: as **module** of [`link_module`](World::link_module).
    pub unsafe fn link_library(&self, raw: *mut c_void) -> Result<()> {
        // SAFETY: **library** by the caller.
        let library = unsafe { cuda::Library::from_raw(self.device_of("library", raw)?, raw) };
        // SAFETY: **variables**: they are the library's.
        unsafe { self.link(raw as u64, "of the program", &|name| library.global(name)) }
    }

    #[cfg(feature = "capi")]
    #[doc(hidden)]
    /// Gives the device functions that are linked into the program the state of this world, as
    /// [`link_module`](World::link_module). `find` returns address and size of a variable in the context that is
    /// current, which is this PE's; `key` is the name for [`unlink`](World::unlink).
    ///
    /// # Errors
    /// As [`link_module`](World::link_module).
    ///
    /// # Safety
    ///
    /// - **variables**: `find` returns variables that stay loaded until [`unlink`](World::unlink) or the world's end.
    pub unsafe fn link_program(&self, key: u64, find: impl Fn(&str) -> Option<(u64, usize)>) -> Result<()> {
        let _current = self.gpu_context("device functions")?.enter()?;
        // SAFETY: **variables** by the caller.
        unsafe { self.link(key, "linked into the program", &|name| Ok(find(name))) }
    }

    #[cfg(feature = "capi")]
    #[doc(hidden)]
    /// Forgets a module, which may be unloaded afterwards. Returns whether it was linked.
    pub fn unlink(&self, raw: *mut c_void) -> bool {
        let (mut linked, mut was_linked) = (self.linked(), false);
        linked.modules.retain(|module| {
            let is_it = module.raw == raw as u64;
            was_linked |= is_it;
            !is_it
        });
        was_linked
    }

    #[cfg(feature = "capi")]
    #[doc(hidden)]
    /// Gives a team a number by which kernels of linked modules name it; `None` takes the number back.
    ///
    /// # Errors
    /// `Exhausted` if the number is too large; the team is of another world; or the copy to the device failed.
    pub fn number_team(&self, number: usize, team: Option<&Team<'_>>) -> Result<()> {
        team.map_or(Ok(()), |team| self.check_team("number_team", team))?;
        if number >= TEAMS {
            return Err(Error::new(ErrorKind::Exhausted, format!("give a team the number {number}")).amount(
                number as u64,
                TEAMS as u64,
                "teams",
            ));
        }
        let mut linked = self.linked();
        if linked.teams.len() <= number {
            linked.teams.resize(number + 1, TeamParts::default());
        }
        linked.teams[number] = team.map_or_else(TeamParts::default, |team| *team.handle());
        self.write_teams(&linked, number..number + 1)
    }

    /// Writes the present state to the linked modules, after it has changed.
    pub(super) fn refresh_linked(&self) {
        let linked = self.linked();
        let written = linked.modules.iter().try_for_each(|module| self.write_state(module));
        // Without it this PE can't continue: the failure counts as one of its kernels.
        let _ = self.check_given(written);
    }

    /// Checks a module's variables, and writes this world into them.
    ///
    /// # Safety
    ///
    /// - **variables**: as for [`link_program`](World::link_program).
    unsafe fn link(&self, raw: u64, name: &str, find: Find<'_>) -> Result<()> {
        let refuse = |reason: String| {
            Err(Error::new(ErrorKind::Incompatible, format!("initialise the module {name}"))
                .because(reason)
                .hint("link it with the device library of this version"))
        };
        let found = WORLD.into_iter().find_map(|name| find(name).transpose()).transpose();
        let (Some((world, bytes)), Some((teams, 16)), Some((version, 8))) =
            (found?, find("oxshmem_teams")?, find("oxshmem_version")?)
        else {
            return refuse(match find(OF_NVSHMEM)? {
                Some(_) => "it has NVSHMEM's own device functions, whose state NVSHMEM's host library alone has".into(),
                None => "it has no device functions of oxshmem for C, or of another layout".into(),
            });
        };
        let mut word = [0; 8];
        // SAFETY: **mapped**: by **variables**, with the size that was checked.
        unsafe { self.machine.memory.read(&mut word, version)? }
        let theirs = u64::from_le_bytes(word);
        if theirs == own_version() && bytes != size_of::<WorldState>() {
            return refuse(format!(
                "its device library and the host library are both oxshmem {}, of builds that differ: the state has {bytes} \
                 and {} bytes",
                version_text(theirs),
                size_of::<WorldState>()
            ));
        }
        if theirs != own_version() {
            return refuse(format!(
                "its device library is oxshmem {}, and the host library is oxshmem {}",
                version_text(theirs),
                version_text(own_version())
            ));
        }
        // SAFETY: **mapped**: by **variables**.
        let (_, paths) = unsafe { read_abi(&self.machine.memory, name, find(abi::SYMBOL)?, &self.transports_used()) }?;
        let mut linked = self.linked();
        if linked.table.is_none() {
            linked.table = Some(DeviceMemory::alloc(self.gpu_context("module")?, TEAMS * size_of::<TeamParts>())?);
            linked.teams.resize(TEAMS, TeamParts::default());
            self.write_teams(&linked, 0..TEAMS)?;
        }
        let table = linked.table.as_ref().map_or(0, DeviceMemory::address);
        let words = [table.to_le_bytes(), (TEAMS as u64).to_le_bytes()].concat();
        // SAFETY: **mapped**: by **variables**, with the size that was checked.
        unsafe { self.machine.memory.write(teams, &words)? }
        let module = LinkedModule { raw, world, paths };
        self.write_state(&module)?;
        linked.modules.retain(|other| other.raw != raw);
        linked.modules.push(module);
        Ok(())
    }

    fn write_state(&self, module: &LinkedModule) -> Result<()> {
        // SAFETY: **mapped**: the variable has this size, as `link` has checked, and its module is loaded.
        unsafe { self.machine.memory.write(module.world, self.state().arranged(module.paths).bytes()) }
    }

    /// Writes the handles with these numbers to the table of the device, if there is one.
    fn write_teams(&self, linked: &LinkedList, numbers: Range<usize>) -> Result<()> {
        let Some(table) = &linked.table else { return Ok(()) };
        let at = table.address() + (numbers.start * size_of::<TeamParts>()) as u64;
        let bytes: Vec<u8> =
            linked.teams[numbers].iter().flat_map(|team| team.words()).flat_map(u64::to_le_bytes).collect();
        // SAFETY: **mapped**: the table has room for `TEAMS` handles, and `linked.teams` has no more.
        unsafe { self.machine.memory.write(at, &bytes) }
    }

    fn linked(&self) -> MutexGuard<'_, LinkedList> {
        // The list is consistent between any two calls on it.
        self.linked.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn device_of(&self, what: &str, raw: *mut c_void) -> Result<&Context> {
        let context = self.gpu_context(what)?;
        if raw.is_null() {
            return Err(Error::new(ErrorKind::InvalidArgument, format!("use a {what} of the program"))
                .because("the handle is null"));
        }
        Ok(context)
    }
}

/// Returns this library's version as a module has it.
fn own_version() -> u64 {
    let number = |text: &str| text.parse::<u64>().unwrap_or(0);
    number(env!("CARGO_PKG_VERSION_MAJOR")) << 32
        | number(env!("CARGO_PKG_VERSION_MINOR")) << 16
        | number(env!("CARGO_PKG_VERSION_PATCH"))
}

fn version_text(version: u64) -> String {
    format!("{}.{}.{}", version >> 32, version >> 16 & 0xffff, version & 0xffff)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Config, DeviceChoice};

    #[test]
    fn a_version_is_the_one_of_the_package() {
        assert_eq!(version_text(own_version()), env!("CARGO_PKG_VERSION"));
    }

    #[test]
    fn a_module_without_the_variables_or_of_another_version_is_refused_with_both_versions() {
        let config = Config::new().with_device(DeviceChoice::Host).with_heap_bytes(1 << 20);
        World::threads(1, &config, |world| {
            let (state, teams, version) = ([0u64; 20], [0u64; 2], [(9u64 << 32) | 8 << 16 | 7]);
            let variable = |words: &[u64]| Ok(Some((words.as_ptr() as u64, size_of_val(words))));
            let of = |name: &str| match name {
                "oxshmem_world" => variable(&state),
                "oxshmem_teams" => variable(&teams),
                "oxshmem_version" => variable(&version),
                _ => Ok(None),
            };
            // SAFETY: **variables**: they outlive the call, and a refused module is not kept.
            let refused = unsafe { world.link(1, "of the test", &of) }.unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::Incompatible);
            let text = refused.to_string();
            assert!(text.contains("is oxshmem 9.8.7") && text.contains(env!("CARGO_PKG_VERSION")), "{text}");
            let of_load_store = |name: &str| match name {
                "oxshmem_load_store_world" => of("oxshmem_world"),
                "oxshmem_world" => Ok(None),
                name => of(name),
            };
            // SAFETY: **variables**: they outlive the call, and a refused module is not kept.
            let text = unsafe { world.link(1, "of the test", &of_load_store) }.unwrap_err().to_string();
            assert!(text.contains("is oxshmem 9.8.7"), "its variables are found: {text}");
            let (same, short) = ([own_version()], [0u64; 3]);
            let of_another_build = |name: &str| match name {
                "oxshmem_world" => variable(&short),
                "oxshmem_version" => variable(&same),
                name => of(name),
            };
            // SAFETY: **variables**: they outlive the call, and a refused module is not kept.
            let text = unsafe { world.link(1, "of the test", &of_another_build) }.unwrap_err().to_string();
            assert!(text.contains("of builds that differ: the state has 24 and"), "{text}");
            for missing in ["oxshmem_world", "oxshmem_teams", "oxshmem_version"] {
                let find = |name: &str| if name == missing { Ok(None) } else { of(name) };
                // SAFETY: **variables**: they outlive the call, and a refused module is not kept.
                let refused = unsafe { world.link(1, "of the test", &find) }.unwrap_err();
                assert!(refused.to_string().contains("no device functions of oxshmem"), "{refused}");
            }
            let of_nvshmem = |name: &str| if name == OF_NVSHMEM { variable(&version) } else { Ok(None) };
            // SAFETY: **variables**: they outlive the call, and a refused module is not kept.
            let text = unsafe { world.link(1, "of the test", &of_nvshmem) }.unwrap_err().to_string();
            assert!(text.contains("has NVSHMEM's own device functions") && !text.contains('\n'), "{text}");
            assert!(world.linked().modules.is_empty() && state == [0; 20]);
            Ok(())
        })
        .unwrap();
    }

    #[test]
    fn a_module_is_forgotten_once_and_alone() {
        let config = Config::new().with_device(DeviceChoice::Host).with_heap_bytes(1 << 20);
        World::threads(1, &config, |world| {
            let module = |raw| LinkedModule { raw, world: 0, paths: [0; MAX_PATHS] };
            world.linked().modules.extend([8, 16].map(module));
            assert!(world.unlink(8 as *mut c_void));
            assert!(!world.unlink(8 as *mut c_void), "it is not linked any more");
            assert_eq!(world.linked().modules.iter().map(|module| module.raw).collect::<Vec<_>>(), [16]);
            world.linked().modules.clear();
            Ok(())
        })
        .unwrap();
    }

    #[test]
    fn host_pes_link_no_module_and_number_their_teams() {
        let config = Config::new().with_device(DeviceChoice::Host).with_heap_bytes(1 << 20);
        World::threads(2, &config, |world| {
            // SAFETY: no module is used.
            let refused = unsafe { world.link_module(8 as *mut c_void) }.unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::InvalidArgument);
            let team = world.team_world()?;
            world.number_team(3, Some(&team))?;
            world.number_team(3, None)?;
            let refused = world.number_team(TEAMS, Some(&team)).unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::Exhausted);
            Ok(())
        })
        .unwrap();
    }
}
