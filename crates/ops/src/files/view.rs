//! How a file is shown.

use guildhall_core::{FileId, Timestamp};
use guildhall_store::tables::file::StoredFile;
use schemars::JsonSchema;
use serde::Serialize;

/// A file, without its content.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "File")]
pub(crate) struct FileView {
    file_id: FileId,
    /// What its uploader calls it.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// What its uploader says it is.
    media_type: String,
    /// Its length in bytes.
    size: i64,
    /// SHA-256 of its content, in hex.
    sha256: String,
    created_at: Timestamp,
}

impl From<StoredFile> for FileView {
    fn from(file: StoredFile) -> Self {
        Self {
            file_id: file.file_id,
            name: file.name,
            media_type: file.media_type,
            size: file.size,
            sha256: file.sha256,
            created_at: file.created_at,
        }
    }
}
