/* Made by `cargo xtask capi --headers`. */
#include "../oxshmem/types.h"
