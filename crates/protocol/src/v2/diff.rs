//! Diffs: which files a tool call changed, and how.

use crate::wire::declare::{wire_string, wire_struct, wire_union};

wire_struct! {
    /// Changes of files.
    pub struct Diff {
        /// One change for each file. Malformed ones are skipped.
        must_list changes: Vec<DiffChange> = "changes",
        /// The changed lines of all files.
        lenient patch: Option<DiffPatch> = "patch",
    }
}

wire_struct! {
    /// The change of one file.
    pub struct DiffChange {
        /// What happened to the file.
        flat operation: DiffOperation = "operation",
        /// What kind of file it is.
        lenient file_type: Option<DiffFileType> = "fileType",
        /// Its media type.
        lenient mime_type: Option<String> = "mimeType",
    }
}

wire_union! {
    /// What happened to a file.
    pub enum DiffOperation by "operation" open {
        /// It was created.
        Add(DiffPathChange) = "add" shared,
        /// It was deleted.
        Delete(DiffPathChange) = "delete" shared,
        /// Its content or mode changed.
        Modify(DiffPathChange) = "modify" shared,
        /// It has another path, and perhaps other content.
        Move(DiffPathPairChange) = "move" shared,
        /// It is a copy of another file, perhaps with other content.
        Copy(DiffPathPairChange) = "copy" shared,
    }
}

wire_struct! {
    /// A change of the file at one path.
    pub plain struct DiffPathChange {
        /// The file, absolute.
        must path: String = "path",
    }
}

wire_struct! {
    /// A change with a path before and one after it.
    pub plain struct DiffPathPairChange {
        /// The path before the change, absolute.
        must old_path: String = "oldPath",
        /// The path after the change, absolute.
        must path: String = "path",
    }
}

wire_string! {
    /// What kind of file a change is about.
    pub enum DiffFileType open {
        /// A text file.
        Text = "text",
        /// A file that is not text.
        Binary = "binary",
        /// A folder.
        Directory = "directory",
        /// A symbolic link.
        Symlink = "symlink",
    }
}

wire_struct! {
    /// The changed lines of files.
    pub struct DiffPatch {
        /// The format of `text`.
        must format: DiffPatchFormat = "format",
        /// The patch.
        must text: String = "text",
    }
}

wire_string! {
    /// The format of a patch.
    pub enum DiffPatchFormat open {
        /// Sections that begin with `diff --git`, as git writes them, but with absolute paths and
        /// without the prefixes `a/` and `b/`.
        GitPatch = "git_patch",
    }
}
