//! The half that kernels run.

mod mailbox;
mod path;

pub use mailbox::MailboxRef;
pub use path::{CourierPath, Mailboxes};
