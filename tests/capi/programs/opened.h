// Functions of libraries that a program opens itself, and code for the GPU that it loads from a file beside it.
#ifndef PROGRAM_OPENED_H
#define PROGRAM_OPENED_H

#include <cuda.h>
#include <dlfcn.h>

#include "check.h"

namespace program {

inline void* open_library(const char* file) {
    void* library = dlopen(file, RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr) fail("%s", dlerror());
    return library;
}

template <class F>
inline F* symbol(void* library, const char* name) {
    void* found = dlsym(library, name);
    if (found == nullptr) fail("%s", dlerror());
    return reinterpret_cast<F*>(found);
}

// The function of this name.
#define FUNCTION_OF(library, name) program::symbol<decltype(name)>(library, #name)

// The driver's functions that load and launch.
struct Driver {
    void* library = open_library("libcuda.so.1");
    decltype(&cuModuleLoad) module_load = FUNCTION_OF(library, cuModuleLoad);
    decltype(&cuModuleGetFunction) module_function = FUNCTION_OF(library, cuModuleGetFunction);
    decltype(&cuModuleUnload) module_unload = FUNCTION_OF(library, cuModuleUnload);
    decltype(&cuLibraryLoadFromFile) library_load = FUNCTION_OF(library, cuLibraryLoadFromFile);
    decltype(&cuLibraryGetKernel) library_kernel = FUNCTION_OF(library, cuLibraryGetKernel);
    decltype(&cuLibraryUnload) library_unload = FUNCTION_OF(library, cuLibraryUnload);
    decltype(&cuLaunchCooperativeKernel) launch = FUNCTION_OF(library, cuLaunchCooperativeKernel);
};

// The file of the program's code for the GPU, which is built of the same source with -DMODULE.
inline std::string module_file(const char* program) { return std::string(program) + ".fatbin"; }

}  // namespace program

#endif
