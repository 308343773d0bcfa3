//! What only the embedded engine has: parameter order, a file, a disk that can be full.

use std::path::Path;
use std::process::Command;

use guildhall_store::{Config, Db, Engine, Error, migrate, params};

use crate::place::{Place, prepare};
use crate::tools::{ADD, find, insert, queued, store, stored};

#[tokio::test]
async fn parameters_out_of_order_are_refused() {
    let place = Place::sqlite();
    let db = place.open().await;
    store(&db, 1, 10).await;
    let swapped = "UPDATE counts SET n = $2 WHERE id = $1";
    for _ in 0..2 {
        match db.write("test", move |tx| tx.put(swapped, params![1_i64, 99_i64])).await {
            Err(Error::Database(text)) => assert!(text.contains(swapped), "{text}"),
            other => panic!("{other:?}"),
        }
    }
    let skipped = "SELECT n FROM counts WHERE id = $2";
    assert!(db.read("test", move |tx| tx.find::<(i64,)>(skipped, params![1_i64])).await.is_err());
    let repeated = "UPDATE counts SET n = n + $1 + $1 WHERE id = $2 AND n <> $1";
    db.write("test", move |tx| tx.put_one(repeated, params![1_i64, 1_i64])).await.unwrap();
    assert_eq!(stored(&db, 1).await, Some(12));
}

#[tokio::test]
async fn every_connection_is_set_up() {
    let place = Place::sqlite();
    let db = place.open().await;
    let pragma = |sql: &'static str| {
        let db = db.clone();
        async move {
            let read = db.read("test", move |tx| tx.find::<(i64,)>(sql, params![])).await.unwrap();
            let write = db
                .write("test", move |tx| tx.put_returning::<(i64,)>(sql, params![]))
                .await
                .unwrap();
            assert_eq!(read, write, "{sql}");
            read.map(|(n,)| n)
        }
    };
    assert_eq!(pragma("PRAGMA synchronous").await, Some(2));
    assert_eq!(pragma("PRAGMA foreign_keys").await, Some(1));
    assert_eq!(pragma("PRAGMA trusted_schema").await, Some(0));
    let mode = "PRAGMA journal_mode";
    let mode = db.read("test", move |tx| tx.find::<(String,)>(mode, params![])).await.unwrap();
    assert_eq!(mode, Some(("wal".to_owned(),)));
}

#[tokio::test]
async fn a_database_without_a_heartbeat_is_not_ready() {
    let place = Place::sqlite();
    let db = place.open().await;
    place.meddle("DELETE FROM heartbeat").await;
    assert!(matches!(db.check().await, Err(Error::Corrupt(_))));
}

#[tokio::test]
async fn a_stale_schema_says_what_to_do() {
    let place = Place::sqlite();
    let refused = |opened: Result<Db, Error>| opened.err().unwrap().to_string();
    let absent = refused(Db::open(&place.config()).await);
    assert!(absent.contains("run guildhall migrate"), "{absent}");
    assert!(!place.file().exists(), "nothing is created by looking");
    migrate(&place.config()).await.unwrap();
    place.meddle("DELETE FROM schema_migrations").await;
    let stale = refused(Db::open(&place.config()).await);
    assert!(stale.contains("run guildhall migrate"), "{stale}");
}

#[tokio::test]
async fn a_closed_database_leaves_one_file() {
    let place = Place::sqlite();
    let db = place.open().await;
    store(&db, 1, 10).await;
    assert_eq!(stored(&db, 1).await, Some(10));
    drop(db);
    let folder = place.file().parent().unwrap().to_owned();
    let files: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert_eq!(files, ["guildhall.db"], "the log is merged and gone");
}

/// The default test runtime has one thread, so waiting for the writer in `drop` must need nothing from it.
#[tokio::test]
async fn a_database_may_be_dropped_on_the_only_worker() {
    let place = Place::sqlite();
    let db = place.open().await;
    let own = db.clone();
    let task = tokio::spawn(async move {
        own.write("test", |tx| insert(tx, 1, 10)).await.unwrap();
        drop(own);
    });
    drop(db);
    task.await.unwrap();
}

#[tokio::test]
async fn another_process_that_writes_is_waited_for() {
    let place = Place::sqlite();
    let db = place.open().await;
    let other = rusqlite::Connection::open(place.file()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE; INSERT INTO counts VALUES (1, 10)").unwrap();
    let own = db.clone();
    let add = async move { own.write("test", |tx| tx.put_one(ADD, params![1_i64, 1_i64])).await };
    let waiting = queued(add).await;
    assert_eq!(stored(&db, 1).await, None, "reads go on");
    other.execute_batch("COMMIT").unwrap();
    waiting.await.unwrap();
    assert_eq!(stored(&db, 1).await, Some(11));
}

#[tokio::test]
async fn a_full_disk_is_unavailable_until_it_has_room() {
    let disk = SmallDisk::mount();
    let config = Config::new(Engine::Sqlite(disk.path().join("guildhall.db")));
    migrate(&config).await.unwrap();
    let db = Db::open(&config).await.unwrap();
    prepare(&db).await;
    store(&db, 1, 10).await;
    let ballast = disk.path().join("ballast");
    fill(&ballast);

    let full = fill_until_refused(&db).await;
    assert!(matches!(full, Error::Unavailable(_)), "{full:?}");
    assert_eq!(stored(&db, 1).await, Some(10), "reads go on");
    assert!(db.check().await.is_err(), "a store that cannot write is not ready");

    std::fs::remove_file(ballast).unwrap();
    db.check().await.unwrap();
    db.write("test", |tx| tx.put_one(ADD, params![1_i64, 1_i64])).await.unwrap();
    assert_eq!(stored(&db, 1).await, Some(11));
    drop(db);
    let again = Db::open(&config).await.unwrap();
    assert_eq!(stored(&again, 1).await, Some(11));
    assert_consistent(&again).await;
}

/// Writes rows until the disk refuses; what was refused must not be there.
async fn fill_until_refused(db: &Db) -> Error {
    for id in 2..100_000 {
        let written = db.write("test", move |tx| {
            insert(tx, id, 0)?;
            insert(tx, -id, 0)
        });
        if let Err(error) = written.await {
            let halves = db.read("test", move |tx| Ok::<_, Error>((find(tx, id)?, find(tx, -id)?)));
            assert_eq!(halves.await.unwrap(), (None, None));
            return error;
        }
    }
    panic!("the disk never became full");
}

async fn assert_consistent(db: &Db) {
    let check = "PRAGMA integrity_check";
    let verdict = db.read("test", move |tx| tx.find::<(String,)>(check, params![])).await.unwrap();
    assert_eq!(verdict, Some(("ok".to_owned(),)));
}

/// Takes all the room there is.
fn fill(path: &Path) {
    use std::io::Write;
    let mut file = std::fs::File::create(path).unwrap();
    while file.write_all(&[0; 4096]).is_ok() {}
}

/// A file system of a few MiB in memory.
struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    fn mount() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=4m", "tmpfs"])
            .arg(folder.path())
            .status()
            .expect("no mount command");
        assert!(mounted.success(), "this test must be allowed to mount a tmpfs");
        Self(folder)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Lazily, because a failed test may leave the database open.
        Command::new("umount").arg("--lazy").arg(self.path()).status().unwrap();
    }
}
