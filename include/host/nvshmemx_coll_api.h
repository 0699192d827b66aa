/* Made by `cargo xtask capi --headers`. */
#include "../nvshmem_host.h"
