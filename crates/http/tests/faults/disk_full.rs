//! A disk without room, for the embedded engine.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use guildhall_store::{Config, Engine};
use reqwest::header::CONTENT_TYPE;
use testkit::{Database, Person, Server, Setup, send, unique};

use crate::{agent_names, assert_unavailable, create_agent};

/// A small file system of its own. It is unmounted when it is dropped.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn mount() -> Self {
        let at = tempfile::tempdir().expect("a folder").keep();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=8m", "tmpfs"])
            .arg(&at)
            .output()
            .expect("mount");
        let why = String::from_utf8_lossy(&mounted.stderr);
        assert!(mounted.status.success(), "this test has to mount a tmpfs, as root: {why}");
        Self(at)
    }

    /// Takes all the room there is.
    fn fill(&self) -> PathBuf {
        let ballast = self.0.join("ballast");
        let mut file = File::create(&ballast).expect("a file");
        for size in [1 << 16, 1 << 12, 1] {
            while file.write_all(&vec![0; size]).is_ok() {}
        }
        ballast
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Lazily: whoever still has a file open there keeps it, and nobody else sees it.
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
        let _ = std::fs::remove_dir(&self.0);
    }
}

async fn start_on(disk: &Path) -> Server {
    let folder = tempfile::tempdir_in(disk).expect("a folder");
    let file = folder.path().join("guildhall.db");
    let database = Database::at(Config::new(Engine::Sqlite(file))).await;
    Server::start_in(folder, database, Setup::default()).await
}

/// Creates agents until the disk says no: the names that were acknowledged, and the key that was not.
async fn create_until_refused(person: &Person<'_>) -> (Vec<String>, String) {
    let mut acknowledged = Vec::new();
    // What is left of the log's last block may take a few.
    for _ in 0..20 {
        let (key, name) = (unique("key"), unique("late"));
        let answer = create_agent(person, &key, &name).await;
        if answer.status != 201 {
            assert_unavailable(&answer);
            return (acknowledged, key);
        }
        acknowledged.push(name);
    }
    panic!("a full disk took twenty writes");
}

async fn upload(person: &Person<'_>, hosted: &str) -> testkit::Answer {
    let path = format!("/v1/me/agents/{hosted}/knowledge-files?name=atlas.txt");
    let request = person.request("POST", &path).header(CONTENT_TYPE, "text/plain");
    send(request.body("Here be dragons. ".repeat(1_000))).await
}

/// "Mutations 503 `unavailable` + Retry-After, reads keep 200, `/readyz` 503, recovers with no restart".
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_is_a_clean_refusal() {
    let disk = SmallDisk::mount();
    let server = start_on(&disk.0).await;
    let ada = server.person("ada").await;
    let scout = ada.agent("Scout").await;
    let hosted = ada.create_hosted_agent("Librarian").await;
    assert_eq!(server.get("/readyz").await.status, 200);

    let ballast = disk.fill();
    let (mut names, refused_key) = create_until_refused(&ada).await;
    for _ in 0..3 {
        assert_unavailable(&create_agent(&ada, &unique("key"), "Never").await);
        assert_unavailable(&upload(&ada, &hosted).await);
        assert_eq!(ada.get("/v1/me/agents").await.status, 200);
        // A key's use could not be noted, and it is let in all the same.
        assert_eq!(scout.get("/v1/me").await.status, 200);
        assert_eq!(server.get("/v1/client-catalog").await.status, 200);
        assert_unavailable(&server.get("/readyz").await);
        assert_eq!(server.get("/healthz").await.status, 200);
    }

    std::fs::remove_file(ballast).expect("room");
    assert_eq!(server.get("/readyz").await.status, 200);
    create_agent(&ada, &refused_key, "Finally").await.expect(201);
    let again = create_agent(&ada, &refused_key, "Finally").await;
    assert_eq!((again.status, again.header("idempotent-replayed")), (201, Some("true")));
    assert_eq!(upload(&ada, &hosted).await.status, 201);
    names.splice(0..0, ["Scout".to_owned(), "Librarian".to_owned()]);
    names.push("Finally".to_owned());
    names.reverse();
    assert_eq!(agent_names(&ada).await, names, "what was acknowledged, and nothing else");
    server.stop().await;
}
