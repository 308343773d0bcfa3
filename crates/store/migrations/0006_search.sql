-- Full text. A document is kept as its distinct words, folded and separated by one space, the same on both engines.
-- `search_words('"one" "tw"*')` gives the documents that have the word `one` and a word that begins with `tw`.

-- sqlite:
CREATE TABLE search_documents (
    place BIGINT PRIMARY KEY,
    kind TEXT NOT NULL,
    document_id TEXT NOT NULL,
    words TEXT NOT NULL,
    UNIQUE (kind, document_id)
);
-- sqlite:
CREATE VIRTUAL TABLE search_words USING fts5 (kind UNINDEXED, document_id UNINDEXED, words, content = 'search_documents', content_rowid = 'place', tokenize = 'ascii', detail = 'none');
-- sqlite:
CREATE TRIGGER search_documents_added AFTER INSERT ON search_documents BEGIN INSERT INTO search_words (rowid, kind, document_id, words) VALUES (new.place, new.kind, new.document_id, new.words); END;
-- sqlite:
CREATE TRIGGER search_documents_removed AFTER DELETE ON search_documents BEGIN INSERT INTO search_words (search_words, rowid, kind, document_id, words) VALUES ('delete', old.place, old.kind, old.document_id, old.words); END;
-- sqlite:
CREATE TRIGGER search_documents_changed AFTER UPDATE ON search_documents BEGIN INSERT INTO search_words (search_words, rowid, kind, document_id, words) VALUES ('delete', old.place, old.kind, old.document_id, old.words); INSERT INTO search_words (rowid, kind, document_id, words) VALUES (new.place, new.kind, new.document_id, new.words); END;

-- postgres:
CREATE TABLE search_documents (
    kind TEXT NOT NULL,
    document_id TEXT NOT NULL,
    words TEXT NOT NULL,
    PRIMARY KEY (kind, document_id)
);
-- postgres:
CREATE INDEX search_documents_by_words ON search_documents USING gin (array_to_tsvector(string_to_array(words, ' ')));
-- A query in the other engine's form becomes one of this engine's: `one & tw:*`.
-- postgres:
CREATE FUNCTION search_words (query text) RETURNS SETOF search_documents LANGUAGE sql STABLE AS 'SELECT * FROM search_documents WHERE array_to_tsvector(string_to_array(words, '' '')) @@ replace(replace(replace(query, ''" "'', '' & ''), ''"*'', '':*''), ''"'', '''')::tsquery';
