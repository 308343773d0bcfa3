//! What the checks see, and how the report reads.

use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use super::*;
use crate::config::{Sources, load};
use crate::instance::Folder;

fn instance() -> (tempfile::TempDir, Loaded) {
    let place = tempfile::tempdir().unwrap();
    let folder = Folder::create(&place.path().join("data")).unwrap();
    folder.prepare().unwrap();
    let development = folder.settings(folder.own_database()).unwrap();
    (place, load(Sources { development, ..Sources::default() }).unwrap())
}

#[tokio::test]
async fn a_folder_without_a_schema_fails_that_check_only_until_it_is_migrated() {
    let (_place, loaded) = instance();
    let report = Report::of(&loaded, false).await;
    let failed: Vec<&str> =
        report.checks.iter().filter(|check| !check.ok).map(|check| check.name).collect();
    assert_eq!(failed, ["database"], "{}", report.table());
    assert!(report.table().contains("hint: run guildhall migrate"), "{}", report.table());

    guildhall_store::migrate(&loaded.config.database.store()).await.unwrap();
    let report = Report::of(&loaded, false).await;
    assert!(report.ok, "{}", report.table());
    assert_eq!(report.failed(), 0);
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["ok"], true);
    assert_eq!(json["checks"][0]["name"], "config");
    assert!(json["checks"][0].get("hint").is_none());
}

#[tokio::test]
async fn what_serve_would_refuse_is_told() {
    let (_place, mut loaded) = instance();
    loaded.config.server.base_url = "http://market.example".to_owned().try_into().unwrap();
    loaded.config.secrets.key_file = None;
    let report = Report::of(&loaded, true).await;
    let table = report.table();
    assert!(table.contains("FAIL  config"), "{table}");
    assert!(table.contains("server.base_url = http://market.example"), "{table}");
    assert!(table.contains("FAIL  secret key"), "{table}");
}

#[tokio::test]
async fn a_signing_key_is_there_and_opens_with_the_secret_key_only() {
    let (_place, mut loaded) = instance();
    let settings = loaded.config.database.store();
    guildhall_store::migrate(&settings).await.unwrap();
    let found = |report: &Report| {
        let check = report.checks.iter().find(|check| check.name == "signing key").unwrap();
        (check.ok, check.detail.clone())
    };
    let report = Report::of(&loaded, false).await;
    assert_eq!(found(&report), (true, "the first start makes one".to_owned()));
    let db = guildhall_store::Db::open(&settings).await.unwrap();
    let key = loaded.config.secrets.master_key().unwrap();
    let now = guildhall_core::Timestamp::from_millis(0);
    guildhall_identity::Keys::open(db, &key, now).await.unwrap();
    let (ok, detail) = found(&Report::of(&loaded, false).await);
    assert!(ok && detail.ends_with(" signs"), "{detail}");
    let other = "0f1fd66b2ee80c573c4b80e1f97d5a0812b6c3dd49ef7061850aa4c2173b9e5d";
    loaded.config.secrets.key_file = None;
    loaded.config.secrets.key = Some(other.to_owned().into());
    let (ok, detail) = found(&Report::of(&loaded, false).await);
    assert!(!ok && detail.contains("cannot be opened"), "{detail}");
}

#[test]
fn a_folder_of_files_that_is_none_is_found() {
    let (place, mut loaded) = instance();
    checks::files(&loaded.config).unwrap();
    loaded.config.storage.blobs = place.path().join("data/secret.key");
    let (fault, _) = checks::files(&loaded.config).unwrap_err();
    assert!(fault.contains("is not a folder"), "{fault}");
}

#[test]
fn a_database_that_strangers_can_read_or_write_is_found() {
    let (place, loaded) = instance();
    let data = place.path().join("data");
    let database = data.join("guildhall.db");
    std::fs::write(&database, "").unwrap();
    for (folder, file, found) in [
        (0o700, 0o644, None),
        (0o755, 0o600, None),
        (0o755, 0o644, Some("can read")),
        (0o777, 0o600, Some("can write")),
    ] {
        for (path, mode) in [(&data, folder), (&database, file)] {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        }
        let fault = checks::permissions(&loaded.config).err().map(|(fault, _)| fault);
        let as_expected = match (&fault, found) {
            (Some(fault), Some(found)) => fault.contains(found),
            (fault, found) => fault.is_none() && found.is_none(),
        };
        assert!(as_expected, "{folder:o} {file:o}: {fault:?}");
    }
}

#[test]
fn a_clock_before_its_files_is_found() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let changed = file.as_file().metadata().unwrap().modified().unwrap();
    let witnesses: [PathBuf; 1] = [file.path().to_owned()];
    checks::clock_at(changed, &witnesses).unwrap();
    checks::clock_at(changed - Duration::from_secs(30), &witnesses).unwrap();
    let (fault, _) = checks::clock_at(changed - Duration::from_hours(1), &witnesses).unwrap_err();
    assert!(fault.contains("in the future"), "{fault}");
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    let (fault, _) = checks::clock_at(long_ago, &[]).unwrap_err();
    assert_eq!(fault, "the clock is before 2026");
}
