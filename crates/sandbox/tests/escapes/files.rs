//! Escapes through files: reading, changing or executing files that the policy does not name.

use std::ffi::CString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, symlink};
use std::path::Path;

use nix::sys::stat::{Mode, SFlag, mknod};
use nix::unistd::{execv, mkfifo, truncate};

use crate::attempt::{Attempt, Outcome};
use crate::raw_calls::{address, call};

pub(crate) const ATTEMPTS: &[Attempt] = &[
    ("read /etc/passwd", |_| read("/etc/passwd")),
    ("read another job's file", |arena| read(arena.secret())),
    ("read another job's file through ..", |arena| read(arena.job().join("../sibling/secret"))),
    ("read through a planted symlink", |arena| read(arena.job().join("planted"))),
    ("read through /proc/self/root", |_| read("/proc/self/root/etc/passwd")),
    ("read through /proc/self/cwd", |arena| read(Path::new("/proc/self/cwd").join(arena.secret()))),
    ("read the service's environment", |arena| read(format!("/proc/{}/environ", arena.parent))),
    ("read the service's command line through ..", |arena| read(format!("/proc/self/../{}/cmdline", arena.parent))),
    ("read init's environment", |_| read("/proc/1/environ")),
    ("read its own /proc/self/maps", |_| read("/proc/self/maps")),
    ("list /", |_| Ok(fs::read_dir("/").map(drop)?)),
    ("list the folder above", |arena| Ok(fs::read_dir(&arena.root).map(drop)?)),
    ("read the kernel's log device", |_| read_some("/dev/kmsg")),
    ("read the physical memory", |_| read_some("/dev/mem")),
    ("write outside the folder", |arena| Ok(fs::write(arena.root.join("sibling/new"), "x")?)),
    ("write through a planted symlink", |arena| Ok(fs::write(arena.job().join("planted"), "x")?)),
    ("change the input", |arena| Ok(OpenOptions::new().write(true).open(arena.input()).map(drop)?)),
    ("truncate the input", |arena| Ok(truncate(&arena.input(), 1)?)),
    ("remove another job's file", |arena| Ok(fs::remove_file(arena.secret())?)),
    ("create a symlink", |arena| Ok(symlink("/etc/passwd", arena.job().join("link"))?)),
    ("hard link a file into the folder", |arena| {
        fs::hard_link(arena.secret(), arena.job().join("stolen"))?;
        read(arena.job().join("stolen"))
    }),
    ("move a file out of the folder", |arena| {
        fs::write(arena.job().join("mine"), "x")?;
        Ok(fs::rename(arena.job().join("mine"), arena.root.join("sibling/mine"))?)
    }),
    ("move a file into the folder", |arena| Ok(fs::rename(arena.secret(), arena.job().join("stolen"))?)),
    ("create a device", |arena| {
        Ok(mknod(&arena.job().join("device"), SFlag::S_IFCHR, Mode::S_IRWXU, nix::libc::makedev(1, 3))?)
    }),
    ("create a named pipe", |arena| Ok(mkfifo(&arena.job().join("pipe"), Mode::S_IRWXU)?)),
    ("create a set-user-id file", |arena| {
        fs::write(arena.job().join("tool"), "x")?;
        Ok(fs::set_permissions(arena.job().join("tool"), fs::Permissions::from_mode(0o4755))?)
    }),
    ("change the owner of a file", |arena| {
        fs::write(arena.job().join("gift"), "x")?;
        Ok(std::os::unix::fs::chown(arena.job().join("gift"), Some(1), None)?)
    }),
    ("open by handle", |_| open_by_handle()),
    ("read a file that the service has open", |arena| read(format!("/proc/self/fd/{}", arena.open_file))),
    ("use a descriptor that the service has open", |arena| {
        let mut byte = 0_u8;
        let at = std::ptr::from_mut(&mut byte) as u64;
        call(nix::libc::SYS_pread64, &[u64::try_from(arena.open_file)?, at, 1, 0])?;
        Ok(())
    }),
    ("execute a shell", |_| execute("/bin/sh", &["sh", "-c", "exit 0"])),
    ("execute a file that it wrote", |arena| {
        let program = own_program()?;
        let copy = arena.job().join("program");
        let mut copied = OpenOptions::new().write(true).create_new(true).mode(0o755).open(&copy)?;
        io::copy(&mut File::open(program)?, &mut copied)?;
        drop(copied);
        execute(&copy.to_string_lossy(), &["escapes", "nothing"])
    }),
    ("execute a file in memory", |_| {
        let memory = nix::sys::memfd::memfd_create(c"program", nix::sys::memfd::MFdFlags::empty())?;
        io::copy(&mut File::open(own_program()?)?, &mut File::from(memory.try_clone()?))?;
        let name = CString::new("")?;
        let arguments = [CString::new("escapes")?, CString::new("nothing")?];
        let flags = nix::fcntl::AtFlags::AT_EMPTY_PATH;
        match nix::unistd::execveat(&memory, &name, &arguments, &[] as &[CString], flags)? {}
    }),
    ("execute a shell through the loader", |_| {
        let loader = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"];
        let loader = loader.into_iter().find(|path| Path::new(path).exists()).ok_or("no loader")?;
        execute(loader, &["loader", "/bin/sh", "-c", "exit 0"])
    }),
    ("inherit the service's environment", |_| {
        std::env::vars_os().next().map(drop).ok_or_else(|| "the environment is empty".into())
    }),
];

fn read(path: impl AsRef<Path>) -> Outcome {
    let mut content = Vec::new();
    File::open(path)?.read_to_end(&mut content)?;
    if content.is_empty() { Err("the file is empty".into()) } else { Ok(()) }
}

fn read_some(path: &str) -> Outcome {
    Ok(File::open(path)?.read_exact(&mut [0])?)
}

fn own_program() -> Result<String, &'static str> {
    std::env::args().next().ok_or("no name")
}

fn execute(program: &str, arguments: &[&str]) -> Outcome {
    let arguments = arguments.iter().map(|&argument| CString::new(argument)).collect::<Result<Vec<_>, _>>()?;
    match execv(&CString::new(program)?, &arguments)? {}
}

fn open_by_handle() -> Outcome {
    #[repr(C)]
    struct Handle {
        bytes: u32,
        kind: i32,
        opaque: [u8; 128],
    }
    let mut handle = Handle { bytes: 128, kind: 0, opaque: [0; 128] };
    let mut mount = 0_i32;
    let here = u64::from_ne_bytes(i64::from(nix::libc::AT_FDCWD).to_ne_bytes());
    let at = std::ptr::from_mut(&mut handle) as u64;
    let mount_at = std::ptr::from_mut(&mut mount) as u64;
    call(
        nix::libc::SYS_name_to_handle_at,
        &[here, address(c"/etc/passwd".to_bytes_with_nul().first().ok_or("")?), at, mount_at, 0],
    )?;
    let root = File::open("/etc")?;
    let root = u64::try_from(std::os::fd::AsRawFd::as_raw_fd(&root))?;
    call(nix::libc::SYS_open_by_handle_at, &[root, at, 0])?;
    Ok(())
}
