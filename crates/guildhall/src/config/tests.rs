//! Layers, bounds, names, refusals and masks.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use serde_json::{Value, json};

use super::keys::Keys;
use super::*;

const KEY: &str = "a91fd66b2ee80c573c4b80e1f97d5a0812b6c3dd49ef7061850aa4c2173b9e5d";

fn sources(file: &str, environment: &[(&str, &str)]) -> Sources {
    Sources {
        file: Some(("guildhall.toml".into(), file.to_owned())),
        environment: environment.iter().map(|(name, value)| (name.into(), value.into())).collect(),
        ..Sources::default()
    }
}

fn loaded(file: &str, environment: &[(&str, &str)]) -> Loaded {
    load(sources(file, environment)).unwrap()
}

fn problems(file: &str, environment: &[(&str, &str)]) -> Vec<String> {
    let problems = load(sources(file, environment)).unwrap_err();
    problems.iter().map(|problem| format!("{problem} [{}]", problem.hint)).collect()
}

#[test]
fn the_defaults_are_those_of_the_product() {
    let config = load(Sources::default()).unwrap().config;
    assert_eq!(config.server.base_url.to_string(), "http://127.0.0.1:8080");
    assert_eq!(config.server.auth_url(), &config.server.base_url);
    assert_eq!((config.server.max_body_bytes, config.server.max_upload_bytes), (1 << 20, 32 << 20));
    assert_eq!(config.storage.account_quota_bytes, 2 << 30);
    assert_eq!(config.wallets.chain_id, 1);
    let limits = &config.limits;
    assert_eq!((limits.window_seconds, limits.account, limits.agent), (60, 600, 600));
    assert_eq!((limits.ip, limits.sign_in), (120, 30));
    assert_eq!(limits.idempotency_retention_seconds, 24 * 3600);
}

#[test]
fn the_defaults_agree_with_those_of_the_crates_they_are_for() {
    let config = Config::default();
    let store = config.database.store();
    let theirs = guildhall_store::Config::new(store.engine.clone());
    assert_eq!(format!("{store:?}"), format!("{theirs:?}"));
    let theirs = guildhall_http::serve::Limits {
        malformed: guildhall_http::malformed,
        ..guildhall_http::serve::Limits::default()
    };
    assert_eq!(format!("{:?}", config.server.connection_limits()), format!("{theirs:?}"));
    let identity = &config.identity;
    let ours =
        (identity.password_memory_kib, identity.password_iterations, identity.password_lanes);
    let theirs = guildhall_identity::HashCost::default();
    assert_eq!(ours, (theirs.memory_kib, theirs.iterations, theirs.parallelism));
}

#[test]
fn a_later_layer_wins_and_is_named() {
    let file = "[limits]\nip = 7\nagent = 8\naccount = 9\n";
    let mut sources =
        sources(file, &[("GUILDHALL_LIMITS_IP", "70"), ("GUILDHALL_LIMITS_AGENT", "80")]);
    sources.development = vec![("limits.account", json!(1)), ("limits.sign_in", json!(2))];
    sources.flags = vec![("limits.ip", json!(700))];
    let loaded = load(sources).unwrap();
    let limits = &loaded.config.limits;
    assert_eq!((limits.ip, limits.agent, limits.account), (700, 80, 9));
    assert_eq!((limits.sign_in, limits.window_seconds), (2, 60));
    for (key, origin) in [
        ("limits.ip", "command line"),
        ("limits.agent", "environment GUILDHALL_LIMITS_AGENT"),
        ("limits.account", "file guildhall.toml"),
        ("limits.sign_in", "development instance"),
        ("limits.window_seconds", "default"),
    ] {
        assert_eq!(loaded.origin(key).to_string(), origin);
    }
}

#[test]
fn every_key_has_a_variable_of_its_own_that_sets_it() {
    let keys = Keys::read();
    let names: std::collections::BTreeSet<String> = keys.iter().map(keys::Key::variable).collect();
    assert_eq!(names.len(), keys.iter().count(), "two keys share a variable");
    let defaults = serde_json::to_value(Config::default()).unwrap();
    for key in keys.iter() {
        // The default where there is one, because it is always allowed.
        let text = match load::find(&defaults, &key.path) {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Array(_)) => String::new(),
            Some(Value::Null) if key.name() == "log.otlp.endpoint" => {
                "http://127.0.0.1:4318".into()
            }
            Some(Value::Null) => "https://market.example".into(),
            Some(other) => other.to_string(),
            None => panic!("{} has no place in the configuration", key.name()),
        };
        let loaded = loaded("", &[(&key.variable(), &text)]);
        assert_eq!(loaded.origin(&key.name()), &Origin::Variable(key.variable()));
    }
}

