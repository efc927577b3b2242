"""A Clipgate of its own for one figure: started for it, and gone with everything it kept."""
import json, os, shutil, signal, socket, subprocess, sys, tempfile, time, urllib.request
from contextlib import contextmanager
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait(condition, process, seconds=90):
    deadline = time.monotonic() + seconds
    while not condition():
        if process.poll() is not None or time.monotonic() > deadline:
            sys.exit(f"bench: {process.args[0]} did not come up")
        time.sleep(0.1)


@contextmanager
def running(command, folder, **environment):
    """A program and all that it starts, until the end of the block."""
    process = subprocess.Popen(
        command, env=dict(os.environ, **environment), cwd=PROJECT, start_new_session=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=open(folder / "errors", "wb"))
    try:
        yield process
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait()


@contextmanager
def temporary_folder():
    folder = Path(tempfile.mkdtemp(prefix="clipgate-bench-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def answer(url, headers, body=None):
    return json.load(urllib.request.urlopen(urllib.request.Request(url, body, headers)))


class Clipgate:
    """A stack that is up, and an API key of its first account."""

    def __init__(self, env):
        session = {"Cookie": env["SESSION_COOKIE"], "Content-Type": "application/json"}
        self.key = answer(env["BASE_URL"] + "/api/php/user_settings/create_api_key", session, b"{}")["api_key"]
        self.developer = env["UPLOAD_URL"] + "/api/php/developer/"

    def uploads(self):
        return answer(self.developer + "uploads", {"Authorization": f"Bearer {self.key}"})["uploads"]


@contextmanager
def clipgate(folder, origins=1, **environment):
    stack_env = folder / "stack.env"
    command = [str(PROJECT / "target/debug/clipgate-dev"), "--origins", str(origins), "--stack-env", str(stack_env)]
    environment |= {"PORT": str(free_port()), "STATE_DIR": str(folder / "state")}
    with running(command, folder, **environment) as process:
        wait(stack_env.exists, process)
        yield Clipgate(dict(line.split("=", 1) for line in stack_env.read_text().splitlines()))


def upload(url, key, folder, video):
    """One upload by curl, in how many seconds. The key goes through a file: argument lists are public on a machine."""
    config = folder / "curl"
    config.touch(mode=0o600)
    config.write_text(f'header = "Authorization: Bearer {key}"\n')
    command = ["curl", "-sS", "--config", str(config), "-F", f"file=@{video};filename=clip.mp4", url]
    printed = subprocess.run(command, capture_output=True, text=True).stdout
    if not json.loads(printed or "{}").get("success"):
        sys.exit(f"bench: an upload failed: {printed}")
