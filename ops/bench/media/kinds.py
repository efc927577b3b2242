"""Six kinds of clips of 8 s and 1080p, without losses. Real footage comes from the test vectors if they are there."""
import os, subprocess
from pathlib import Path

import example

SECONDS = 8
VECTORS = Path(os.environ.get("CLIPGATE_VECTORS", example.PROJECT / "../shared/vectors")) / "media"

CAT = "bojand__infer/testdata/sample.mp4"
WALK = "gopro__gpmf-parser/samples/max-heromode.mp4"
GLASS = "mdn__learning-area/javascript/apis/client-side-storage/indexeddb/video-store/videos/crystal.mp4"
RABBIT = "Zulko__moviepy/media/big_buck_bunny_0_30.webm"

# Replaces missing real footage: detail that moves slowly.
SUBSTITUTE = "mandelbrot=s=1920x1080:r=25:start_scale=0.4:end_scale=0.3:end_pts=400"
FULL_HD = "scale=1920:1080:force_original_aspect_ratio=increase:flags=lanczos,crop=1920:1080"

# The name of a kind, its footage, where it begins, and the filters that make 1080p of it.
KINDS = [
    # A window of text that scrolls by three lines a second, beside a list that stands still.
    ("screen", None, 0, "drawbox=w=300:color=0x252536:t=fill,"
     "drawtext=font=DejaVu Sans Mono:textfile=text.txt:x=340:y=40-72*floor(t):fontsize=20:line_spacing=4:fontcolor=0xd0d0e0,"
     "drawtext=font=DejaVu Sans:textfile=list.txt:x=20:y=20:fontsize=17:line_spacing=9:fontcolor=0x9090a0,"
     "drawbox=x=300:w=2:color=0x505060:t=fill"),
    # An animal that moves its head before a background out of focus, forwards and backwards.
    ("talking", CAT, 0, f"split[a][b];[b]reverse[c];[a][c]concat,{FULL_HD}"),
    ("animation", RABBIT, 12, FULL_HD),
    # A camera that swings: a window moves over a picture of twice the width.
    ("sport", WALK, 0, f"{FULL_HD},split[a][b];[b]hflip[c];[a][c]hstack,crop=1920:1080:x=960*(1-cos(2*t)):y=0"),
    ("grain", GLASS, 0, f"{FULL_HD},noise=c0s=14:c0f=t:all_seed=7"),
    ("film", WALK, 0, FULL_HD),
]


def substituted():
    """Returns the kinds whose footage is missing."""
    return [name for name, footage, _, _ in KINDS if footage and not (VECTORS / footage).is_file()]


def write_text(folder):
    """Writes the text that the screen recording shows: one that never changes, so that results can be compared."""
    lines = (example.PROJECT / "LICENSE-APACHE").read_text().splitlines()[:110]
    Path(folder, "text.txt").write_text("\n".join(line[:120] for line in lines))
    Path(folder, "list.txt").write_text("\n".join(line[:28] for line in lines if line)[:1100])


def make(folder, name):
    """Writes the clip of a kind and returns its path."""
    _, footage, start, filters = next(kind for kind in KINDS if kind[0] == name)
    path = VECTORS / footage if footage else None
    if path is None:
        source = ["-f", "lavfi", "-i", "color=0x1e1e2e:s=1920x1080:r=30"]
    elif path.is_file():
        source = ["-ss", str(start), "-i", str(path)]
    else:
        source = ["-f", "lavfi", "-i", SUBSTITUTE]
    write_text(folder)
    clip = os.path.join(folder, f"{name}.mkv")
    command = ["ffmpeg", "-nostdin", "-v", "error", "-y", *source, "-filter_complex", f"{filters},format=yuv420p,setsar=1",
               "-an", "-sn", "-t", str(SECONDS), "-c:v", "libx264", "-preset", "ultrafast", "-qp", "0",
               "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709", "-color_range", "tv", clip]
    subprocess.run(command, cwd=folder, check=True)
    return clip
