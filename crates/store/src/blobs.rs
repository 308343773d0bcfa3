//! Files by their content: the bytes live under their SHA-256, so the same content is kept once.

use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::stream::BoxStream;
use futures_util::{StreamExt, TryStreamExt};
use object_store::local::LocalFileSystem;
use object_store::path::Path as Name;
use object_store::{ObjectStore, ObjectStoreExt, PutMode, PutOptions, PutPayload};

use crate::error::{Error, Result};

/// Where the content of files is kept.
#[derive(Clone)]
pub struct Blobs {
    inner: Arc<dyn ObjectStore>,
}

impl Blobs {
    /// Keeps files in a folder, which is made if it is not there.
    pub fn in_folder(folder: &Path) -> Result<Self> {
        let broken = |error: &dyn std::fmt::Display| {
            Error::Unavailable(format!("the folder of the files cannot be used: {error}"))
        };
        std::fs::create_dir_all(folder).map_err(|error| broken(&error))?;
        let local = LocalFileSystem::new_with_prefix(folder).map_err(|error| broken(&error))?;
        // A row that names a file commits after the file is stored, so the file has to be there after a power cut too.
        Ok(Self { inner: Arc::new(local.with_fsync(true)) })
    }

    /// Stores content under the hex of its SHA-256. Content that is there already is not written again.
    pub async fn put(&self, sha256: &str, content: Bytes) -> Result<()> {
        let options = PutOptions { mode: PutMode::Create, ..PutOptions::default() };
        let put = self.inner.put_opts(&name(sha256), PutPayload::from(content), options).await;
        match put {
            Ok(_) | Err(object_store::Error::AlreadyExists { .. }) => Ok(()),
            Err(error) => Err(Error::Unavailable(format!("a file could not be stored: {error}"))),
        }
    }

    /// The content with this SHA-256, piece by piece as it is read.
    pub async fn stream(&self, sha256: &str) -> Result<Option<BoxStream<'static, Result<Bytes>>>> {
        match self.inner.get(&name(sha256)).await {
            Ok(found) => Ok(Some(found.into_stream().map_err(|error| broken(&error)).boxed())),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(broken(&error)),
        }
    }

    /// The content with this SHA-256.
    pub async fn get(&self, sha256: &str) -> Result<Option<Bytes>> {
        match self.inner.get(&name(sha256)).await {
            Ok(found) => found.bytes().await.map(Some).map_err(|error| broken(&error)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(broken(&error)),
        }
    }
}

fn broken(error: &object_store::Error) -> Error {
    Error::Unavailable(format!("a file could not be read: {error}"))
}

/// Two levels of folders keep each of them small.
fn name(sha256: &str) -> Name {
    let folder = sha256.get(..2).unwrap_or("00");
    Name::from_iter([folder, sha256])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn content_is_kept_once_and_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let blobs = Blobs::in_folder(&folder.path().join("blobs")).unwrap();
        blobs.put("ab12", Bytes::from_static(b"first")).await.unwrap();
        blobs.put("ab12", Bytes::from_static(b"first")).await.unwrap();
        assert_eq!(blobs.get("ab12").await.unwrap().unwrap(), "first");
        let pieces: Vec<Bytes> =
            blobs.stream("ab12").await.unwrap().unwrap().try_collect().await.unwrap();
        assert_eq!(pieces.concat(), b"first");
        assert_eq!(blobs.get("ab13").await.unwrap(), None);
        assert!(blobs.stream("ab13").await.unwrap().is_none());
    }
}
