//! Bugs of programs that drive a ConnectX from a GPU, each with a test that would find it.
//!
//! The device half and the host half are the real ones; the NIC is the software ConnectX of this process.
//!
//! | # | bug | test |
//! |---|---|---|
//! | 1 | poll before any completion hangs or passes | `polls::quiet_waits_for_all_that_was_posted_at_every_depth_before_the_nic_runs` |
//! | 2 | a zeroed completion reads as "entry 0 is done" | `polls::no_queue_begins_with_a_completion_that_reads_as_one` |
//! | 3 | concurrent pollers move `done` back or too far | `polls::done_only_grows_however_many_threads_poll` |
//! | 4 | a completion of the previous lap counts as one of this lap | `polls::a_completion_says_the_same_whatever_lap_it_is_of` |
//! | 5 | 16 bits of an index wrap | `indices::words_arrive_while_indices_pass_the_ends_of_16_and_32_bits`, `indices::a_queue_goes_around_three_times_65536` |
//! | 6 | counters of 32 bits | the first of the two |
//! | 7 | quiet reads the wrong index | `polls::quiet_waits_for_entries_that_others_have_reserved_and_not_written` |
//! | 8 | a group's reservation is larger than the queue | `posting::a_block_posts_more_than_the_queue_holds` |
//! | 9 | lanes of a warp wait for each other | `posting::lanes_that_share_a_full_queue_do_not_wait_for_each_other` |
//! | 10 | a block is reused before it completed | `posting::no_entry_is_written_over_before_it_completed` |
//! | 11 | an error completion is not seen | `faults::*` |
//! | 12 | an error is found although nothing has completed | `polls::a_queue_that_completed_nothing_has_no_error` |
//! | 13 | entries are announced before they are written | `posting::entries_are_whole_whichever_way_the_nic_learns_of_them`; the fences of the PTX are a golden test (`xtask/golden.toml`) |
//! | 14 | entries that another thread posts are not ordered | `posting::what_others_post_for_a_thread_is_whole` |
//! | 15 | the record has a wrong byte order or place | `raw::mlx5::tests::a_record_has_the_send_queue_in_its_second_word`, softnic's `a_doorbell_record_in_little_endian` |
//! | 16 | the record is not zero initially | softnic's `a_doorbell_record_or_a_completion_queue_that_is_not_what_it_must_be_when_made`; `live::a_queue_that_was_destroyed_is_made_anew_and_no_longer_waited_for` |
//! | 17 | the doorbell names the last or the next entry | `raw::mlx5::tests::the_record_and_the_doorbell_are_those_of_rdma_core_one_index_on` |
//! | 18 | the completion queue overruns | softnic's `a_completion_queue_that_nobody_consumes`; `indices::a_queue_goes_around_three_times_65536`, which consumes nothing |
//! | 19 | a host thread that rings loses posts | `posting::a_thread_of_the_host_that_rings_loses_nothing` |
//! | 20 | wrong lengths at the limits of messages and keys | `lengths::messages_are_cut_at_their_limit_and_none_has_a_count_of_zero`, `lengths::what_straddles_keys_and_messages_arrives` |
//! | 21 | a length of 0 is posted as 2 GiB | `lengths::nothing_is_posted_of_nothing` |
//! | 22 | a word is stored at a misaligned address | `lengths::short_data_of_every_length_arrives_from_and_at_every_alignment` |
//! | 23 | an entry of two blocks does not wrap at the end of the ring | `indices::an_entry_of_two_blocks_goes_around_the_end` |
//! | 24 | the wrong entry is signalled | `posting::only_the_last_entry_of_a_reservation_is_signalled` |
//! | 25 | a word is read twice by a macro | `polls::a_completion_that_changes_all_the_time_is_read_whole` |
//! | 26 | results have a wrong byte order, or are taken twice | `fetches::every_atomic_gives_what_a_model_gives`, `fetches::more_fetches_than_places_each_get_their_own_result` |
//! | 27 | a result is read before it arrived | `fetches::results_are_read_behind_their_dump` |
//! | 28 | a flag overtakes its data | `sets::with_relaxed_ordering_a_signal_waits_for_its_data_and_a_fence_is_a_quiet`, `relaxed::*` |
//! | 29 | a fence over several queues orders nothing | `sets::a_fence_over_two_queues_orders_what_is_on_them` |
//! | 30 | local memory crosses two registrations | `lengths::local_memory_may_be_registered_in_parts_or_not_at_all` |
//! | 31 | the table of queues is read with swapped indices | `sets::every_queue_leads_where_it_says` |
//! | 32 | fields of the path are not set | `raw::mlx5::devx::tests::every_golden_mailbox_is_built_byte_for_byte`, the host half's `each_queue_pair_is_connected_with_its_own_twin` |
//! | 33 | wrong order of destruction, and leaks | the host half's `a_hundred_rounds_and_the_end_leave_nothing`, `what_is_in_use_is_not_given_back` |
//! | 34 | wrong access or page sizes of a command's memory | softnic's check of `umem_reg`, `raw::mlx5dv::tests::commands_name_memory_with_the_page_sizes_that_were_asked_for` |
//! | 35 | the NIC can't reach memory | `raw::mlx5dv::tests::memory_is_registered_by_address_or_dma_buffer_and_a_refusal_says_what_to_do`, the host half's `memory_that_the_nic_refuses_is_an_error_with_its_answer` |
//! | 36 | an operation that only some models support | `fetches::every_kind_of_nic_on_either_wire_does_every_operation` |
//! | 37 | short reads when PEs meet | hal's `a_frame_reads_back_as_it_was_written_also_byte_by_byte` |
//! | 38 | queues share a doorbell register | `posting::no_two_queues_share_a_register` |
//! | 39 | keys of another NIC are used | `several::whatever_is_posted_on_any_row_has_the_keys_of_the_nics_at_both_ends` |

mod engine;
mod exclusive;
mod faults;
mod fetches;
mod indices;
mod lengths;
mod live;
mod made;
mod on_stream;
mod polls;
mod posting;
mod registered;
mod relaxed;
mod resident;
mod rig;
mod seen;
mod sets;
mod several;
