//! Every kind of address, every disguise.

use super::*;

/// The first and the last address of every network that is not public, and some between.
const NOT_PUBLIC: &str = "0.0.0.0 0.255.255.255 10.0.0.0 10.255.255.255 100.64.0.0 100.100.100.200
    100.127.255.255 127.0.0.1 127.255.255.255 168.63.129.16 169.254.0.0 169.254.169.254 169.254.255.255 172.16.0.0
    172.31.255.255 192.0.0.0 192.0.0.192 192.0.2.1 192.88.99.1 192.168.0.1 192.168.255.255 198.18.0.0 198.19.255.255
    198.51.100.7 203.0.113.255 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255
    :: ::1 ::7f00:1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::ffff:0:127.0.0.1 64:ff9b::7f00:1 64:ff9b::808:808 64:ff9b:1::1
    100::1 2001::1 2001:0:7f00:1:: 2001:2::1 2001:10::1 2001:20::1 2001:1ff:ffff:: 2001:db8::1 2001:db8:ffff:: 2002::1
    2002:7f00:1:: 2002:a9fe:a9fe::1 3fff::1 3fff:fff::1 1fff:ffff::1 4000::1 5f00::1 fc00::1 fd00:ec2::254 fdff::1
    fe80::1 febf::1 fec0::1 ff02::1 ff0e::1";

/// Public ones, the neighbours of those networks among them.
const PUBLIC: &str = "1.0.0.0 1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255
    128.0.0.0 168.63.129.15 168.63.129.17 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.0 192.0.3.0
    192.88.98.1 192.88.100.1 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 198.51.99.1 198.51.101.1 203.0.112.1
    203.0.114.1 223.255.255.255
    2000::1 2001:200::1 2001:4860:4860::8888 2001:db7::1 2001:db9::1 2003::1 2606:4700::1111 2a00::1 3ffe::1
    3fff:1000::1";

/// "blocked after resolution".
#[test]
fn addresses_are_sorted_as_the_registries_of_special_ones_say() {
    for text in NOT_PUBLIC.split_whitespace() {
        assert!(!is_global(text.parse().unwrap()), "{text}");
    }
    for text in PUBLIC.split_whitespace() {
        assert!(is_global(text.parse().unwrap()), "{text}");
    }
}

#[test]
fn a_public_url_is_taken_apart_as_it_was_written() {
    let url = RemoteUrl::parse("https://Hooks.Example.com:8443/a/b?c=d&e", false).unwrap();
    assert!(url.is_https());
    assert_eq!((url.host().as_str(), url.port()), ("hooks.example.com", 8443));
    assert_eq!(url.authority(), "hooks.example.com:8443");
    assert_eq!(url.path_and_query(), "/a/b?c=d&e");
    assert_eq!(url.to_string(), "https://hooks.example.com:8443/a/b?c=d&e");
    let plain = RemoteUrl::parse("https://example.com", false).unwrap();
    assert_eq!(
        (plain.port(), plain.authority(), plain.path_and_query()),
        (443, "example.com", "/")
    );
    let address = RemoteUrl::parse("https://[2606:4700::1111]/", false).unwrap();
    assert_eq!(address.address(), Some("2606:4700::1111".parse().unwrap()));
    assert_eq!(address.host(), "2606:4700::1111");
    assert!(
        RemoteUrl::parse("https://bücher.example.com/", false).unwrap().host().starts_with("xn--")
    );
}

/// "169.254.169.254, `[::ffff:127.0.0.1]`, octal, …": another way to write an address is still that address.
#[test]
fn no_disguise_of_a_place_within_is_taken() {
    let hosts = [
        "127.0.0.1",
        "127.1",
        "127.0.1",
        "2130706433",
        "0x7f000001",
        "0x7f.0.0.1",
        "0x7F.1",
        "0177.0.0.1",
        "017700000001",
        "0177.0.0.0x1",
        "127.0.0.1.",
        "0",
        "0.0.0.0",
        "0x0",
        "169.254.169.254",
        "0xa9fea9fe",
        "0251.0376.0251.0376",
        "2852039166",
        "10.0.0.1",
        "012.0.0.1",
        "１２７.0.0.1",
        "127。0。0。1",
        "①②⑦.0.0.1",
        "%31%32%37.0.0.1",
        "127.0.0.1%2e",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::127.0.0.1]",
        "[fe80::1]",
        "[fd00:ec2::254]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "[0:0:0:0:0:0:0:1]",
        "localhost",
        "LOCALHOST",
        "localhost.",
        "a.localhost",
        "ⓛocalhost",
        "printer.local",
        "metadata.google.internal",
        "metadata",
        "router.lan",
        "db.corp",
        "1.0.0.127.in-addr.arpa",
        "x.invalid",
        "x.test",
        "x.onion",
        "example.com.",
        ".example.com",
        "a..example.com",
    ];
    for host in hosts {
        let text = format!("https://{host}/hook");
        assert!(RemoteUrl::parse(&text, false).is_err(), "{text}");
    }
}

#[test]
fn nothing_but_plain_https_urls_is_taken() {
    let long = format!("https://example.com/{}", "a".repeat(MAX_LENGTH));
    for text in [
        "",
        "example.com",
        "//example.com",
        "/hook",
        "http://example.com/",
        "HTTP://example.com/",
        "ftp://example.com/",
        "file:///etc/passwd",
        "gopher://example.com/",
        "data:text/plain,x",
        "javascript:alert(1)",
        "https://",
        "https:///hook",
        "https://user@example.com/",
        "https://user:pass@example.com/",
        "https://@example.com/",
        "https://example.com@127.0.0.1/",
        "https://127.0.0.1@example.com/",
        "https://example.com#@127.0.0.1/",
        "https://example.com/#a",
        "https://example.com\\@127.0.0.1/",
        "https:\\\\example.com",
        "https://exa mple.com/",
        " https://example.com/",
        "https://example.com/\n",
        "ht\ttps://example.com/",
        "https://example.com:99999/",
        "https://example.com:x/",
        "https://[::1",
        "https://exa%00mple.com/",
        "blob:https://example.com/1",
        &long,
    ] {
        assert!(RemoteUrl::parse(text, false).is_err(), "{text:?}");
        assert!(RemoteUrl::parse(text, true).is_err(), "{text:?} with local places allowed");
    }
}

/// "http to loopback allowed only under an explicit switch": loopback and nothing else of the machine's own.
#[test]
fn the_loopback_is_for_development_alone() {
    for text in [
        "http://127.0.0.1:8080/",
        "https://127.0.0.1/",
        "http://[::1]:1/",
        "http://localhost:3000/x",
    ] {
        assert!(RemoteUrl::parse(text, true).is_ok(), "{text}");
        assert!(RemoteUrl::parse(text, false).is_err(), "{text}");
    }
    for text in [
        "http://10.0.0.1/",
        "https://10.0.0.1/",
        "http://169.254.169.254/",
        "http://a.localhost/",
        "http://[::ffff:127.0.0.1]/",
        "http://0.0.0.0/",
        "http://example.com/",
        "https://metadata/",
    ] {
        assert!(RemoteUrl::parse(text, true).is_err(), "{text}");
    }
}
