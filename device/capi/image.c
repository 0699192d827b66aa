/* The host's half of a part of the device library: registers the GPU code with the CUDA runtime. The part with the
 * library's variables announces them to the host library. `cargo xtask capi` compiles it with
 *   OXSHMEM_PART       the part's name
 *   OXSHMEM_FATBIN     the file with the GPU code
 *   OXSHMEM_VARIABLES  if the part has the variables
 *   OXSHMEM_WORLD      the name of the world's variable
 *
 * nvcc's link step recognises the object by its sections: `__nv_module_id` has the name, and `__nv_relfatbin` the code
 * to link. The program's other CUDA objects have the same, and the CUDA runtime registers them together once the
 * constructors of all of them have run. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#define JOINED_OF(a, b) a##b
#define JOINED(a, b) JOINED_OF(a, b)
#define NAME "_oxshmem_" TEXT(OXSHMEM_PART)
#define WRAPPER JOINED(__fatbinwrap_oxshmem_, OXSHMEM_PART)
#define REGISTER JOINED(__cudaRegisterLinkedBinary_oxshmem_, OXSHMEM_PART)

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

struct fatbin_wrapper WRAPPER __attribute__((section(".nvFatBinSegment"), aligned(8))) = {
    0x466243b1, 1, oxshmem_fatbin, NULL};

/* Of the CUDA runtime, and of the step that links device code. */
void REGISTER(void (*registered)(void **), void *wrapper, void *name,
                                              void (*unused)(void *));
#if defined OXSHMEM_VARIABLES
void __cudaRegisterVar(void **module, char *host, char *device, const char *name, int external, size_t bytes,
                       int is_constant, int is_global);
int cudaGetSymbolAddress(void **address, const void *host);
int cudaGetFuncBySymbol(void **function, const void *symbol);

/* The library's variables on the device, with what stands for each in calls of the CUDA runtime. */
static char world[160], teams[16], version[8], abi[120];
static const struct {
    const char *name;
    char *stands;
    size_t bytes;
    int is_constant;
} variables[] = {
    {OXSHMEM_WORLD, world, sizeof world, 1},
    {"oxshmem_teams", teams, sizeof teams, 1},
    {"oxshmem_version", version, sizeof version, 0},
    {"OXSHMEM_ABI", abi, sizeof abi, 0},
};
enum { VARIABLES = sizeof variables / sizeof *variables };

/* Stores address and size of a variable in the current context. Returns 0, -1 if there is no such variable, or the code
 * of the CUDA runtime. The first call in a context loads the program's modules there. */
static int find(const char *name, uint64_t *address, size_t *bytes) {
    for (int i = 0; i < VARIABLES; ++i) {
        if (strcmp(name, variables[i].name) != 0) continue;
        void *at = NULL;
        int code = cudaGetSymbolAddress(&at, variables[i].stands);
        *address = (uint64_t)(uintptr_t)at;
        *bytes = variables[i].bytes;
        return code;
    }
    return -1;
}

/* Of the host library, which writes the variables when the program initialises it. */
void oxshmem_register_device_functions(int (*find)(const char *name, uint64_t *address, size_t *bytes))
    __attribute__((weak));

/* Of the host library too, which finds kernels in this CUDA runtime by their symbols. */
void oxshmem_register_runtime(int (*by_symbol)(void **function, const void *symbol)) __attribute__((weak));

/* Of the host library: they take the announcements back. */
void oxshmem_forget_device_functions(int (*find)(const char *name, uint64_t *address, size_t *bytes))
    __attribute__((weak));
void oxshmem_forget_runtime(int (*by_symbol)(void **function, const void *symbol)) __attribute__((weak));

static void registered(void **module) {
    for (int i = 0; i < VARIABLES; ++i) {
        __cudaRegisterVar(module, variables[i].stands, (char *)variables[i].name, variables[i].name, 0,
                          variables[i].bytes, variables[i].is_constant, 0);
    }
}
#else
static void registered(void **module) { (void)module; }
#endif

static void unused(void *nothing) { (void)nothing; }

__attribute__((constructor)) static void announce(void) {
    REGISTER(registered, &WRAPPER, NAME, unused);
#if defined OXSHMEM_VARIABLES
    if (oxshmem_register_device_functions) oxshmem_register_device_functions(find);
    if (oxshmem_register_runtime) oxshmem_register_runtime(cudaGetFuncBySymbol);
#endif
}

#if defined OXSHMEM_VARIABLES
/* When the program ends, or the shared object is closed, after which nothing of it may be called. */
__attribute__((destructor)) static void take_back(void) {
    if (oxshmem_forget_device_functions) oxshmem_forget_device_functions(find);
    if (oxshmem_forget_runtime) oxshmem_forget_runtime(cudaGetFuncBySymbol);
}
#endif
