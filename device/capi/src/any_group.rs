//! Groups of any scope as one type, for functions that serve all of them.

use oxshmem_core::{Group, Scope, Width};
use oxshmem_device_api::{Block, Thread, Warp};

/// A thread, a warp or a block, chosen while the program runs. A copy by loads and stores takes it for a block.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct AnyGroup {
    scope: Scope,
    has_met: bool,
}

impl AnyGroup {
    pub(crate) const THREAD: Self = Self::of(Scope::Thread);
    pub(crate) const WARP: Self = Self::of(Scope::Warp);
    pub(crate) const BLOCK: Self = Self::of(Scope::Block);

    /// Returns the calling group of this scope.
    #[inline(always)]
    pub(crate) const fn of(scope: Scope) -> Self {
        Self { scope, has_met: false }
    }

    /// Returns the same group for calls before which it has met.
    #[cfg(any(feature = "names", not(target_arch = "nvptx64")))]
    #[inline(always)]
    pub(crate) fn met(self) -> Self {
        Self { has_met: true, ..self }
    }
}

/// A group of any scope that knows the thread's rank and its size: a function that asks for them often would find them out
/// again each time.
#[derive(Clone, Copy)]
pub(crate) struct Ranked {
    group: AnyGroup,
    rank: u32,
    size: u32,
}

impl Ranked {
    #[inline(always)]
    pub(crate) fn new(group: AnyGroup) -> Self {
        Self { group, rank: group.rank(), size: group.size() }
    }
}

// SAFETY: **counted**, **alike**, **meets**: those of `AnyGroup`. Rank and size are its answers, which stay the same.
unsafe impl Group for Ranked {
    const SCOPE: Scope = AnyGroup::SCOPE;

    #[inline(always)]
    fn scope(self) -> Scope {
        self.group.scope()
    }

    #[inline(always)]
    fn rank(self) -> u32 {
        self.rank
    }

    #[inline(always)]
    fn size(self) -> u32 {
        self.size
    }

    #[inline(always)]
    fn sync(self) {
        self.group.sync();
    }

    #[inline(always)]
    fn begin(self) {
        self.group.begin();
    }

    #[inline(always)]
    fn any(self, yes: bool) -> bool {
        self.group.any(yes)
    }

    #[inline(always)]
    fn broadcast_bits(self, bits: u64, width: Width) -> u64 {
        self.group.broadcast_bits(bits, width)
    }
}

/// The groups of the first form of a function. The library that nvcc links has one for each scope, which is fastest;
/// bitcode, which compilers read whole for each kernel, has one for all.
pub(crate) mod first {
    cfg_if::cfg_if! {
        if #[cfg(feature = "names")] {
            pub(crate) const THREAD: super::AnyGroup = super::AnyGroup::THREAD;
            pub(crate) const WARP: super::AnyGroup = super::AnyGroup::WARP;
            pub(crate) const BLOCK: super::AnyGroup = super::AnyGroup::BLOCK;
        } else {
            pub(crate) const THREAD: super::Thread = super::Thread;
            pub(crate) const WARP: super::Warp = super::Warp;
            pub(crate) const BLOCK: super::Block = super::Block;
        }
    }
}

// SAFETY: **counted**, **alike**, **meets**: those of the group of this scope, to which every call goes.
unsafe impl Group for AnyGroup {
    const SCOPE: Scope = Scope::Block;

    #[inline(always)]
    fn scope(self) -> Scope {
        self.scope
    }

    #[inline(always)]
    fn rank(self) -> u32 {
        match self.scope {
            Scope::Thread => Thread.rank(),
            Scope::Warp => Warp.rank(),
            Scope::Block => Block.rank(),
        }
    }

    #[inline(always)]
    fn size(self) -> u32 {
        match self.scope {
            Scope::Thread => Thread.size(),
            Scope::Warp => Warp.size(),
            Scope::Block => Block.size(),
        }
    }

    #[inline(always)]
    fn sync(self) {
        match self.scope {
            Scope::Thread => Thread.sync(),
            Scope::Warp => Warp.sync(),
            Scope::Block => Block.sync(),
        }
    }

    #[inline(always)]
    fn begin(self) {
        if !self.has_met {
            self.sync();
        }
    }

    #[inline(always)]
    fn any(self, yes: bool) -> bool {
        match self.scope {
            Scope::Thread => Thread.any(yes),
            Scope::Warp => Warp.any(yes),
            Scope::Block => Block.any(yes),
        }
    }

    #[inline(always)]
    fn broadcast_bits(self, bits: u64, width: Width) -> u64 {
        match self.scope {
            Scope::Thread => Thread.broadcast_bits(bits, width),
            Scope::Warp => Warp.broadcast_bits(bits, width),
            Scope::Block => Block.broadcast_bits(bits, width),
        }
    }
}
