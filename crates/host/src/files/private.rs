//! Files and folders that only their owner may use.

use std::fs::{DirBuilder, OpenOptions};

/// Makes the file that these options create private: only its owner may read and write it. On
/// Windows a new file gets the access list of its folder, and this changes nothing.
pub fn private_file(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}

/// Makes the folders that this builder creates private, like [`private_file`].
pub fn private_folder(builder: &mut DirBuilder) -> &mut DirBuilder {
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(builder, 0o700);
    builder
}
