//! A program controls the devices of its policy, and no others.
//!
//! Every machine has the devices used here. They know no `ioctl` request, so the kernel's error shows whether a request
//! has reached the device.
#![expect(unsafe_code, reason = "ioctl")]

use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use nix::errno::Errno;
use nix::libc;
use sandbox::{Policy, Sandbox};

use crate::arena::Targets;
use crate::attempt::DENIED;
use crate::limits::LIMITS;

/// The argument of the run that tries to control a device.
pub(crate) const CONTROL: &str = "control";
pub(crate) const DEVICE: &str = "/dev/zero";
const OTHER_DEVICE: &str = "/dev/full";

/// `DRM_IOCTL_VERSION`, which drivers of graphics cards answer.
const REQUEST: u64 = 0xc040_6400;

/// Sends a request to the device.
pub(crate) fn control(path: &str) -> ExitCode {
    let outcome = File::options().read(true).write(true).open(path).map(|device| {
        // SAFETY: the device knows no request, so the kernel follows no pointer.
        Errno::result(unsafe { libc::ioctl(device.as_raw_fd(), REQUEST, 0) })
    });
    match outcome {
        Ok(Err(Errno::ENOTTY)) => ExitCode::SUCCESS,
        other => {
            println!("{other:?}");
            ExitCode::from(DENIED)
        }
    }
}

/// Whether a program reaches the device of its policy and no other, and no device without one in its policy.
pub(crate) fn is_controlled(targets: &Targets, sandbox: &Sandbox) -> bool {
    let reached = [(&[DEVICE][..], DEVICE), (&[DEVICE], OTHER_DEVICE), (&[], DEVICE)].map(|(devices, path)| {
        let devices = devices.iter().map(PathBuf::from).collect();
        let policy = Policy { readable: Vec::new(), writable: None, devices, limits: LIMITS };
        let mut command = Command::new(&targets.program);
        let guard = sandbox.confine(command.args([CONTROL, path]), &policy).expect("confined");
        let status = command.status().expect("started");
        drop(guard);
        status.success()
    });
    println!("a device is reached with it in the policy, another one, without it: {reached:?}");
    reached == [true, false, false]
}
