//! The files, sockets and processes that the attempts aim at.

use std::fs;
use std::io::{self, Write};
use std::net::{TcpListener, UdpSocket};
use std::os::fd::AsRawFd;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};

use nix::fcntl::{FcntlArg, FdFlag, fcntl};

/// The locations of the targets. The suite passes them to each attempt as arguments.
#[derive(Debug, Clone)]
pub(crate) struct Arena {
    pub(crate) root: PathBuf,
    pub(crate) tcp: u16,
    pub(crate) tcp6: u16,
    pub(crate) udp: u16,
    /// The process id of the suite, which plays the service.
    pub(crate) parent: i32,
    /// A descriptor that the suite has open and that its children inherit.
    pub(crate) open_file: i32,
}

impl Arena {
    pub(crate) fn job(&self) -> PathBuf {
        self.root.join("job")
    }
    pub(crate) fn input(&self) -> PathBuf {
        self.root.join("input")
    }
    pub(crate) fn secret(&self) -> PathBuf {
        self.root.join("sibling/secret")
    }
    pub(crate) fn socket(&self) -> PathBuf {
        self.root.join("listener")
    }
    pub(crate) fn abstract_socket(&self) -> io::Result<SocketAddr> {
        SocketAddr::from_abstract_name(format!("clipgate-escapes-{}", self.parent))
    }

    pub(crate) fn arguments(&self) -> Vec<String> {
        let numbers = [self.tcp.into(), self.tcp6.into(), self.udp.into(), self.parent, self.open_file];
        let root = self.root.to_string_lossy().into_owned();
        std::iter::once(root).chain(numbers.map(|number: i32| number.to_string())).collect()
    }

    pub(crate) fn parse(arguments: &[String]) -> Option<Self> {
        let [root, tcp, tcp6, udp, parent, open_file] = arguments else {
            return None;
        };
        Some(Self {
            root: root.into(),
            tcp: tcp.parse().ok()?,
            tcp6: tcp6.parse().ok()?,
            udp: udp.parse().ok()?,
            parent: parent.parse().ok()?,
            open_file: open_file.parse().ok()?,
        })
    }
}

/// The targets themselves. Dropping this removes them.
#[derive(Debug)]
pub(crate) struct Targets {
    pub(crate) arena: Arena,
    pub(crate) program: PathBuf,
    folder: tempfile::TempDir,
    _open_file: fs::File,
    tcp: [TcpListener; 2],
    _udp: UdpSocket,
    _unix: [UnixListener; 2],
}

impl Targets {
    pub(crate) fn new() -> io::Result<Self> {
        let folder = tempfile::tempdir()?;
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755))?;
        let root = folder.path().join("arena");
        fs::create_dir(&root)?;
        let program = folder.path().join("escapes");
        fs::copy(std::env::current_exe()?, &program)?;
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755))?;

        let tcp = [
            TcpListener::bind("127.0.0.1:0")?,
            TcpListener::bind("[::1]:0").or_else(|_| TcpListener::bind("127.0.0.1:0"))?,
        ];
        tcp.iter().try_for_each(|listener| listener.set_nonblocking(true))?;
        let udp = UdpSocket::bind("127.0.0.1:0")?;
        let open_file = open_inherited_file(&folder.path().join("open"))?;
        let arena = Arena {
            root,
            tcp: tcp[0].local_addr()?.port(),
            tcp6: tcp[1].local_addr()?.port(),
            udp: udp.local_addr()?.port(),
            parent: i32::try_from(std::process::id()).map_err(io::Error::other)?,
            open_file: open_file.as_raw_fd(),
        };
        let unix = [UnixListener::bind(arena.socket())?, UnixListener::bind_addr(&arena.abstract_socket()?)?];
        fs::set_permissions(arena.socket(), fs::Permissions::from_mode(0o777))?;
        Ok(Self { arena, program, folder, _open_file: open_file, tcp, _udp: udp, _unix: unix })
    }

    /// Restores the files that the previous attempt may have changed.
    pub(crate) fn reset(&self) -> io::Result<()> {
        for folder in [self.arena.job(), self.arena.root.join("sibling")] {
            if folder.exists() {
                fs::remove_dir_all(&folder)?;
            }
            fs::create_dir(&folder)?;
        }
        fs::write(self.arena.input(), "the input")?;
        fs::write(self.arena.secret(), "another job's secret")?;
        symlink(self.arena.secret(), self.arena.job().join("planted"))
    }

    /// Returns how many connections arrived since the last call.
    pub(crate) fn connections(&self) -> usize {
        self.tcp.iter().map(|listener| std::iter::from_fn(|| listener.accept().ok()).count()).sum()
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }
}

/// Opens a file of the service that a child would inherit.
fn open_inherited_file(path: &Path) -> io::Result<fs::File> {
    fs::File::create(path)?.write_all(b"a file of the service")?;
    let file = fs::File::open(path)?;
    fcntl(&file, FcntlArg::F_SETFD(FdFlag::empty()))?;
    Ok(file)
}
