/* The host's half of the device library: registers the GPU code with the CUDA runtime, and announces the library's
 * variables to the host library.
 *
 * `cargo xtask capi` compiles it with
 *   OXSHMEM_FATBIN  the file with the GPU code
 *   OXSHMEM_ABI     a file with the 120 bytes of the module's `OXSHMEM_ABI`, as a list of numbers
 *
 * nvcc's link step recognises the object by its sections: `__nv_module_id` has the name, and `__nv_relfatbin` the code
 * to link. The program's other CUDA objects have the same, and the CUDA runtime registers them together once the
 * constructors of all of them have run. */
#include <stddef.h>
#include <stdint.h>

#define NAME "_oxshmem_device"

__asm__(".section __nv_module_id, \"a\"\n"
        ".string \"" NAME "\"\n"
        ".section __nv_relfatbin, \"a\"\n"
        ".balign 8\n"
        "oxshmem_fatbin:\n"
        ".incbin \"" OXSHMEM_FATBIN "\"\n"
        ".text\n");

extern const unsigned char oxshmem_fatbin[] __attribute__((visibility("hidden")));

struct fatbin_wrapper {
    int magic;
    int version;
    const void *data;
    const void *file;
};

struct fatbin_wrapper __fatbinwrapoxshmem_device __attribute__((section(".nvFatBinSegment"), aligned(8))) = {
    0x466243b1, 1, oxshmem_fatbin, NULL};

/* Of the CUDA runtime, and of the step that links device code. */
void __cudaRegisterLinkedBinaryoxshmem_device(void (*registered)(void **), void *wrapper, void *name,
                                              void (*unused)(void *));
void __cudaRegisterVar(void **module, char *host, char *device, const char *name, int external, size_t bytes,
                       int is_constant, int is_global);
int cudaGetSymbolAddress(void **address, const void *host);

/* Stand for the variables in calls of the CUDA runtime. */
static char world[160];
static char teams[16];

static int address(void **of_world, void **of_teams) {
    int code = cudaGetSymbolAddress(of_world, world);
    return code != 0 ? code : cudaGetSymbolAddress(of_teams, teams);
}

/* A copy of the device library in this program. */
struct oxshmem_device_image {
    /* Size of this struct in bytes. */
    uint64_t bytes;
    /* major << 32 | minor << 16 | patch */
    uint64_t version;
    /* The 120 bytes of the module's `OXSHMEM_ABI`. */
    const unsigned char *abi;
    /* Stores the addresses of `oxshmem_world` and `oxshmem_teams` on the current device. Returns 0, or the code of the
     * CUDA runtime. The first call on a device loads the program's modules there. */
    int (*address)(void **world, void **teams);
};

static const unsigned char abi[120] = {
#include OXSHMEM_ABI
};

static const struct oxshmem_device_image image = {sizeof(struct oxshmem_device_image), OXSHMEM_VERSION, abi, address};

/* Of the host library, which keeps the pointer, and writes the variables when the program initialises it. */
void oxshmem_register_device_image(const struct oxshmem_device_image *image) __attribute__((weak));

static void registered(void **module) {
    __cudaRegisterVar(module, world, "oxshmem_world", "oxshmem_world", 0, sizeof world, 1, 0);
    __cudaRegisterVar(module, teams, "oxshmem_teams", "oxshmem_teams", 0, sizeof teams, 1, 0);
}

static void unused(void *nothing) { (void)nothing; }

__attribute__((constructor)) static void announce(void) {
    __cudaRegisterLinkedBinaryoxshmem_device(registered, &__fatbinwrapoxshmem_device, NAME, unused);
    if (oxshmem_register_device_image) oxshmem_register_device_image(&image);
}
