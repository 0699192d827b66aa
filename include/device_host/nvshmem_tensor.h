/* Made by `cargo xtask capi --headers`. */
#include "../oxshmem/tensor.h"
