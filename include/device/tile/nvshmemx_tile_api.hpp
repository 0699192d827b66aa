/* Made by `cargo xtask capi --headers`. */
#include "../../nvshmemx.h"
