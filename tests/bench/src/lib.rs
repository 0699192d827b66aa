//! What is measured without a world of processes: [`machine`] is what kernels run on, [`proxy`] how fast proxies take
//! what kernels ask.

pub mod machine;
pub mod proxy;