#[test]
fn lists_numbers_and_switches_are_read_from_the_environment() {
    let config = loaded(
        "",
        &[
            ("GUILDHALL_SERVER_TRUSTED_PROXIES", "10.0.0.1, 10.1.0.0/16"),
            ("GUILDHALL_DATABASE_MIGRATE_ON_START", "false"),
            ("GUILDHALL_LOG_OTLP_SAMPLE_RATIO", "0.25"),
            ("GUILDHALL_SERVER_METRICS_LISTEN", "off"),
            ("GUILDHALL_TEST_ANYTHING", "x"),
            ("GUILDHALL_CONFIG", "x"),
            ("OTHER_SETTING", "x"),
        ],
    )
    .config;
    let proxies: Vec<String> =
        config.server.trusted_proxies.into_iter().map(String::from).collect();
    assert_eq!(proxies, ["10.0.0.1/32", "10.1.0.0/16"]);
    assert!(!config.database.migrate_on_start);
    assert_eq!(config.log.otlp.sample_ratio.to_string(), "0.25");
    assert_eq!(config.server.metrics_listen, Listen::Off);
}

#[test]
fn all_problems_come_at_once_with_place_value_bound_and_advice() {
    let file = r#"
        colour = "red"
        limits = 5
        [server]
        base_uri = "https://market.example"
        listen = "nowhere"
        max_body_bytes = 12
        [log]
        format = "xml"
        filter = "guildhall=loud"
        otlp.endpoint = "https://collector.example"
    "#;
    let environment = [
        ("GUILDHALL_SERVER_LISTNE", "127.0.0.1:1"),
        ("GUILDHALL_LIMITS_IP", "many"),
        ("GUILDHALL_LIMITS_AGENT", ""),
        ("GUILDHALL_LIMITS_ACCOUNT", "0"),
    ];
    let told = problems(file, &environment);
    for expected in [
        "file guildhall.toml: colour: is no key",
        "file guildhall.toml: limits: is a section, not a value",
        "server.base_uri: is no key of Guildhall [did you mean server.base_url?",
        "server.listen = \"nowhere\": invalid socket address syntax",
        "server.max_body_bytes = 12: must be an integer from 1024 to 67108864 [set server.max_body_bytes",
        "log.format = \"xml\": must be one of text, json",
        "log.filter = \"guildhall=loud\": must be error, warn",
        "log.otlp.endpoint = \"https://collector.example\": is https, and traces are sent without TLS",
        "GUILDHALL_SERVER_LISTNE: is no setting of Guildhall [did you mean GUILDHALL_SERVER_LISTEN?",
        "GUILDHALL_LIMITS_IP (limits.ip): must be an integer from 1",
        "GUILDHALL_LIMITS_AGENT (limits.agent): is set but empty",
        "GUILDHALL_LIMITS_ACCOUNT=0 (limits.account): must be an integer from 1",
    ] {
        assert!(told.iter().any(|problem| problem.contains(expected)), "{expected}\nin {told:#?}");
    }
    assert_eq!(told.len(), 12, "{told:#?}");
}

#[test]
fn a_secret_is_in_no_problem_and_no_print() {
    let mangled = "[secrets]\nkey = \"canary\n[database]\n";
    let told = problems(mangled, &[]);
    assert!(told[0].starts_with("guildhall.toml:2: "), "{told:?}");
    let wrong = "[secrets]\nkey = [\"canary\"]\n[database]\nurl = \"mysql://u:canary@db/g\"\n";
    let environment = [("GUILDHALL_DATABASE_URL", "canary")];
    let told = [told, problems(wrong, &[]), problems("", &environment)].concat();
    assert_eq!(told.len(), 4, "{told:?}");
    assert!(!told.concat().contains("canary"), "{told:?}");

    let file = "[secrets]\nkey = \"canary\"\n[database]\nurl = \"postgres://u:canary@db/g\"\n";
    let loaded = loaded(file, &[]);
    let shown = format!(
        "{}{}{loaded_debug:?}",
        as_toml(&loaded),
        as_json(&loaded),
        loaded_debug = loaded.config
    );
    assert!(!shown.contains("canary"), "{shown}");
    assert!(shown.contains("key = \"…\" # file guildhall.toml"), "{shown}");
    assert!(shown.contains("url = \"postgres://u:…@db/g\" # file guildhall.toml"), "{shown}");
    let told = unsafe_settings(&loaded.config);
    assert!(!format!("{told:?}").contains("canary"), "{told:?}");
}

