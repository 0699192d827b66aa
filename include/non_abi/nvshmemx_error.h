/* Made by `cargo xtask capi --headers`. */
#include "../oxshmem/private.h"
