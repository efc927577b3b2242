"""Starts a Clipgate stack for one measurement, and removes everything it stored afterwards."""
import json, os, shutil, signal, socket, subprocess, sys, tempfile, time, urllib.parse, urllib.request
from contextlib import contextmanager
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait(condition, process, seconds=90):
    """Waits until the condition holds, and exits if the process ends or the time is up first."""
    deadline = time.monotonic() + seconds
    while not condition():
        if process.poll() is not None or time.monotonic() > deadline:
            sys.exit(f"bench: {process.args[0]} did not start. Build it first: `make worker` and `cargo build -p dev -p origin`")
        time.sleep(0.1)


@contextmanager
def running(command, folder, **environment):
    """Runs a program until the end of the block, then stops it and every process that it started."""
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


def request_json(url, headers, body=None):
    return json.load(urllib.request.urlopen(urllib.request.Request(url, body, headers)))


class Clipgate:
    """A running stack, and an API key of its first account."""

    def __init__(self, env, process):
        self.env = env
        self.process = process
        self.key = self.create_key(env["SESSION_COOKIE"])
        self.developer_url = env["UPLOAD_URL"] + "/api/php/developer/"

    def create_key(self, cookie):
        session = {"Cookie": cookie, "Content-Type": "application/json"}
        return request_json(self.env["BASE_URL"] + "/api/php/user_settings/create_api_key", session, b"{}")["api_key"]

    def new_account(self, number):
        """Returns the API key of a new account with this number."""
        headers = {"Authorization": "Bearer " + self.env["SERVICE_TOKEN"], "Content-Type": "application/json"}
        body = json.dumps({"account_id": 1000 + number}).encode()
        return self.create_key(request_json(self.env["BASE_URL"] + "/internal/sessions", headers, body)["session_cookie"])

    def uploads(self):
        return request_json(self.developer_url + "uploads", {"Authorization": f"Bearer {self.key}"})["uploads"]


@contextmanager
def clipgate(folder, origins=1, program=PROJECT / "target/debug/clipgate-dev", **environment):
    """Runs a stack with its state in the folder. The program starts the origin that lies beside it."""
    stack_env = folder / "stack.env"
    command = [str(program), "--origins", str(origins), "--stack-env", str(stack_env)]
    environment |= {"PORT": str(free_port()), "STATE_DIR": str(folder / "state")}
    with running(command, folder, **environment) as process:
        wait(stack_env.exists, process)
        yield Clipgate(dict(line.split("=", 1) for line in stack_env.read_text().splitlines()), process)


def upload(url, key, folder, video, *options):
    """Uploads a video with curl. The key goes through a file, because other users can see the arguments of a process."""
    config = folder / "curl"
    config.touch(mode=0o600)
    config.write_text(f'header = "Authorization: Bearer {key}"\n')
    command = ["curl", "-sS", "--config", str(config), *options, "-F", f"file=@{video};filename=clip.mp4", url]
    answer = subprocess.run(command, capture_output=True, text=True).stdout
    if not json.loads(answer or "{}").get("success"):
        sys.exit(f"bench: an upload failed: {answer}")


def upload_resumably(developer_url, key, folder, video, *options):
    """Uploads a video with curl as a resumable upload, in one request."""
    config = folder / "curl"
    config.touch(mode=0o600)
    config.write_text(f'header = "Authorization: Bearer {key}"\n')
    tus = ["curl", "-sS", "-o", os.devnull, "-H", "Tus-Resumable: 1.0.0"]
    begin = [*tus, "--config", str(config), "-X", "POST", "-H", f"Upload-Length: {video.stat().st_size}", "-w", "%header{location}"]
    location = subprocess.run([*begin, developer_url + "resumable_uploads"], capture_output=True, text=True).stdout
    # The address is a secret too.
    config.write_text(f'url = "{urllib.parse.urljoin(developer_url, location)}"\n')
    send = [*tus, "--config", str(config), "-X", "PATCH", "-T", str(video), "-H", "Upload-Offset: 0", "-H", "Expect:", "-w", "%{http_code}", *options]
    status = subprocess.run([*send, "-H", "Content-Type: application/offset+octet-stream"], capture_output=True, text=True).stdout
    if status != "204":
        sys.exit(f"bench: a resumable upload failed: {status}")
