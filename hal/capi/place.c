/* Part of libnvshmem.a: says where the library's own kernels are, since a program that has the library in it may be
 * anywhere. `cargo xtask capi` compiles it with OXSHMEM_FOLDER, the folder of the archive. */
void oxshmem_find_kernels_in(const char *folder);

__attribute__((constructor)) static void announce(void) { oxshmem_find_kernels_in(OXSHMEM_FOLDER); }
