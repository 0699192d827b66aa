//! The kernels of collectives: those that the host can choose, and those of the module.

use std::collections::{BTreeMap, BTreeSet};

use oxshmem_collectives as _;
use oxshmem_hal::{Bf16, Comparable, E4m3, E5m2, F16, Reducible};
use oxshmem_raw::state::collective::{CollectiveKernel, DataWay};
use oxshmem_raw::state::kernel::{HostKernel, host_kernels};

/// Returns the kernels of the module by name.
fn defined() -> BTreeMap<&'static str, &'static HostKernel> {
    let of_module = host_kernels().filter(|kernel| kernel.module == CollectiveKernel::MODULE);
    of_module.map(|kernel| (kernel.name, kernel)).collect()
}

#[test]
fn the_host_names_each_kernel_of_the_module_once_and_no_other() {
    let names: Vec<_> = CollectiveKernel::all().map(CollectiveKernel::name).collect();
    let once: BTreeSet<_> = names.iter().copied().collect();
    assert_eq!(once.len(), names.len(), "{names:?}");
    assert_eq!(once, defined().into_keys().collect());
    assert_eq!(CollectiveKernel::all().collect::<BTreeSet<_>>().len(), names.len());
}

/// Checks the kernels of reductions of elements of `T`, which have the type `of`.
fn takes<T: Reducible>(of: &str) {
    let defined = defined();
    for way in [DataWay::Packets, DataWay::Direct] {
        for kernel in [CollectiveKernel::Reduce(T::TYPE, way), CollectiveKernel::Reducescatter(T::TYPE, way)] {
            let args: Vec<_> = defined[kernel.name()].args.iter().map(|arg| arg.name().to_string()).collect();
            assert_eq!(args[2..4], [format!("SymPtr<{of}>"), format!("SymPtr<{of}>")], "{kernel:?}");
        }
    }
}

#[test]
fn the_kernel_of_a_type_takes_elements_of_the_type() {
    fn same<T: Reducible>() {
        takes::<T>(T::NAME);
    }
    same::<i8>();
    same::<u8>();
    same::<i16>();
    same::<u16>();
    same::<i32>();
    same::<u32>();
    same::<i64>();
    same::<u64>();
    same::<f32>();
    same::<f64>();
    same::<E4m3>();
    same::<E5m2>();
    same::<F16>();
    same::<Bf16>();
    takes::<isize>("i64");
    takes::<usize>("u64");
}

#[test]
fn the_kernel_of_the_largest_value_is_that_of_the_type() {
    fn named<T: Comparable>() {
        assert_eq!(CollectiveKernel::ReduceMaxloc(T::TYPE).name(), format!("reduce_maxloc_{}", T::NAME));
    }
    named::<i32>();
    named::<i64>();
    named::<f32>();
    named::<f64>();
}
