//! Full text: documents of a kind by the words in them.

use crate::error::Result;
use crate::params;
use crate::tx::{ReadTx, Tx};
use crate::words;

impl ReadTx<'_> {
    /// The ids of documents that have every word of `text`, the last one perhaps only begun; newest first, beginning
    /// below `before`. A text without words finds nothing.
    pub fn search(
        &mut self,
        kind: &str,
        text: &str,
        before: Option<&str>,
        limit: i64,
    ) -> Result<Vec<String>> {
        let Some(query) = words::query(text) else { return Ok(Vec::new()) };
        // Above every id: ids are made of letters, digits and underscores.
        let before = before.unwrap_or("~");
        let found: Vec<(String,)> = self.rows(
            "SELECT document_id FROM search_words($1) WHERE kind = $2 AND document_id < $3 \
             ORDER BY document_id DESC LIMIT $4",
            params![query, kind, before, limit],
        )?;
        Ok(found.into_iter().map(|(document_id,)| document_id).collect())
    }
}

impl Tx<'_> {
    /// Makes a document to be found by the words of `text`, and no longer by those it had before.
    pub fn index_document(&mut self, kind: &str, id: &str, text: &str) -> Result<()> {
        self.put(
            "INSERT INTO search_documents (kind, document_id, words) VALUES ($1, $2, $3) \
             ON CONFLICT (kind, document_id) DO UPDATE SET words = excluded.words",
            params![kind, id, words::of_document(text)],
        )
    }

    /// Makes a document not to be found any more.
    pub fn remove_document(&mut self, kind: &str, id: &str) -> Result<()> {
        self.put(
            "DELETE FROM search_documents WHERE kind = $1 AND document_id = $2",
            params![kind, id],
        )
    }
}
