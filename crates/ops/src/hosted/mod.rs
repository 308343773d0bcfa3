//! What hosted agents are made of: versions of their definition, and the files they know.

mod delete_file;
mod get_version;
mod list_files;
mod list_versions;
mod save_version;
mod upload_file;
mod view;

pub(crate) use delete_file::DeleteKnowledgeFile;
pub(crate) use get_version::GetHostedVersion;
pub(crate) use list_files::ListKnowledgeFiles;
pub(crate) use list_versions::ListHostedVersions;
pub(crate) use save_version::SaveHostedVersion;
pub(crate) use upload_file::UploadKnowledgeFile;
