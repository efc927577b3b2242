//! Graphics cards that encode H.264 in the place of the processor.
//!
//! Vocabulary that all stages share. It must not depend on ffmpeg's syntax beyond the names of encoders.

use std::path::{Path, PathBuf};

/// A way to reach the encoder of a graphics card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hardware {
    /// Cards of Intel and AMD, through the VA-API.
    Vaapi {
        /// The number of the device file, `/dev/dri/renderD…`.
        render_node: u8,
        /// Whether to use the low-power encoder, the only one that Intel's newest cards have.
        low_power: bool,
    },
    /// The first card of NVIDIA.
    Nvenc,
}

/// Only those that exist are used: a machine may lack the one for tools.
const NVIDIA_DEVICES: [&str; 4] = ["/dev/nvidiactl", "/dev/nvidia0", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools"];

impl Hardware {
    /// Returns the encoder, by ffmpeg's name for it.
    pub fn encoder(self) -> &'static str {
        match self {
            Self::Vaapi { .. } => "h264_vaapi",
            Self::Nvenc => "h264_nvenc",
        }
    }

    /// Returns the files through which a program controls the card.
    pub fn devices(self) -> Vec<PathBuf> {
        match self {
            Self::Vaapi { render_node, .. } => vec![render_node_path(render_node)],
            Self::Nvenc => NVIDIA_DEVICES.iter().map(PathBuf::from).filter(|path| Path::exists(path)).collect(),
        }
    }

    /// Checks that this machine has the card. Without this check, the error would come from the card's library.
    pub fn check_devices(self) -> Result<(), String> {
        let devices = self.devices();
        if let Some(missing) = devices.iter().find(|path| !path.exists()) {
            return Err(format!("there is no {}", missing.display()));
        }
        if devices.is_empty() { Err(format!("there is no {}", NVIDIA_DEVICES[0])) } else { Ok(()) }
    }
}

fn render_node_path(render_node: u8) -> PathBuf {
    PathBuf::from(format!("/dev/dri/renderD{render_node}"))
}
