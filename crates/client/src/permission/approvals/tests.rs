//! The bounds of the stored approvals.

use super::*;

fn write(number: usize, size: usize) -> Approved {
    let after = vec![b'x'; size].into();
    Approved::Write { path: format!("/{number}").into(), before: FileState::Missing, after }
}

fn added(approved: impl IntoIterator<Item = Approved>) -> Approvals {
    let mut approvals = Approvals::default();
    for approved in approved {
        approvals.add(Prospect { approved: vec![approved], protected: None }, true);
    }
    approvals
}

#[test]
fn approvals_are_bounded_in_number_and_size_and_the_oldest_is_dropped_first() {
    let mut approvals = added((0..100).map(|number| write(number, 1)));
    assert!(!approvals.take_write(Path::new("/35"), &FileState::Missing, b"x"));
    assert!(approvals.take_write(Path::new("/36"), &FileState::Missing, b"x"));
    assert!(!approvals.covers_write(Path::new("/35")) && approvals.covers_write(Path::new("/36")));

    let large = 4 << 20;
    let mut approvals = added((0..5).map(|number| write(number, large)));
    assert!(!approvals.take_write(Path::new("/0"), &FileState::Missing, &vec![b'x'; large]));
    assert!(approvals.take_write(Path::new("/1"), &FileState::Missing, &vec![b'x'; large]));
}
