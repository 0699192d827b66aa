//! Launches of kernels by their types.

use oxshmem_example_kernels::put::put_row;
use oxshmem_example_kernels::put_signal::send_and_double;
use oxshmem_hal::{Config, DeviceChoice, ErrorKind, Launch, Pe, World};

const N: usize = 4;

#[test]
fn a_kernel_is_launched_by_its_type_also_from_a_graph_with_other_arguments() {
    let config = Config::new().with_device(DeviceChoice::Host).with_heap_bytes(1 << 20);
    World::threads(2, &config, |world| {
        let (stream, shape) = (world.stream()?, Launch::new(1, 32));
        let (row, later, inbox) = (world.alloc::<f32>(N)?, world.alloc::<f32>(N)?, world.alloc_zeroed::<f32>(N)?);
        let me = world.my_pe().number() as f32;
        world.write(row, &[me; N])?;
        world.write(later, &[me + 10.0; N])?;
        world.barrier_all()?;
        let arrives = |expected: f32| {
            stream.synchronize()?;
            world.barrier_all()?;
            assert_eq!(world.read_vec(inbox)?, [expected; N]);
            world.barrier_all()
        };
        world.modules().load_of::<put_row>()?;
        stream.launch(shape, put_row { row, inbox })?;
        arrives(1.0 - me)?;
        let mut graph = stream.capture(|stream| stream.launch(shape, put_row { row, inbox }))?;
        assert_eq!(graph.kernels().collect::<Vec<_>>(), ["put_row"]);
        graph.set_args(0, put_row { row: later, inbox })?;
        graph.launch(&stream)?;
        arrives(11.0 - me)?;
        let of_another = send_and_double { row, inbox, doubled: inbox, flag: inbox.as_ptr().cast() };
        let refused = graph.set_args(0, of_another).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::InvalidArgument);
        assert!(refused.to_string().contains("it is `put_row`"), "{refused}");
        assert!(world.own_stream().most_resident_blocks::<put_row>(shape)? > 0);
        world.barrier_all()
    })
    .unwrap();
}

#[test]
fn a_kernel_that_was_loaded_for_some_pes_is_launched_by_its_type() {
    let config = Config::new().with_device(DeviceChoice::Host).with_heap_bytes(1 << 20);
    World::threads(2, &config, |world| {
        let (stream, row, inbox) = (world.own_stream(), world.alloc::<f32>(N)?, world.alloc_zeroed::<f32>(N)?);
        let refused = world.modules().load_of_for::<put_row>(&[Pe::new(1), Pe::new(2)]).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::OutOfRange, "{refused}");
        assert!(refused.to_string().contains("for calls to PE 2: there is no PE 2"), "{refused}");
        world.modules().load_of_for::<put_row>(&[world.pe_after(1)])?;
        world.write(row, &[7.0; N])?;
        stream.launch(Launch::new(1, 32), put_row { row, inbox })?;
        stream.synchronize()?;
        world.barrier_all()?;
        assert_eq!(world.read_vec(inbox)?, [7.0; N]);
        world.barrier_all()
    })
    .unwrap();
}

#[test]
fn a_launch_by_type_refuses_the_shapes_that_a_launch_by_name_refuses() {
    let config = Config::new().with_device(DeviceChoice::Host).with_heap_bytes(1 << 20);
    World::threads(1, &config, |world| {
        let row = world.alloc_zeroed::<f32>(N)?;
        for shape in [Launch::new(0, 32), Launch::new(1, 2048)] {
            let by_type = world.own_stream().launch(shape, put_row { row, inbox: row }).unwrap_err();
            let by_name = world.modules().load("oxshmem-example-kernels")?.kernel("put_row")?;
            let by_name = world.own_stream().launch_kernel(&by_name, shape, (row, row)).unwrap_err();
            assert_eq!(by_type.to_string(), by_name.to_string());
        }
        Ok(())
    })
    .unwrap();
}
