/* Made by `cargo xtask capi --headers`. */
#include "../nvshmem.h"
