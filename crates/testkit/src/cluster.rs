//! A PostgreSQL server of a test's own, to be stopped and started again.

use std::os::unix::fs::chown;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// A server with its own data and port. It ends when it is dropped, and its data with it.
pub struct Cluster {
    folder: TempDir,
    programs: PathBuf,
    port: u16,
    server: Option<Child>,
}

/// PostgreSQL refuses to run as root, so root lends it another user.
struct Lent {
    user: u32,
    group: u32,
}

impl Cluster {
    /// Makes a cluster and starts it.
    pub fn start() -> Self {
        let programs = std::env::var_os("GUILDHALL_TEST_PG_BIN").expect(
            "GUILDHALL_TEST_PG_BIN says where PostgreSQL's programs are: run under scripts/with-postgres",
        );
        // Not under TMPDIR, which may be a folder that the lent user cannot enter.
        let folder = tempfile::Builder::new().prefix("guildhall-cluster").tempdir_in("/tmp");
        let folder = folder.expect("a folder");
        if let Some(lent) = lent() {
            chown(folder.path(), Some(lent.user), Some(lent.group)).expect("a folder to lend");
        }
        let mut cluster =
            Self { folder, programs: programs.into(), port: free_port(), server: None };
        let mut making = cluster.command("initdb");
        making.args(["--pgdata=data", "--username=postgres", "--auth=trust"]);
        making.args(["--encoding=UTF8", "--no-locale", "--no-sync"]);
        let made = making.output().expect("initdb");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        cluster.resume();
        cluster
    }

    /// The address of its first database.
    pub fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.port)
    }

    /// Starts it again on the same port with the same data.
    pub fn resume(&mut self) {
        assert!(self.server.is_none(), "it runs already");
        let (place, port) = (self.folder.path().display().to_string(), self.port.to_string());
        let mut server = self.command("postgres");
        server.args(["-D", "data", "-k", &place, "-p", &port]);
        server.args(["-c", "listen_addresses=127.0.0.1", "-c", "log_min_messages=fatal"]);
        let server = server.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        self.server = Some(server.spawn().expect("postgres"));
        let deadline = Instant::now() + Duration::from_secs(30);
        while !self.is_ready() {
            assert!(Instant::now() < deadline, "PostgreSQL did not start");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Stops it at once, as a crash would (`pg_ctl stop -m immediate`).
    pub fn crash(&mut self) {
        let Some(mut server) = self.server.take() else { return };
        let told = Command::new("kill").args(["-QUIT", &server.id().to_string()]).status();
        assert!(told.expect("kill").success(), "the server was gone already");
        server.wait().expect("its end");
    }

    fn is_ready(&self) -> bool {
        let place = format!("--host={}", self.folder.path().display());
        let mut asked = self.command("pg_isready");
        let asked = asked.args(["--quiet", &place, &format!("--port={}", self.port)]);
        asked.status().expect("pg_isready").success()
    }

    /// One of PostgreSQL's programs, in the cluster's folder, as a user it accepts.
    fn command(&self, program: &str) -> Command {
        let program = self.programs.join(program);
        let mut command = match lent() {
            None => Command::new(program),
            Some(Lent { user, group }) => {
                let mut lending = Command::new("setpriv");
                lending.arg(format!("--reuid={user}")).arg(format!("--regid={group}"));
                lending.arg("--clear-groups").arg(program);
                lending
            }
        };
        command.current_dir(self.folder.path());
        command
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.crash();
    }
}

fn lent() -> Option<Lent> {
    if id(&["-u"]) != Some(0) {
        return None;
    }
    let user = ["postgres", "nobody"].into_iter().find(|user| id(&["-u", user]).is_some());
    let user = user.expect("a user for PostgreSQL");
    Some(Lent { user: id(&["-u", user])?, group: id(&["-g", user])? })
}

fn id(arguments: &[&str]) -> Option<u32> {
    let told = Command::new("id").args(arguments).output().expect("id");
    String::from_utf8(told.stdout).ok()?.trim().parse().ok()
}

/// A port that was free a moment ago.
fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}
