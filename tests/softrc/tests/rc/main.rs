//! Both halves of the proxy transport over verbs in software.

mod credit;
mod fabrics;
mod faults;
mod fetches;
mod lazy;
mod operations;
mod order;
mod rate;
mod rig;
mod several;
