use super::*;

#[test]
fn a_small_world_is_a_star() {
    let tree = Tree { n_pes: 17, fan_out: 16 };
    assert_eq!(tree.children(0), (1..17).map(|pe| pe..pe + 1).collect::<Vec<_>>());
    assert!((1..17).all(|pe| tree.parent(pe) == Some(0) && tree.children(pe).is_empty()));
    assert_eq!((tree.parent(0), tree.subtree(0)), (None, 0..17));
}

#[test]
fn a_fan_out_of_one_is_a_chain() {
    let tree = Tree { n_pes: 4, fan_out: 1 };
    assert_eq!(tree.way(3), [2, 1, 0]);
    assert_eq!(tree.children(1), [Range { start: 2, end: 4 }]);
}

#[test]
fn every_pe_has_one_parent_and_all_subtrees_are_about_equal() {
    for n_pes in [1, 2, 18, 64, 256, 1000, 10_000] {
        for fan_out in [1, 2, 3, 16] {
            let tree = Tree { n_pes, fan_out };
            if fan_out == 1 && n_pes > 256 {
                continue;
            }
            let mut seen = 1;
            for pe in 0..n_pes {
                let children = tree.children(pe);
                assert!(children.len() <= fan_out as usize);
                let sizes = || children.iter().map(ExactSizeIterator::len);
                assert!(sizes().max().unwrap_or(0) - sizes().min().unwrap_or(0) <= 1, "{children:?}");
                for child in &children {
                    assert_eq!((tree.parent(child.start), tree.subtree(child.start)), (Some(pe), child.clone()));
                }
                seen += children.len();
            }
            assert_eq!(seen, n_pes as usize, "{tree:?}");
        }
    }
    let longest = |n_pes| (0..n_pes).map(|pe| Tree { n_pes, fan_out: FAN_OUT }.way(pe).len()).max();
    assert_eq!([17, 256, 4000, 10_000].map(longest), [1, 2, 3, 4].map(Some));
}