#[test]
fn what_is_printed_can_be_loaded_again() {
    let first = loaded(
        "[server]\ncors_origins = [\"https://a.example\"]\n[log.otlp]\nsample_ratio = 0.5\n",
        &[],
    );
    let printed = as_toml(&first);
    let again = loaded(&printed, &[]);
    let values = |loaded: &Loaded| serde_json::to_value(&loaded.config).unwrap();
    assert_eq!(values(&first), values(&again));
    assert!(printed.contains("[log.otlp]\n# endpoint is not set # default\n"), "{printed}");
    assert!(printed.contains("cors_origins = [\"https://a.example\"] # file"), "{printed}");
}

/// A configuration that `serve` accepts, with its folder.
fn safe() -> (tempfile::TempDir, Config) {
    let place = tempfile::tempdir().unwrap();
    let database = place.path().join("new/guildhall.db");
    let file = format!(
        "[server]\nbase_url = \"https://market.example\"\n[secrets]\nkey = \"{KEY}\"\n[database]\nurl = \"sqlite:{}\"\n",
        database.display()
    );
    let config = loaded(&file, &[]).config;
    (place, config)
}

fn refused(change: impl FnOnce(&mut Config, &Path)) -> Vec<String> {
    let (place, mut config) = safe();
    change(&mut config, place.path());
    unsafe_settings(&config).iter().map(ToString::to_string).collect()
}

#[test]
fn a_safe_configuration_is_accepted() {
    assert_eq!(refused(|_, _| {}), [""; 0]);
    let on_loopback = |config: &mut Config, _: &Path| config.server = Server::default();
    assert_eq!(refused(on_loopback), [""; 0], "plain http is for this machine only");
    let behind_a_proxy = |config: &mut Config, _: &Path| {
        config.server.listen = "0.0.0.0:8080".parse().unwrap();
        config.server.trusted_proxies = vec!["10.0.0.0/8".to_owned().try_into().unwrap()];
        config.server.metrics_listen = "10.0.0.2:9090".to_owned().try_into().unwrap();
        config.server.metrics_public = true;
    };
    assert_eq!(refused(behind_a_proxy), [""; 0]);
}

type Change = fn(&mut Config, &Path);

#[test]
fn each_unsafe_setting_is_refused_by_name() {
    let changes: &[(&str, Change)] = &[
        ("server.base_url = http://market.example: is plain http", |config, _| {
            config.server.base_url = "http://market.example".to_owned().try_into().unwrap();
        }),
        ("server.auth_url = http://id.example: is plain http", |config, _| {
            config.server.auth_url = Some("http://id.example".to_owned().try_into().unwrap());
        }),
        ("server.listen = 0.0.0.0:8080 with server.base_url = http://localhost", |config, _| {
            config.server.base_url = "http://localhost".to_owned().try_into().unwrap();
            config.server.listen = "0.0.0.0:8080".parse().unwrap();
        }),
        ("secrets: no key is set", |config, _| config.secrets = Secrets::default()),
        ("secrets: the key is one byte repeated", |config, _| {
            config.secrets.key = Some("00".repeat(32).into());
        }),
        ("secrets: the key has 6 bytes", |config, _| {
            config.secrets.key = Some("changeme".to_owned().into());
        }),
        ("can be read by others (mode 644)", |config, place| {
            let file = place.join("key");
            fs::write(&file, KEY).unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
            config.secrets = Secrets { key: None, key_file: Some(file) };
        }),
        ("server.metrics_listen = 0.0.0.0:9090", |config, _| {
            config.server.metrics_listen = "0.0.0.0:9090".to_owned().try_into().unwrap();
        }),
        ("database.url = sqlite:", |_, place| {
            fs::set_permissions(place, fs::Permissions::from_mode(0o777)).unwrap();
        }),
        ("identity.password_memory_kib = 8192", |config, _| {
            config.identity.password_memory_kib = 8192;
        }),
        ("identity.password_iterations = 1", |config, _| config.identity.password_iterations = 1),
        ("server.trusted_proxies has 0.0.0.0/0", |config, _| {
            config.server.trusted_proxies = vec!["0.0.0.0/0".to_owned().try_into().unwrap()];
        }),
        ("server.cors_origins has *", |config, _| {
            config.server.cors_origins = vec!["*".to_owned().try_into().unwrap()];
        }),
    ];
    for (expected, change) in changes {
        let told = refused(change);
        assert!(told.iter().any(|problem| problem.contains(expected)), "{expected}: {told:?}");
        if !expected.starts_with("server.base_url") {
            assert_eq!(told.len(), 1, "{expected}: {told:?}");
        }
    }
}

#[test]
fn the_committed_schema_is_current() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/config.schema.json");
    let committed: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    assert_eq!(committed, schema(), "run: guildhall config schema > docs/config.schema.json");
}
