//! What a run has to look into and the database does not hold. It is read before the transaction, so that the writer waits
//! neither for a disk nor for a stranger's host.

use std::collections::HashMap;
use std::time::Duration;

use bytes::Bytes;
use guildhall_core::canonical::hex;
use guildhall_core::remote::{Fetch, Fetched};
use guildhall_store::Blobs;
use guildhall_store::tables::file::StoredFile;

use crate::digest;
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
    /// The addresses of documents that it takes over.
    pub(crate) urls: Vec<String>,
    /// Whether what is fetched is to be kept.
    pub(crate) keeps: bool,
    /// What fetching may take.
    pub(crate) bounds: Bounds,
}

/// What fetching may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// How large a document may be.
    pub(crate) bytes: usize,
    /// How long the documents of one request may take, all of them together.
    pub(crate) time: Duration,
}

impl Default for Bounds {
    /// As large as a file that is uploaded.
    fn default() -> Self {
        Self { bytes: 32 << 20, time: Duration::from_secs(30) }
    }
}

/// What was read for a run.
#[derive(Debug, Default)]
pub(crate) struct Content {
    /// Texts, or why they are not there, by the digest of what was to be read. Content never changes under its digest, so
    /// what was read before the transaction is what it would find.
    texts: HashMap<String, Result<String, String>>,
    /// What was fetched, or why it was not, by its address.
    fetched: HashMap<String, Result<Document, String>>,
    /// How many bytes of text there are.
    together: usize,
}

/// A document that was fetched, and is kept under its digest if it is to be kept.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    /// What its sender says it is, if it says so.
    pub(crate) media_type: Option<String>,
    /// Its length in bytes.
    pub(crate) size: i64,
    /// SHA-256 of its bytes, in hex.
    pub(crate) sha256: String,
}

impl Content {
    /// Reads and fetches what a run needs.
    pub(crate) async fn read(blobs: &Blobs, fetch: &dyn Fetch, needs: &Needs) -> Result<Self> {
        let mut content = Self::default();
        for file in &needs.files {
            content.read_file(blobs, file).await?;
        }
        let until = tokio::time::Instant::now() + needs.bounds.time;
        for url in &needs.urls {
            if content.fetched.contains_key(url) {
                continue;
            }
            // One after the other: no more than one document is held at a time.
            let fetched =
                tokio::time::timeout_at(until, fetch.fetch(url, needs.bounds.bytes)).await;
            let fetched = fetched.unwrap_or_else(|_| Err("took too long".to_owned()));
            let document = match fetched {
                Err(reason) => Err(reason),
                Ok(fetched) => Ok(content.take(blobs, needs.keeps, fetched).await?),
            };
            content.fetched.insert(url.clone(), document);
        }
        Ok(content)
    }

    async fn read_file(&mut self, blobs: &Blobs, file: &StoredFile) -> Result<()> {
        let size = usize::try_from(file.size).unwrap_or(usize::MAX);
        if !self.texts.contains_key(&file.sha256) {
            let text = match self.admit(size) {
                Err(reason) => Err(reason),
                Ok(()) => text_of(read_blob(blobs, file).await?),
            };
            self.texts.insert(file.sha256.clone(), text);
        }
        Ok(())
    }

    /// Keeps a document under its digest, with its text if that may be looked into.
    async fn take(&mut self, blobs: &Blobs, keep: bool, fetched: Fetched) -> Result<Document> {
        let Fetched { media_type, bytes, .. } = fetched;
        let (sha256, size) = (hex(&digest(&bytes)), bytes.len());
        if keep {
            blobs.put(&sha256, bytes.clone()).await?;
        }
        if !self.texts.contains_key(&sha256) {
            let text = self.admit(size).and_then(|()| text_of(bytes));
            self.texts.insert(sha256.clone(), text);
        }
        Ok(Document { media_type, size: i64::try_from(size).unwrap_or(i64::MAX), sha256 })
    }

