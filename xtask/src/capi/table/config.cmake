# CMake's package @PACKAGE@, of oxshmem. Targets: nvshmem::nvshmem_host, nvshmem::nvshmem_device (which needs the other
# one and separable compilation), nvshmem::nvshmem (both), and the same as oxshmem::.
get_filename_component(_oxshmem_home "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(@PACKAGE@_INCLUDE_DIR "${_oxshmem_home}/include")
set(@PACKAGE@_LIBRARY_DIR "${_oxshmem_home}/lib")
set(@PACKAGE@_INCLUDE_DIRS "${@PACKAGE@_INCLUDE_DIR}")
set(@PACKAGE@_LIBRARIES nvshmem::nvshmem_host nvshmem::nvshmem_device)

foreach(_oxshmem_prefix nvshmem oxshmem)
  if(NOT TARGET ${_oxshmem_prefix}::${_oxshmem_prefix}_host)
    add_library(${_oxshmem_prefix}::${_oxshmem_prefix}_host SHARED IMPORTED)
    set_target_properties(${_oxshmem_prefix}::${_oxshmem_prefix}_host PROPERTIES
      IMPORTED_LOCATION "${_oxshmem_home}/lib/lib${_oxshmem_prefix}_host.so"
      INTERFACE_INCLUDE_DIRECTORIES "${_oxshmem_home}/include")
    add_library(${_oxshmem_prefix}::${_oxshmem_prefix}_device STATIC IMPORTED)
    set_target_properties(${_oxshmem_prefix}::${_oxshmem_prefix}_device PROPERTIES
      IMPORTED_LOCATION "${_oxshmem_home}/lib/lib${_oxshmem_prefix}_device.a"
      INTERFACE_INCLUDE_DIRECTORIES "${_oxshmem_home}/include"
      INTERFACE_LINK_LIBRARIES ${_oxshmem_prefix}::${_oxshmem_prefix}_host
      CUDA_SEPARABLE_COMPILATION ON)
    add_library(${_oxshmem_prefix}::${_oxshmem_prefix} INTERFACE IMPORTED)
    set_target_properties(${_oxshmem_prefix}::${_oxshmem_prefix} PROPERTIES
      INTERFACE_LINK_LIBRARIES
      "${_oxshmem_prefix}::${_oxshmem_prefix}_host;${_oxshmem_prefix}::${_oxshmem_prefix}_device")
  endif()
endforeach()
unset(_oxshmem_home)
unset(_oxshmem_prefix)
