//! What is measured without a world of processes: [`machine`] is what kernels run on, [`peer`] a program that
//! answers the performance suite, [`proxy`] how fast proxies take
//! what kernels ask.

pub mod machine;
pub mod peer;
pub mod proxy;
