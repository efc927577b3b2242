//! Escapes through sockets.

use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;

use nix::sys::socket::{AddressFamily, SockFlag, SockProtocol, SockType, socket, socketpair};

use crate::arena::Arena;
use crate::attempt::{Attempt, Outcome};

pub(crate) const ATTEMPTS: &[Attempt] = &[
    ("connect by TCP", |arena| Ok(TcpStream::connect(("127.0.0.1", arena.tcp)).map(drop)?)),
    ("connect by TCP over IPv6", |arena| Ok(TcpStream::connect(("::1", arena.tcp6)).map(drop)?)),
    ("send by UDP", |arena| {
        UdpSocket::bind("127.0.0.1:0")?.send_to(b"secret", ("127.0.0.1", arena.udp))?;
        Ok(())
    }),
    ("query a name server", |_| {
        UdpSocket::bind("0.0.0.0:0")?.send_to(b"a question", "127.0.0.53:53")?;
        Ok(())
    }),
    ("listen by TCP", |_| Ok(TcpListener::bind("127.0.0.1:0").map(drop)?)),
    ("connect to a socket in the file system", |arena| Ok(UnixStream::connect(arena.socket()).map(drop)?)),
    ("connect to an abstract socket", |arena| Ok(UnixStream::connect_addr(&arena.abstract_socket()?).map(drop)?)),
    ("create a pair of sockets", |_| {
        Ok(socketpair(AddressFamily::Unix, SockType::Datagram, None, SockFlag::empty()).map(drop)?)
    }),
    ("talk to the kernel over netlink", |_| open(AddressFamily::Netlink, SockType::Raw, SockProtocol::NetlinkRoute)),
    ("capture packets", |_| open(AddressFamily::Packet, SockType::Raw, SockProtocol::EthAll)),
    ("use the kernel's cryptography", |_| {
        Ok(socket(AddressFamily::Alg, SockType::SeqPacket, SockFlag::empty(), None).map(drop)?)
    }),
    ("see the machine's network device", query_device),
];

fn open(family: AddressFamily, kind: SockType, protocol: SockProtocol) -> Outcome {
    Ok(socket(family, kind, SockFlag::empty(), protocol).map(drop)?)
}

/// Asks the loopback device whether it is up. In an empty network namespace it is down.
fn query_device(_: &Arena) -> Outcome {
    let any = socket(AddressFamily::Inet, SockType::Datagram, SockFlag::empty(), None)?;
    let mut request = [0_u8; 40];
    request[..2].copy_from_slice(b"lo");
    let descriptor = u64::try_from(any.as_raw_fd())?;
    let at = std::ptr::from_mut(&mut request) as u64;
    crate::raw_calls::call(nix::libc::SYS_ioctl, &[descriptor, nix::libc::SIOCGIFFLAGS, at])?;
    if request[16] & 1 == 1 { Ok(()) } else { Err("the device is down".into()) }
}