    /// Refuses to look into a text that is too large, by itself or together with the others.
    fn admit(&mut self, size: usize) -> Result<(), String> {
        if size > MAX_TEXT_BYTES {
            return Err(too_large());
        }
        let together = self.together.saturating_add(size);
        if together > MAX_TOGETHER {
            return Err(format!(
                "comes after the {MAX_TOGETHER} bytes of files that are looked into together"
            ));
        }
        self.together = together;
        Ok(())
    }

    /// What was found at an address, or why nothing was.
    pub(crate) fn document(&self, url: &str) -> Result<&Document, String> {
        match self.fetched.get(url) {
            Some(Ok(document)) => Ok(document),
            Some(Err(reason)) => Err(reason.clone()),
            None => Err("it is fetched for the agent that works on the task alone".to_owned()),
        }
    }

    /// The text that was found at an address, or why there is none.
    pub(crate) fn text_at(&self, url: &str) -> Result<&str, String> {
        match self.fetched.get(url) {
            Some(Ok(document)) => self.text(&document.sha256).map_err(|why| format!("it {why}")),
            Some(Err(reason)) => Err(reason.clone()),
            None => Err("its address was changed meanwhile".to_owned()),
        }
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

async fn read_blob(blobs: &Blobs, file: &StoredFile) -> Result<Bytes> {
    let absent = || Error::internal(format!("the content of {} is not there", file.file_id));
    blobs.get(&file.sha256).await?.ok_or_else(absent)
}

fn text_of(bytes: Bytes) -> Result<String, String> {
    String::from_utf8(bytes.into()).map_err(|_| "is no text in UTF-8".to_owned())
}

#[cfg(test)]
mod tests {
    use guildhall_core::remote::Fetching;
    use guildhall_core::{AccountId, FileId, Timestamp};

    use super::*;

    /// An outside with one document in it.
    struct Outside;

    impl Fetch for Outside {
        fn fetch<'a>(&'a self, url: &'a str, _: usize) -> Fetching<'a> {
            let bytes = Bytes::from_static(b"abc");
            let found = url == "https://example.test/abc";
            let fetched = Fetched { media_type: None, cache_control: None, bytes };
            Box::pin(async move { found.then_some(fetched).ok_or("is not there".to_owned()) })
        }
    }

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
        let content = Content::read(&blobs, &Outside, &needs).await.unwrap();
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
        let files = vec![kept(&other, "aa", b"words".to_vec()).await];
        let needs = Needs { files, ..Needs::default() };
        assert_eq!(Content::read(&blobs, &Outside, &needs).await.unwrap_err().status(), 500);
    }

    #[tokio::test]
    async fn what_is_fetched_is_kept_under_its_digest() {
        let folder = tempfile::tempdir().unwrap();
        let blobs = Blobs::in_folder(folder.path()).unwrap();
        let urls = ["https://example.test/abc", "https://example.test/d"].map(str::to_owned);
        let sha256 = hex(&digest(b"abc"));
        for keeps in [false, true] {
            let needs = Needs { urls: urls.to_vec(), keeps, ..Needs::default() };
            let content = Content::read(&blobs, &Outside, &needs).await.unwrap();
            let document = content.document(&urls[0]).unwrap();
            assert_eq!((document.size, &document.sha256), (3, &sha256));
            assert_eq!(content.text(&sha256), Ok("abc"));
            assert_eq!(content.text_at(&urls[0]), Ok("abc"));
            assert_eq!(content.text_at(&urls[1]), Err("is not there".to_owned()));
            assert!(content.text_at("https://example.test/e").is_err());
            assert_eq!(content.document(&urls[1]).unwrap_err(), "is not there");
            assert!(content.document("https://example.test/e").is_err());
            assert_eq!(blobs.get(&sha256).await.unwrap().is_some(), keeps);
        }
    }
}
