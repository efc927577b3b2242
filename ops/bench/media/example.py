"""The origin's example `media`, which runs the whole media job on one file."""
import os, subprocess
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[3]


def build():
    """Builds the example, in the profile that PROFILE names (release by default), and returns its path."""
    is_release = os.environ.get("PROFILE", "release") == "release"
    command = ["cargo", "build", "-q", "-p", "origin", "--example", "media"]
    subprocess.run(command + ["--release"] * is_release, cwd=PROJECT, check=True)
    return str(PROJECT / "target" / ("release" if is_release else "debug") / "examples" / "media")
