//! Choice of the library that posts for the proxies.

use std::sync::{Arc, Mutex, PoisonError};

use oxshmem_core::Pe;
use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::settings::{Settings, Variable};
use oxshmem_rdma::fabric::{
    FabricProvider, OpenDevices, OpenRequest, ProviderContext, ProviderEntry, find_provider, provider_names,
};
use oxshmem_rdma::ibdevx;
use oxshmem_rdma::rc::VerbsFabric;
use oxshmem_rdma::verbs::rc::LibVerbs;

/// Name of the transport, which chooses libibverbs.
pub const NAME: &str = "ibrc";

type Installed = Arc<dyn Fn(Pe) -> Arc<dyn FabricProvider> + Send + Sync>;

static INSTALLED: Mutex<Option<Installed>> = Mutex::new(None);

/// Makes worlds that are created from now on use the devices that `provider` gives each PE of this process, in place of
/// libibverbs. For tests. A library registers itself by [`register_provider!`](oxshmem_rdma::register_provider).
pub fn install(provider: impl Fn(Pe) -> Arc<dyn FabricProvider> + Send + Sync + 'static) {
    *INSTALLED.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(provider));
}

/// Returns the installed provider, or else libibverbs. Where libibverbs is missing, opening the provider returns the
/// reason.
pub fn provider(me: Pe) -> Arc<dyn FabricProvider> {
    if let Some(provider) = INSTALLED.lock().unwrap_or_else(PoisonError::into_inner).clone() {
        return provider(me);
    }
    match LibVerbs::open() {
        Ok(library) => Arc::new(VerbsFabric::new(Arc::new(library))),
        Err(error) => Arc::new(Missing(error)),
    }
}

/// Returns the names by which this transport can be chosen: its own and that of its other provider first, then those of
/// linked providers.
pub fn names() -> Vec<&'static str> {
    [NAME, ibdevx::NAME].into_iter().chain(provider_names()).collect()
}

/// Returns the provider of this name that the transport brings along, or else the linked one.
fn find(name: &str) -> Option<&'static ProviderEntry> {
    static IBDEVX: ProviderEntry = ibdevx::ENTRY;
    if name == ibdevx::NAME { Some(&IBDEVX) } else { find_provider(name) }
}

/// Returns the variables of all providers.
pub(in crate::host) fn variables() -> impl Iterator<Item = Variable> {
    names().into_iter().filter_map(find).flat_map(|entry| entry.variables.iter().copied())
}

/// Creates the provider that is chosen by `name`: [`NAME`], `ibdevx`, or that of a linked provider.
///
/// # Errors
/// `NotFound`: none of this name is linked; the error lists those that are. Or the provider can't be created.
pub fn provider_named(name: &str, me: Pe, settings: &Settings) -> Result<Arc<dyn FabricProvider>> {
    if name == NAME {
        return Ok(provider(me));
    }
    let entry = find(name).ok_or_else(|| {
        Error::new(ErrorKind::NotFound, format!("use {name} for proxies"))
            .because(format!("this program has {}", names().join(", ")))
            .hint(format!("link the crate that registers it: `use oxshmem_{name} as _;`"))
    })?;
    (entry.create)(&ProviderContext { me, settings })
}

/// A provider without devices, and the reason.
#[derive(Debug)]
pub(in crate::host) struct Missing(pub(in crate::host) Error);

impl FabricProvider for Missing {
    fn name(&self) -> &str {
        "verbs"
    }

    fn describe(&self) -> String {
        "no provider of verbs".into()
    }

    fn open(&self, _: &OpenRequest<'_>) -> Result<OpenDevices> {
        Err(self.0.clone())
    }
}

#[cfg(test)]
mod tests {
    use oxshmem_raw::settings::Takes;

    use super::*;

    const WHY: Variable = Variable {
        names: &["OXSHMEM_MADEUP_WHY"],
        takes: Takes::Text { form: "a reason", check: |_| Ok(()) },
        auto: false,
        default: "no reason",
        help: "Why it can't be opened.",
    };

    fn create(context: &ProviderContext<'_>) -> Result<Arc<dyn FabricProvider>> {
        let reason = context.settings.text(&WHY).to_string();
        Ok(Arc::new(Missing(Error::new(ErrorKind::NotFound, "open madeup").because(reason))))
    }

    oxshmem_rdma::register_provider! {
        name: "madeup",
        variables: &[WHY],
        create: create,
    }

    #[test]
    fn a_linked_provider_is_found_by_its_name_and_gets_its_settings() {
        assert_eq!(names(), ["ibrc", "ibdevx", "madeup"]);
        let all: Vec<&str> = variables().map(|variable| variable.names[0]).collect();
        assert_eq!(all, ["OXSHMEM_IBDEVX_BLUEFLAME", "OXSHMEM_MADEUP_WHY"]);
        let mut settings = Settings::default();
        settings.set(&WHY, "it is made up").unwrap();
        let provider = provider_named("madeup", Pe::new(0), &settings).unwrap();
        assert!(format!("{provider:?}").contains("it is made up"));
    }

    #[test]
    fn a_name_that_is_not_linked_is_an_error_that_lists_those_that_are() {
        let error = provider_named("madupe", Pe::new(0), &Settings::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
        let text = error.to_string();
        assert!(text.contains("madupe") && text.contains("ibrc, ibdevx, madeup"), "{text}");
    }
}
