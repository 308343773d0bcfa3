//! What a data folder holds, keeps and lets go of.

use std::os::unix::fs::PermissionsExt as _;

use super::*;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn a_new_folder_and_its_key_are_private_and_the_key_is_made_once() {
    let place = tempfile::tempdir().unwrap();
    let folder = Folder::create(&place.path().join("a/.guildhall")).unwrap();
    folder.prepare().unwrap();
    assert_eq!(mode(folder.path()), 0o700);
    assert_eq!(mode(&folder.key_file()), 0o600);
    let key = fs::read_to_string(folder.key_file()).unwrap();
    assert_eq!(key.trim().len(), 64);
    folder.prepare().unwrap();
    assert_eq!(fs::read_to_string(folder.key_file()).unwrap(), key);
    let other = Folder::create(&place.path().join("b")).unwrap();
    other.prepare().unwrap();
    assert_ne!(fs::read_to_string(other.key_file()).unwrap(), key);
}

#[test]
fn two_servers_cannot_share_a_folder() {
    let place = tempfile::tempdir().unwrap();
    let folder = Folder::create(place.path()).unwrap();
    let held = folder.lock().unwrap();
    let refused = folder.lock().unwrap_err().told(false);
    assert!(refused.contains(&format!("in use by process {}", std::process::id())), "{refused}");
    drop(held);
    folder.lock().unwrap();
}

#[test]
fn clearing_deletes_what_the_program_made_and_nothing_else() {
    let place = tempfile::tempdir().unwrap();
    let folder = Folder::create(place.path()).unwrap();
    folder.prepare().unwrap();
    folder.clock().set_offset_seconds(60).unwrap();
    folder.remember_database("postgres://db/guildhall").unwrap();
    let ours = ["guildhall.db", "guildhall.db-wal", "blobs/ab", "demo.json"];
    let theirs = ["notes.txt", "guildhall.db.bak", "keep/guildhall.db"];
    fs::create_dir(place.path().join("keep")).unwrap();
    for file in ours.iter().chain(&theirs) {
        fs::write(place.path().join(file), "x").unwrap();
    }
    let held = folder.lock().unwrap();
    folder.clear(&held, true).unwrap();
    for kept in ["secret.key", "demo.json", "blobs/ab"] {
        assert!(place.path().join(kept).exists(), "{kept} stays with a database elsewhere");
    }
    folder.clear(&held, false).unwrap();
    for file in ours.iter().chain(&["secret.key", "clock.json", "database-url", "blobs"]) {
        assert!(!place.path().join(file).exists(), "{file}");
    }
    for file in theirs {
        assert!(place.path().join(file).exists(), "{file}");
    }
}

#[test]
fn the_clock_keeps_its_offset() {
    let place = tempfile::tempdir().unwrap();
    let folder = Folder::create(place.path()).unwrap();
    assert_eq!(folder.clock().offset_seconds().unwrap(), 0);
    folder.clock().set_offset_seconds(86_400).unwrap();
    assert_eq!(folder.clock().offset_seconds().unwrap(), 86_400);
    fs::write(place.path().join(CLOCK), "{").unwrap();
    assert!(folder.clock().offset_seconds().is_err());
}

#[test]
fn another_database_is_remembered_until_the_own_one_is_used_again() {
    let place = tempfile::tempdir().unwrap();
    let folder = Folder::create(place.path()).unwrap();
    assert_eq!(folder.last_database().unwrap(), folder.own_database());
    folder.remember_database("postgres://u:p@db/guildhall").unwrap();
    assert_eq!(folder.last_database().unwrap(), "postgres://u:p@db/guildhall");
    assert_eq!(mode(&place.path().join(DATABASE_URL)), 0o600);
    folder.remember_database(&folder.own_database()).unwrap();
    assert_eq!(folder.last_database().unwrap(), folder.own_database());
}
