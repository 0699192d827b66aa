//! Kernels would follow addresses, and memory would be reused, on the word of safe code.
use oxshmem_core::Group;
use oxshmem_core::host::Transport;
use oxshmem_rdma::fabric::FabricDevice;
use oxshmem_raw::queue::host_path::HostPath;
use oxshmem_raw::queue::path::{DevicePath, SharedTable};
use oxshmem_raw::queue::remote_queue::{QueueTable, RemoteQueue};
use oxshmem_rdma::hca::Hca;
use oxshmem_rdma::rc::RcDevice;
use oxshmem_raw::transport::TransportFactory;

struct Mine;

impl Group for Mine {}
impl Transport for Mine {}
impl TransportFactory for Mine {}
impl DevicePath for Mine {}
impl SharedTable for Mine {}
impl QueueTable for Mine {}
impl RemoteQueue for Mine {}
impl HostPath for Mine {}
impl FabricDevice for Mine {}
impl RcDevice for Mine {}
impl Hca for Mine {}

fn main() {}
