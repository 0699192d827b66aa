/* Made by `cargo xtask capi --headers`. */
/* Whether PEs can be remote. */
#ifndef OXSHMEM_PATHS_H
#define OXSHMEM_PATHS_H

/* 1: by the device library's transports. 0: it has loads and stores alone, and the headers have no call for other
 * PEs, beside which the compiler would keep less in registers. */
#if !defined OXSHMEM_REMOTE
#define OXSHMEM_REMOTE 1
#endif

/* Such a library's variable has another name, so that a program links no other one. */
#if !OXSHMEM_REMOTE
#define oxshmem_world oxshmem_load_store_world
#endif

#endif
