//! What a run has to look into and the database does not hold: read before the transaction, because nobody waits for it
//! there.

use std::collections::HashMap;

use guildhall_store::Blobs;
use guildhall_store::tables::file::StoredFile;

use crate::error::{Error, Result};

/// How large a text may be that a machine check looks into.
pub(crate) const MAX_TEXT_BYTES: usize = 256 << 10;
/// How much of a request's files is looked into, all of them together: as much as a request could bring as text.
const MAX_TOGETHER: usize = 1 << 20;

/// What a run needs, as it is known before the run.
#[derive(Debug, Default)]
pub(crate) struct Needs {
    /// The files that it looks into.
    pub(crate) files: Vec<StoredFile>,
}

/// What was read for a run.
#[derive(Debug, Default)]
pub(crate) struct Content {
    /// Texts, or why they are not there, by the digest of what was to be read. Content never changes under its digest, so
    /// what was read before the transaction is what it would find.
    texts: HashMap<String, Result<String, String>>,
}

impl Content {
    /// Reads what a run needs.
    pub(crate) async fn read(blobs: &Blobs, needs: &Needs) -> Result<Self> {
        let (mut content, mut together) = (Self::default(), 0_usize);
        for file in &needs.files {
            if content.texts.contains_key(&file.sha256) {
                continue;
            }
            let size = usize::try_from(file.size).unwrap_or(usize::MAX);
            let text = if size > MAX_TEXT_BYTES {
                Err(too_large())
            } else if together.saturating_add(size) > MAX_TOGETHER {
                Err(format!(
                    "comes after the {MAX_TOGETHER} bytes of files that are looked into together"
                ))
            } else {
                together += size;
                read_text(blobs, file).await?
            };
            content.texts.insert(file.sha256.clone(), text);
        }
        Ok(content)
    }

    /// The text with this digest, or why it is not there.
    pub(crate) fn text(&self, sha256: &str) -> Result<&str, String> {
        match self.texts.get(sha256) {
            Some(Ok(text)) => Ok(text),
            Some(Err(reason)) => Err(reason.clone()),
            None => Err("was not looked into".to_owned()),
        }
    }
}

/// What is said of a text that is not looked into.
pub(crate) fn too_large() -> String {
    format!("is larger than the {MAX_TEXT_BYTES} bytes that are looked into")
}

async fn read_text(blobs: &Blobs, file: &StoredFile) -> Result<Result<String, String>> {
    let absent = || Error::internal(format!("the content of {} is not there", file.file_id));
    let bytes = blobs.get(&file.sha256).await?.ok_or_else(absent)?;
    Ok(String::from_utf8(bytes.into()).map_err(|_| "is no text in UTF-8".to_owned()))
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use bytes::Bytes;
    use guildhall_core::{AccountId, FileId, Timestamp};

    use super::*;

    async fn kept(blobs: &Blobs, name: &str, bytes: Vec<u8>) -> StoredFile {
        let size = i64::try_from(bytes.len()).unwrap();
        blobs.put(name, Bytes::from(bytes)).await.unwrap();
        let now = Timestamp::from_millis(1);
        StoredFile {
            file_id: FileId::new(now, 0, 1),
            account_id: AccountId::new(now, 0, 1),
            agent_id: None,
            name: None,
            media_type: "text/plain".to_owned(),
            size,
            sha256: name.to_owned(),
            created_at: now,
        }
    }

    #[tokio::test]
    async fn texts_are_read_within_bounds() {
        let folder = tempfile::tempdir().unwrap();
        let blobs = Blobs::in_folder(folder.path()).unwrap();
        let mut needs = Needs::default();
        needs.files.push(kept(&blobs, "aa", b"words".to_vec()).await);
        needs.files.push(kept(&blobs, "bb", vec![0xff]).await);
        needs.files.push(kept(&blobs, "cc", vec![b'c'; MAX_TEXT_BYTES + 1]).await);
        for name in ["d1", "d2", "d3", "d4"] {
            needs.files.push(kept(&blobs, name, vec![b'd'; MAX_TEXT_BYTES]).await);
        }
        let content = Content::read(&blobs, &needs).await.unwrap();
        assert_eq!(content.text("aa"), Ok("words"));
        assert_eq!(content.text("bb"), Err("is no text in UTF-8".to_owned()));
        assert_eq!(content.text("cc"), Err(too_large()));
        assert_eq!(content.text("d3").map(str::len), Ok(MAX_TEXT_BYTES));
        assert!(content.text("d4").unwrap_err().contains("together"));
        assert_eq!(content.text("ee"), Err("was not looked into".to_owned()));
    }

    #[tokio::test]
    async fn content_that_is_lost_is_a_fault() {
        let folder = tempfile::tempdir().unwrap();
        let blobs = Blobs::in_folder(folder.path()).unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        let other = Blobs::in_folder(elsewhere.path()).unwrap();
        let needs = Needs { files: vec![kept(&other, "aa", b"words".to_vec()).await] };
        assert_eq!(Content::read(&blobs, &needs).await.unwrap_err().status(), 500);
    }
}
